"""The Explain page below its pickers: the answer and how it grows, by itself or steered by hand, and what was drawn."""

import math

import streamlit as st

from gfx_core.config import FlowSource
from gfx_core.gnn.model_file import ModelHeader
from gfx_core.question import Question
from gfx_core.teaching.glossary import tooltip
from gfx_core.text.answers import flow_words, things
from gfx_core.text.numbers import percent
from gfx_core.trace.schema import SampledSubgraph, Trace
from pages.ui.components.player import PlayerActions, PlayerView, alone, player
from pages.ui.explain import distribution, exports, state_space
from pages.ui.explorer import loaders, traces
from pages.ui.explorer.parameters import (
    BY_HAND,
    EXPLORER,
    FOLDED,
    ORDER,
    PRESENT,
    STEP,
    STOPPED,
    TAB,
    TABS,
    go_to_number,
)
from pages.ui.text import plain

_SHOWN = "shown-trace"  # session state: whether it is built by hand, and what the player shows


def prediction_line(trace: Trace, gnn: ModelHeader | None = None) -> None:
    """What is being explained, in one line; with what the GNN was trained on, where that is known."""
    said = trace.prediction
    name, chance = plain(trace.classes[said.predicted]), said.probabilities[said.predicted]
    truth = (
        ""
        if said.true is None
        else (" It is right." if said.true == said.predicted else f" Truly it is “{plain(trace.classes[said.true])}”.")
    )
    who, told = ("The GNN", None)
    if gnn is not None:
        who, told = f"The GNN (trained on {loaders.trained_on(gnn)})", tooltip("fragments")
    st.markdown(f"{who} takes this {things(trace).instance} for **{name}** ({percent(chance)}).{truth} Why?", help=told)


def flows_line(trace: Trace) -> None:
    """What exact flows are, and that they are exact, as computed."""
    if trace.flows is FlowSource.EXACT:
        beside = (
            " The thin marks in the player’s policy show what the learned one would do." if _compares(trace) else ""
        )
        st.caption(flow_words(trace) + beside)


def _compares(trace: Trace) -> bool:
    return any(step.other is not None for step in trace.steps)


def show(trace: Trace, question: Question, *, waiting: bool = False) -> Trace | None:
    """The player; returns what it shows, ``None`` if that has to be computed first.

    Args:
        trace: What is known of the prediction.
        question: What it answers.
        waiting: Whether something better is being computed, and this plays on until then.
    """
    with st.container(key="following"):  # of its own, so that the player stays where it is
        shown = _shown(trace, question)
    with st.container(key="stage"):
        if shown is not None:
            if BY_HAND.read():
                _hand_line(shown)
            _play(shown, question, waiting)
    with st.container(key="listing"):
        if shown is not None and state_space.list_states(shown, question):
            st.rerun()  # the player is there already: it is given them now
    return shown


def _shown(trace: Trace, question: Question) -> Trace | None:
    """The trace along the trajectory that somebody chose, if any; what was shown before while that is computed."""
    by_hand, order = BY_HAND.read(), traces.chosen_order(trace)
    if by_hand and order is None:
        order = (trace.start,)
    steered, before = st.session_state.get(_SHOWN, (False, None))
    shown = trace if order is None else traces.trace_along(trace, question, order)
    if shown is None and before is not None and before.nodes == trace.nodes and steered == by_hand:
        shown = before
    if shown is None and not by_hand:
        shown = trace
    st.session_state[_SHOWN] = (by_hand, shown)
    return shown


def _play(trace: Trace, question: Question, waiting: bool) -> None:
    by_hand, found = BY_HAND.read(), state_space.listed(trace, question)

    def take(node: int | None, at: int) -> None:
        members = trace.steps[min(at, len(trace.steps) - 1)].members
        EXPLORER.change({ORDER: members if node is None else (*members, node), STEP: None, STOPPED: node is None})

    def explain(node: int) -> None:
        go_to_number(trace.dataset, trace.nodes[node].id)

    def way(state: int) -> None:
        if found is not None:
            state_space.play_way(trace, found, state)

    actions = PlayerActions(
        step=None if by_hand else STEP.write,
        take=take if by_hand else None,
        ended=STOPPED.read() if by_hand else True,
        explain=None if by_hand or trace.target is None else explain,
        view=state_space.put_beside,
        way=way,
        present=PRESENT.write,
        fold=FOLDED.write,
    )
    view = PlayerView(
        step=None if by_hand else STEP.read(),
        at_answer=ORDER.read() is None,
        states=None if found is None else (found.picture, state_space.in_words(found)),
        name=state_space.beside(),
        folded=FOLDED.read(),
        presenting=PRESENT.read(),
        looping=waiting,
    )
    player(alone(trace), key="player", view=view, actions=actions, height=550 if trace.answer else 540)


def _hand_line(trace: Trace) -> None:
    """Say what to do, and how likely what was done is."""
    likely = 100 * math.exp(trace.final.log_trajectory_probability)
    if STOPPED.read():
        who = "Exact flows" if trace.flows is FlowSource.EXACT else "The policy"
        st.markdown(f"You stopped. {who} would take exactly these steps with a probability of **{likely:.2g} %**.")
    else:
        st.markdown("**Your turn:** click an orange node to add it, or STOP. Step back and click to go elsewhere.")


def below(trace: Trace, shown: Trace, question: Question) -> None:
    """What was drawn, and what can be taken along of what the player shows."""
    st.session_state["below"] = TAB.read()
    with st.container(key="explain-below"):
        drawn, wide, files = st.tabs(list(TABS), key="below", on_change=lambda: TAB.write(st.session_state["below"]))

    def start(sample: SampledSubgraph) -> None:
        EXPLORER.change({ORDER: sample.order, BY_HAND: None})

    with drawn:
        if drawn.open and trace.samples:  # what nobody looks at need not be drawn
            distribution.drawn_subgraphs(trace, tuple(sorted(shown.final.nodes)), start)
    with wide:
        if wide.open and trace.edge_marginals:
            distribution.marginals(trace)
    with files:
        if files.open:
            exports.export_buttons(shown, state_space.to_take_along(shown, question))
            exports.load_trace()
