"""The generated data sets follow their recipes and are the same everywhere."""

import hashlib
from collections.abc import Callable

import networkx as nx
import numpy as np
import pytest

from gfx_core.datasets import info, synthetic
from gfx_core.datasets.graph import GraphDataset

# SHA-256 of x, edge_index, y, motif and edge_motif at seed 0: the same bytes on every machine.
FINGERPRINTS = {
    "ba_shapes": "c4d4045ab99fdf0e6537dc3abbfcee3296cafab1fbdd4a7781e375e89c3969bb",
    "ba_community": "bf4e169d459ebbf77ebba61987f11fae4f46a375517c3d46bf46f7cc588b2088",
    "tree_cycles": "cc5cae8f637d030a8bf3b2ee4b538290956d4ff8e7508fec1c8756a6acfce6a2",
    "tree_grid": "e24b2507418db15c8443716298e171b75f80546226949f12831d44ab0c365b74",
    "ba_2motifs": "bf0a89ddc21bd472ab9cc75596138dc906e0ee76c3b0869d292355e23907e286",
}


def generate(name: str, seed: int = 0) -> GraphDataset:
    generator: Callable[[int], GraphDataset] = getattr(synthetic, name)
    return generator(seed)


def fingerprint(dataset: GraphDataset) -> str:
    digest = hashlib.sha256()
    for array in (dataset.x, dataset.edge_index, dataset.y, dataset.motif, dataset.edge_motif):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


@pytest.mark.parametrize("name", FINGERPRINTS)
def test_bit_for_bit_by_the_seed_and_the_global_state_is_left_alone(name: str) -> None:
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    assert fingerprint(generate(name)) == FINGERPRINTS[name]
    assert fingerprint(generate(name, 1)) != FINGERPRINTS[name]
    assert (np.random.get_state()[1] == before).all()  # noqa: NPY002


@pytest.mark.parametrize(
    ("name", "motif", "nodes", "edges", "classes"),
    [
        ("ba_shapes", info.HOUSE, 700, 1475 + 80 * 7 + 70, 4),
        ("ba_community", info.HOUSE, 1400, 2 * (1475 + 80 * 7 + 70) + 350, 8),
        ("tree_cycles", info.SIX_CYCLE, 511 + 60 * 6, 510 + 60 * 7, 2),
        ("tree_grid", info.GRID, 511 + 80 * 9, 510 + 80 * 13, 2),
    ],
)
def test_every_marked_motif_is_the_motif(name: str, motif: info.Motif, nodes: int, edges: int, classes: int) -> None:
    dataset = generate(name)
    statistics = dataset.statistics
    assert (statistics["nodes"], statistics["edges"], statistics["classes"]) == (nodes, edges, classes)
    assert len(dataset.benchmark) == statistics["motifs"]
    assert ((dataset.y % 4 if name == "ba_community" else dataset.y) > 0).tolist() == (dataset.motif >= 0).tolist()
    for number in range(statistics["motifs"]):
        marked = nx.Graph(dataset.edge_index[:, dataset.edge_motif == number].T.tolist())
        assert set(marked) == set(np.flatnonzero(dataset.motif == number).tolist())
        assert nx.is_isomorphic(marked, nx.Graph(motif.edges))


def test_the_community_shows_in_the_features() -> None:
    dataset = generate("ba_community")
    side = dataset.y // 4
    assert dataset.x[side == 0, :2].mean() == pytest.approx(-1, abs=0.1)
    assert dataset.x[side == 1, :2].mean() == pytest.approx(1, abs=0.1)
    assert abs(dataset.x[:, 2:].mean()) < 0.1


def test_ba_2motifs_holds_houses_and_cycles_in_equal_parts() -> None:
    dataset = generate("ba_2motifs")
    assert dataset.num_graphs == 1000
    assert np.bincount(dataset.y).tolist() == [500, 500]
    assert set(np.diff(dataset.ptr)) == {25}
    for index in range(40):
        instance = dataset.instance(index)
        graph = nx.Graph(instance.edge_index.T.tolist())
        motif = nx.Graph(instance.edge_index[:, instance.own_edges].T.tolist())
        expected = info.FIVE_CYCLE if instance.y else info.HOUSE
        assert nx.is_connected(graph)
        assert nx.is_isomorphic(motif, nx.Graph(expected.edges))
        graph.remove_edges_from(motif.edges)
        assert nx.is_forest(graph)


def test_preferential_attachment_makes_hubs() -> None:
    dataset = generate("ba_shapes")
    degree = np.bincount(dataset.edge_index[0])[:300]
    assert degree.max() > 4 * np.median(degree)
    assert degree.min() >= 1
