"""Draw what is expensive and far down the page only once somebody comes near it."""

from collections.abc import Callable

import streamlit as st

from pages.ui.components.component_files import read
from pages.ui.fragment import fragment

_place = st.components.v2.component(
    "when_seen",
    html='<div class="place" role="status">A chart is drawn here once it is in view.</div>',
    css=".place { min-height: 20rem; display: grid; place-items: center; opacity: 0.6; font-size: 0.85rem; }",
    js=read("when_seen.js"),
)

_SEEN = "seen-places"  # session state: what this visitor has come to


def when_seen(draw: Callable[[], None], *, key: str) -> None:
    """Draw something as soon as its place comes near the window, and at once from then on.

    Args:
        draw: Draws it. The page does not run again for it, only this.
        key: Widget key, and what is remembered.
    """

    def part() -> None:
        seen: set[str] = st.session_state.setdefault(_SEEN, set())
        if key in seen:
            draw()
        else:
            _place(key=f"place-{key}", on_seen_change=lambda: seen.add(key))

    fragment(part)()
