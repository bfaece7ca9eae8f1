"""Layouts: the same every time and on every processor, finite, no two nodes on one spot, motifs in their shape."""

import os
import subprocess
import sys
from dataclasses import replace
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
from gfx_core.storage import Recent
from tests.conftest import ROOT

EXAMPLES = [("ba_shapes", 301), ("ba_shapes", 0), ("ba_community", 302), ("tree_cycles", 517), ("tree_cycles", 3)]
EXAMPLES += [("tree_grid", 512), ("tree_grid", 513), ("ba_2motifs", 0), ("ba_2motifs", 1)]

SMALL = [("ba_shapes", 310), *EXAMPLES[3:]]
"""Where every processor is tried."""


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


@pytest.mark.parametrize("name", ["ba_shapes", "tree_cycles", "tree_grid"])
def test_overviews(name: str) -> None:
    dataset = load_dataset(name)
    points = overview_layout(dataset)
    check(points, dataset.num_nodes, 1e-3)
    assert (points == overview_layout(dataset)).all()
    if name == "ba_shapes":
        return
    once = dataset.edge_index[0] < dataset.edge_index[1]
    first, second = (points[ends] for ends in dataset.edge_index[:, once])

    def side(a: Points, b: Points, c: Points) -> Points:
        return (b[..., 0] - a[..., 0]) * (c[..., 1] - a[..., 1]) - (b[..., 1] - a[..., 1]) * (c[..., 0] - a[..., 0])

    p, q, r, s = first[:, None], second[:, None], first[None], second[None]
    crossing = (side(p, q, r) * side(p, q, s) < -1e-9) & (side(r, s, p) * side(r, s, q) < -1e-9)
    assert crossing.sum() / 2 <= 0.02 * once.sum()  # of trees motif against motif at the rim, at worst


def edges(*pairs: tuple[int, int]) -> np.ndarray:
    return np.array([*pairs, *((j, i) for i, j in pairs)], dtype=np.int64).reshape(-1, 2).T


def test_small_scattered_and_crowded_graphs() -> None:
    star, complete = ((0, i) for i in range(1, 40)), ((i, j) for i in range(12) for j in range(i))
    for count, pairs in ((1, ()), (2, [(0, 1)]), (3, ()), (6, [(0, 1), (2, 3), (3, 4)]), (40, star), (12, complete)):
        check(graph_layout(count, edges(*pairs)), count, 0.05)
    assert graph_layout(0, edges()).shape == (0, 2)


