"""The row of controls above the lab: which graph, and whether clicks edit it."""

import streamlit as st

from gfx_core.datasets.registry import dataset_info, load_dataset
from gfx_core.teaching.growth import DATASETS, LEAST, MOST, GraphKind
from pages.ui.components.copy_link import copy_link
from pages.ui.lab.state import FIRST_INSTANCES, MOST_SEED, LabState, another_graph
from pages.ui.selection import choose

_NAMES = {
    GraphKind.PATH: "Path",
    GraphKind.CYCLE: "Cycle",
    GraphKind.TREE: "Tree",
    GraphKind.GRID: "Grid",
    GraphKind.CLIQUES: "Chain of cliques",
    GraphKind.RANDOM: "Random graph",
    GraphKind.INSTANCE: "Real instance",
}
EDITS = "lab-edits"  # session state: whether clicks change links


def kind_name(kind: GraphKind) -> str:
    """What a family is called."""
    return _NAMES[kind]


def controls(state: LabState) -> bool:
    """Draw them; returns whether clicks edit links."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="lab-controls"):
        _pick_kind(state)
        if state.kind is GraphKind.INSTANCE:
            _pick_instance(state)
        else:
            _pick_size(state)
        _pick_seed(state)
        edits = st.toggle("Edit links", key=EDITS, help="Click two nodes to add or remove the link between them.")
        if state.flips:
            st.button("Undo all edits", icon=":material/undo:", on_click=choose, kwargs={"edit": None})
        copy_link("lab-copy-link")
    return bool(edits)


def _pick_kind(state: LabState) -> None:
    key = "lab-kind"
    st.session_state[key] = state.kind
    st.selectbox(
        "Graph",
        list(GraphKind),
        format_func=kind_name,
        key=key,
        width=190,
        on_change=lambda: another_graph(graph=st.session_state[key]),
    )


def _pick_size(state: LabState) -> None:
    key = "lab-size"
    st.session_state[key] = state.size
    st.slider("Nodes", LEAST, MOST, key=key, width=180, on_change=lambda: another_graph(size=st.session_state[key]))


def _pick_instance(state: LabState) -> None:
    key, number = "lab-dataset", "lab-index"
    st.session_state[key] = state.dataset
    st.selectbox(
        "Data set",
        DATASETS,
        format_func=lambda name: dataset_info(name).title,
        key=key,
        width=160,
        on_change=lambda: another_graph(dataset=st.session_state[key], index=FIRST_INSTANCES[st.session_state[key]]),
    )
    st.session_state[number] = state.index
    st.number_input(
        "Number",
        0,
        load_dataset(state.dataset).num_instances - 1,
        key=number,
        width=140,
        on_change=lambda: another_graph(index=st.session_state[number]),
    )


def _pick_seed(state: LabState) -> None:
    key = "lab-seed"
    st.session_state[key] = state.seed
    what = (
        "Which random graph, and in which order its nodes are added."
        if state.kind is GraphKind.RANDOM
        else ("In which order the nodes are added.")
    )
    st.number_input(
        "Seed", 0, MOST_SEED, key=key, width=130, help=what, on_change=lambda: another_graph(seed=st.session_state[key])
    )
