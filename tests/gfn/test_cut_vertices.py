"""CutVertexTracker against networkx, against Theorem 1 word for word, and on graphs one can draw by hand."""

import doctest
import itertools
import json
import random
from collections.abc import Callable, Iterator

import networkx as nx
import pytest
import torch
from torch import Tensor

from gfx_core.bench import cut_vertices as bench
from gfx_core.gfn import cut_vertices
from gfx_core.gfn.cut_vertices import CutVertexTracker

Matrix = list[list[int]]


# Slow references


def articulation_points_reference(graph: nx.Graph, order: list[int]) -> set[int]:
    """Cut vertices of the subgraph on `order`, named by their place in it."""
    return {order.index(node) for node in nx.articulation_points(graph.subgraph(order))}


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

    if sum(z) == 1:  # eq. 10
        k = z.index(1)
        new_cut = int(sum(Z[k][i] * (1 - z[i]) for i in range(t)) == 0)
        Z_next = [[int(m != i) * (Z[m][i] + new_cut * z[m]) for i in range(t)] for m in range(t)]
        column = [sum(Z_next[m][i] * z[i] for i in range(t)) + z[m] * (max(Z_next[m]) + 1) for m in range(t)]
    else:  # eq. 11
        Z_next, column = [], []
        for m in range(t):
            touched = [Z[m][i] * z[i] for i in range(t)]
            i_set = int(distinct(touched) != distinct(Z[m]))
            row = [i_set * (max(touched) if Z[m][i] in distinct(touched) else Z[m][i]) for i in range(t)]
            i_sum = int(sum(row[i] * z[i] for i in range(t)) != 0)
            Z_next.append(row)
            column.append(i_sum * max(row[i] * z[i] for i in range(t)))
    return [[*row, c] for row, c in zip(Z_next, column, strict=True)] + [[0] * (t + 1)]  # eq. 9


# Growing subgraphs


def clique_chain(rng: random.Random) -> nx.Graph:
    """Cliques of 2 to 5 nodes, each sharing a node with an earlier one or hanging on it by a link."""
    graph = nx.complete_graph(3)
    while graph.number_of_nodes() < 30:
        anchor, first = rng.randrange(graph.number_of_nodes()), graph.number_of_nodes()
        clique = list(range(first, first + rng.randint(1, 4)))
        graph.add_edges_from(itertools.combinations([anchor, *clique], 2))
        if rng.random() < 0.3:
            graph.add_edge(first, graph.number_of_nodes())
    return graph


def connected_erdos_renyi(rng: random.Random) -> nx.Graph:
    graph = nx.gnp_random_graph(30, rng.choice([0.08, 0.12, 0.2, 0.4]), seed=rng.randrange(2**32))
    return graph.subgraph(max(nx.connected_components(graph), key=len)).copy()


def random_tree(rng: random.Random) -> nx.Graph:
    return nx.Graph([(i, rng.randrange(max(0, i - rng.choice([2, 30])), i)) for i in range(1, 30)])


FAMILIES: dict[str, Callable[[random.Random], nx.Graph]] = {
    "erdos_renyi": connected_erdos_renyi,
    "tree": random_tree,
    "grid": lambda rng: nx.convert_node_labels_to_integers(nx.grid_2d_graph(rng.randint(2, 6), 6)),
    "clique_chain": clique_chain,
    "barabasi_albert": lambda rng: nx.barabasi_albert_graph(30, rng.randint(1, 3), seed=rng.randrange(2**32)),
}


def random_order(graph: nx.Graph, rng: random.Random, length: int) -> list[int]:
    """A random start node, then random frontier nodes, up to `length` of them if there are as many."""
    order = [rng.choice(sorted(graph))]
    while len(order) < length:
        frontier = sorted({n for node in order for n in graph[node]} - set(order))
        if not frontier:
            break
        order.append(rng.choice(frontier))
    return order


def links_of(graph: nx.Graph, order: list[int], place: int) -> list[int]:
    """The earlier places that the node at `place` touches."""
    return [i for i in range(place) if graph.has_edge(order[i], order[place])]


def grow(
    tracker: CutVertexTracker,
    graphs: list[nx.Graph],
    orders: list[list[int]],
    rng: random.Random,
    pause: float,
) -> Iterator[Tensor]:
    """Feeds every order to its row of the tracker; rows pause at random and stop for good at their end.

    Yields `active` after each addition.
    """
    counts = [0] * len(orders)
    while any(count < len(order) for count, order in zip(counts, orders, strict=True)):
        links = torch.zeros(tracker.batch_size, tracker.max_nodes, dtype=torch.bool)
        active = torch.zeros(tracker.batch_size, dtype=torch.bool)
        for b, (graph, order) in enumerate(zip(graphs, orders, strict=True)):
            active[b] = counts[b] < len(order) and (counts[b] == 0 or rng.random() >= pause)
            if active[b]:
                links[b, links_of(graph, order, counts[b])] = True
                counts[b] += 1
            else:  # what an inactive row brings must not matter
                links[b] = torch.tensor([rng.random() < 0.5 for _ in range(tracker.max_nodes)])
        tracker.add(links, active)
        assert tracker.count.tolist() == counts
        yield active


def tracker_of(graph: nx.Graph, max_nodes: int | None = None) -> CutVertexTracker:
    """A tracker with one row that has taken in the whole graph in the order of its node numbers."""
    order = sorted(graph)
    tracker = CutVertexTracker(1, max_nodes or len(order))
    for place in order:
        links = torch.zeros(1, tracker.max_nodes, dtype=torch.bool)
        links[0, links_of(graph, order, place)] = True
        tracker.add(links)
    return tracker


def nodes(mask: Tensor) -> set[int]:
    return set(mask.nonzero().flatten().tolist())


# Against networkx


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


# The benchmark


def test_benchmark_record_table_and_figure() -> None:
    heard: list[float] = []
    record = bench.run(sizes=(4, 9), batch_sizes=(1, 3), progress=lambda share, _: heard.append(share))
    assert json.loads(json.dumps(record)) == record
    assert len(record["results"]) == 2 * 2 * len(bench.METHODS)
    assert all(row["seconds"] > 0 for row in record["results"])
    assert heard[0] == 0
    assert heard[-1] == 1
    assert len(bench.table(record).splitlines()) == 2 + 4
    figure = bench.figure(record)
    assert len(figure.data) == 2 * len(bench.METHODS)
    assert figure.layout.xaxis.type == figure.layout.yaxis.type == "log"


def test_benchmark_tarjan_agrees_with_networkx() -> None:
    rng = random.Random(1)
    for family, _ in itertools.product(FAMILIES.values(), range(20)):
        graph = nx.convert_node_labels_to_integers(family(rng))
        neighbours = [list(graph[node]) for node in range(graph.number_of_nodes())]
        assert bench.tarjan_cut_vertices(neighbours) == set(nx.articulation_points(graph))


def test_benchmark_refuses_impossible_settings() -> None:
    with pytest.raises(ValueError, match=r"sizes .*got \[1\]"):
        bench.run(sizes=(1,))
    with pytest.raises(ValueError, match=r"batch_sizes .*got \[0\]"):
        bench.run(batch_sizes=(0,))