def test_molecules_are_laid_out_like_molecules(mutagenicity_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = load_dataset("mutagenicity")
    typed = [molecule(COMPOUNDS[name]) for name in ("TNT", "Caffeine", "Glucose")]
    for instance in (*typed, *map(dataset.instance, range(0, dataset.num_graphs, 97))):
        check(instance_layout(instance), instance.num_nodes, 1e-3)
    monkeypatch.setattr("gfx_core.layout._molecule_coordinates", lambda _: None)  # where RDKit has no answer
    check(layout._instance_layout(dataset.instance(3)), dataset.instance(3).num_nodes, 1e-3)


def test_a_layout_is_remembered_and_belongs_to_its_instance(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    original = layout._instance_layout
    monkeypatch.setattr(layout, "_kept", Recent(5))
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
    for index in range(8):
        instance_layout(replace(one, nodes=one.nodes + index))
    assert len(layout._kept) == 5


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

_PROCESSORS = [
    {"OPENBLAS_CORETYPE": kernel, "OPENBLAS_NUM_THREADS": str(1 + number % 2)}
    for number, kernel in enumerate(("Prescott", "Haswell", "SkylakeX"))
] + [
    {"NPY_DISABLE_CPU_FEATURES": "AVX2 FMA3 AVX512F AVX512_SKX"},
    {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-AVX512F"},
]


def test_every_processor_gives_the_same_bits() -> None:
    """Whatever kernels numpy, OpenBLAS and the C library choose."""
    command = [sys.executable, "-W", "ignore", "-c", _BITS]
    found = [
        subprocess.run(command, cwd=ROOT, env={**os.environ, **settings}, capture_output=True, text=True, check=True)
        for settings in _PROCESSORS
    ]
    assert len({done.stdout for done in found}) == 1
    assert len(found[0].stdout.split()) == len(SMALL) + 1


@pytest.mark.parametrize(("name", "index"), SMALL)
def test_changes_in_the_last_bits_move_nothing_visibly(name: str, index: int, monkeypatch: pytest.MonkeyPatch) -> None:
    instance = load_dataset(name).instance(index)
    points = layout._instance_layout(instance)
    rng = np.random.RandomState(0)
    for changed in ("_scaled", "_inverse", "motif_points"):
        exact = getattr(layout, changed)
        with monkeypatch.context() as patch:
            patch.setattr(
                layout, changed, lambda given, f=exact: (out := f(given)) * (1 + rng.choice([-2e-16, 2e-16], out.shape))
            )
            assert np.abs(layout._instance_layout(instance) - points).max() < 1e-3, changed


def test_equal_singular_values_are_no_matter_of_luck() -> None:
    """A ring, a star and a complete graph have them; distances that differ in their last bits give the same start."""
    ring = [(i, (i + 1) % 12) for i in range(12)]
    star = [(0, i) for i in range(1, 12)]
    whole = [(i, j) for i in range(12) for j in range(i)]
    for pairs in (ring, star, whole):
        distance = layout._hops(12, edges(*pairs))
        shaken = distance * (1 + np.random.RandomState(0).choice([-2e-16, 0, 2e-16], distance.shape))
        assert np.abs(layout._scaled(distance) - layout._scaled(shaken)).max() < 1e-9


def test_against_numpys_linear_algebra() -> None:
    rng = np.random.RandomState(0)
    half = rng.standard_normal((40, 40))
    matrix, points = half @ half.T + np.eye(40), rng.standard_normal((40, 2))
    assert np.allclose(layout._inverse(matrix), np.linalg.inv(matrix), atol=1e-10)
    for onto in (rng.standard_normal((40, 2)), points * [1, -1], points @ [[0, 1], [-1, 0]]):
        left, _, right = np.linalg.svd(points.T @ onto)
        assert np.allclose(layout._rotation(points, onto), left @ right)
        assert np.allclose(layout._rotated(points, left @ right), points @ (left @ right))
    line = np.stack([np.linspace(-1, 1, 9), np.zeros(9)], axis=1)
    assert np.array_equal(layout._rotation(line, line), np.eye(2))  # turned, not mirrored
    tree = layout._hops(80, edges(*((node // 3, node) for node in range(1, 80))))[:, :30]
    squared = tree**2
    centred = -0.5 * (squared - squared.mean(0) - squared.mean(1, keepdims=True) + squared.mean())
    left, sizes, _ = np.linalg.svd(centred, full_matrices=False)
    found, wanted = layout._scaled(tree), left[:, :2] * np.sqrt(sizes[:2] / np.sqrt(30 / 80))
    apart, apart_there = (np.linalg.norm(each[:, None] - each, axis=-1) for each in (found, wanted))
    assert np.abs(apart - apart_there).max() < 0.2  # two nudges of at most .05 along each axis


def hidden(points: Points, edges: list[tuple[int, int]]) -> int:
    """How often a node lies on an edge that it does not end, drawn as large as the player draws it."""
    gaps = np.linalg.norm(points[:, None] - points[None], axis=-1) + np.eye(len(points)) * 9
    radius, count = 0.36 * float(np.sort(gaps.min(axis=1))[len(points) // 4]), 0
    for one, other in edges:
        for node in set(range(len(points))) - {one, other}:
            along = points[other] - points[one]
            at = np.clip((points[node] - points[one]) @ along / (along @ along), 0, 1)
            count += bool(np.linalg.norm(points[node] - points[one] - at * along) < radius)
    return count


@pytest.mark.parametrize("graph", [nx.karate_club_graph(), nx.barabasi_albert_graph(40, 2, seed=1)])
def test_no_edge_of_an_own_graph_runs_behind_a_node(graph: "nx.Graph[int]") -> None:
    edges = [(int(one), int(other)) for one, other in graph.edges]
    both = np.array([*edges, *((other, one) for one, other in edges)]).T
    before = graph_layout(len(graph), both)
    after = nodes_off_edges(before, np.array(edges).T)
    assert hidden(before, edges) > 10
    assert hidden(after, edges) == 0
    check(after, len(graph), 0.1)
    info = DatasetInfo("own", Task.NODE)
    dataset = GraphDataset.from_edges(info, np.ones((len(graph), 1)), both, np.zeros(len(graph)), num_classes=2)
    instance = dataset.instance(0, hops=9)
    assert hidden(instance_layout(instance), instance.edge_index[:, instance.undirected].T.tolist()) == 0
