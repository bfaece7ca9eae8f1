"""The clickable picture of a network: an SVG made by gfx_core, shown by a small component."""

from collections.abc import Callable, Sequence
from dataclasses import asdict

import streamlit as st

from gfx_core.drawing.masks import MASK_STYLE
from gfx_core.drawing.pictures import LegendEntry
from gfx_core.drawing.svg import STYLE
from pages.ui.components.component_files import script, style, whole

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

_view = st.components.v2.component(
    "network_view",
    html=_HTML,
    css=STYLE + MASK_STYLE + style("network_view.css"),
    js=script("network_view"),
)


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

    def picked() -> None:
        node = st.session_state[key].get("pick")
        if on_pick is not None and node is not None:
            on_pick(int(node))

    _view(
        key=key,
        data=whole(
            {
                "svg": svg,
                "legend": [asdict(entry) for entry in legend],
                "selected": selected,
                "clickable": on_pick is not None,
                "enlarge": enlarge,
            }
        ),
        on_pick_change=picked,
    )
