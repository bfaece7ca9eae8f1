"""The cut-vertex lab: grow a set and watch Theorem 1 keep its cut vertices up to date."""

import streamlit as st

from gfx_core.jobs import requests
from gfx_core.teaching.lab_graphs import LEAST, MOST, GraphKind, growth_order
from gfx_core.text.theorem import CASES, EQUATIONS
from pages.ui import lab_state
from pages.ui.address import bind
from pages.ui.components.browser import copy_link
from pages.ui.jobs import run_job
from pages.ui.lab_state import FLIPS, KIND, MOST_SEED, ORDER, SEED, SIZE

_NAMES = {
    GraphKind.PATH: "Path",
    GraphKind.CYCLE: "Cycle",
    GraphKind.TREE: "Tree",
    GraphKind.GRID: "Grid",
    GraphKind.CLIQUES: "Chain of cliques",
    GraphKind.RANDOM: "Random graph",
}
EDITS = "lab-edits"  # session state: whether clicks change links


def show_lab() -> None:
    """Draw the whole lab."""
    st.markdown(
        "A [cut vertex](/glossary#cut-vertex) holds the set together: without it the set falls apart. "
        "Click an **orange** node to add it, or press **←** and **→**, and watch which cells of the matrix 𝒵 change."
    )
    edits = controls()
    graph = lab_state.graph()
    order = growth_order(graph, ORDER.read(), SEED.read())
    place = st.container()
    request = requests.lesson("grow_steps", names=graph.names, edges=graph.edges, order=tuple(order))
    result = run_job("𝒵, step by step", request, slot="lab")
    with place:
        lab_state.lab_view(graph, order, result, edits=edits)
    if len(order) < min(len(graph.names), 3):
        st.info(
            "The start node has hardly any neighbours: switch on “Edit links” and add some.", icon=":material/link:"
        )
    with st.expander("How 𝒵 is updated: Theorem 1", icon=":material/menu_book:"):
        st.markdown(
            "- Row *i* of 𝒵 is about node *i*: remove it, and equal numbers in its row mean the same piece. "
            "A row of zeros means that nothing falls apart, so *i* is not a cut vertex.\n"
            f"- **{CASES[1]}:** the new node touches one node only. That node is a cut vertex now. "
            "In every other row the new node joins the piece of the node it touches.\n"
            f"- **{CASES[2]}:** the new node touches several. In each row it joins the pieces that it touches "
            "into one. If that was every piece, the row becomes zeros again.\n\n"
            f"The connectivity vector *z* (eq. {EQUATIONS['z']}) shows which nodes it touches. "
            "𝒵 starts as zeros with two nodes. [Results](/results) compares its time with that of a new search."
        )


def controls() -> bool:
    """Draw them; returns whether clicks edit links."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="lab-controls"):
        bind(st.selectbox, "Graph", KIND, list(GraphKind), key="lab-kind", format_func=_NAMES.__getitem__, width=190)
        bind(st.slider, "Nodes", SIZE, LEAST, MOST, key="lab-size", width=180)
        what = "Which random graph, and in which order its nodes are added."
        if KIND.read() is not GraphKind.RANDOM:
            what = "In which order the nodes are added."
        bind(st.number_input, "Seed", SEED, 0, MOST_SEED, key="lab-seed", width=130, help=what)
        edits = st.toggle(
            "Edit links",
            key=EDITS,
            help="Click two nodes to add or remove the link between them.",
        )
        if FLIPS.read():
            st.button("Undo all edits", icon=":material/undo:", on_click=FLIPS.write, args=(None,))
        copy_link("lab-copy-link")
    return bool(edits)


st.title("Cut-vertex lab", anchor=False)
show_lab()
