"""A gallery of small pictures with a few lines each; a click picks one. The pictures are SVG made by gfx_core."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from gfx_core.drawing.masks import MASK_STYLE
from gfx_core.drawing.svg import STYLE
from pages.ui.components.component_files import component, style

_gallery = component("gallery", '<div class="kit gallery"></div>', STYLE + MASK_STYLE + style("gallery.css"))


@dataclass(frozen=True)
class Card:
    """One picture.

    Attributes:
        svg: From gfx_core.drawing; empty for a card without a picture.
        title: Its heading.
        facts: Names and values below the picture.
        note: A line in small print.
        action: What a click does, said on a button; empty for a card that cannot be picked.
        selected: Whether it is the one that is shown elsewhere.
        busy: Whether its picture is being computed.
        careful: Whether only the button itself counts as a click, and not the whole card.
    """

    svg: str
    title: str
    facts: tuple[tuple[str, str], ...] = ()
    note: str = ""
    action: str = ""
    selected: bool = False
    busy: bool = False
    careful: bool = False


def gallery(
    cards: Sequence[Card], *, key: str, on_pick: Callable[[int], None] | None = None, wide: float = 13.0
) -> None:
    """Show cards side by side, as many in a row as fit.

    Args:
        cards: What to show.
        key: Widget key.
        on_pick: Called with the number of a card that is picked.
        wide: Least width of a card, in rem.
    """

    def picked(number: Any) -> None:
        if on_pick is not None and 0 <= int(number) < len(cards):
            on_pick(int(number))

    _gallery(key=key, data={"cards": [asdict(card) for card in cards], "wide": wide}, heard={"pick": picked})
