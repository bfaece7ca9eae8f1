"""Find what the selection asks for; where that cannot be had, say why and take the next best."""

from dataclasses import dataclass

import streamlit as st

from gfx_core.datasets.graph import GraphDataset
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.registry import load_dataset
from gfx_core.datasets.smiles import COMPOUNDS
from gfx_core.errors import UserError
from pages.ui import loaders, pickers
from pages.ui.selection import MUTAGENICITY, Selection, Source


@dataclass(frozen=True)
class Subject:
    """What the page shows.

    Attributes:
        instance: What the GNN is asked about.
        name: Unique within the data set.
        dataset: The data set it is from; ``None`` for a molecule that is from none.
    """

    instance: Instance
    name: str
    dataset: GraphDataset | None = None


def find_subject(selection: Selection) -> Subject | None:
    """Draw the pickers that fit the data set, and get what they pick; ``None`` if there is nothing to show."""
    if selection.dataset == MUTAGENICITY:
        return _molecule(selection)
    return _from_dataset(selection, load_dataset(selection.dataset))


def _from_dataset(selection: Selection, dataset: GraphDataset) -> Subject:
    index, problem = selection.index, None
    if index is not None and index >= dataset.num_instances:
        try:
            dataset.instance(index)
        except UserError as error:
            problem = error
        index = None
    if index is None:
        index = loaders.default_index(dataset.name)
    pickers.pick_index(dataset, index)
    if problem is not None:
        st.warning(f"{problem} Showing {index} instead.", icon=":material/link_off:")
    hops = loaders.hops(dataset.name, selection.gnn)
    return Subject(dataset.instance(index, hops=hops), str(index), dataset)


def _molecule(selection: Selection) -> Subject | None:
    on_disk = loaders.mutagenicity_on_disk()
    source = selection.source or (Source.DATASET if on_disk else Source.COMPOUND)
    compound = selection.compound or pickers.FIRST_COMPOUND
    pickers.pick_source(source, COMPOUNDS[compound])
    if source is Source.COMPOUND:
        pickers.pick_compound(compound)
        if not on_disk:
            _ask_for_mutagenicity()
        return Subject(loaders.molecule(COMPOUNDS[compound]), compound)
    if source is Source.SMILES:
        smiles = selection.smiles or ""
        pickers.pick_smiles(smiles)
        try:
            return Subject(loaders.molecule(smiles), smiles)
        except UserError as error:
            st.error(str(error), icon=":material/edit:")
            return None
    if not on_disk and not st.session_state.pop("load-mutagenicity", False):
        _ask_for_mutagenicity()
        return None
    try:
        with st.spinner("Reading 4,337 molecules …"):
            dataset = load_dataset(MUTAGENICITY)
    except UserError as error:
        st.error(f"{error} Well-known compounds and your own SMILES work without it.", icon=":material/cloud_off:")
        _ask_for_mutagenicity()
        return None
    return _from_dataset(selection, dataset)


def _ask_for_mutagenicity() -> None:
    """Offer to load the data set: nothing is downloaded without being asked for."""

    def load() -> None:
        st.session_state["load-mutagenicity"] = True
        pickers.choose_molecule(Source.DATASET)

    st.button(
        "Load Mutagenicity (downloads about 1 MB once)",
        key="load",
        icon=":material/download:",
        on_click=load,
        help="The data set’s 4,337 molecules are not on this computer yet.",
    )
