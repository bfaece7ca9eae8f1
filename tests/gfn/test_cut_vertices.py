"""CutVertexTracker on graphs one can draw by hand, with rows that sit out, and on every device."""

import doctest
import itertools
import random

import networkx as nx
import pytest
import torch

from gfx_core.gfn import cut_vertices
from gfx_core.gfn.cut_vertices import CutVertexTracker
from tests.toys.growing import (
    FAMILIES,
    articulation_points_reference,
    clique_chain,
    grow,
    links_of,
    nodes,
    random_order,
    tracker_of,
)

# By hand


def test_paper_example_third_node_on_the_first() -> None:
    tracker = tracker_of(nx.Graph([(0, 1), (0, 2)]))
    assert tracker.matrix[0].tolist() == [[0, 1, 2], [0, 0, 0], [0, 0, 0]]
    assert tracker.cases.tolist() == [1]


def test_paper_example_third_node_on_both() -> None:
    tracker = tracker_of(nx.complete_graph(3))
    assert not tracker.matrix.any()
    assert tracker.cases.tolist() == [2]


def test_one_and_two_nodes_have_no_cut_vertex() -> None:
    for graph, removable in ((nx.empty_graph(1), set()), (nx.path_graph(2), {1})):
        tracker = tracker_of(graph, max_nodes=4)
        assert not tracker.matrix.any()
        assert not tracker.cut.any()
        assert nodes(tracker.removable[0]) == removable
        assert tracker.cases.tolist() == [0]


def test_path() -> None:
    tracker = tracker_of(nx.path_graph(6))
    assert nodes(tracker.cut[0]) == {1, 2, 3, 4}
    assert nodes(tracker.removable[0]) == {5}
    assert tracker.child_groups(0)[2] == [{0, 1}, {3, 4, 5}]


def test_cycle_closes() -> None:
    tracker = tracker_of(nx.cycle_graph(6))
    assert not tracker.matrix.any()
    assert nodes(tracker.removable[0]) == {1, 2, 3, 4, 5}
    assert tracker.cases.tolist() == [2]


def test_star_has_the_most_labels() -> None:
    tracker = tracker_of(nx.star_graph(9))
    assert tracker.matrix[0, 0].tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    assert nodes(tracker.cut[0]) == {0}


def test_merging_some_groups_keeps_the_cut_vertex_and_the_largest_label() -> None:
    star_and_bridge = nx.star_graph(4)
    star_and_bridge.add_edges_from([(5, 1), (5, 3)])
    tracker = tracker_of(star_and_bridge)
    assert tracker.matrix[0, 0].tolist() == [0, 3, 2, 3, 4, 3]
    assert tracker.child_groups(0) == {0: [{2}, {1, 3, 5}, {4}]}


def test_touching_the_cut_vertex_and_one_group_joins_that_group() -> None:
    star_and_triangle = nx.star_graph(3)
    star_and_triangle.add_edges_from([(4, 0), (4, 2)])
    tracker = tracker_of(star_and_triangle)
    assert tracker.matrix[0, 0].tolist() == [0, 1, 2, 3, 2]


def test_a_node_can_become_a_cut_vertex_again() -> None:
    graph = nx.cycle_graph(4)
    graph.add_edge(4, 1)
    tracker = tracker_of(graph)
    assert tracker.child_groups(0) == {1: [{0, 2, 3}, {4}]}


# Rows that sit out, and the form of what comes back


def test_inactive_rows_are_untouched() -> None:
    tracker = CutVertexTracker(2, 4)
    path = torch.zeros(4, 2, 4, dtype=torch.bool)
    path[1, :, 0] = path[2, :, 1] = path[3, :, 2] = True
    for links in path[:3]:
        tracker.add(links)
    before = tracker.matrix.clone(), tracker.cut, tracker.removable
    tracker.add(torch.ones(2, 4, dtype=torch.bool), torch.tensor([False, True]))
    for old, new in zip(before, (tracker.matrix, tracker.cut, tracker.removable), strict=True):
        assert torch.equal(old[0], new[0])
        assert not torch.equal(old[1], new[1])
    assert tracker.count.tolist() == [3, 4]
    assert tracker.cases.tolist() == [0, 2]

    full = tracker.matrix[1].clone()
    tracker.add(path[3], torch.tensor([True, False]))  # row 1 is full and sits out
    assert torch.equal(tracker.matrix[1], full)
    assert nodes(tracker.cut[0]) == {1, 2}


def test_rows_of_a_batch_do_not_mix() -> None:
    rng = random.Random(3)
    graphs = [clique_chain(rng) for _ in range(5)]
    orders = [random_order(graph, rng, 15) for graph in graphs]
    together = CutVertexTracker(5, 15)
    for _ in grow(together, graphs, orders, rng, pause=0.5):
        pass
    for b in range(5):
        alone = CutVertexTracker(1, 15)
        for _ in grow(alone, graphs[b : b + 1], orders[b : b + 1], rng, pause=0.0):
            pass
        assert torch.equal(alone.matrix[0], together.matrix[b])


def test_shapes_and_types() -> None:
    tracker = CutVertexTracker(3, 5)
    assert (tracker.matrix.shape, tracker.matrix.dtype) == ((3, 5, 5), torch.int16)
    assert (tracker.cut.shape, tracker.cut.dtype) == ((3, 5), torch.bool)
    assert (tracker.removable.shape, tracker.removable.dtype) == ((3, 5), torch.bool)
    assert tracker.count.tolist() == tracker.cases.tolist() == [0, 0, 0]
    assert tracker.child_groups(0) == {}


def test_the_docstring_example() -> None:
    assert doctest.testmod(cut_vertices).failed == 0


def test_add_never_asks_for_a_value() -> None:
    """On the meta device there are no values: whatever would synchronise on a GPU raises here."""
    tracker = CutVertexTracker(3, 6, device="meta")
    links = torch.zeros(3, 6, dtype=torch.bool, device="meta")
    for _ in range(4):
        tracker.add(links)
    for _ in range(4):
        tracker.add(links, torch.zeros(3, dtype=torch.bool, device="meta"))
    assert tracker.removable.shape == (3, 6)


DEVICES = ["cpu", "cuda"] if torch.cuda.is_available() else ["cpu"]


@pytest.mark.parametrize("device", DEVICES)
def test_a_whole_growth_on_every_device_and_on_a_gpu_in_a_cuda_graph(device: str) -> None:
    rng = random.Random(5)
    graphs = [FAMILIES["barabasi_albert"](rng) for _ in range(64)]
    orders = [random_order(graph, rng, 12) for graph in graphs]
    links = torch.zeros(12, 64, 12, dtype=torch.bool)
    for b, place in itertools.product(range(64), range(12)):
        links[place, b, links_of(graphs[b], orders[b], place)] = True
    fed = links.to(device)

    def growth() -> torch.Tensor:
        tracker = CutVertexTracker(64, 12, device=device)
        for new_node in fed:
            tracker.add(new_node)
        return tracker.cut

    cut = growth()
    if device == "cuda":
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        fed.zero_()
        with torch.cuda.graph(graph):
            cut = growth()
        fed.copy_(links)
        graph.replay()
    for b in range(64):
        assert nodes(cut[b]) == articulation_points_reference(graphs[b], orders[b])
