"""The site's templates, and how texts get into them: everything is escaped here."""

import html
import re

from markupsafe import Markup

from gfx_core.drawing.templates import render
from gfx_core.teaching.glossary import entries, groups
from gfx_core.teaching.lesson_texts import LESSONS

PLACES = {
    "hero": "st-key-hero-room",
    "player": "st-key-player",
    "results": "st-key-findings",
    "train": "st-key-train-view",
}
"""What the explorer calls the places of some views, and of what Results come to: the guided tour points at them."""

_LINK = re.compile(r"\[([^\]]+)\]\(/glossary#([\w-]+)\)")


def rich(text: str) -> Markup:
    """A text of ours as HTML: bold, italics, code and links to the glossary are marked as in Markdown."""
    markup = _LINK.sub(r'<a href="glossary.html#\2">\1</a>', html.escape(text))
    markup = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", markup)
    markup = re.sub(r"(?<![\w*])\*([^*\s][^*]*)\*", r"<i>\1</i>", markup)
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", markup))


def plain(text: str) -> str:
    """A text of ours without any marks."""
    return re.sub(r"[*`]", "", _LINK.sub(r"\1", text))


def glossary_html(lesson: str, *, linked: bool = False) -> str:
    """Every term by its group, as the view of the glossary expects it.

    Args:
        lesson: The address of a lesson, with a place for its number.
        linked: Whether there are links to the pages that show a term.
    """
    terms = {"groups": groups(), "entries": entries(), "lessons": LESSONS}
    return render("site/terms.html", lowered=_lowered, lesson=lesson, linked=linked, **terms)


def _lowered(text: str) -> Markup:
    """K_M and the like with a letter below the line."""
    return Markup(re.sub(r"_(\w)", r"<sub>\1</sub>", html.escape(text)))
