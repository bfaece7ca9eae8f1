"""One state and the flows around it, to be set by hand: drag a pipe, or use the arrow keys on it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gfx_core.drawing import colours
from pages.ui.components.component_files import component, style

_COLOURS = f""".hand {{ --water: {colours.PARENT.colour}; --stop: {colours.MOTIF.colour};
  --good: {colours.MOTIF.colour}; --off: {colours.MISTAKE.colour}; }}
"""
_HTML = '<div class="kit hand"><div class="stage"></div><p class="formula" role="status"></p></div>'
_view = component("hand_view", _HTML, _COLOURS + style("hand_view.css"))


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

    def changed(values: Sequence[float]) -> None:
        if on_flows is not None and len(values) == len(state.flows):
            on_flows([float(value) for value in values])

    _view(
        key=key,
        data={
            "state": state.name,
            "parents": list(state.parents),
            "children": list(state.children),
            "reward": state.reward,
            "flows": list(state.flows),
            "most": most,
            "step": step,
            "fixed": on_flows is None,
        },
        heard={"flows": changed},
    )
