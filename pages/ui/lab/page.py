"""The lab: its controls, the growth with 𝒵, and the race."""

from typing import Any

import streamlit as st

from gfx_core.jobs.requests import GrowSteps
from gfx_core.teaching.lab_graphs import LabGraph, growth_order
from pages.ui.components.lab_view import LabActions, LabGrowth, lab_view
from pages.ui.jobs import run_job
from pages.ui.lab.controls import controls
from pages.ui.lab.race import race
from pages.ui.lab.state import STEP, LabState, flip, read_state, take

_OPENED = "lab-opened"  # session state: shape and step that the browser was told


def show_lab() -> None:
    """Draw the whole lab."""
    st.markdown(
        "A [cut vertex](/glossary#cut-vertex) holds the set together: without it the set falls apart. "
        "Click an **orange** node to add it, or press **←** and **→**, and watch which cells of the matrix 𝒵 change."
    )
    state = read_state()
    edits = controls(state)
    graph = state.graph
    order = growth_order(graph, state.chosen, state.seed)
    place = st.container()
    result = _computed(graph, order)
    with place:
        lab_view(
            LabGrowth(graph, state.shape, order, result),
            LabActions(take, flip, STEP.write),
            key="lab-growth",
            step=_opened_at(state),
            edits=edits,
        )
    if len(order) < min(graph.num_nodes, 3):
        st.info(
            "The start node has hardly any neighbours: switch on “Edit links” and add some.", icon=":material/link:"
        )
    _rule()
    race(state)


def _rule() -> None:
    with st.expander("How 𝒵 is updated: Theorem 1 in three sentences", icon=":material/menu_book:"):
        st.markdown(
            "- Row *i* of 𝒵 is about node *i*: take it away, and equal numbers in its row mean the same piece. "
            "A row of zeros means that nothing falls apart, so *i* is no cut vertex.\n"
            "- **Case 1 (eq. 10):** the new node touches one node only. It hangs on that node, which is a cut vertex "
            "from now on; in every other row the new node joins the piece of the node it touches.\n"
            "- **Case 2 (eq. 11):** the new node touches several. In each row it ties the pieces that it touches "
            "into one; if that was every piece, the row falls back to zeros.\n\n"
            "The connectivity vector *z* (eq. 8) says which nodes it touches. 𝒵 starts as zeros with two nodes."
        )


def _computed(graph: LabGraph, order: list[int]) -> dict[str, Any] | None:
    return run_job("𝒵, step by step", GrowSteps(graph.names, graph.edges, tuple(order)), slot="lab")


def _opened_at(state: LabState) -> int:
    """The step to send: the one sent before for this graph, so that stepping does not change what is sent."""
    known: tuple[str, int] | None = st.session_state.get(_OPENED)
    if known is None or known[0] != state.shape:
        known = st.session_state[_OPENED] = (state.shape, state.step)
    return known[1]
