"""The player of Explain: the answer and how it grows, by itself or steered by hand, and all states beside it."""

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import streamlit as st

from gfx_core.config import FlowSource
from gfx_core.errors import UserError
from gfx_core.explanation.question import Question
from gfx_core.jobs.requests import Follow, ListStates
from gfx_core.text.numbers import counted
from gfx_core.trace.edit import along_reason, trace_by_hand, way_to
from gfx_core.trace.schema import Trace
from pages.ui import jobs
from pages.ui.components.player import alone, player
from pages.ui.explorer.parameters import (
    BESIDE,
    BY_HAND,
    EXPLORER,
    FOLDED,
    ORDER,
    REASON,
    STEP,
    STOPPED,
    go_to_number,
)
from pages.ui.presenting import PRESENT, present
from pages.ui.text import plain

if TYPE_CHECKING:
    from gfx_core.drawing.export import States
    from gfx_core.drawing.state_graph import PolicyDag

TAKE_S = 20.0  # as long does a file wait for the states
_SHOWN = "shown-trace"  # session state: whether it is built by hand, and what the player shows


def show(trace: Trace, question: Question, *, waiting: bool = False, few: bool = False) -> Trace | None:
    """The player; returns what it shows, ``None`` if that has to be computed first.

    Args:
        trace: What is known of the prediction.
        question: What it answers.
        waiting: Whether something better is being computed, and this plays on until then.
        few: Whether the player shows few tools: then nothing stands below it, and it may be higher.
    """
    stage = st.container(key="stage")
    with st.container(key="following"):  # below, so that the player stays where it is
        shown = _trajectory(trace, question)
    with stage:
        if shown is not None:
            if BY_HAND.read():
                _hand_line(shown, question)
            steered = BY_HAND.read() or ORDER.read() is not None
            _play(shown if steered else trace, shown, question, waiting, few)
    with st.container(key="listing"):
        if shown is not None and BESIDE.read() and _known_states(shown, question) is None:
            found = jobs.run_job("Listing the states", states_request(shown, question), slot="states")
            if found is not None:
                st.rerun()  # the player is there already: it is given them now
    return shown


def _trajectory(trace: Trace, question: Question) -> Trace | None:
    """The trace along the trajectory that somebody chose, if any; what was shown before while that is computed."""
    by_hand, order = BY_HAND.read(), ORDER.read()
    if order is None and not by_hand:
        trace = along_reason(trace, REASON.read() or 0)
    if not order or any(node >= len(trace.nodes) for node in order) or len(set(order)) < len(order):
        order = (trace.start,) if by_hand else None  # what the link says can be no trajectory
    steered, before = st.session_state.get(_SHOWN, (False, None))
    shown = trace if order is None else _trace_along(trace, question, order)
    if shown is None and before is not None and before.nodes == trace.nodes and steered == by_hand:
        shown = before
    if shown is None and not by_hand:
        shown = trace
    st.session_state[_SHOWN] = (by_hand, shown)
    return shown


def _trace_along(base: Trace, question: Question, order: Sequence[int]) -> Trace | None:
    """The trajectory that adds nodes in a given order; None while it is computed or if the order is impossible.

    As far as it goes where a known one goes, as its start does, nothing is to be computed.
    """
    known = (base.steps, *(reason.steps for reason in (base.answer.reasons if base.answer else ())))
    steps = next((some[: len(order)] for some in known if some and some[-1].members[: len(order)] == order), None)
    steps = steps or jobs.run_job("Following the trajectory", Follow(question.policy, tuple(order)), slot="steps")
    if steps is None:
        return None
    try:
        return trace_by_hand(base, steps)
    except UserError as error:
        st.error(plain(str(error)), icon=":material/link_off:")
        return None


