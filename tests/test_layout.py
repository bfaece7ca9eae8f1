"""Layouts: the same every time and on every processor, finite, no two nodes on one spot, motifs in their shape."""

import os
import subprocess
import sys
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from gfx_core import layout
from gfx_core.config import Task
from gfx_core.datasets.graph import GraphDataset
from gfx_core.datasets.info import GRID, HOUSE, SIX_CYCLE, DatasetInfo, Motif
from gfx_core.datasets.molecules import COMPOUNDS, molecule
from gfx_core.datasets.registry import load_dataset
from gfx_core.drawing.pictures import overview_layout
from gfx_core.layout import Points, graph_layout, instance_layout, motif_points, nodes_off_edges
from tests.conftest import ROOT

EXAMPLES = [("ba_shapes", 310), ("ba_shapes", 0), ("ba_community", 302), ("tree_cycles", 517), ("tree_grid", 513)]
EXAMPLES += [("ba_2motifs", 0), ("ba_2motifs", 1)]
SMALL = [EXAMPLES[0], *EXAMPLES[3:]]
"""Where every processor is tried."""


def check(points: Points, count: int, apart: float = 1e-3) -> None:
    assert points.shape == (count, 2)
    assert np.isfinite(points).all()
    gaps = np.linalg.norm(points[:, None] - points[None], axis=-1) + np.eye(count) * 9
    assert gaps.min() > apart


def edges(*pairs: tuple[int, int]) -> np.ndarray:
    return np.array([*pairs, *((j, i) for i, j in pairs)], dtype=np.int64).reshape(-1, 2).T


