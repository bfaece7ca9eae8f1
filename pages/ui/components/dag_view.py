"""The state DAG, left to right by size, flow as width: a component with a small graph beside it."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

import streamlit as st

from gfx_core.drawing import colours
from gfx_core.drawing.dag_picture import DagPicture
from pages.ui.components.component_files import script, style, whole

_HTML = """
<div class="kit dag">
  <div class="stage"></div>
  <aside class="beside">
    <div class="heading"></div>
    <div class="graph"></div>
    <dl class="facts"></dl>
    <div class="hint"></div>
  </aside>
</div>
"""
_COLOURS = (
    f".dag {{ --water: {colours.PARENT.colour}; --stop: {colours.MOTIF.colour}; --start: {colours.START.colour}; "
    f"--plain: {colours.PLAIN.colour}; }}\n"
)
_dag = st.components.v2.component(
    "dag_view",
    html=_HTML,
    css=_COLOURS + style("dag_view.css"),
    js=script("dag_view.js"),
)


def dag_view(
    picture: DagPicture,
    *,
    key: str,
    on_state: Callable[[int], None] | None = None,
    on_reward: Callable[[int, float], None] | None = None,
    reward_max: float = 10.0,
    selected: int | None = None,
    path: Sequence[int] = (),
    height: int = 420,
    beside: bool = True,
    action: str = "",
    on_settled: Callable[[], None] | None = None,
) -> None:
    """Show a state DAG.

    Args:
        picture: From `gfx_core.drawing.dag_picture.dag_picture`.
        key: Widget key. New numbers for the same states are animated; nothing else moves.
        on_state: Called with a state that is clicked, or chosen by Enter.
        on_reward: Called with a state and its new reward while it is dragged, about ten times a second; without it
            rewards cannot be changed.
        reward_max: The largest reward that can be set.
        selected: A state to ring; the small graph shows it while nothing is hovered.
        path: States of a trajectory to highlight; by default the picture's own.
        height: Height in pixels where the picture needs no more.
        beside: Whether the small graph is shown.
        action: What a click on a state does, in a few words, e.g. “play a way to it”.
        on_settled: Called after `on_reward` when a reward is let go: the time to write it into the URL.
    """

    def value_of(name: str) -> Any:
        return st.session_state[key].get(name)

    def chosen() -> None:
        state = value_of("state")
        if on_state is not None and state is not None:
            on_state(int(state))

    def dragged() -> None:
        change = value_of("reward")
        if on_reward is not None and change is not None:
            on_reward(int(change["state"]), min(max(float(change["value"]), 0.0), reward_max))
            if change.get("settled") and on_settled is not None:
                on_settled()

    _dag(
        key=key,
        data=whole(
            {
                "picture": asdict(picture),
                "clickable": on_state is not None,
                "draggable": on_reward is not None,
                "rewardMax": reward_max,
                "selected": selected,
                "path": [int(state) for state in path or picture.path],
                "height": height,
                "beside": beside,
                "action": action,
            }
        ),
        on_state_change=chosen,
        on_reward_change=dragged,
    )
