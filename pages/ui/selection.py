"""What is being looked at, kept in the URL: a link reopens the view."""

from dataclasses import dataclass
from enum import StrEnum

import streamlit as st

from gfx_core.datasets.registry import DATASETS, dataset_info
from gfx_core.datasets.smiles import COMPOUNDS
from gfx_core.errors import UserError
from gfx_core.gnn.kinds import kind_info

DEFAULT_DATASET = "ba_shapes"
MUTAGENICITY = "mutagenicity"


class Source(StrEnum):
    """Where a molecule comes from."""

    DATASET = "dataset"
    COMPOUND = "compound"
    SMILES = "smiles"


@dataclass(frozen=True)
class Selection:
    """A data set, something in it, and the GNN that is asked.

    Attributes:
        dataset: Registry name.
        gnn: Which kind of GNN; ``None`` for the first that is trained.
        index: Node or graph; ``None`` for the one shown first.
        source: Where a molecule comes from; ``None`` if the URL does not say.
        compound: Name of a well-known compound.
        smiles: A molecule that was typed.
        problems: A sentence for each part of the URL that could not be used.
    """

    dataset: str
    gnn: str | None = None
    index: int | None = None
    source: Source | None = None
    compound: str | None = None
    smiles: str | None = None
    problems: tuple[str, ...] = ()


def read_selection() -> Selection:
    """The selection that the URL describes; parts that make no sense are named and left at their defaults."""
    url, problems = st.query_params, []
    dataset, gnn, index, source, compound = DEFAULT_DATASET, None, None, None, None
    if "dataset" in url:
        try:
            dataset = dataset_info(url["dataset"]).name
        except UserError as error:
            problems.append(f"{error} Showing {DATASETS[dataset].title} instead.")
    if "index" in url and not problems:  # the number belongs to a data set, which may not have been found
        if url["index"].strip().isdecimal() and len(url["index"]) < 10:
            index = int(url["index"])
        else:
            problems.append(f"“{url['index'][:60]}” is not a number of a node or graph: type one from 0 upwards.")
    if "gnn" in url:
        try:
            gnn = kind_info(url["gnn"]).name
        except UserError as error:
            problems.append(str(error))
    if dataset == MUTAGENICITY:
        if "compound" in url:
            compound = next((name for name in COMPOUNDS if name.lower() == url["compound"].lower()), None)
            if compound is None:
                problems.append(f"“{url['compound'][:60]}” is not among the well-known compounds: pick one below.")
        if "smiles" in url:
            source = Source.SMILES
        elif "compound" in url:
            source = Source.COMPOUND
        elif "index" in url or url.get("source") == Source.DATASET:
            source = Source.DATASET
    return Selection(dataset, gnn, index, source, compound, url.get("smiles"), tuple(problems))


def choose(**changes: str | int | None) -> None:
    """Change the URL: values are set, ``None`` takes a part out."""
    for name, value in changes.items():
        if value is None:
            st.query_params.pop(name, None)
        else:
            st.query_params[name] = str(value)


def choose_dataset(name: str) -> None:
    """Go to another data set; the GNN kind is kept, what was picked in the old one is not."""
    choose(dataset=name, index=None, source=None, compound=None, smiles=None, tune=None)


def choose_index(dataset: str, index: int) -> None:
    """Pick a node or graph; a policy that was tuned for another is not for this one."""
    choose(dataset=dataset, index=index, source=None, compound=None, smiles=None, tune=None)


def choose_molecule(source: Source, *, compound: str | None = None, smiles: str | None = None) -> None:
    """Pick a molecule, or where to pick one from."""
    named = source if source is Source.DATASET else None
    choose(dataset=MUTAGENICITY, index=None, source=named, compound=compound, smiles=smiles, tune=None)
