"""The row of controls above the lab: which graph, and whether clicks edit it."""

import streamlit as st

from gfx_core.datasets.registry import dataset_info, load_dataset
from gfx_core.teaching.lab_graphs import DATASETS, LEAST, MOST, GraphKind
from pages.ui.address import bind
from pages.ui.components.browser import copy_link
from pages.ui.lab.state import DATASET, FLIPS, INDEX, KIND, MOST_SEED, SEED, SIZE, LabState

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
        bind(st.selectbox, "Graph", KIND, list(GraphKind), key="lab-kind", format_func=kind_name, width=190)
        if state.kind is GraphKind.INSTANCE:
            _pick_instance(state)
        else:
            bind(st.slider, "Nodes", SIZE, LEAST, MOST, key="lab-size", width=180)
        what = "Which random graph, and in which order its nodes are added."
        if state.kind is not GraphKind.RANDOM:
            what = "In which order the nodes are added."
        bind(st.number_input, "Seed", SEED, 0, MOST_SEED, key="lab-seed", width=130, help=what)
        edits = st.toggle("Edit links", key=EDITS, help="Click two nodes to add or remove the link between them.")
        if state.flips:
            st.button("Undo all edits", icon=":material/undo:", on_click=FLIPS.write, args=(None,))
        copy_link("lab-copy-link")
    return bool(edits)


def _pick_instance(state: LabState) -> None:
    def title(name: str) -> str:
        return dataset_info(name).title

    bind(st.selectbox, "Data set", DATASET, DATASETS, key="lab-dataset", format_func=title, width=160)
    most = load_dataset(state.dataset).num_instances - 1
    bind(st.number_input, "Number", INDEX, 0, most, shown=state.index, key="lab-index", width=140)
