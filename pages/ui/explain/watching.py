"""The Explain page below its pickers: the player, by itself or steered by hand, and what is drawn, listed and saved."""

import math
from dataclasses import replace

import streamlit as st

from gfx_core.config import FlowSource
from gfx_core.gnn.model_file import ModelHeader
from gfx_core.question import Question
from gfx_core.teaching.glossary_links import tooltip
from gfx_core.trace.flow_words import flow_words
from gfx_core.trace.schema import SampledSubgraph, Trace
from pages.ui.components.player import PlayerActions, player
from pages.ui.explain import distribution, exports, traces
from pages.ui.explain.state_space import state_space
from pages.ui.explorer import facts
from pages.ui.explorer.link import BY_HAND, EXPLORER, ORDER, STEP, STOPPED, TAB, TABS, go_to_number
from pages.ui.text import plain


def prediction_line(trace: Trace, gnn: ModelHeader | None = None) -> None:
    """What is being explained, in one line; with what the GNN was trained on, where that is known."""
    said = trace.prediction
    name, chance = plain(trace.classes[said.predicted]), said.probabilities[said.predicted]
    what = "this node" if trace.target is not None else "this graph"
    truth = (
        ""
        if said.true is None
        else (" It is right." if said.true == said.predicted else f" Truly it is “{plain(trace.classes[said.true])}”.")
    )
    who, told = ("The GNN", None)
    if gnn is not None:
        who, told = f"The GNN (trained on {facts.trained_on(gnn)})", tooltip("fragments")
    st.markdown(f"{who} takes {what} for **{name}** ({100 * chance:.1f} %).{truth} Why?", help=told)


def flows_line(trace: Trace) -> None:
    """What exact flows are, and that they are exact, as computed."""
    if trace.flows is FlowSource.EXACT:
        beside = (
            " The thin marks in the player’s policy show what the learned one would do." if _compares(trace) else ""
        )
        st.caption(flow_words(trace) + beside)


def _compares(trace: Trace) -> bool:
    return any(step.other is not None for step in trace.steps)


def show(trace: Trace, question: Question) -> None:
    """The player and everything below it."""
    by_hand, order = BY_HAND.read(), traces.chosen_order(trace)
    shown: Trace | None = trace
    if by_hand and order is None:
        order = (trace.start,)
    if order is not None:
        shown = traces.trace_along(trace, question, order)
    if shown is not None:
        if by_hand:
            _hand_line(shown)
        _play(shown, by_hand)
    _below(trace, shown, question)


def _play(trace: Trace, by_hand: bool) -> None:
    def take(node: int | None, at: int) -> None:
        members = trace.steps[min(at, len(trace.steps) - 1)].members
        EXPLORER.change({ORDER: members if node is None else (*members, node), STEP: None, STOPPED: node is None})

    def explain(node: int) -> None:
        go_to_number(trace.dataset, trace.nodes[node].id)

    if by_hand:
        step, actions = None, PlayerActions(take=take, ended=STOPPED.read())
    else:
        step, actions = STEP.read(), PlayerActions(STEP.write, explain=None if trace.target is None else explain)
    shown = replace(trace, masks=())  # they are for the Compare page
    player(shown, key="player", step=step, actions=actions, height=560)


def _hand_line(trace: Trace) -> None:
    """Say what to do, and how likely what was done is."""
    likely = 100 * math.exp(trace.final.log_trajectory_probability)
    if STOPPED.read():
        who = "Exact flows" if trace.flows is FlowSource.EXACT else "The policy"
        st.markdown(f"You stopped. {who} would take exactly these steps with a probability of **{likely:.2g} %**.")
    else:
        st.markdown("**Your turn:** click an orange node to add it, or STOP. Step back and click to go elsewhere.")


def _below(trace: Trace, shown: Trace | None, question: Question) -> None:
    st.session_state["below"] = TAB.read()
    drawn, wide, space, files = st.tabs(list(TABS), key="below", on_change=lambda: TAB.write(st.session_state["below"]))

    def start(sample: SampledSubgraph) -> None:
        EXPLORER.change({ORDER: sample.order, BY_HAND: None})

    with drawn:
        if trace.samples:
            distribution.drawn_subgraphs(trace, tuple(sorted((shown or trace).final.nodes)), start)
    with wide:
        if trace.edge_marginals:
            distribution.marginals(trace)
    with space:
        if space.open:
            state_space(shown or trace, question)
    with files:
        exports.export_buttons(shown or trace)
        exports.load_trace()
