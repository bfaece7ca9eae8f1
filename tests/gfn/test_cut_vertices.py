"""CutVertexTracker against networkx and against Theorem 1 word for word, on every device; and its race."""

import doctest
import itertools
import random
from collections.abc import Callable

import networkx as nx
import pytest
import torch

from gfx_core.gfn import cut_vertex_race, cut_vertices
from gfx_core.gfn.cut_vertex_race import race, tarjan_cut_vertices
from gfx_core.gfn.cut_vertices import CutVertexTracker
from tests.toys.growing import FAMILIES, articulation_points_reference, grow, links_of, nodes, random_order

Matrix = list[list[int]]


def child_groups_reference(graph: nx.Graph, order: list[int]) -> dict[int, set[frozenset[int]]]:
    """For each node whose removal leaves more than one component: those components."""
    groups = {}
    for i, node in enumerate(order):
        rest = graph.subgraph([other for other in order if other != node])
        components = {frozenset(map(order.index, c)) for c in nx.connected_components(rest)}
        if len(components) > 1:
            groups[i] = components
    return groups


def theorem_1_reference(Z: Matrix, z: list[int]) -> Matrix:
    """One step of Theorem 1 as the paper prints it, from a t × t matrix to one with a row and column more."""
    t = len(Z)

    def distinct(values: list[int]) -> set[int]:
        return set(values) - {0}

    if sum(z) == 1:  # eq. 16
        k = z.index(1)
        new_cut = int(sum(Z[k][i] * (1 - z[i]) for i in range(t)) == 0)
        Z_next = [[int(m != i) * (Z[m][i] + new_cut * z[m]) for i in range(t)] for m in range(t)]
        column = [sum(Z_next[m][i] * z[i] for i in range(t)) + z[m] * (max(Z_next[m]) + 1) for m in range(t)]
    else:  # eq. 17
        Z_next, column = [], []
        for m in range(t):
            touched = [Z[m][i] * z[i] for i in range(t)]
            i_set = int(distinct(touched) != distinct(Z[m]))
            row = [i_set * (max(touched) if Z[m][i] in distinct(touched) else Z[m][i]) for i in range(t)]
            i_sum = int(sum(row[i] * z[i] for i in range(t)) != 0)
            Z_next.append(row)
            column.append(i_sum * max(row[i] * z[i] for i in range(t)))
    return [[*row, c] for row, c in zip(Z_next, column, strict=True)] + [[0] * (t + 1)]  # eq. 15


@pytest.mark.parametrize("family", FAMILIES)
def test_every_state_agrees_with_networkx(family: str) -> None:
    rng = random.Random(family)
    states = 0
    for pause in (0.0, 0.3):
        graphs = [FAMILIES[family](rng) for _ in range(100)]
        orders = [random_order(graph, rng, rng.randint(2, 22)) for graph in graphs]
        tracker = CutVertexTracker(len(graphs), 22)
        for active in grow(tracker, graphs, orders, rng, pause):
            cut, removable = tracker.cut, tracker.removable
            for b in nodes(active):
                order = orders[b][: int(tracker.count[b])]
                expected = articulation_points_reference(graphs[b], order)
                assert nodes(cut[b]) == expected
                assert nodes(removable[b]) == set(range(1, len(order))) - expected
                states += 1
    assert states >= 2_000  # 10,000 over the five families


@pytest.mark.parametrize("family", FAMILIES)
def test_child_groups_are_the_components_left_without_the_cut_vertex(family: str) -> None:
    rng = random.Random(family)
    graphs = [FAMILIES[family](rng) for _ in range(16)]
    orders = [random_order(graph, rng, rng.randint(2, 16)) for graph in graphs]
    tracker = CutVertexTracker(len(graphs), 16)
    for active in grow(tracker, graphs, orders, rng, pause=0.2):
        for b in nodes(active):
            groups = tracker.child_groups(b)
            expected = child_groups_reference(graphs[b], orders[b][: int(tracker.count[b])])
            assert {i: {frozenset(group) for group in sets} for i, sets in groups.items()} == expected
            assert all(len(sets) == len(expected[i]) for i, sets in groups.items())


@pytest.mark.parametrize("family", FAMILIES)
def test_matrix_is_theorem_1_to_the_letter(family: str) -> None:
    rng = random.Random(family)
    graphs = [FAMILIES[family](rng) for _ in range(40)]
    orders = [random_order(graph, rng, 20) for graph in graphs]
    tracker = CutVertexTracker(len(graphs), 20)
    matrices: list[Matrix] = [[] for _ in graphs]
    for active in grow(tracker, graphs, orders, rng, pause=0.2):
        for b in nodes(active):
            t = int(tracker.count[b])
            touched = links_of(graphs[b], orders[b], t - 1)
            case = 0
            if t <= 2:
                matrices[b] = [[0] * t for _ in range(t)]
            else:
                case = 1 if len(touched) == 1 else 2
                matrices[b] = theorem_1_reference(matrices[b], [int(i in touched) for i in range(t - 1)])
            assert tracker.matrix[b, :t, :t].tolist() == matrices[b]
            assert not tracker.matrix[b, t:].any()
            assert not tracker.matrix[b, :, t:].any()
            assert tracker.cases[b] == case
        assert not tracker.cases[~active].any()


