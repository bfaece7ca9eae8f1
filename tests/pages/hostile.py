"""Names that try to be more than text, and a reader that tells where they would succeed."""

from collections.abc import Iterator
from typing import Any

from google.protobuf.message import Message
from streamlit.testing.v1 import AppTest

HOSTILE = (
    "[x](http://evil.example)",
    "![x](http://evil.example/i.png)",
    "<img src=x onerror=alert(1)>",
    "$x^2$",
    ":red[x]",
    ":material/home:",
    ":smile:",
    "**b**",
    "`c`",
    "~~s~~",
    "http://evil.example/x",
    "www.evil.example",
    "evil@mail.example",
    "O=[N+]([O-])c1ccccc1",
    "a -> b",
    "&lt;b&gt;",
)
ALL = " ".join(HOSTILE)
MARKDOWN = {"body", "label", "help", "text", "content", "caption", "placeholder", "tooltip", "title", "delta"}
"""Fields of Streamlit's elements that the browser reads as Markdown."""


def read_as_markdown(at: AppTest) -> Iterator[tuple[str, str]]:
    """All texts of a page that are Markdown, with the kind of their element."""
    for node in _nodes(at._tree):
        message = getattr(node, "proto", None)
        if isinstance(message, Message) and getattr(node, "type", "") not in ("bidi_component", "html"):
            for text in _texts(message):
                yield str(getattr(node, "type", "")), text


def _nodes(block: Any) -> Iterator[Any]:
    yield block
    for child in getattr(block, "children", {}).values():
        yield from _nodes(child)


def _texts(message: Message) -> Iterator[str]:
    for field, value in message.ListFields():
        repeated = isinstance(value, (str, bytes, int, float)) is False and not isinstance(value, Message)
        for one in list(value) if repeated else [value]:
            if isinstance(one, Message):
                yield from _texts(one)
            elif isinstance(one, str) and field.name in MARKDOWN:
                yield one


def check_that_nothing_is_markdown(at: AppTest) -> None:
    """No hostile name may stand on a page as it is."""
    assert not at.exception
    for kind, text in read_as_markdown(at):
        for name in HOSTILE:
            assert name not in text, f"{kind}: {text}"
    for html in at.get("html"):
        assert "<img src=x" not in html.proto.body
