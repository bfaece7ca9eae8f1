"""CutVertexTracker against networkx, and against Theorem 1 word for word."""

import random

import networkx as nx
import pytest

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
