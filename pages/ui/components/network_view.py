"""The clickable picture of a network: an SVG made by gfx_core, shown by a small component."""

from collections.abc import Callable, Sequence
from dataclasses import asdict

from gfx_core.drawing.masks import MASK_STYLE
from gfx_core.drawing.pictures import LegendEntry
from gfx_core.drawing.svg import STYLE
from pages.ui.components.component_files import component, style

_HTML = """
<div class="kit view">
  <div class="stage"></div>
  <div class="tools">
    <button class="in" type="button" aria-label="Zoom in" title="Zoom in (or Ctrl + wheel)">+</button>
    <button class="out" type="button" aria-label="Zoom out" title="Zoom out">−</button>
    <button class="all" type="button" aria-label="Show all" title="Show all">⤢</button>
  </div>
  <div class="legend"></div>
</div>
"""

_view = component("network_view", _HTML, STYLE + MASK_STYLE + style("network_view.css"))


def network_view(
    svg: str,
    *,
    key: str,
    legend: Sequence[LegendEntry] = (),
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
            "legend": [asdict(entry) for entry in legend],
            "selected": selected,
            "clickable": on_pick is not None,
            "enlarge": enlarge,
        },
        heard={"pick": on_pick and (lambda node: on_pick(int(node)))},
    )
