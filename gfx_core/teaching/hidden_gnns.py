"""Guess the rule: small GNNs that each learned one rule about graphs, which a player has to find by asking.

Each was trained on all connected graphs of at most seven nodes, so that it knows whatever a player may draw. What it
predicts is always computed by the GNN; how often that is what its rule says is told at the end.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import networkx as nx
import numpy as np

from gfx_core.config import ASSETS, Task
from gfx_core.datasets.graph import GraphDataset
from gfx_core.datasets.info import DatasetInfo
from gfx_core.drawing.pictures import form_picture
from gfx_core.explanation.rules import Form
from gfx_core.text.names import shape_name
from gfx_core.text.numbers import percent

if TYPE_CHECKING:
    from gfx_core.gnn.checkpoint import ModelHeader
    from gfx_core.gnn.models import GNN

FOLDER = ASSETS / "hidden_gnns"
MOST = 7
"""Nodes of a graph that is asked about."""
CLASSES = ("no", "yes")
_LEARNT = 3e-3  # cross-entropy with which a GNN knows its rule


def _degrees(graph: nx.Graph) -> list[int]:
    return [degree for _, degree in graph.degree]


RULES: dict[str, Callable[[nx.Graph], bool]] = {
    "triangle": lambda graph: nx.transitivity(graph) > 0,
    "ring": lambda graph: graph.number_of_edges() >= len(graph),
    "hub": lambda graph: max(_degrees(graph)) >= 4,
    "fork": lambda graph: 3 in _degrees(graph),
    "dead_end": lambda graph: min(_degrees(graph)) == 1,
}
"""What a GNN may go by, for connected graphs of two nodes or more.

None of ours goes by triangles: where all nodes are alike, a GNN cannot tell a triangle from any other ring.
"""
HIDDEN_GNNS = {"A": "hub", "B": "ring", "C": "fork", "D": "dead_end"}
"""The rule of each hidden GNN; links name a GNN by its letter, which tells nothing."""


@cache
def all_graphs() -> tuple[nx.Graph, ...]:
    """All connected graphs of two to seven nodes, each once, the smallest first."""
    return tuple(graph for graph in nx.graph_atlas_g() if len(graph) > 1 and nx.is_connected(graph))


def as_dataset(graphs: Sequence[nx.Graph], y: Sequence[int] | None = None) -> GraphDataset:
    """Some graphs, whose nodes are all alike, as a data set."""
    sizes = np.array([len(graph) for graph in graphs])
    ptr = np.concatenate([[0], np.cumsum(sizes)])
    edges = [np.array(graph.edges).reshape(-1, 2).T + first for graph, first in zip(graphs, ptr, strict=False)]
    return GraphDataset.from_edges(
        DatasetInfo("hidden_gnn", Task.GRAPH, "Hidden GNN", classes=CLASSES),
        np.ones((int(ptr[-1]), 1), np.float32),
        np.concatenate(edges, axis=1),
        np.full(len(graphs), -1) if y is None else np.array(y),
        ptr=ptr,
    )


def train_hidden_gnn(name: str, device: str = "cpu", seed: int = 0) -> tuple["GNN", "ModelHeader"]:
    """Train a hidden GNN on all graphs at once; its header says how often it predicts what its rule says. Needs torch.

    Nothing is kept back: it is to know its rule, not to be tested on it.
    """
    from gfx_core.gnn.predict import predict_all
    from gfx_core.gnn.settings import TrainingConfig
    from gfx_core.gnn.training import train

    config = TrainingConfig(hidden=16, epochs=1000, patience=1000, lr=1e-2, batch_size=4096, fragments=0, seed=seed)
    y = np.array([RULES[HIDDEN_GNNS[name]](graph) for graph in all_graphs()])
    rare = np.flatnonzero(y == (y.mean() < 0.5))  # these come again until there are as many as of the others
    rows = [*range(len(y)), *np.tile(rare, len(y) // len(rare) - 2).tolist()]
    dataset = as_dataset([all_graphs()[row] for row in rows], y[rows].astype(int).tolist())
    model, header = train(dataset, config, device, lambda epoch: epoch.validation_loss < _LEARNT)
    agrees = (predict_all(model, as_dataset(all_graphs()))[:, 1] > 0.5) == y
    return model.cpu(), replace(header, accuracy={"all": float(agrees.mean())})


def hidden_gnn_path(name: str) -> Path:
    """Where a hidden GNN is."""
    return FOLDER / f"{name}.safetensors"


@cache
def hidden_gnn(name: str) -> "GNN":
    """A hidden GNN. Needs torch."""
    from gfx_core.gnn.checkpoint import read_model

    return read_model(hidden_gnn_path(name))


def probabilities(name: str, graphs: Sequence[nx.Graph]) -> list[float]:
    """The probability of *yes* that a hidden GNN gives each of some graphs. Needs torch."""
    from gfx_core.gnn.predict import predict_all

    return predict_all(hidden_gnn(name), as_dataset(graphs))[:, 1].tolist() if graphs else []


def answer_card(graph: nx.Graph, share: float) -> tuple[str, str, str]:
    """A graph, what a hidden GNN predicts for it by its probability of *yes*, and what such graphs are called."""
    kind = shape_name(graph).text
    form = Form((), tuple((min(edge), max(edge)) for edge in graph.edges), (), ())
    return form_picture(form, kind).svg(), f"{'Yes' if share > 0.5 else 'No'} ({percent(max(share, 1 - share))})", kind


def read_graph(text: str) -> nx.Graph:
    """A graph from the graph6 format, as links hold it; ``ValueError`` for what cannot be asked about."""
    if not 1 < len(text) <= 6 or not text.isascii():
        raise ValueError
    try:
        graph: nx.Graph = nx.from_graph6_bytes(text.encode())
    except (nx.NetworkXException, IndexError) as error:
        raise ValueError from error
    if not 1 < len(graph) <= MOST or not nx.is_connected(graph):
        raise ValueError
    return graph


def spell_graph(graph: nx.Graph) -> str:
    """The other way round; its nodes are 0, 1, …"""
    return nx.to_graph6_bytes(graph, nodes=range(len(graph)), header=False).decode().strip()


@cache
def difference(rule: str, other: str) -> nx.Graph:
    """The smallest graph of which two rules say different things."""
    return next(graph for graph in all_graphs() if RULES[rule](graph) != RULES[other](graph))
