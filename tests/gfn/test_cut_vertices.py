"""CutVertexTracker against networkx and against Theorem 1 word for word; and a new search."""

import itertools
import random
from collections.abc import Callable, Iterator

import networkx as nx
import pytest
import torch
from torch import Tensor

from gfx_core.exact.articulation import tarjan_cut_vertices
from gfx_core.gfn.cut_vertices import CutVertexTracker


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
    tracker: CutVertexTracker, graphs: list[nx.Graph], orders: list[list[int]], rng: random.Random, pause: float
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


def nodes(mask: Tensor) -> set[int]:
    return set(mask.nonzero().flatten().tolist())


def articulation_points_reference(graph: nx.Graph, order: list[int]) -> set[int]:
    """Cut vertices of the subgraph on `order`, named by their place in it."""
    return {order.index(node) for node in nx.articulation_points(graph.subgraph(order))}


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
def test_every_state_agrees_with_networkx_and_with_theorem_1(family: str) -> None:
    """Cut vertices, removable nodes, the parts that a cut vertex holds together, and the paper's matrix."""
    rng = random.Random(family)
    states = 0
    for pause in (0.0, 0.3):
        graphs = [FAMILIES[family](rng) for _ in range(24)]
        orders = [random_order(graph, rng, rng.randint(2, 22)) for graph in graphs]
        tracker = CutVertexTracker(len(graphs), 22)
        matrices: list[Matrix] = [[] for _ in graphs]
        for active in grow(tracker, graphs, orders, rng, pause):
            for b in nodes(active):
                t = int(tracker.count[b])
                order = orders[b][:t]
                expected = articulation_points_reference(graphs[b], order)
                assert nodes(tracker.cut[b]) == expected
                assert nodes(tracker.removable[b]) == set(range(1, t)) - expected
                if b % 4 == 0:
                    groups = {node: set(map(frozenset, sets)) for node, sets in tracker.child_groups(b).items()}
                    assert groups == child_groups_reference(graphs[b], order)
                touched = links_of(graphs[b], order, t - 1)
                if t <= 2:
                    matrices[b] = [[0] * t for _ in range(t)]
                else:
                    matrices[b] = theorem_1_reference(matrices[b], [int(i in touched) for i in range(t - 1)])
                assert tracker.matrix[b, :t, :t].tolist() == matrices[b]
                assert not tracker.matrix[b, t:].any()
                assert not tracker.matrix[b, :, t:].any()
                assert tracker.cases[b] == (0 if t <= 2 else 1 if len(touched) == 1 else 2)
                states += 1
            assert not tracker.cases[~active].any()
    assert states >= 400  # more than 2,000 over the five families


def test_add_never_asks_for_a_value() -> None:
    """On the meta device there are no values: whatever would synchronise on a GPU raises here."""
    tracker = CutVertexTracker(3, 6, device="meta")
    links = torch.zeros(3, 6, dtype=torch.bool, device="meta")
    for _ in range(4):
        tracker.add(links)
    for _ in range(4):
        tracker.add(links, torch.zeros(3, dtype=torch.bool, device="meta"))
    assert tracker.removable.shape == (3, 6)


def test_tarjan_agrees_with_networkx() -> None:
    rng = random.Random(1)
    for family, _ in itertools.product(FAMILIES.values(), range(20)):
        graph = nx.convert_node_labels_to_integers(family(rng))
        neighbours = [list(graph[node]) for node in range(graph.number_of_nodes())]
        assert tarjan_cut_vertices(neighbours) == set(nx.articulation_points(graph))
