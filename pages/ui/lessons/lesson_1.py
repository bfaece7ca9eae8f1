"""Lesson 1: flow is water. Change what a state is worth, and see all flows and where a walk stops follow."""

from functools import lru_cache

import numpy as np
import streamlit as st

from gfx_core.datasets.instance import Instance
from gfx_core.drawing.state_dag import dag_picture
from gfx_core.gfn.exact import Doubles
from gfx_core.gfn.state_dag import StateDag
from gfx_core.teaching.flows import Flows, solve_flows
from gfx_core.teaching.toy import state_name, toy_rewards
from pages.ui.components.dag_view import dag_view
from pages.ui.components.stop_table import stop_table
from pages.ui.lessons import toy_graph
from pages.ui.lessons.frame import Lesson, choice_question, hidden, keep, preset

REWARD_MAX = 12.0
GOAL_STATE, GOAL = "acd", 0.25
_LIVE = "lesson-1:rewards"  # session state: the URL's text and the rewards, which while dragging are ahead of it


@lru_cache(maxsize=1)
def toy() -> tuple[Instance, StateDag, tuple[str, ...]]:
    """The five-node graph, its states and their names."""
    instance, dag, _ = toy_graph.toy()
    return instance, dag, tuple(state_name(instance, dag, s) for s in range(dag.num_states))


def parse_rewards(text: str) -> tuple[float, ...]:
    """Rewards from a link: a number for each state, from small to large states, with ``_`` between them."""
    values = tuple(float(part) for part in text.split("_"))
    if len(values) != toy()[1].num_states or not all(0 <= value <= REWARD_MAX for value in values) or not sum(values):
        raise ValueError(text)
    return values


def rewards() -> tuple[float, ...]:
    """What each state is worth now."""
    instance, dag, _ = toy()
    text = st.query_params.get("r", "")
    live: tuple[str, tuple[float, ...]] | None = st.session_state.get(_LIVE)
    if live is None or live[0] != text:
        own = tuple(toy_rewards(instance, dag).tolist())
        live = st.session_state[_LIVE] = (text, preset("r", own, parse_rewards))
    return live[1]


def set_reward(state: int, value: float) -> None:
    """While a reward is dragged: the URL follows when it is let go."""
    values = list(rewards())
    values[state] = value
    if not sum(values):
        values[state] = 0.5  # something must flow
    st.session_state[_LIVE] = (st.query_params.get("r", ""), tuple(values))


def write_rewards() -> None:
    """Put the rewards into the URL."""
    values = rewards()
    keep(r="_".join(f"{value:g}" for value in values))
    st.session_state[_LIVE] = (st.query_params["r"], values)


def scale(factor: float) -> None:
    """Make every state worth so many times as much."""
    st.session_state[_LIVE] = (st.query_params.get("r", ""), tuple(factor * value for value in rewards()))
    write_rewards()


def picked() -> int:
    """The state whose balance is written out."""
    names = toy()[2]
    return preset("s", names.index("ac"), names.index)


@st.fragment
def water() -> None:
    """The DAG with its sliders, the table beside it, and the balance of one state."""
    instance, dag, names = toy()
    flows = solve_flows(dag, np.array(rewards()))
    picture = dag_picture(
        dag,
        instance,
        log_edge_flow=flows.log_edge,
        stop_probability=flows.stop,
        target_probability=flows.target,
        reward=flows.reward,
    )
    fixed = hidden("controls")
    left, right = st.columns([3, 1], gap="medium")
    with left:
        dag_view(
            picture,
            key="lesson-1-dag",
            on_reward=None if fixed else set_reward,
            on_settled=write_rewards,
            on_state=lambda state: keep(s=names[state]),
            reward_max=REWARD_MAX,
            selected=picked(),
            height=340,
            action="write out its balance below",
        )
        if not hidden("theory"):
            st.markdown(balance(dag, names, flows, picked()))
    with right:
        stop_table(
            names,
            flows.reward.tolist(),
            flows.stop.tolist(),
            flows.target.tolist(),
            key="lesson-1-stops",
            marked=GOAL_STATE,
        )
        st.markdown(goal_line(flows.stop, names))
        if not fixed:
            buttons(flows.reward)


def goal_line(stop: Doubles, names: tuple[str, ...]) -> str:
    """How far the task is."""
    share = float(stop[names.index(GOAL_STATE)])
    if share >= GOAL:
        return (
            f":green[:material/check_circle:] **{GOAL_STATE}** holds {100 * share:.1f} %: done. Now the question below."
        )
    return f"Goal: **{GOAL_STATE}** at {100 * GOAL:.0f} %. It is at {100 * share:.1f} %."


def buttons(reward: Doubles) -> None:
    """All rewards at once."""
    with st.container(horizontal=True, gap="xsmall"):
        st.button("Double all", key="double", disabled=bool(2 * reward.max() > REWARD_MAX), on_click=scale, args=(2.0,))
        st.button("Halve all", key="halve", disabled=bool(reward.max() < 0.5), on_click=scale, args=(0.5,))
        st.button("Reset", key="reset", help="Back to the first rewards", on_click=keep, kwargs={"r": None})


def balance(dag: StateDag, names: tuple[str, ...], flows: Flows, state: int) -> str:
    """What flows into a state and out of it, with this moment's numbers."""
    came = np.flatnonzero(dag.child == state)
    goes = np.flatnonzero(dag.parent == state)
    inward = _sum([(flows.edge[k], f"from {names[dag.parent[k]]}") for k in came]) if len(came) else "Z, all the water"
    outward = _sum([(flows.reward[state], "stops here"), *((flows.edge[k], f"to {names[dag.child[k]]}") for k in goes)])
    return (
        f"**{names[state]}** · in: {inward} = **{flows.state[state]:.4g}** = out: {outward}. "
        "What [flows](/glossary#flow) in flows out, in every state."
    )


def _sum(parts: list[tuple[float, str]]) -> str:
    return " + ".join(f"{amount:.4g} {words}" for amount, words in parts)


def show() -> None:
    """The lesson below its heading."""
    water()
    choice_question(
        "lesson-1-question",
        "You double the reward of **every** state. What happens to the probability to stop at abc?",
        ("It doubles.", "It stays the same.", "It is halved."),
        right=1,
        why=(
            "Twice as much water ends at abc, that is true. But twice as much enters at the start as well, "
            "and the probability is the share of the two. Press “Double all” and look at the table.",
            "Right. P(stop at s) = R(s) / Z, and Z, the sum of all rewards, doubles too. Only the proportions of the "
            "rewards count. That is what people mean by P ∝ R.",
            "Z doubles, that is true, and by itself it would halve the share. But the reward of abc doubles too, "
            "and the two cancel. Press “Double all” and look at the table.",
        ),
    )


LESSON = Lesson(
    number=1,
    slug="water",
    title="Flow is water",
    idea=(
        "A walk starts at node a, adds one neighbour after the other, and may stop at any time. Think of all possible "
        "walks as water: it enters on the left, splits at every choice, and drains where walks stop. How much drains "
        "at a state is its [reward](/glossary#reward) R."
    ),
    task=f"drag the slider under **{GOAL_STATE}** until a quarter of the water drains there, and watch the river move.",
    show=show,
)
