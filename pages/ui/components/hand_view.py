"""One state and the flows around it, to be set by hand: drag a pipe, or use the arrow keys on it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

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
    js=script("hand_view"),
)


@dataclass(frozen=True)
class StateFlows:
    """A state and what flows through it.

    Attributes:
        name: Of the state.
        parents: Names of the states that flow into it.
        children: Names of the states it flows into.
        reward: R of the state, what flows to STOP.
        flows: From the parents, then to the children.
    """

    name: str
    parents: Sequence[str]
    children: Sequence[str]
    reward: float
    flows: Sequence[float]


def hand_view(
    state: StateFlows, *, key: str, most: float, step: float, on_flows: Callable[[list[float]], None] | None = None
) -> None:
    """Show the state; without `on_flows` nothing can be changed.

    Args:
        state: What is shown.
        key: Widget key.
        most: The largest flow.
        step: The smallest flow, and by how much it changes.
        on_flows: Called with all flows when one was changed.
    """

    def changed() -> None:
        values = st.session_state[key].get("flows")
        if on_flows is not None and values is not None and len(values) == len(state.flows):
            on_flows([float(value) for value in values])

    _view(
        key=key,
        data=whole(
            {
                "state": state.name,
                "parents": list(state.parents),
                "children": list(state.children),
                "reward": state.reward,
                "flows": list(state.flows),
                "most": most,
                "step": step,
                "fixed": on_flows is None,
            }
        ),
        on_flows_change=changed,
    )
