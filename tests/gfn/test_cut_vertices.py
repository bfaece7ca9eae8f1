"""CutVertexTracker on graphs one can draw by hand, with rows that sit out, and on every device."""

import doctest
import itertools
import random

import networkx as nx
import pytest
import torch
from torch import Tensor

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


# What people get wrong


@pytest.mark.parametrize(
    ("batch_size", "max_nodes", "message"),
    [
        (1, 1, r"max_nodes must be at least 2 \(got 1\)"),
        (1, 40_000, r"max_nodes must be at most 32767 \(got 40000\)"),
        (0, 5, r"batch_size must be at least 1 \(got 0\)"),
    ],
)
def test_impossible_sizes(batch_size: int, max_nodes: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        CutVertexTracker(batch_size, max_nodes)


@pytest.mark.parametrize(
    ("links", "active", "message"),
    [
        (torch.zeros(2, 3, dtype=torch.bool), None, r"links must be \[2, 4\] \(got \[2, 3\]\)"),
        (torch.zeros(2, 4), None, r"links must be bool \(got torch.float32\)"),
        (
            torch.zeros(2, 4, dtype=torch.bool),
            torch.ones(3, dtype=torch.bool),
            r"active must be \[2\] \(got \[3\]\)",
        ),
        (torch.zeros(2, 4, dtype=torch.bool), torch.ones(2), r"active must be bool \(got torch.float32\)"),
    ],
)
def test_arguments_of_the_wrong_form(links: Tensor, active: Tensor | None, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        CutVertexTracker(2, 4).add(links, active)


@pytest.mark.parametrize("active", [None, torch.tensor([True])])
def test_a_full_subgraph_takes_no_more(active: Tensor | None) -> None:
    tracker = tracker_of(nx.path_graph(3))
    with pytest.raises(ValueError, match="max_nodes = 3"):
        tracker.add(torch.ones(1, 3, dtype=torch.bool), active)
    assert tracker.count.tolist() == [3]


def test_a_full_row_among_others_is_noticed() -> None:
    tracker = CutVertexTracker(2, 2)
    link = torch.tensor([[True, False]] * 2)
    tracker.add(link)
    tracker.add(link, torch.tensor([True, False]))
    with pytest.raises(ValueError, match="max_nodes = 2"):
        tracker.add(link)
    tracker.add(link, torch.tensor([False, True]))
    assert tracker.count.tolist() == [2, 2]


def test_a_full_row_stays_as_it_is_where_nobody_looks() -> None:
    tracker = tracker_of(nx.path_graph(3))
    tracker._on_cpu = False  # as on a GPU: no check that would have to wait
    before = tracker._labels.clone()
    tracker.add(torch.ones(1, 3, dtype=torch.bool), torch.tensor([True]))
    assert torch.equal(tracker._labels, before)
    assert (tracker.count.tolist(), tracker.cases.tolist()) == ([3], [0])


def test_a_node_without_links_is_refused() -> None:
    tracker = CutVertexTracker(2, 4)
    nothing = torch.zeros(2, 4, dtype=torch.bool)
    tracker.add(nothing)
    with pytest.raises(ValueError, match="must touch a node"):
        tracker.add(nothing)
    tracker.add(nothing, torch.tensor([False, False]))
    assert tracker.count.tolist() == [1, 1]
