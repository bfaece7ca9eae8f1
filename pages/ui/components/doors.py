"""Small cards that lead to other pages. They are plain HTML and so are there before any component is loaded."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from urllib.parse import quote, urlencode

import streamlit as st


@dataclass(frozen=True)
class Door:
    """One card.

    Attributes:
        page: The page it leads to, by the name of its file.
        link: Parameters of the page's link.
        title: Its heading.
        svg: A small picture from gfx_core.drawing.
        facts: Short lines below the picture.
        tip: A sentence for those who point at it.
    """

    page: str
    link: dict[str, str]
    title: str
    svg: str
    facts: tuple[str, ...] = ()
    tip: str = ""

    @property
    def html(self) -> str:
        """The card as a link; ``data-inside`` keeps the visitor's session, see ``history.js``."""
        facts = "".join(f'<span class="fact">{escape(fact)}</span>' for fact in self.facts)
        return (
            f'<a class="door" data-inside="" href="{escape(self.page)}?{escape(urlencode(self.link))}" '
            f'title="{escape(self.tip)}"><strong>{escape(self.title)}</strong>'
            f'<img src="data:image/svg+xml,{quote(self.svg)}" alt="">{facts}</a>'  # SVG itself would be taken out
        )


def doors(shown: Sequence[Door]) -> None:
    """Show cards side by side; a click on one opens its page."""
    st.html(f'<nav class="doors" aria-label="Data sets">{"".join(door.html for door in shown)}</nav>')
