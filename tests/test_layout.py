"""Layouts: they look the same every time and on every processor; no two nodes on one spot, motifs in their shape."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gfx_core.datasets.info import GRID, HOUSE, SIX_CYCLE, Motif
from gfx_core.datasets.molecules import COMPOUNDS, molecule
from gfx_core.datasets.registry import load_dataset
from gfx_core.layout import instances
from gfx_core.layout.instances import instance_layout, motif_points, overview_layout
from gfx_core.layout.stress import Points, graph_layout
from gfx_core.storage import Recent
from tests.conftest import ROOT

EXAMPLES = [("ba_shapes", 310), ("ba_shapes", 0), ("ba_community", 302), ("tree_cycles", 517), ("tree_grid", 513)]
EXAMPLES += [("ba_2motifs", 0), ("ba_2motifs", 1)]


def check(points: Points, count: int, apart: float = 1e-3) -> None:
    assert points.shape == (count, 2)
    assert np.isfinite(points).all()
    gaps = np.linalg.norm(points[:, None] - points[None], axis=-1) + np.eye(count) * 9
    assert gaps.min() > apart


def edges(*pairs: tuple[int, int]) -> np.ndarray:
    return np.array([*pairs, *((j, i) for i, j in pairs)], dtype=np.int64).reshape(-1, 2).T


@pytest.mark.parametrize(("name", "index"), EXAMPLES)
def test_an_edge_has_length_one_and_no_two_nodes_lie_on_one_spot(name: str, index: int) -> None:
    instance = load_dataset(name).instance(index)
    points = instance_layout(instance)
    check(points, instance.num_nodes)
    lengths = np.linalg.norm(points[instance.edge_index[0]] - points[instance.edge_index[1]], axis=1)
    assert np.median(lengths) == pytest.approx(1)


@pytest.mark.parametrize(
    ("name", "index", "motif"), [("ba_shapes", 301, HOUSE), ("tree_cycles", 517, SIX_CYCLE), ("tree_grid", 512, GRID)]
)
def test_a_motif_is_drawn_upright_in_its_shape(name: str, index: int, motif: Motif) -> None:
    instance = load_dataset(name).instance(index)
    drawn, wanted = instance_layout(instance)[instance.own_nodes], motif_points(motif)
    drawn, wanted = (points - points.mean(0) for points in (drawn, wanted))
    apart = np.linalg.norm(drawn / np.abs(drawn).max() - wanted[:, None] / np.abs(wanted).max(), axis=-1)
    assert sorted(apart.argmin(axis=1)) == list(range(motif.num_nodes))
    assert apart.min(axis=1).max() < 0.25


@pytest.mark.parametrize("index", range(1, 120, 6))
def test_a_ring_is_untwisted(index: int) -> None:
    instance = load_dataset("ba_2motifs").instance(index)
    ring = instance_layout(instance)[instance.own_nodes]
    gaps = np.linalg.norm(ring[:, None] - ring[None], axis=-1)
    assert max(gaps[i, (i + 1) % 5] for i in range(5)) < min(gaps[i, (i + 2) % 5] for i in range(5))


@pytest.mark.parametrize("name", ["ba_shapes", "ba_community", "tree_grid"])
def test_overviews_are_whole_and_their_motifs_lie_around_the_base(name: str) -> None:
    dataset = load_dataset(name)
    points = overview_layout(dataset)
    check(points, dataset.num_nodes)
    side = dataset.y * dataset.info.sides // dataset.num_classes
    for number in range(dataset.info.sides):
        base, motif = (points[(side == number) & inside] for inside in (dataset.motif < 0, dataset.motif >= 0))
        reach = [np.linalg.norm(some - base.mean(axis=0), axis=1) for some in (base, motif)]
        assert (reach[0] < np.median(reach[1])).all()


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
    monkeypatch.setattr(instances, "_molecule_coordinates", lambda _: None)
    monkeypatch.setattr(instances, "_recent", Recent(1))
    check(instance_layout(dataset.instance(3)), dataset.instance(3).num_nodes)


_POSITIONS = f"""
import json
import numpy as np
from gfx_core.datasets.registry import load_dataset
from gfx_core.layout.instances import instance_layout
from gfx_core.layout.stress import graph_layout
points = [instance_layout(load_dataset(name).instance(index)) for name, index in {EXAMPLES}]
tree = np.stack([np.arange(1, 1100) // 3, np.arange(1, 1100)])
points.append(graph_layout(1100, np.concatenate([tree, tree[::-1]], axis=1)))  # from pivots
print(json.dumps(np.concatenate(points).tolist()))
"""


def test_a_picture_looks_the_same_on_every_processor() -> None:
    """Whatever kernels numpy, OpenBLAS and the C library choose: they round in different ways."""
    processors = (
        {"OPENBLAS_CORETYPE": "Prescott", "OPENBLAS_NUM_THREADS": "1"},
        {"NPY_DISABLE_CPU_FEATURES": "AVX2 FMA3 AVX512F AVX512_SKX", "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA"},
    )
    first, other = (
        subprocess.run(
            [sys.executable, "-W", "ignore", "-c", _POSITIONS],
            cwd=ROOT,
            env=os.environ | settings,
            capture_output=True,
            check=True,
        ).stdout
        for settings in processors
    )
    assert len(json.loads(first)) > 1000
    assert other != first  # else nothing was tried
    assert np.abs(np.array(json.loads(first)) - json.loads(other)).max() < 1e-3
