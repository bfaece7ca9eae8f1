"""How texts and views get into a page: everything is escaped here."""

import html
import json
import re
from typing import Any

_LINK = re.compile(r"\[([^\]]+)\]\(/glossary#([\w-]+)\)")


def rich(text: str, *, links: bool = True) -> str:
    """A text of ours as HTML: bold, italics, code and links to the glossary are marked as in Markdown."""
    made = html.escape(text)
    made = _LINK.sub(r'<a href="glossary.html#\2">\1</a>' if links else r"\1", made)
    made = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", made)
    made = re.sub(r"(?<![\w*])\*([^*\s][^*]*)\*", r"<i>\1</i>", made)
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", made)


def plain(text: str) -> str:
    """The same without any marks."""
    return _LINK.sub(r"\1", text).replace("**", "").replace("*", "").replace("`", "")


def data(value: Any) -> str:
    """What a script reads. No "<" is left in it, so nothing in it can end the script element."""
    texts = json.dumps(value, ensure_ascii=False).replace("<", "\\u003c")
    return f'<script type="application/json">{texts}</script>'


def view(name: str, value: Any, inside: str = "") -> str:
    """A view of the page and its data; ``inside`` is the markup that the view expects."""
    return f'<div class="view {name}-view" data-mount="{name}">{inside}</div>\n{data(value)}'
