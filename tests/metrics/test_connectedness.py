"""The pieces of an explanation, by hand and by flooding."""

import numpy as np
import pytest

from gfx_core import load_dataset
from gfx_core.datasets.instance import Instance
from gfx_core.metrics.edges import connectedness
from tests.toys.motifs import Edge, motif_instance, names

PATH = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]


def kept(instance: Instance, edges: set[Edge]) -> np.ndarray:
    return np.array([edge in edges for edge in names(instance)], dtype=bool)


def test_a_node_by_hand() -> None:
    instance = motif_instance(PATH, explained=0)
    found = connectedness(instance, kept(instance, {(0, 1), (2, 3), (3, 4)}))
    assert (found.components, found.share, found.connected) == (2, 1 / 3, False)
    found = connectedness(instance, kept(instance, {(1, 2), (2, 3)}))  # one piece, but not the explained node's
    assert (found.components, found.share, found.connected) == (1, 0.0, True)
    found = connectedness(instance, kept(instance, set(PATH)))
    assert (found.components, found.share, found.connected) == (1, 1.0, True)


def test_a_graph_by_hand() -> None:
    instance = motif_instance(PATH, explained=None)
    found = connectedness(instance, kept(instance, {(0, 1), (2, 3), (3, 4)}))
    assert (found.components, found.share, found.connected) == (2, 2 / 3, False)


@pytest.mark.parametrize("explained", [0, None])
def test_no_edges(explained: int | None) -> None:
    instance = motif_instance(PATH, explained=explained)
    assert connectedness(instance, kept(instance, set())) is None
    alone = motif_instance([], explained=explained, num_nodes=1)
    assert connectedness(alone, np.zeros(0, dtype=bool)) is None


@pytest.mark.parametrize(("name", "share"), [("ba_shapes", 0.1), ("ba_shapes", 0.5), ("ba_2motifs", 0.4)])
def test_equal_to_flooding(name: str, share: float) -> None:
    """Each edge gets a number of its own; neighbours take the lower one until nothing changes."""
    dataset = load_dataset(name)
    rng = np.random.RandomState(0)
    for index in dataset.explainable[::97].tolist():
        instance = dataset.instance(index)
        chosen = rng.rand(len(instance.undirected)) < share
        edges = [set(e) for e in instance.edge_index[:, instance.undirected[chosen]].T.tolist()]
        piece = list(range(len(edges)))
        for _ in edges:
            for i, one in enumerate(edges):
                piece[i] = min(piece[j] for j, two in enumerate(edges) if one & two)
            if all(piece[i] == piece[j] for i, a in enumerate(edges) for j, b in enumerate(edges) if a & b):
                break
        found = connectedness(instance, chosen)
        if not edges:
            assert found is None
            continue
        counts = [piece.count(p) for p in set(piece)]
        if instance.target is not None:
            counts = [piece.count(p) for p, e in zip(piece, edges, strict=True) if instance.target in e]
        assert found.components == len(set(piece))
        assert found.share == pytest.approx(max(counts, default=0) / len(edges))
