"""Widgets that pick a data set, something in it, and a GNN. They read from and write to the URL only."""

import random

import streamlit as st

from gfx_core.config import Task
from gfx_core.datasets.graph import GraphDataset
from gfx_core.datasets.registry import DATASETS
from gfx_core.datasets.smiles import COMPOUNDS
from pages.ui import facts, loaders
from pages.ui.selection import Selection, Source, choose, choose_dataset, choose_index, choose_molecule

SOURCE_NAMES = {
    Source.DATASET: "Data set",
    Source.COMPOUND: "Well-known",
    Source.SMILES: "Own SMILES",
}
FIRST_COMPOUND = "4-Nitroaniline"


def pick_dataset(selection: Selection) -> None:
    """A list of the data sets."""
    st.session_state["dataset"] = selection.dataset
    st.selectbox(
        "Data set",
        list(DATASETS),
        key="dataset",
        format_func=lambda name: DATASETS[name].title,
        on_change=lambda: choose_dataset(st.session_state["dataset"]),
        width=220,
    )


def pick_index(dataset: GraphDataset, index: int) -> None:
    """The number of a node or graph, and a button for a random one whose motif is known."""
    st.session_state["index"] = index
    noun = "Node" if dataset.task is Task.NODE else "Molecule" if dataset.node_names else "Graph"
    st.number_input(
        f"{noun} (0 to {dataset.num_instances - 1:,})",
        min_value=0,
        max_value=dataset.num_instances - 1,
        step=1,
        key="index",
        on_change=lambda: choose_index(dataset.name, st.session_state["index"]),
        width=180,
    )
    st.button(
        "Random",
        key="random",
        icon=":material/shuffle:",
        help=f"Pick one of the {len(dataset.explainable):,} {noun.lower()}s whose true motif is known.",
        on_click=lambda: choose_index(dataset.name, int(random.choice(dataset.explainable))),
        disabled=not len(dataset.explainable),
    )


def pick_gnn(selection: Selection) -> str | None:
    """A choice between the kinds of GNN that are trained; ``None`` where none is."""
    kinds = loaders.trained_kinds(selection.dataset)
    kind = loaders.asked_kind(selection.dataset, selection.gnn)
    if len(kinds) > 1:
        st.session_state["gnn"] = kind
        st.segmented_control(
            "GNN",
            kinds,
            key="gnn",
            format_func=facts.GNN_NAMES.__getitem__,
            help=facts.GNN_HELP,
            required=True,
            on_change=lambda: choose(gnn=st.session_state["gnn"]),
        )
    return kind


def pick_source(source: Source, smiles: str) -> None:
    """Where a molecule comes from; ``smiles`` is what the text field starts with."""

    def change() -> None:
        chosen = Source(st.session_state["source"])
        choose_molecule(
            chosen,
            compound=FIRST_COMPOUND if chosen is Source.COMPOUND else None,
            smiles=smiles if chosen is Source.SMILES else None,
        )

    st.session_state["source"] = source
    st.segmented_control(
        "Molecule",
        list(Source),
        key="source",
        format_func=SOURCE_NAMES.__getitem__,
        required=True,
        wrap=True,
        on_change=change,
    )


def pick_compound(compound: str) -> None:
    """A list of well-known compounds."""
    st.session_state["compound"] = compound
    st.selectbox(
        "Compound",
        list(COMPOUNDS),
        key="compound",
        on_change=lambda: choose_molecule(Source.COMPOUND, compound=st.session_state["compound"]),
        width=260,
    )


def pick_smiles(smiles: str) -> None:
    """A text field for a SMILES string."""
    st.session_state["smiles"] = smiles
    st.text_input(
        "SMILES",
        key="smiles",
        placeholder="c1ccccc1",
        help="The usual one-line notation for molecules, for example c1ccccc1 for benzene. Press Enter to draw it.",
        on_change=lambda: choose_molecule(Source.SMILES, smiles=st.session_state["smiles"]),
        width=420,
    )
