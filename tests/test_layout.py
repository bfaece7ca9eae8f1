"""Layouts: the same every time, finite, no two nodes on one spot, motifs in their shape."""

from collections import OrderedDict
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gfx_core import layout
from gfx_core.datasets.graph import GraphDataset
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.motifs import GRID, HOUSE, SIX_CYCLE, Motif
from gfx_core.datasets.registry import load_dataset
from gfx_core.datasets.smiles import COMPOUNDS, molecule
from gfx_core.drawing.overview import overview_layout
from gfx_core.layout import Points, graph_layout, instance_layout, motif_points

NODE_TASKS = ("ba_shapes", "ba_community", "tree_cycles", "tree_grid")
EXAMPLES = [("ba_shapes", 301), ("ba_shapes", 0), ("ba_community", 302), ("tree_cycles", 517), ("tree_cycles", 3)]
EXAMPLES += [("tree_grid", 512), ("tree_grid", 513), ("ba_2motifs", 0), ("ba_2motifs", 1)]


def check(points: Points, count: int, apart: float) -> None:
    assert points.shape == (count, 2)
    assert np.isfinite(points).all()
    gaps = np.linalg.norm(points[:, None] - points[None], axis=-1) + np.eye(count) * 9
    assert gaps.min() > apart


@pytest.mark.parametrize(("name", "index"), EXAMPLES)
def test_instances(name: str, index: int) -> None:
    instance = load_dataset(name).instance(index)
    points = instance_layout(instance)
    check(points, instance.num_nodes, 1e-3)
    assert (points == layout._instance_layout(instance)).all()  # and not only because it is remembered
    lengths = np.linalg.norm(points[instance.edge_index[0]] - points[instance.edge_index[1]], axis=1)
    assert np.median(lengths) == pytest.approx(1)


@pytest.mark.parametrize(
    ("name", "index", "motif"),
    [("ba_shapes", 301, HOUSE), ("tree_cycles", 517, SIX_CYCLE), ("tree_grid", 512, GRID), ("ba_2motifs", 0, HOUSE)],
)
def test_a_motif_is_drawn_upright_in_its_shape(name: str, index: int, motif: Motif) -> None:
    instance = load_dataset(name).instance(index)
    own = np.flatnonzero(instance.own_nodes)
    own = own[np.argsort(instance.nodes[own])]
    drawn, wanted = instance_layout(instance)[own], motif_points(motif)
    drawn, wanted = drawn - drawn.mean(0), wanted - wanted.mean(0)
    scale = (drawn * wanted).sum() / (wanted**2).sum()
    assert np.abs(drawn / scale - wanted).max() < 0.25


def test_every_graph_with_a_ring_is_untwisted() -> None:
    """Neighbours on a drawn five-cycle are closer than the others."""
    dataset = load_dataset("ba_2motifs")
    for index in range(1, 120, 2):
        instance = dataset.instance(index)
        ring = instance_layout(instance)[instance.own_nodes]
        gaps = np.linalg.norm(ring[:, None] - ring[None], axis=-1)
        sides = [gaps[i, (i + 1) % 5] for i in range(5)]
        diagonals = [gaps[i, (i + 2) % 5] for i in range(5)]
        assert max(sides) < min(diagonals), index


@pytest.mark.parametrize("name", NODE_TASKS)
def test_overviews(name: str) -> None:
    dataset = load_dataset(name)
    points = overview_layout(dataset)
    check(points, dataset.num_nodes, 1e-3)
    assert (points == overview_layout(dataset)).all()


@pytest.mark.parametrize("name", ["tree_cycles", "tree_grid"])
def test_trees_are_drawn_without_crossings(name: str) -> None:
    dataset = load_dataset(name)
    points = overview_layout(dataset)
    once = dataset.edge_index[0] < dataset.edge_index[1]
    first, second = (points[ends] for ends in dataset.edge_index[:, once])

    def side(a: Points, b: Points, c: Points) -> Points:
        return (b[..., 0] - a[..., 0]) * (c[..., 1] - a[..., 1]) - (b[..., 1] - a[..., 1]) * (c[..., 0] - a[..., 0])

    p, q, r, s = first[:, None], second[:, None], first[None], second[None]
    crossing = (side(p, q, r) * side(p, q, s) < -1e-9) & (side(r, s, p) * side(r, s, q) < -1e-9)
    assert crossing.sum() / 2 <= 0.02 * once.sum()  # motif against motif at the rim, at worst


