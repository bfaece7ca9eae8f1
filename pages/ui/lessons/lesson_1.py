"""Lesson 1: flow is water. Change what a state is worth, and see all flows and where a walk stops follow."""

import numpy as np
import streamlit as st

from gfx_core.arrays import Doubles
from gfx_core.drawing.colours import role_css
from gfx_core.drawing.state_graph import DagNumbers, dag_picture
from gfx_core.teaching.lesson_texts import LESSONS
from gfx_core.teaching.practice import Practice, WaterFlows, balance_words, ground, solve_flows, step_words
from gfx_core.teaching.questions import about_scaling
from pages.ui.address import numbers, spell_numbers
from pages.ui.components.component_files import component, style
from pages.ui.components.state_graph_view import state_graph_view
from pages.ui.lessons.frame import Lesson, LessonAddress, ask, hidden

_table = component("stop_table", '<div class="kit stops"></div>', role_css("stops") + style("stop_table.css"))

REWARD_MAX = 12.0
GOAL_STATE, GOAL = "acd", 0.25
TOY = ground(Practice.TOY)
_DOUBLE, _HALVE = "Double all", "Halve all"
_LIVE = "lesson-1:rewards"  # session state: the link's text and the rewards, which while dragging are ahead of it


def parse_rewards(text: str) -> tuple[float, ...]:
    """A number for each state, from small to large states."""
    values = numbers(len(TOY.names), 0.0, REWARD_MAX)(text)
    if not any(values):
        raise ValueError("nothing would flow")
    return values


ADDRESS = LessonAddress(1)
REWARDS = ADDRESS.parameter("r", tuple(TOY.reward.tolist()), parse_rewards, spell=spell_numbers)
PICKED = ADDRESS.parameter("s", TOY.names.index(GOAL_STATE), TOY.names.index, spell=TOY.names.__getitem__)
"""The state whose slider is seen and whose balance is written out."""


def rewards() -> tuple[float, ...]:
    """What each state is worth now."""
    live: tuple[str, tuple[float, ...]] | None = st.session_state.get(_LIVE)
    if live is None or live[0] != REWARDS.text:
        live = st.session_state[_LIVE] = (REWARDS.text, REWARDS.read())
    return live[1]


def set_reward(state: int, value: float) -> None:
    """While a reward is dragged: the link follows when it is let go."""
    values = list(rewards())
    values[state] = value
    if not sum(values):
        values[state] = 0.5  # something must flow
    st.session_state[_LIVE] = (REWARDS.text, tuple(values))


def write_rewards(factor: float = 1.0) -> None:
    """Put the rewards into the link, all made so many times as much."""
    values = tuple(factor * value for value in rewards())
    REWARDS.write(values)
    st.session_state[_LIVE] = (REWARDS.text, values)


def show() -> None:
    """The DAG with its sliders, the table beside it, the balance of one state, and the question."""
    flows = solve_flows(TOY.dag, np.array(rewards()))
    numbers = DagNumbers(flows.log_edge, flows.stop, flows.target, flows.reward)
    picture = dag_picture(TOY.dag, TOY.instance, numbers)
    fixed, picked = hidden("controls"), PICKED.read()
    left, right = st.columns([3, 1], gap="medium")
    with left:
        state_graph_view(
            picture,
            key="lesson-1-dag",
            chosen=picked,
            choose=PICKED.write,
            action="set its reward and write out its balance below",
            drag=None if fixed else set_reward,
            settle=write_rewards,
            most=REWARD_MAX,
            height=325,
        )
        if not hidden("theory"):
            balances = (words(TOY.dag, TOY.names, flows, picked) for words in (balance_words, step_words))
            st.markdown("  \n".join(balances))
    with right:
        stop_table(flows)
        st.markdown(goal_line(float(flows.stop[TOY.names.index(GOAL_STATE)])))
        if not fixed:
            buttons(flows.reward)
    ask("lesson-1-question", about_scaling(_HALVE if too_large(flows.reward) else _DOUBLE))


def stop_table(flows: WaterFlows) -> None:
    """One row for each state, P(stop) as a solid bar and R/Z as a hollow one; that of the goal is tinted."""
    rows = [
        {"name": name, "reward": round(float(r), 4), "stop": round(float(s), 6), "target": round(float(t), 6)}
        for name, r, s, t in zip(TOY.names, flows.reward, flows.stop, flows.target, strict=True)
    ]
    _table(key="lesson-1-stops", data={"rows": rows, "marked": GOAL_STATE})


def goal_line(share: float) -> str:
    """How far the task is."""
    if share < GOAL:
        return f"Goal: **{GOAL_STATE}** at {100 * GOAL:.0f} % or more. It is at {100 * share:.1f} %."
    return f":green[:material/check_circle:] **{GOAL_STATE}** has {100 * share:.1f} %: done. Now the question below."


def too_large(reward: Doubles) -> bool:
    """Whether twice the largest reward would be more than a slider has."""
    return 2 * float(reward.max()) > REWARD_MAX


def buttons(reward: Doubles) -> None:
    """All rewards at once."""
    full = too_large(reward)
    why = f"A reward is at most {REWARD_MAX:g}: press {_HALVE} first." if full else None
    with st.container(horizontal=True, gap="xsmall"):
        st.button(_DOUBLE, key="double", disabled=full, help=why, on_click=write_rewards, args=(2.0,))
        st.button(_HALVE, key="halve", disabled=reward.max() < 1, on_click=write_rewards, args=(0.5,))
        st.button("Reset", key="reset", help="Back to the first rewards", on_click=REWARDS.write, args=(None,))


LESSON = Lesson(**LESSONS[1], show=show)
