"""The guided tour: its stops, which are `assets/content/tour.toml`, and its bar. The explorer and the site have it."""

from dataclasses import dataclass, field
from functools import cache

from gfx_core.config import read_content

BAR = (
    '<nav class="kit tour" aria-label="Guided tour"><b class="count"></b><p class="sentence" aria-live="polite"></p>'
    '<a class="back" data-inside="">Back <kbd>B</kbd></a><a class="next" data-inside="">Next <kbd>N</kbd></a>'
    '<a class="end" data-inside="">End <kbd>Esc</kbd></a></nav>'
)
"""What ``tour_bar.js`` fills in."""


@dataclass(frozen=True)
class TourStop:
    """One stop of the tour.

    Attributes:
        page: Its page.
        sentence: What is to be seen there: one sentence.
        point: What it speaks of: the selector of a part of the page, and perhaps of something in that.
        link: The parameters of its page.
        press: What is pressed when somebody arrives, in the same way.
    """

    page: str
    sentence: str
    point: list[str]
    link: dict[str, str] = field(default_factory=dict)
    press: list[str] = field(default_factory=list)


@cache
def stops() -> tuple[TourStop, ...]:
    """All stops, in their order."""
    content = read_content("tour")
    return tuple(TourStop(**stop) for stop in content["stops"])
