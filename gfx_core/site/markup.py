"""How texts and views get into a page: everything is escaped here."""

import html
import json
import re
from typing import Any

from gfx_core.teaching.glossary import GlossaryEntry, entries, groups
from gfx_core.teaching.lesson_texts import LESSONS

PLACES = {
    "hero": "st-key-hero-room",
    "player": "st-key-player",
    "results": "st-key-findings",
    "train": "st-key-train-view",
}
"""What the explorer calls the places of some views, and of what Results come to: the guided tour points at them."""

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


def place(name: str) -> str:
    """The class that the guided tour finds something by, after others; empty where it points at no such thing."""
    return f" {PLACES[name]}" if name in PLACES else ""


def view(name: str, value: Any, inside: str = "") -> str:
    """A view of the page and its data; ``inside`` is the markup that the view expects."""
    return f'<div class="view {name}-view{place(name)}" data-mount="{name}">{inside}</div>\n{data(value)}'


def glossary_html(lesson: str, *, shown: bool = False) -> str:
    """Every term by its group, as the view of the glossary expects it.

    Args:
        lesson: The address of a lesson, with a place for its number.
        shown: Whether there are links to the pages that show a term.
    """

    def card(entry: GlossaryEntry) -> str:
        symbol = f'<span class="symbol">{_lowered(entry.symbol)}</span>' if entry.symbol not in ("", entry.name) else ""
        name = html.escape(entry.name)
        facts = {"Paper": f'<span class="paper">{_lowered(entry.paper)}</span>' if entry.paper else ""}
        if shown:
            facts["See it"] = ", ".join(
                f'<a href="{html.escape(address)}">{html.escape(text)}</a>' for text, address in entry.where
            )
        if entry.lesson:
            title = f"{entry.lesson} · {LESSONS[entry.lesson]['title']}"
            facts["Lesson"] = f'<a href="{lesson.format(entry.lesson)}">{html.escape(title)}</a>'
        listed = "".join(f"<dt>{each}</dt><dd>{value}</dd>" for each, value in facts.items() if value)
        also = html.escape("\n".join(entry.also))
        return (
            f'<article id="{entry.anchor}" tabindex="-1" data-also="{also}">'
            f'<h3>{symbol}<span class="name">{name}</span>'
            f'<a class="anchor" aria-label="Link to {name}" href="#{entry.anchor}">#</a></h3>'
            f'<p class="meaning">{html.escape(entry.meaning)}</p><dl>{listed}</dl></article>'
        )

    found = "".join(
        f'<section aria-label="{html.escape(group)}"><h2>{html.escape(group)}</h2><div class="list">'
        f"{''.join(card(entry) for entry in entries() if entry.group == group)}</div></section>"
        for group in groups()
    )
    return f"""<div class="kit glossary"><div class="bar"><label><span class="unseen">Search</span>
<input type="search" placeholder="Search, e.g. flow or Z" autocomplete="off"></label>
<nav aria-label="Groups"></nav></div><p class="count" role="status"></p>{found}</div>"""


def _lowered(text: str) -> str:
    """K_M and the like with a letter below the line."""
    return re.sub(r"_(\w)", r"<sub>\1</sub>", html.escape(text))
