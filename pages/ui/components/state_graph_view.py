"""The state graph, left to right by size, flow as width: a component with a small graph beside it."""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from gfx_core.drawing.export import state_graph_css
from gfx_core.drawing.state_graph import DagPicture
from pages.ui.components.component_files import component, sheet, style

_HTML = '<div class="kit state-graph"></div>'
_states = component("state_graph_view", _HTML, style() + sheet(state_graph_css))


def state_graph_view(
    picture: DagPicture,
    *,
    key: str,
    chosen: int | None = None,
    choose: Callable[[int], None],
    action: str,
    drag: Callable[[int, float], None] | None = None,
    settle: Callable[[], None] | None = None,
    most: float = 0.0,
    height: int = 420,
    beside: bool = True,
) -> None:
    """Show a state graph.

    Args:
        picture: From `gfx_core.drawing.state_graph.dag_picture`; its path is highlighted.
        key: Widget key. New numbers for the same states are animated; nothing else moves.
        chosen: The state that is chosen now: it has a ring, and the small graph shows it while nothing is hovered.
        choose: Called with another, by a click or by Enter.
        action: What that does, in a few words, e.g. “play a way to it”.
        drag: Called with a state and its new reward, about ten times a second; without it rewards cannot be changed.
        settle: Called after that when a reward is let go: the time to write it into the URL.
        most: The largest reward.
        height: Height in pixels where the picture needs no more.
        beside: Whether the small graph is shown.
    """

    def dragged(change: Mapping[str, Any]) -> None:
        if drag is not None and settle is not None:
            drag(int(change["state"]), min(max(float(change["value"]), 0.0), most))
            if change.get("settled"):
                settle()

    _states(
        key=key,
        data={
            "picture": asdict(picture),
            "draggable": drag is not None,
            "rewardMax": most,
            "selected": chosen,
            "path": picture.path,
            "height": height,
            "beside": beside,
            "action": action,
        },
        heard={"state": lambda state: choose(int(state)), "reward": dragged},
    )
