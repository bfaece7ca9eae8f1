"""Names that try to be more than text, and a reader that tells where they would succeed."""

import importlib
import json
import pkgutil
from collections.abc import Iterator
from functools import lru_cache
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlsplit

from google.protobuf.message import Message
from streamlit.testing.v1 import AppTest

import pages.ui
from gfx_core.config import TRACES
from gfx_core.trace.serialize import load, to_json
from pages.ui.address import Address, Parameter

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


@lru_cache(maxsize=1)
def parameters() -> tuple[tuple[str, Parameter[Any]], ...]:
    """Every parameter of every link, with the module that declares it."""
    addresses: dict[int, tuple[str, Address]] = {}
    for module in pkgutil.walk_packages(pages.ui.__path__, "pages.ui."):
        for value in vars(importlib.import_module(module.name)).values():
            if isinstance(value, Address):
                addresses.setdefault(id(value), (module.name, value))
    return tuple((module, each) for module, address in addresses.values() for each in address.parameters.values())


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
        reader = _Addresses()
        reader.feed(html.proto.body)
        assert not [address for address in reader.found if "evil" in address or address == "x"]


def hostile_trace() -> str:
    """A file with such names wherever a trace has texts."""
    data = json.loads(to_json(load(TRACES / "ba_2motifs-0.json")))
    data["classes"] = [HOSTILE[0], HOSTILE[1]]
    data["dataset_title"] = HOSTILE[2]
    data["dataset"] = HOSTILE[3]
    data["model"] = HOSTILE[4]
    for number, node in enumerate(data["nodes"]):
        node["label"] = HOSTILE[number % len(HOSTILE)]
        node["features"] = [[HOSTILE[5], HOSTILE[6]]]
    return json.dumps(data)


class _Addresses(HTMLParser):
    """Finds all that a browser would load or lead to."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        loaded = {"src", "srcset", "action", "data", "poster", "background"}
        for name, value in attrs:
            address = urlsplit(value or "")
            if (name in loaded or name == "href") and address.scheme != "data":  # pictures in the page load nothing
                self.found.append(address.netloc or address.path)
            assert not name.startswith("on"), f"{tag} {name}"
