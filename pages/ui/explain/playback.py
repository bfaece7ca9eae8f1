"""The player of Explain: the answer and how it grows, by itself or steered by hand, and all states beside it."""

import math
from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING

import streamlit as st

from gfx_core.explanation.question import Question
from gfx_core.jobs import requests
from gfx_core.text.numbers import counted
from gfx_core.trace.edit import along_reason, trace_by_hand, way_to
from gfx_core.trace.schema import Step, Trace
from pages.ui import jobs
from pages.ui.components.player import player
from pages.ui.explorer.parameters import (
    BESIDE,
    BY_HAND,
    EXPLORER,
    ORDER,
    REASON,
    STEP,
    STOPPED,
    go_to_number,
)
from pages.ui.presenting import PRESENT, present
from pages.ui.wording import WORDS

if TYPE_CHECKING:
    from gfx_core.drawing.export import States
    from gfx_core.drawing.state_graph import PolicyDag

TAKE_S = 20.0  # as long does a file wait for the states
_WORDS: dict[str, str] = WORDS["explain"]


def show(trace: Trace, question: Question, *, few: bool) -> Trace:
    """The player; returns the trajectory that it shows.

    Args:
        trace: The explanation of the prediction.
        question: What it answers.
        few: Whether the player shows few tools: then nothing stands below it, and it may be higher.
    """
    stage = st.container(key="stage")
    with st.container(key="following"):  # below, so that the player stays where it is
        trajectory = _trajectory(trace, question)
    request = requests.list_states(question.policy, trajectory.steps[-1].members)
    states = jobs.cached_result(request) if BESIDE.read() else None
    with stage:
        if STOPPED.read():
            chance = math.exp(trajectory.final.log_trajectory_probability)
            st.markdown(_WORDS["stopped"].format(flows=trajectory.flows, chance=chance))
        elif BY_HAND.read():
            st.markdown(_WORDS["turn"])
        _play(trace, trajectory, states, few)
    with st.container(key="listing"):
        if BESIDE.read() and states is None and jobs.run_job("Listing the states", request, slot="states") is not None:
            st.rerun()  # the player is there already: it is given them now
    return trajectory


def _trajectory(trace: Trace, question: Question) -> Trace:
    """The trace along the trajectory in the link, if any; along the one before while that is computed."""
    order = tuple(ORDER.read() or ())
    if len(set(order)) < len(order) or any(node >= len(trace.nodes) for node in order):
        order = ()  # no trajectory
    if BY_HAND.read():
        order = order or (trace.start,)
    if not order:
        return along_reason(trace, REASON.read() or 0)
    steps = _known_steps(trace, question, order)
    steps = steps or jobs.run_job("Following the trajectory", requests.follow(question.policy, order), slot="steps")
    steps = steps or _known_steps(trace, question, order[:-1])
    return trace_by_hand(trace, steps) if steps else trace


def _known_steps(trace: Trace, question: Question, order: tuple[int, ...]) -> tuple[Step, ...]:
    """The steps that add some nodes in this order, where a trajectory of the trace begins so, or a worker had them."""
    for reason in (trace, *(trace.answer.reasons if trace.answer else ())):
        if reason.steps and reason.steps[-1].members[: len(order)] == order:
            return reason.steps[: len(order)]
    return jobs.cached_result(requests.follow(question.policy, order)) or ()


def _play(trace: Trace, trajectory: Trace, states: "PolicyDag | None", few: bool) -> None:
    """The player with a trace, along a trajectory chosen by hand or a reason."""
    by_hand, ordered = BY_HAND.read(), ORDER.read() is not None

    def choose(number: int) -> None:
        EXPLORER.change({REASON: number, ORDER: None, STEP: None})

    def take(node: int | None, at: int) -> None:
        members = trajectory.steps[min(at, len(trajectory.steps) - 1)].members
        order = members if node is None else (*members, node)
        EXPLORER.change({ORDER: order, STEP: None, STOPPED: node is None})

    def explain(node: int) -> None:
        go_to_number(trace.dataset, trace.nodes[node].id)

    def play_way(state: int) -> None:
        """Play a way to a state that is not on the trajectory."""
        if states is not None and (box := states.picture.box_of(state)) is not None:
            EXPLORER.change({ORDER: way_to(trajectory, box.nodes), BY_HAND: None})

    heard = {"view": BESIDE.write, "way": play_way, "present": present}
    if by_hand:
        heard["take"] = take
    else:
        heard |= {"step": STEP.write, "reason": choose, "explain": None if trace.target is None else explain}
    player(
        trajectory if by_hand or ordered else trace,
        key="player",
        step=None if by_hand else STEP.read(),
        heard=heard,
        ended=STOPPED.read() or not by_hand,
        atAnswer=not ordered,
        states=None if states is None else {"picture": asdict(states.picture), "words": state_words(states)},
        view=BESIDE.read(),
        presenting=PRESENT.read(),
        few=few,
        reason=None if ordered else REASON.read(),
        height=900 if few else 550,
    )


def states_for_file(trace: Trace, question: Question) -> "Callable[[], States | None]":
    """Gets the states for a file; the page need not have listed them."""
    wait = jobs.on_demand(requests.list_states(question.policy, trace.steps[-1].members), TAKE_S)

    def get() -> "States | None":
        states = wait()
        return None if states is None else (states.picture, state_words(states))

    return get


def state_words(states: "PolicyDag") -> str:
    """What the picture of the states means, as plain text."""
    if states.total_variation is None:
        return _WORDS["many-states"].format(cap=states.cap, max_nodes=states.max_nodes)
    return _WORDS["states"].format(
        count=counted(states.picture.num_states, "state"),
        part="all shown" if states.picture.whole else "only those around the trajectory shown",
        flows=states.flows,
        max_nodes=states.max_nodes,
        total_variation=states.total_variation,
    )