def _play(given: Trace, trace: Trace, question: Question, waiting: bool, few: bool) -> None:
    """The player with a trace, along a reason of it or as it is."""
    by_hand, states = BY_HAND.read(), _known_states(trace, question)

    def choose(number: int) -> None:
        EXPLORER.change({REASON: number, ORDER: None, STEP: None})

    def take(node: int | None, at: int) -> None:
        members = trace.steps[min(at, len(trace.steps) - 1)].members
        EXPLORER.change({ORDER: members if node is None else (*members, node), STEP: None, STOPPED: node is None})

    def explain(node: int) -> None:
        go_to_number(trace.dataset, trace.nodes[node].id)

    def play_way(state: int) -> None:
        """Play a way to a state that is not on the trajectory."""
        box = None if states is None else states.picture.box_of(state)
        if box is not None:
            EXPLORER.change({ORDER: way_to(trace, box.nodes), BY_HAND: None})

    heard = {"view": BESIDE.write, "way": play_way, "present": present, "fold": FOLDED.write}
    if by_hand:
        heard["take"] = take
    else:
        heard |= {"step": STEP.write, "reason": choose, "explain": None if trace.target is None else explain}
    player(
        alone(given),
        key="player",
        step=None if by_hand else STEP.read(),
        heard=heard,
        ended=STOPPED.read() if by_hand else True,
        atAnswer=ORDER.read() is None,
        states=None if states is None else {"picture": asdict(states.picture), "words": state_space_text(states)},
        view=BESIDE.read(),
        folded=FOLDED.read(),
        presenting=PRESENT.read(),
        loops=waiting,
        few=few,
        reason=None if ORDER.read() else REASON.read(),
        height=900 if few else 550 if trace.answer else 540,
    )


def _hand_line(trace: Trace, question: Question) -> None:
    """Say what to do or what is awaited, and how likely what was done is."""
    job = jobs.find_job(Follow(question.policy, tuple(ORDER.read() or ())))
    if job is not None and not job.finished:
        st.markdown("**Computing this step.** The first one takes seconds, because PyTorch is loaded.")
        return
    likely = 100 * math.exp(trace.final.log_trajectory_probability)
    if STOPPED.read():
        who = "Exact flows" if trace.flows is FlowSource.EXACT else "The policy"
        st.markdown(f"You stopped. {who} would take exactly these steps with a probability of **{likely:.2g} %**.")
    else:
        st.markdown("**Your turn:** click an orange node to add it, or STOP. Step back and click to go elsewhere.")


def states_request(trace: Trace, question: Question) -> ListStates:
    """What a worker is to list: the states of an instance, around the trajectory that is shown."""
    return ListStates(question.policy, trace.steps[-1].members)


def _known_states(trace: Trace, question: Question) -> "PolicyDag | None":
    """The states, if they stand beside the graph and are known."""
    return jobs.cached_result(states_request(trace, question)) if BESIDE.read() else None


def states_for_file(trace: Trace, question: Question) -> "Callable[[], States | None]":
    """Gets the states for a file; the page need not have listed them."""
    wait = jobs.on_demand(states_request(trace, question), TAKE_S)

    def get() -> "States | None":
        found = wait()
        return None if found is None else (found.picture, state_space_text(found, "Click one on the way to go there."))

    return get


def state_space_text(found: "PolicyDag", then: str = "Click a state to go there.") -> str:
    """What is to be seen, and what can be done then, as plain text."""
    most = f"of at most {counted(found.max_nodes, 'node')}"
    if found.total_variation is None:
        return (
            f"More than {found.cap:,} states {most}, too many to list. These are the states of the trajectory with "
            "their parents and children. Width is the learned flow."
        )
    picture = found.picture
    who = (
        "exact flows go that way, a green bar how likely they stop"
        if found.flows is FlowSource.EXACT
        else "the policy goes that way, a green bar how likely it stops"
    )
    part = "all shown" if picture.whole else "only those around the trajectory shown"
    states = counted(picture.num_states, "state")
    return (
        f"{states} {most}, {part}, from small to large. Width is how likely {who}, the dark tick how likely that "
        f"should be: R/Z. Total variation between the two: {found.total_variation:.2g}. {then}"
    )
