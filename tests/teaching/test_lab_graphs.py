"""Graphs of the lab: families, edits, orders in which a connected set grows, and puzzles of what may be removed."""

from typing import Any
from urllib.parse import parse_qsl

import networkx as nx
import numpy as np
import pytest

from gfx_core.datasets.registry import load_dataset
from gfx_core.gfn.settings import Loss
from gfx_core.job_context import JobContext, StoppedError
from gfx_core.teaching import lab_graphs, lesson_jobs
from gfx_core.teaching.lab_graphs import GraphKind, LabGraph, cut_off, growth_order, lab_graph, links_of
from gfx_core.teaching.lesson_jobs import compare_balance
from gfx_core.teaching.lesson_views import view_data
from gfx_core.teaching.practice import COMPARED_LOSSES, true_log_z
from gfx_core.teaching.questions import about_a_ring

FAMILIES = list(GraphKind)


def as_networkx(graph: LabGraph) -> nx.Graph:
    whole = nx.Graph(graph.edges)
    whole.add_nodes_from(range(len(graph.names)))
    return whole


@pytest.mark.parametrize("kind", FAMILIES)
@pytest.mark.parametrize("size", [3, 9, 26])
def test_a_family_is_connected_simple_and_apart_and_every_prefix_of_a_growth_is_connected(
    kind: GraphKind, size: int
) -> None:
    graph = lab_graph(kind, size, seed=5)
    whole = as_networkx(graph)
    assert size == len(graph.names) == len(set(graph.names))
    assert len(set(graph.edges)) == len(graph.edges)
    assert all(0 <= a < b < size for a, b in graph.edges)
    gaps = np.linalg.norm(graph.points[:, None] - graph.points[None], axis=-1) + 9 * np.eye(size)
    assert gaps.min() > 0.2
    for seed in range(3):
        order = growth_order(graph, [], seed, most=size)
        assert sorted(order) == list(range(size))
        assert all(nx.is_connected(whole.subgraph(order[:k])) for k in range(1, size + 1))
        links = [(order[i], order[j]) for i, near in enumerate(links_of(graph.neighbours, order)) for j in near]
        assert {lab_graphs.edge(*ends) for ends in links} == set(graph.edges)


@pytest.mark.parametrize(
    ("kind", "size", "expected"),
    [
        (GraphKind.PATH, 7, nx.path_graph(7)),
        (GraphKind.CYCLE, 7, nx.cycle_graph(7)),
        (GraphKind.TREE, 7, nx.balanced_tree(2, 2)),
        (GraphKind.GRID, 9, nx.grid_2d_graph(3, 3)),
    ],
)
def test_a_family_is_what_it_is_called(kind: GraphKind, size: int, expected: nx.Graph) -> None:
    assert nx.is_isomorphic(as_networkx(lab_graph(kind, size)), expected)


def test_cliques_share_nodes_and_a_seed_decides_a_random_graph() -> None:
    cliques = as_networkx(lab_graph(GraphKind.CLIQUES, 10))
    assert sorted(nx.articulation_points(cliques)) == [3, 6]
    assert sorted(map(len, nx.find_cliques(cliques))) == [4, 4, 4]
    first, again, other = (lab_graph(GraphKind.RANDOM, 12, seed).edges for seed in (1, 1, 2))
    assert first == again != other


def test_chosen_nodes_come_first_as_far_as_they_fit() -> None:
    graph = lab_graph(GraphKind.PATH, 8)
    assert growth_order(graph, [3, 2, 4], 0)[:3] == [3, 2, 4]
    for broken in ([3, 2, 7], [3, 2, 3], [3, 2, -1], [3, 2, 99]):
        order = growth_order(graph, broken, 0)
        assert (order[:2], sorted(order)) == ([3, 2], list(range(8)))
    assert growth_order(graph, [99], 0)[0] == graph.start
    assert len(growth_order(graph, [], 0, most=4)) == 4
    assert sorted(growth_order(lab_graphs.flip_edges(graph, [(2, 3)]), [], 0)) == [0, 1, 2]  # it ends with the graph


def test_an_instance_starts_at_the_explained_node_and_bounds_a_growth() -> None:
    graph = lab_graphs.graph_of(load_dataset("tree_cycles").instance(612))
    assert graph.names[graph.start] == "612"
    assert nx.is_connected(as_networkx(graph))
    growths = lab_graphs.growths("tree_cycles", 612, 40, 1, 3)
    assert [len(growth) for growth in growths] == [40, 40, 40]
    assert all(touched for growth in growths for touched in growth[1:])
    assert growths[0] != growths[1]
    assert len(lab_graphs.growths("ba_2motifs", 0, 40, 1, 1)[0]) == 25