@pytest.mark.parametrize(("name", "index"), EXAMPLES)
def test_an_edge_has_length_one_and_the_last_bits_move_nothing(
    name: str, index: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    instance = load_dataset(name).instance(index)
    points = instance_layout(instance)
    check(points, instance.num_nodes)
    lengths = np.linalg.norm(points[instance.edge_index[0]] - points[instance.edge_index[1]], axis=1)
    assert np.median(lengths) == pytest.approx(1)
    rng = np.random.RandomState(0)
    for changed in ("_scaled", "_inverse", "motif_points") if (name, index) in SMALL else ():
        exact = getattr(layout, changed)
        with monkeypatch.context() as patch:
            patch.setattr(
                layout, changed, lambda given, f=exact: (out := f(given)) * (1 + rng.choice([-2e-16, 2e-16], out.shape))
            )
            assert np.abs(layout._instance_layout(instance) - points).max() < 1e-3, changed


@pytest.mark.parametrize(
    ("name", "index", "motif"), [("ba_shapes", 301, HOUSE), ("tree_cycles", 517, SIX_CYCLE), ("tree_grid", 512, GRID)]
)
def test_a_motif_is_drawn_upright_in_its_shape(name: str, index: int, motif: Motif) -> None:
    instance = load_dataset(name).instance(index)
    own = np.flatnonzero(instance.own_nodes)
    own = own[np.argsort(instance.nodes[own])]
    drawn, wanted = instance_layout(instance)[own], motif_points(motif)
    drawn, wanted = drawn - drawn.mean(0), wanted - wanted.mean(0)
    scale = (drawn * wanted).sum() / (wanted**2).sum()
    assert np.abs(drawn / scale - wanted).max() < 0.25


@pytest.mark.parametrize("index", range(1, 120, 6))
def test_a_ring_is_untwisted(index: int) -> None:
    instance = load_dataset("ba_2motifs").instance(index)
    ring = instance_layout(instance)[instance.own_nodes]
    gaps = np.linalg.norm(ring[:, None] - ring[None], axis=-1)
    assert max(gaps[i, (i + 1) % 5] for i in range(5)) < min(gaps[i, (i + 2) % 5] for i in range(5))


@pytest.mark.parametrize("name", ["ba_shapes", "tree_cycles", "tree_grid"])
def test_overviews_are_whole_and_of_trees_hardly_any_edges_cross(name: str) -> None:
    dataset = load_dataset(name)
    points = overview_layout(dataset)
    check(points, dataset.num_nodes)
    if name == "ba_shapes":
        return
    first, second = (points[ends] for ends in dataset.edge_index[:, dataset.edge_index[0] < dataset.edge_index[1]])

    def side(a: Points, b: Points, c: Points) -> Points:
        return (b[..., 0] - a[..., 0]) * (c[..., 1] - a[..., 1]) - (b[..., 1] - a[..., 1]) * (c[..., 0] - a[..., 0])

    p, q, r, s = first[:, None], second[:, None], first[None], second[None]
    crossing = (side(p, q, r) * side(p, q, s) < -1e-9) & (side(r, s, p) * side(r, s, q) < -1e-9)
    assert crossing.sum() / 2 <= 0.02 * len(first)  # motif against motif at the rim, at worst


def test_small_scattered_and_crowded_graphs() -> None:
    star, complete = ((0, i) for i in range(1, 40)), ((i, j) for i in range(12) for j in range(i))
    for count, pairs in ((1, ()), (2, [(0, 1)]), (3, ()), (6, [(0, 1), (2, 3), (3, 4)]), (40, star), (12, complete)):
        check(graph_layout(count, edges(*pairs)), count, 0.05)
    assert graph_layout(0, edges()).shape == (0, 2)


def test_molecules_are_laid_out_also_without_rdkit(mutagenicity_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = load_dataset("mutagenicity")
    typed = [molecule(COMPOUNDS[name]) for name in ("TNT", "Caffeine")]
    for instance in (*typed, *map(dataset.instance, range(0, dataset.num_graphs, 211))):
        check(instance_layout(instance), instance.num_nodes)
    monkeypatch.setattr("gfx_core.layout._molecule_coordinates", lambda _: None)
    check(layout._instance_layout(dataset.instance(3)), dataset.instance(3).num_nodes)


_BITS = f"""
import hashlib
import numpy as np
from gfx_core.datasets.registry import load_dataset
from gfx_core.layout import graph_layout, instance_layout
points = [instance_layout(load_dataset(name).instance(index)) for name, index in {SMALL}]
tree = np.stack([np.arange(1, 700) // 3, np.arange(1, 700)])
points.append(graph_layout(700, np.concatenate([tree, tree[::-1]], axis=1)))  # from pivots
print(*(hashlib.sha256(part.tobytes()).hexdigest()[:12] for part in points))
"""


def test_every_processor_gives_the_same_bits() -> None:
    """Whatever kernels numpy, OpenBLAS and the C library choose."""
    processors = (
        {"OPENBLAS_CORETYPE": "Prescott", "OPENBLAS_NUM_THREADS": "1"},
        {"OPENBLAS_CORETYPE": "SkylakeX", "OPENBLAS_NUM_THREADS": "2"},
        {"NPY_DISABLE_CPU_FEATURES": "AVX2 FMA3 AVX512F AVX512_SKX", "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA"},
    )
    command = [sys.executable, "-W", "ignore", "-c", _BITS]
    bits = {
        subprocess.run(command, cwd=ROOT, env=os.environ | settings, capture_output=True, text=True, check=True).stdout
        for settings in processors
    }
    assert [len(line.split()) for line in bits] == [len(SMALL) + 1]


@pytest.mark.parametrize("name", ["ba_shapes", "tree_grid"])
def test_small_graphs_are_laid_out_as_by_scipy(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small graphs do without scipy, which takes long to load."""
    data = load_dataset(name)
    for index in data.explainable[::211].tolist():
        instance = data.instance(int(index))
        assert instance.num_nodes <= layout._FEW
        fast = graph_layout(instance.num_nodes, instance.edge_index)
        with monkeypatch.context() as patch:
            patch.setattr(layout, "_FEW", 0)
            assert np.allclose(fast, graph_layout(instance.num_nodes, instance.edge_index), atol=1e-6)


def test_linear_algebra_against_numpys() -> None:
    """It is ours because that of numpy differs in its last bits from processor to processor."""
    rng = np.random.RandomState(0)
    half = rng.standard_normal((40, 40))
    matrix, points = half @ half.T + np.eye(40), rng.standard_normal((40, 2))
    assert np.allclose(layout._inverse(matrix), np.linalg.inv(matrix), atol=1e-10)
    for onto in (rng.standard_normal((40, 2)), points * [1, -1], points @ [[0, 1], [-1, 0]]):
        left, _, right = np.linalg.svd(points.T @ onto)
        assert np.allclose(layout._rotation(points, onto), left @ right)
    line = np.stack([np.linspace(-1, 1, 9), np.zeros(9)], axis=1)
    assert np.array_equal(layout._rotation(line, line), np.eye(2))  # turned, not mirrored
    tree = layout._hops(80, edges(*((node // 3, node) for node in range(1, 80))))[:, :30]
    squared = tree**2
    centred = -0.5 * (squared - squared.mean(0) - squared.mean(1, keepdims=True) + squared.mean())
    left, sizes, _ = np.linalg.svd(centred, full_matrices=False)
    wanted = left[:, :2] * np.sqrt(sizes[:2] / np.sqrt(30 / 80))
    apart, there = (np.linalg.norm(each[:, None] - each, axis=-1) for each in (layout._scaled(tree), wanted))
    assert np.abs(apart - there).max() < 0.2  # two nudges of at most .05 along each axis


def hidden(points: Points, ends: np.ndarray) -> int:
    """How often a node lies on an edge that it does not end, drawn as large as the player draws it."""
    gaps = np.linalg.norm(points[:, None] - points[None], axis=-1) + np.eye(len(points)) * 9
    radius, count = 0.36 * float(np.sort(gaps.min(axis=1))[len(points) // 4]), 0
    for one, other in ends.T.tolist():
        for node in set(range(len(points))) - {one, other}:
            along = points[other] - points[one]
            at = np.clip((points[node] - points[one]) @ along / (along @ along), 0, 1)
            count += bool(np.linalg.norm(points[node] - points[one] - at * along) < radius)
    return count


@pytest.mark.parametrize("graph", [nx.karate_club_graph(), nx.barabasi_albert_graph(40, 2, seed=1)])
def test_no_edge_of_an_own_graph_runs_behind_a_node(graph: "nx.Graph[int]") -> None:
    both = edges(*graph.edges)
    ends, before = both[:, : both.shape[1] // 2], graph_layout(len(graph), both)
    after = nodes_off_edges(before, ends)
    assert hidden(before, ends) > 10
    assert hidden(after, ends) == 0
    check(after, len(graph), 0.1)
    info = DatasetInfo("own", Task.NODE)
    dataset = GraphDataset.from_edges(info, np.ones((len(graph), 1)), both, np.zeros(len(graph)), num_classes=2)
    instance = dataset.instance(0, hops=9)
    assert hidden(instance_layout(instance), instance.edge_index[:, instance.undirected]) == 0
