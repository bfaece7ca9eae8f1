"""One state and the flows around it, to be set by hand: drag a pipe, or use the arrow keys on it."""

from collections.abc import Callable, Sequence

import streamlit as st

from gfx_core.drawing import colours
from pages.ui.components.component_files import script, style, whole

_COLOURS = f""".hand {{ --water: {colours.PARENT.colour}; --stop: {colours.MOTIF.colour};
  --good: {colours.MOTIF.colour}; --off: {colours.MISTAKE.colour}; }}
"""
_view = st.components.v2.component(
    "hand_view",
    html='<div class="kit hand"><div class="stage"></div><p class="formula" role="status"></p></div>',
    css=_COLOURS + style("hand_view.css"),
    js=script("hand_view.js"),
)


def hand_view(
    state: str,
    parents: Sequence[str],
    children: Sequence[str],
    reward: float,
    flows: Sequence[float],
    *,
    key: str,
    most: float,
    step: float,
    on_flows: Callable[[list[float]], None] | None = None,
) -> None:
    """Show the state; without `on_flows` nothing can be changed.

    Args:
        state: Its name.
        parents: Names of the states that flow into it.
        children: Names of the states it flows into.
        reward: R of the state, what flows to STOP.
        flows: From the parents, then to the children.
        key: Widget key.
        most: The largest flow.
        step: The smallest flow, and by how much it changes.
        on_flows: Called with all flows when one was changed.
    """

    def changed() -> None:
        values = st.session_state[key].get("flows")
        if on_flows is not None and values is not None and len(values) == len(flows):
            on_flows([float(value) for value in values])

    _view(
        key=key,
        data=whole(
            {
                "state": state,
                "parents": list(parents),
                "children": list(children),
                "reward": reward,
                "flows": list(flows),
                "most": most,
                "step": step,
                "fixed": on_flows is None,
            }
        ),
        on_flows_change=changed,
    )