@pytest.mark.parametrize("puzzle", view_data("puzzles")["puzzles"], ids=lambda puzzle: puzzle["link"])
def test_a_node_cuts_others_off_only_if_it_is_an_articulation_point(puzzle: dict[str, Any]) -> None:
    subgraph, start, lost = nx.Graph(puzzle["edges"]).subgraph(puzzle["lost"]), puzzle["start"], puzzle["lost"]
    assert nx.is_connected(subgraph)
    cut = set(nx.articulation_points(subgraph)) - {start}
    assert {node for node in lost if lost[node]} == cut
    assert any(node not in cut for node in set(lost) - {start})
    for node in cut:
        rest = nx.node_connected_component(subgraph.subgraph(set(lost) - {node}), start)
        assert set(lost[node]) == set(lost) - {node} - rest
    order = [int(node) for node in dict(parse_qsl(puzzle["link"]))["order"].split(".")]  # the lab opens with it
    whole = LabGraph(tuple(node["label"] for node in puzzle["nodes"]), tuple(puzzle["edges"]), np.zeros((0, 2)))
    assert growth_order(whole, order, 0)[: len(order)] == order == list(lost)


@pytest.mark.parametrize("ring", range(3, 9))
def test_of_a_ring_with_a_tail_all_may_go_but_the_start_and_what_holds_the_tail(ring: int) -> None:
    graph = lab_graphs.flip_edges(
        lab_graph(GraphKind.CYCLE, ring + 1), [(0, ring), (0, ring - 1), (ring - 1, ring), (2, ring)]
    )
    free = [node for node in range(1, ring + 1) if not cut_off(graph, range(ring + 1), 0, node)]
    question = about_a_ring(ring)
    assert question.options[question.right] == str(len(free)) == str(ring - 1)


# What workers compute


TB, JOB, STEPS = Loss.TRAJECTORY_BALANCE, JobContext(), 120


@pytest.fixture
def fewer_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lesson_jobs, "COMPARING_STEPS", STEPS)


def test_from_two_only_trajectory_balance_fails(fewer_steps: None) -> None:
    shares: list[float] = []
    job = JobContext("cpu", lambda share, _: shares.append(share))
    events = compare_balance(job, starts=(0, 4))
    assert shares == sorted(shares)
    steps = [event["step"] for event in events]
    assert (steps[0], steps[-1]) == (0, STEPS)
    assert steps == sorted(set(steps))
    last = events[-1]
    truth = last["log_partition"]
    assert truth == pytest.approx([true_log_z("a"), true_log_z("e")])
    distances = {loss: np.mean(last[loss]["total_variation"]) for loss in COMPARED_LOSSES}
    for loss in set(COMPARED_LOSSES) - {TB}:
        assert last[loss]["log_z"] == pytest.approx(truth, abs=0.02)
        assert distances[loss] < min(0.01, distances[TB] / 20)
    one, other = last[TB]["log_z"]
    assert min(truth) < one == other < max(truth)
    with pytest.raises(StoppedError):
        compare_balance(JobContext("cpu", cancelled=lambda: True), starts=(0,))


def steps_of(graph: LabGraph, order: list[int]) -> list[dict[str, Any]]:
    edges = [list(ends) for ends in graph.edges]
    growth = lesson_jobs.grow_steps(JOB, names=list(graph.names), edges=edges, order=order)
    assert len(growth) == len(order)
    return growth


@pytest.mark.parametrize("kind", [GraphKind.CLIQUES, GraphKind.RANDOM])
def test_every_step_against_plain_searches(kind: GraphKind) -> None:
    graph = lab_graphs.lab_graph(kind, 11, 2)
    order = lab_graphs.growth_order(graph, [], 2)
    whole = nx.relabel_nodes(nx.Graph(graph.edges), {node: i for i, node in enumerate(order)})
    before: list[list[int]] = []
    for t, step in enumerate(steps_of(graph, order)):
        subgraph = whole.subgraph(range(t + 1))
        assert step["z"] == [int(subgraph.has_edge(t, i)) for i in range(t)]
        assert step["case"] == (0 if t < 2 else min(2, sum(step["z"])))
        assert step["cut"] == sorted(nx.articulation_points(subgraph))
        assert step["removable"] == [i for i in range(1, t + 1) if i not in step["cut"]]
        for i, groups in step["groups"]:
            pieces = [sorted(piece) for piece in nx.connected_components(subgraph.subgraph(set(subgraph) - {i}))]
            assert sorted(groups) == sorted(pieces)
            assert {step["matrix"][i][j] for group in groups for j in group} == set(step["matrix"][i]) - {0}
        padded = [[*row, 0] for row in before] + [[0] * (t + 1)]
        cells = [(i, j) for i in range(t + 1) for j in range(t + 1)]
        assert step["changed"] == [[i, j] for i, j in cells if step["matrix"][i][j] != padded[i][j]]
        assert len(step["rows"]) == t
        before = step["matrix"]
