"""GraphDataset puts any list of edges in order."""

import numpy as np
import pytest

from gfx_core import load_dataset
from gfx_core.config import Task
from gfx_core.datasets.graph import GraphDataset, Half, half_of
from gfx_core.datasets.info import DatasetInfo
from gfx_core.errors import UserError


def build(edges: list[tuple[int, int]], num_nodes: int = 4, **options: object) -> GraphDataset:
    x = np.ones((num_nodes, 2), dtype=np.float32)
    y = np.zeros(num_nodes, dtype=np.int64)
    edge_index = np.array(edges, dtype=np.int64).reshape(-1, 2).T
    return GraphDataset.from_edges(DatasetInfo("toy", Task.NODE), x, edge_index, y, **options)  # type: ignore[arg-type]


def test_self_loops_duplicates_and_directions_are_put_in_order() -> None:
    dataset = build([(1, 0), (0, 1), (2, 2), (1, 2), (1, 2)])
    assert dataset.edge_index.T.tolist() == [[0, 1], [1, 0], [1, 2], [2, 1]]
    assert dataset.num_edges == 2


def test_indptr_is_csr() -> None:
    dataset = build([(0, 1), (1, 3), (1, 2)])
    neighbours = [dataset.edge_index[1, dataset.indptr[v] : dataset.indptr[v + 1]].tolist() for v in range(4)]
    assert neighbours == [[1], [0, 2, 3], [1], [1]]


def test_edge_values_survive_the_ordering() -> None:
    edge_motif = np.array([-1, 5, 7])
    dataset = build([(3, 2), (1, 0), (0, 1)], edge_motif=edge_motif)
    assert dataset.edge_motif.tolist() == [7, 7, -1, -1]


def test_no_edges_at_all() -> None:
    dataset = build([], num_nodes=2)
    assert dataset.num_edges == 0
    assert dataset.instance(1).num_nodes == 1


@pytest.mark.parametrize("edge", [(0, 4), (-1, 2)])
def test_edges_out_of_range(edge: tuple[int, int]) -> None:
    with pytest.raises(UserError, match="outside 0 … 3"):
        build([edge])


def test_nan_features() -> None:
    x = np.array([[1.0], [np.nan]], dtype=np.float32)
    with pytest.raises(UserError, match="NaN"):
        GraphDataset.from_edges(DatasetInfo("toy", Task.NODE), x, np.array([[0], [1]]), np.zeros(2, dtype=np.int64))


def test_to_pyg_gives_each_graph_its_own_numbers() -> None:
    x = np.arange(5, dtype=np.float32)[:, None]
    edges = np.array([[0, 2, 3], [1, 3, 4]])
    ptr = np.array([0, 2, 5])
    dataset = GraphDataset.from_edges(DatasetInfo("toy", Task.GRAPH), x, edges, np.array([0, 1]), ptr=ptr)
    one, two = dataset.to_pyg()
    assert one.edge_index.tolist() == [[0, 1], [1, 0]]
    assert two.edge_index.tolist() == [[0, 1, 1, 2], [1, 0, 2, 1]]
    assert two.x.flatten().tolist() == [2, 3, 4]
    assert two.y.tolist() == [1]


# The tuning half and the reporting half.


@pytest.mark.parametrize("name", ["ba_shapes", "tree_grid", "ba_2motifs"])
def test_the_halves_are_the_two_parts_of_one_shuffle(name: str) -> None:
    known = load_dataset(name).explainable
    tuning, reporting = half_of(known, "tuning"), half_of(known)
    shuffled = np.random.RandomState(0).permutation(known)
    assert set(tuning) == set(shuffled[: len(known) // 2])
    assert not set(tuning) & set(reporting)
    assert sorted([*tuning, *reporting]) == known.tolist()
    assert half_of(known, "all") is known


def test_an_odd_one_is_reported() -> None:
    assert [len(half_of(np.arange(5), half)) for half in Half] == [3, 2, 5]


def test_another_half_is_refused() -> None:
    with pytest.raises(UserError, match="reporting, tuning, all"):
        half_of(np.arange(4), "third")
