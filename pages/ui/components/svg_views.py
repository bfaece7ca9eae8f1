"""Pictures that gfx_core draws as SVG: a clickable network, and a gallery of small ones with a few lines each."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from gfx_core.drawing.pictures import Legend
from gfx_core.drawing.svg import STYLE
from pages.ui.components.mount import component, style

_view = component("components/network_view", '<div class="kit view"></div>', STYLE + style("network_view"))


def network_view(
    svg: str,
    *,
    key: str,
    legend: Legend = (),
    selected: int | None = None,
    on_pick: Callable[[int], None] | None = None,
    enlarge: float = 1.25,
) -> None:
    """Show a picture.

    Args:
        svg: From gfx_core.drawing.
        key: Widget key.
        legend: What the marks mean.
        selected: A node to ring.
        on_pick: Called with the id of a node that is clicked; without it nodes are not clickable.
        enlarge: How far the picture may grow beyond its own size.
    """
    _view(
        key=key,
        data={
            "svg": svg,
            "legend": list(legend),
            "selected": selected,
            "clickable": on_pick is not None,
            "enlarge": enlarge,
        },
        heard={"pick": on_pick},
    )


_gallery = component("components/gallery", '<div class="kit gallery"></div>', STYLE + style("gallery"))


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
    _gallery(key=key, data={"cards": [asdict(card) for card in cards], "wide": wide}, heard={"pick": on_pick})