def test_large_subgraphs() -> None:
    rng = random.Random(0)
    graphs = [
        nx.barabasi_albert_graph(400, 1, seed=1),
        nx.barabasi_albert_graph(400, 2, seed=2),
        nx.convert_node_labels_to_integers(nx.grid_2d_graph(15, 15)),
        nx.star_graph(300),
    ]
    orders = [random_order(graph, rng, 200) for graph in graphs]
    tracker = CutVertexTracker(len(graphs), 200)
    for _ in grow(tracker, graphs, orders, rng, pause=0.05):
        if int(tracker.count.max()) % 20 == 0:
            for b, (graph, order) in enumerate(zip(graphs, orders, strict=True)):
                expected = articulation_points_reference(graph, order[: int(tracker.count[b])])
                assert nodes(tracker.cut[b]) == expected
    assert tracker.count.tolist() == [200] * 4
    assert int(tracker.matrix.max()) < 200


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


@pytest.mark.parametrize("device", ["cpu", "cuda"] if torch.cuda.is_available() else ["cpu"])
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

NOTHING = torch.zeros(2, 4, dtype=torch.bool)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: CutVertexTracker(1, 1), r"max_nodes must be at least 2 \(got 1\)"),
        (lambda: CutVertexTracker(1, 40_000), r"max_nodes must be at most 32767 \(got 40000\)"),
        (lambda: CutVertexTracker(0, 5), r"batch_size must be at least 1 \(got 0\)"),
        (lambda: CutVertexTracker(2, 4).add(NOTHING[:, :3]), r"links must be \[2, 4\] \(got \[2, 3\]\)"),
        (lambda: CutVertexTracker(2, 4).add(NOTHING.float()), r"links must be bool \(got torch.float32\)"),
        (lambda: CutVertexTracker(2, 4).add(NOTHING, NOTHING[0, :3]), r"active must be \[2\] \(got \[3\]\)"),
        (lambda: CutVertexTracker(2, 4).add(NOTHING, torch.ones(2)), r"active must be bool \(got torch.float32\)"),
    ],
)
def test_arguments_of_the_wrong_form(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_a_full_subgraph_takes_no_more() -> None:
    tracker, link = CutVertexTracker(2, 2), torch.tensor([[True, False]] * 2)
    tracker.add(link)
    tracker.add(link, torch.tensor([True, False]))
    for active in (None, torch.tensor([True, False])):
        with pytest.raises(ValueError, match="max_nodes = 2"):
            tracker.add(link, active)
    tracker.add(link, torch.tensor([False, True]))
    assert tracker.count.tolist() == [2, 2]


def test_a_full_row_stays_as_it_is_where_nobody_looks() -> None:
    tracker = CutVertexTracker(1, 3)
    for links in ([0, 0, 0], [1, 0, 0], [0, 1, 0]):  # a path
        tracker.add(torch.tensor([links], dtype=torch.bool))
    tracker._on_cpu = False  # as on a GPU: no check that would have to wait
    before = tracker._labels.clone()
    tracker.add(torch.ones(1, 3, dtype=torch.bool), torch.tensor([True]))
    assert torch.equal(tracker._labels, before)
    assert (tracker.count.tolist(), tracker.cases.tolist()) == ([3], [0])


def test_a_node_without_links_is_refused() -> None:
    tracker = CutVertexTracker(2, 4)
    tracker.add(NOTHING)
    with pytest.raises(ValueError, match="must touch a node"):
        tracker.add(NOTHING)
    tracker.add(NOTHING, torch.tensor([False, False]))
    assert tracker.count.tolist() == [1, 1]


# The race

GROWTHS = [[[], [0], [1], [2], [0, 3]], [[], [0], [0], [0], [1, 3]]]


def test_both_take_part_and_a_disagreement_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = race(GROWTHS, 2, 2.0)
    assert list(seconds) == ["tracker", "tarjan"]
    assert all(each > 0 for each in seconds.values())
    monkeypatch.setattr(cut_vertex_race, "tarjan_cut_vertices", lambda neighbours: {0})
    with pytest.raises(RuntimeError, match="tracker and tarjan disagree"):
        race(GROWTHS, 1, 2.0)
    assert list(race(GROWTHS, 1, 2.0, ("tracker", "networkx"))) == ["tracker", "networkx"]


def test_tarjan_agrees_with_networkx() -> None:
    rng = random.Random(1)
    for family, _ in itertools.product(FAMILIES.values(), range(20)):
        graph = nx.convert_node_labels_to_integers(family(rng))
        neighbours = [list(graph[node]) for node in range(graph.number_of_nodes())]
        assert tarjan_cut_vertices(neighbours) == set(nx.articulation_points(graph))
