"""What is shown to a room: present mode, in which a page has no navigation and often no choices, and the guided tour.

Both stand in the link, so that it can be shared and Back works.
"""

from dataclasses import asdict
from pathlib import Path
from urllib.parse import urlencode

import streamlit as st

from gfx_core.teaching.tour import BAR, stops
from pages.ui.address import VISIT, Address, read_link, whole
from pages.ui.components.mount import component, style

PRESENT_STYLE = Path(__file__).with_name("present.css")
"""Hides the navigation, and has letters grow with the window."""
STAGE_STYLE = Path(__file__).with_name("stage.css")
"""Hides all that one chooses by: the picture has the window."""
_SHOWN = Address()
PRESENT = _SHOWN.switch("present")
"""Whether the page is shown to a room."""
TOUR = _SHOWN.parameter("tour", None, whole(1, len(stops())))
"""Which stop of the tour is shown, 1 for the first."""
PAGES = ("home", "explain", "compare", "train")
"""The pages that show a picture: presented they have no choices."""
PRESENTED = (*PAGES, "results", "learn", "datasets", "own", "lab", "glossary")
"""The pages that can be presented: all but those of a class, which have a view for projectors."""

_bar = component("components/tour_bar", BAR, style("tour_bar"))


def address(number: int) -> str | None:
    """The way to a stop from whatever page; ``None`` where there is no such stop."""
    if not 1 <= number <= len(stops()):
        return None
    stop = stops()[number - 1]
    return _way(stop.page, {**stop.link, TOUR.name: str(number)})


def _way(page: str, link: dict[str, str]) -> str:
    return f"{'./' if page == PAGES[0] else page}{'?' if link else ''}{urlencode(link)}"


def present(on: bool) -> None:
    """Enter present mode, or leave it and with it the tour."""
    _SHOWN.change({PRESENT: True} if on else {PRESENT: False, TOUR: None})


def show(page: str) -> None:
    """Put a page in present mode if its link says so, with the tour's bar above it if it is a stop of that."""
    with st.container(key="presenting"):  # always, so that nothing else moves
        if PRESENT.read() and page in PRESENTED:
            st.html(PRESENT_STYLE)
            if page in PAGES:
                st.html(STAGE_STYLE)
        number = TOUR.read()
        if number is None or (stop := stops()[number - 1]).page != page:
            return
        rest = {name: text for name, text in read_link().items() if name not in VISIT}
        ways = {"back": address(number - 1), "next": address(number + 1), "end": _way(page, rest)}
        with st.container(key="tour"):
            _bar(key="tour-bar", data={**asdict(stop), **ways, "number": number, "of": len(stops())})