def edges(*pairs: tuple[int, int]) -> np.ndarray:
    return np.array([*pairs, *((j, i) for i, j in pairs)], dtype=np.int64).reshape(-1, 2).T


@pytest.mark.parametrize(
    ("count", "edge_index"),
    [(0, edges()), (1, edges()), (2, edges((0, 1))), (3, edges()), (6, edges((0, 1), (2, 3), (3, 4)))],
)
def test_small_and_scattered_graphs(count: int, edge_index: np.ndarray) -> None:
    check(graph_layout(count, edge_index), count, 0.1) if count else graph_layout(count, edge_index)


def test_stars_and_complete_graphs_spread_out() -> None:
    check(graph_layout(40, edges(*((0, i) for i in range(1, 40)))), 40, 0.05)
    check(graph_layout(12, edges(*((i, j) for i in range(12) for j in range(i)))), 12, 0.05)


@pytest.mark.parametrize("name", ["TNT", "Caffeine", "Glucose"])
def test_molecules_keep_their_own_coordinates(name: str) -> None:
    instance = molecule(COMPOUNDS[name])
    check(instance_layout(instance), instance.num_nodes, 0.1)


@pytest.fixture(scope="module")
def mutagenicity(mutagenicity_root: Path) -> GraphDataset:
    return load_dataset("mutagenicity")


def test_data_set_molecules_are_laid_out_like_molecules(mutagenicity: GraphDataset) -> None:
    for index in range(0, mutagenicity.num_graphs, 97):
        instance = mutagenicity.instance(index)
        check(instance_layout(instance), instance.num_nodes, 1e-3)


def test_the_fallback_where_rdkit_has_no_answer(mutagenicity: GraphDataset, monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(instance: Instance) -> None:
        return None

    monkeypatch.setattr("gfx_core.layout._molecule_coordinates", nothing)
    instance = mutagenicity.instance(3)
    check(layout._instance_layout(instance), instance.num_nodes, 1e-3)


def test_a_layout_is_remembered_and_belongs_to_its_instance(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    original = layout._instance_layout
    monkeypatch.setattr(layout, "_kept", OrderedDict())
    monkeypatch.setattr(layout, "_instance_layout", lambda instance: made.append(1) or original(instance))
    dataset = load_dataset("tree_cycles")
    one, other = (dataset.instance(int(dataset.explainable[i])) for i in (0, 7))
    first = instance_layout(one)
    first += 1  # whoever changes what was given changes nothing else
    assert np.array_equal(instance_layout(one) + 1, first)
    assert len(made) == 1
    instance_layout(other)
    instance_layout(replace(one, motif=np.full_like(one.motif, -1)))  # another shape is asked for
    assert len(made) == 3
    for index in range(layout._KEPT + 3):
        instance_layout(replace(one, nodes=one.nodes + index))
    assert len(layout._kept) == layout._KEPT


@pytest.mark.parametrize("name", ["ba_shapes", "tree_grid", "ba_2motifs"])
def test_small_graphs_are_laid_out_as_by_scipy(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The two ways to find distances and pieces agree; small graphs do without scipy, which takes long to load."""
    data = load_dataset(name)
    for index in data.explainable[::211].tolist():
        instance = data.instance(int(index))
        assert instance.num_nodes <= layout._FEW
        fast = layout.graph_layout(instance.num_nodes, instance.edge_index)
        with monkeypatch.context() as patch:
            patch.setattr(layout, "_FEW", 0)
            slow = layout.graph_layout(instance.num_nodes, instance.edge_index)
        assert np.allclose(fast, slow, atol=1e-6)


def test_pieces_of_a_small_graph() -> None:
    edges = np.array([[0, 2, 5, 3], [2, 0, 3, 5]])
    found = layout._hops(6, edges)
    assert np.array_equal(found[0], [0, np.inf, 1, np.inf, np.inf, np.inf])
    assert np.array_equal(found[5], [np.inf, np.inf, np.inf, 1, np.inf, 0])
