"""The state DAG, left to right by size, flow as width: a component with a small graph beside it."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from gfx_core.drawing.export import dag_css
from gfx_core.drawing.state_graph import DagPicture
from pages.ui.components.component_files import component, sheet, style

_HTML = """
<div class="kit dag">
  <div class="dag-stage"></div>
  <aside class="beside">
    <div class="heading"></div>
    <div class="graph"></div>
    <dl class="facts"></dl>
    <div class="hint"></div>
  </aside>
</div>
"""
_dag = component("dag_view", _HTML, style() + sheet(dag_css))


@dataclass(frozen=True)
class StateChoice:
    """That a state can be chosen, by a click or by Enter.

    Attributes:
        chosen: The one that is chosen now: it has a ring, and the small graph shows it while nothing is hovered.
        choose: Called with another.
        action: What that does, in a few words, e.g. “play a way to it”.
    """

    chosen: int | None
    choose: Callable[[int], None]
    action: str


@dataclass(frozen=True)
class RewardDrag:
    """That rewards can be dragged.

    Attributes:
        drag: Called with a state and its new reward, about ten times a second.
        settle: Called after that when a reward is let go: the time to write it into the URL.
        most: The largest reward.
    """

    drag: Callable[[int, float], None]
    settle: Callable[[], None]
    most: float


def dag_view(
    picture: DagPicture,
    *,
    key: str,
    choice: StateChoice | None = None,
    rewards: RewardDrag | None = None,
    height: int = 420,
    beside: bool = True,
) -> None:
    """Show a state DAG.

    Args:
        picture: From `gfx_core.drawing.state_graph.dag_picture`; its path is highlighted.
        key: Widget key. New numbers for the same states are animated; nothing else moves.
        choice: What choosing a state does; without it nothing can be chosen.
        rewards: What dragging a reward does; without it rewards cannot be changed.
        height: Height in pixels where the picture needs no more.
        beside: Whether the small graph is shown.
    """

    def dragged(change: Mapping[str, Any]) -> None:
        if rewards is not None:
            rewards.drag(int(change["state"]), min(max(float(change["value"]), 0.0), rewards.most))
            if change.get("settled"):
                rewards.settle()

    _dag(
        key=key,
        data={
            "picture": asdict(picture),
            "clickable": choice is not None,
            "draggable": rewards is not None,
            "rewardMax": rewards.most if rewards else 0.0,
            "selected": choice.chosen if choice else None,
            "path": list(picture.path),
            "height": height,
            "beside": beside,
            "action": choice.action if choice else "",
        },
        heard={"state": choice and (lambda state: choice.choose(int(state))), "reward": dragged},
    )
