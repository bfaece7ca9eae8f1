"""What people get wrong when they feed a CutVertexTracker."""

import networkx as nx
import pytest
import torch
from torch import Tensor

from gfx_core.gfn.cut_vertices import CutVertexTracker
from tests.toys.growing import tracker_of


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
