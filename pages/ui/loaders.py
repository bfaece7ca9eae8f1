"""Cached access to what is slow: checkpoints, predictions, layouts. Torch is imported here and nowhere above."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from gfx_core.config import TRACES, GNNKind, data_root
from gfx_core.datasets.graph import GraphDataset
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.registry import DATASETS, load_dataset
from gfx_core.drawing.overview import overview_layout
from gfx_core.errors import UserError
from gfx_core.gnn.checkpoint import ModelHeader, load_model, model_path, read_header
from gfx_core.layout import Points, instance_layout
from gfx_core.trace.io import load
from gfx_core.trace.schema import Trace

if TYPE_CHECKING:
    from gfx_core.gnn.models import GNN
    from gfx_core.gnn.predict import InstancePrediction

READABLE_NODES = 100
"""Neighbourhoods of more nodes than this are first drawn with fewer hops."""


def changed(path: Path) -> tuple[int, int]:
    """Size and time of a file, so that a replaced checkpoint is read again; zeros if it is not there."""
    try:
        status = path.stat()
    except OSError:
        return 0, 0
    return status.st_size, status.st_mtime_ns


def header(dataset: str, kind: GNNKind) -> ModelHeader:
    """What a checkpoint says of itself, without torch."""
    path = model_path(dataset, kind)
    return _header(str(path), changed(path))


@st.cache_data(show_spinner=False, max_entries=64)
def _header(path: str, version: tuple[int, int]) -> ModelHeader:
    return read_header(Path(path))


def trained_kinds(dataset: str) -> list[GNNKind]:
    """The kinds of GNN that have a checkpoint, whole or not."""
    return [kind for kind in GNNKind if model_path(dataset, kind).is_file()]


def training_hint(dataset: str) -> str:
    """What to do where there is no checkpoint."""
    return f"not trained yet: `python -m gfx_core train gnn --dataset {dataset}`"


def model(dataset: str, kind: GNNKind, features: int) -> "GNN":
    """The trained GNN of a data set whose nodes have so many features; imports torch."""
    return _model(dataset, kind, features, changed(model_path(dataset, kind)))


@st.cache_resource(show_spinner=False, max_entries=16)
def _model(dataset: str, kind: GNNKind, features: int, version: tuple[int, int]) -> "GNN":
    gnn = load_model(dataset, kind)
    for noun, its, ours in (
        ("features", gnn.in_channels, features),
        ("classes", gnn.num_classes, len(DATASETS[dataset].classes)),
    ):
        if its != ours:
            raise UserError(
                f"The GNN in {model_path(dataset, kind).name} is for {its} {noun}, but {dataset} has {ours}. "
                f"Train it again with: python -m gfx_core train gnn --dataset {dataset}."
            )
    return gnn


def predict(instance: Instance, kind: GNNKind) -> "InstancePrediction":
    """A GNN's answer for one instance."""
    gnn = model(instance.dataset, kind, instance.x.shape[1])
    from gfx_core.gnn.predict import predict_instance

    return predict_instance(gnn, instance)


def probabilities(dataset: str, kind: GNNKind) -> np.ndarray:
    """A GNN's class probabilities for every node or graph of its data set. [num_instances, C]"""
    return _probabilities(dataset, kind, changed(model_path(dataset, kind)))


@st.cache_data(show_spinner=False, max_entries=16)
def _probabilities(dataset: str, kind: GNNKind, version: tuple[int, int]) -> np.ndarray:
    data = load_dataset(dataset)
    gnn = _model(dataset, kind, data.x.shape[1], version)
    from gfx_core.gnn.predict import predict_all

    return predict_all(gnn, data)


def molecule(smiles: str) -> Instance:
    """A molecule by its SMILES."""
    from gfx_core.datasets import smiles as chemistry

    return chemistry.molecule(smiles)


def layout(instance: Instance, name: str) -> Points:
    """The layout of an instance; ``name`` tells instances of one data set apart."""
    return _layout(instance.dataset, name, instance)


@st.cache_data(show_spinner=False, max_entries=256)
def _layout(dataset: str, name: str, _instance: Instance) -> Points:
    return instance_layout(_instance)


@st.cache_data(show_spinner=False, max_entries=8)
def whole_layout(dataset: str) -> Points:
    """The layout of a node task's whole graph."""
    return overview_layout(load_dataset(dataset))


@st.cache_data(show_spinner=False)
def default_index(dataset: str) -> int:
    """What to show first: an instance of readable size with as much of its motif in view as possible."""
    return _best_example(load_dataset(dataset))


def _best_example(dataset: GraphDataset) -> int:
    def score(index: int) -> tuple[bool, int, int]:
        instance = dataset.instance(index)
        readable = 9 <= instance.num_nodes <= 40
        return readable, int(instance.own_edges.sum()), -index

    return max((int(index) for index in dataset.explainable[:120]), key=score, default=0)


def mutagenicity_on_disk() -> bool:
    """Whether Mutagenicity can be read without a download."""
    return (data_root() / "Mutagenicity" / "raw" / "Mutagenicity_A.txt").is_file()


def trace(dataset: str, name: str) -> Trace | None:
    """The shipped trace of an instance, if there is one that can be read. Needs no torch."""
    path = TRACES / f"{dataset}-{name}.json"
    return _trace(str(path), changed(path)) if path.is_file() else None


@st.cache_data(show_spinner=False, max_entries=64)
def _trace(path: str, version: tuple[int, int]) -> Trace | None:
    try:
        return load(Path(path))
    except UserError:
        return None
