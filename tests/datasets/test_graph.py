"""GraphDataset puts any list of edges in order; the halves of the explainable instances."""

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
    edge_motif = np.array([-1, 5, 7, -1, -1])
    dataset = build([(3, 1), (1, 0), (0, 1), (2, 2), (1, 3)], edge_motif=edge_motif)
    assert dataset.edge_index.T.tolist() == [[0, 1], [1, 0], [1, 3], [3, 1]]
    assert dataset.edge_motif.tolist() == [7, 7, -1, -1]
    neighbours = [dataset.edge_index[1, dataset.indptr[v] : dataset.indptr[v + 1]].tolist() for v in range(4)]
    assert neighbours == [[1], [0, 3], [], [1]]
    assert (dataset.num_edges, dataset.instance(2).num_nodes) == (2, 1)
    assert build([], num_nodes=2).num_edges == 0


def test_what_is_no_graph() -> None:
    for edge in ((0, 4), (-1, 2)):
        with pytest.raises(UserError, match="outside 0 … 3"):
            build([edge])
    x = np.array([[1.0], [np.nan]], dtype=np.float32)
    with pytest.raises(UserError, match="NaN"):
        GraphDataset.from_edges(DatasetInfo("toy", Task.NODE), x, np.array([[0], [1]]), np.zeros(2, dtype=np.int64))


def test_to_pyg_gives_each_graph_its_own_numbers() -> None:
    x = np.arange(5, dtype=np.float32)[:, None]
    edges, ptr = np.array([[0, 2, 3], [1, 3, 4]]), np.array([0, 2, 5])
    dataset = GraphDataset.from_edges(DatasetInfo("toy", Task.GRAPH), x, edges, np.array([0, 1]), ptr=ptr)
    one, two = dataset.to_pyg()
    assert one.edge_index.tolist() == [[0, 1], [1, 0]]
    assert two.edge_index.tolist() == [[0, 1, 1, 2], [1, 0, 2, 1]]
    assert (two.x.flatten().tolist(), two.y.tolist()) == ([2, 3, 4], [1])


def test_the_halves_are_the_two_parts_of_one_shuffle() -> None:
    known = load_dataset("tree_grid").explainable
    tuning, reporting = half_of(known, "tuning"), half_of(known)
    assert set(tuning) == set(np.random.RandomState(0).permutation(known)[: len(known) // 2])
    assert not set(tuning) & set(reporting)
    assert sorted([*tuning, *reporting]) == known.tolist()
    assert [len(half_of(np.arange(5), half)) for half in Half] == [3, 2, 5]  # an odd one is reported
    with pytest.raises(UserError, match="reporting, tuning, all"):
        half_of(known, "third")
