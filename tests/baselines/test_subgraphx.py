"""SubgraphX: Shapley values against all coalitions, what deletions leave, and the best subgraph of small instances."""

import math
from dataclasses import replace
from itertools import combinations
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch
from torch import Tensor

from gfx_core.baselines.method import answer_nodes
from gfx_core.baselines.subgraphx import CoalitionGame, Search, SearchConfig, ShapleyValues, SubgraphX
from gfx_core.config import Task
from gfx_core.datasets.info import GRID, HOUSE, NITRO
from gfx_core.datasets.instance import Instance
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import SubgraphPredictor
from tests.toys.gnns import every_gnn, random_gnn
from tests.toys.instances import graph_of, instance_of

CPU = torch.device("cpu")


def game_of(task: Task, kind: str, nodes: int = 8) -> CoalitionGame:
    graph = nx.connected_watts_strogatz_graph(nodes, 4, 0.3, seed=4)
    return CoalitionGame(random_gnn(task, kind, std=0.5), instance_of(graph, task), CPU)


def row(size: int, nodes: set[int]) -> Tensor:
    members = torch.zeros(size, dtype=torch.bool)
    members[list(nodes)] = True
    return members


def random_sets(size: int, count: int = 40) -> Tensor:
    generator = torch.Generator().manual_seed(0)
    return torch.rand(count, size, generator=generator) < torch.rand(count, 1, generator=generator)


def slow_values(model: GNN, instance: Instance, coalitions: Tensor) -> Tensor:
    """Each coalition's induced subgraph through the ordinary predictor, one at a time."""
    predictor = SubgraphPredictor(model, [instance])
    explained = int(predictor.whole.predicted[0])
    values = []
    for members in coalitions:
        nodes = set(members.nonzero()[:, 0].tolist()) | ({instance.target} if instance.target is not None else set())
        if not nodes:
            values.append(model.head.bias.softmax(0)[explained])
            continue
        subset = torch.tensor([sorted(nodes)])
        subgraphs = predictor.induced(subset, torch.zeros(1, dtype=torch.long))
        values.append(predictor.evaluate(subgraphs).probabilities[0, explained])
    return torch.stack(values).detach()


@every_gnn
@pytest.mark.parametrize("nodes", [9, 150])
def test_a_coalition_is_worth_what_the_gnn_says_of_it(task: Task, kind: str, nodes: int) -> None:
    model = random_gnn(task, kind, std=0.5)
    instance = instance_of(nx.connected_watts_strogatz_graph(nodes, 6, 0.4, seed=4), task)
    game = CoalitionGame(model, instance, CPU)
    sets = torch.cat([random_sets(instance.num_nodes), torch.zeros(1, instance.num_nodes, dtype=torch.bool)])
    expected = slow_values(model, instance, sets)
    assert expected.std() > 0.01
    torch.testing.assert_close(game(sets), expected, atol=1e-5, rtol=0)
    torch.testing.assert_close(game(sets.flip(0)), expected.flip(0), atol=1e-5, rtol=0)  # now from memory


def by_all_coalitions(game: CoalitionGame, subgraph: set[int], others: list[int]) -> tuple[float, float]:
    """The value, and the standard deviation of one sampled gain."""
    m, p = game.num_nodes, len(others)
    first, second = 0.0, 0.0
    for size in range(p + 1):
        weight = math.factorial(size) * math.factorial(p - size) / math.factorial(p + 1)
        for company in map(set, combinations(others, size)):
            pair = game(torch.stack([row(m, company | subgraph), row(m, company)]))
            gain = float(pair[0] - pair[1])
            first, second = first + weight * gain, second + weight * gain**2
    return first, math.sqrt(max(0.0, second - first**2))


@every_gnn
def test_samples_agree_within_their_error(task: Task, kind: str) -> None:
    game = game_of(task, kind)
    subgraph = {0, 2}
    others = sorted(set(range(game.num_nodes)) - subgraph)
    exact, deviation = by_all_coalitions(game, subgraph, others)
    samples = 2 ** len(others) - 1  # one too few to list them
    members = row(game.num_nodes, subgraph)[None]
    drawn = [ShapleyValues(game, samples=samples, radius=8, seed=seed)(members).item() for seed in range(60)]
    error = deviation / math.sqrt(samples * len(drawn))
    assert abs(np.mean(drawn) - exact) < 4 * error + 1e-6
    assert np.std(drawn) == pytest.approx(deviation / math.sqrt(samples), rel=0.4)


@pytest.mark.parametrize("radius", [0, 1, 2])
def test_exact_where_the_coalitions_within_the_radius_can_be_listed(radius: int) -> None:
    graph = nx.path_graph(7)
    game = CoalitionGame(random_gnn(Task.GRAPH, "sum", std=0.5), instance_of(graph, Task.GRAPH), CPU)
    others = [v for v in graph if v != 3 and abs(v - 3) <= radius]
    expected = by_all_coalitions(game, {3}, others)[0]
    values = ShapleyValues(game, samples=100, radius=radius)
    assert values(row(7, {3})[None]).item() == pytest.approx(expected, abs=1e-5)


def test_a_value_depends_on_the_subgraph_and_the_seed_alone() -> None:
    game = game_of(Task.NODE, "sum", nodes=30)
    sets = random_sets(game.num_nodes, 6)
    sets[:, 0] = True
    together = ShapleyValues(game, seed=1)(sets)
    again = ShapleyValues(game, seed=1)
    torch.testing.assert_close(torch.cat([again(sets[[i]]) for i in (5, 4, 3, 2, 1, 0)]).flip(0), together)
    assert not torch.allclose(ShapleyValues(game, seed=2)(sets), together)


def search_of(task: Task, kind: str = "sum", nodes: int = 9, **settings: Any) -> tuple[Search, Instance]:
    instance = instance_of(nx.connected_watts_strogatz_graph(nodes, 4, 0.3, seed=4), task)
    return SubgraphX(random_gnn(task, kind, std=0.8), SearchConfig(**settings)).search(instance), instance


def nodes_of(members: np.ndarray) -> set[int]:
    return set(np.flatnonzero(members).tolist())


@every_gnn
def test_every_subgraph_is_a_component_that_one_deletion_leaves(task: Task, kind: str) -> None:
    search, instance = search_of(task, kind, nodes=14, rollouts=5)
    graph = graph_of(instance)
    expanded = [node for node in search.nodes.values() if node.children is not None]
    assert len(expanded) > 5
    for parent in expanded:
        assert parent.children is not None
        held = nodes_of(parent.members)
        possible = []
        for deleted in held - {instance.target}:
            parts = list(nx.connected_components(graph.subgraph(held - {deleted})))
            if task is Task.NODE:
                possible += [part for part in parts if instance.target in part]
            else:
                possible += [part for part in parts if len(part) == max(map(len, parts))]
        found = [nodes_of(child.members) for child in parent.children]
        assert all(part in possible for part in found)
        assert len({frozenset(part) for part in found}) == len(found)


@pytest.mark.parametrize("task", Task)
@pytest.mark.parametrize("expand", ["low2high", "high2low"])
def test_low_or_high_degree_is_deleted_first(task: Task, expand: str) -> None:
    search, instance = search_of(task, nodes=14, rollouts=1, max_actions=3, expand=expand)
    graph, held = graph_of(instance), set(range(instance.num_nodes))
    deleted = [held - nodes_of(left) for left in search.deletions(np.ones(len(held), dtype=bool))]
    degree = sorted((graph.degree(v) for v in held - {instance.target}), reverse=expand == "high2low")[:3]
    assert [graph.degree(v) for (v,) in deleted] == degree  # the graph is 2-connected: one node goes, no more


@pytest.mark.parametrize("task", Task)
def test_the_size_of_an_answer_is_a_rule_for_all(task: Task) -> None:
    graph = nx.connected_watts_strogatz_graph(16, 4, 0.3, seed=4)
    plain = instance_of(graph, task)
    with_grids = replace(plain, info=replace(plain.info, motifs=(HOUSE, GRID)))
    with_groups = replace(plain, info=replace(plain.info, motifs=(NITRO,)))
    model = random_gnn(task, "sum", std=0.8)
    for instance, most in ((plain, 5), (with_grids, 9), (with_groups, 5)):
        assert answer_nodes(instance.info) == most
        search = SubgraphX(model, SearchConfig(rollouts=3, samples=20)).search(instance)
        assert search.max_nodes == most
        assert search.best().size <= most


@pytest.mark.parametrize("task", Task)
def test_rollouts_are_booked_on_the_way_down(task: Task) -> None:
    search, _ = search_of(task, nodes=12, rollouts=7)
    assert search.root.visits == 7
    for node in search.nodes.values():
        if node.visits and node.size <= search.config.min_atoms:
            assert node.total == pytest.approx(node.visits * node.value)
        elif node is not search.root:
            assert node.visits <= 7
    visited_leaves = [n for n in search.nodes.values() if n.visits and n.size <= search.config.min_atoms]
    assert sum(leaf.visits for leaf in visited_leaves) == 7
    assert search.root.total == pytest.approx(sum(leaf.total for leaf in visited_leaves))


@every_gnn
def test_a_long_search_finds_the_best_of_all(task: Task, kind: str) -> None:
    """With all actions and many rollouts, nothing connected beats the answer but where the search did not look."""
    settings = {"rollouts": 300, "max_actions": 20, "min_atoms": 1}
    search, instance = search_of(task, kind, nodes=7, **settings)
    graph, best = graph_of(instance), search.best()
    sets = [
        set(nodes)
        for size in range(1, 6)
        for nodes in combinations(range(7), size)
        if nx.is_connected(graph.subgraph(nodes)) and (instance.target is None or instance.target in nodes)
    ]
    members = torch.zeros(len(sets), 7, dtype=torch.bool)
    for row, nodes in enumerate(sets):
        members[row, list(nodes)] = True
    values = search.values(members)
    assert best.size <= 5
    assert best.value == pytest.approx(values[sets.index(nodes_of(best.members))].item(), abs=1e-6)
    assert best.value == pytest.approx(values.max().item(), abs=1e-6)


@pytest.mark.parametrize("task", Task)
def test_the_window_is_connected_and_grown_by_harm(task: Task) -> None:
    search, instance = search_of(task, nodes=40, rollouts=1, search_nodes=12)
    graph, held = graph_of(instance), nodes_of(search.root.members)
    size = min(12, instance.num_nodes)
    assert len(held) == size
    assert nx.is_connected(graph.subgraph(held))
    game, m = search.values.game, instance.num_nodes
    remaining = game.log_probability(~torch.eye(m, dtype=torch.bool))
    start = instance.target if instance.target is not None else int(remaining.argmin())
    expected = {start}
    while len(expected) < size:
        expected.add(min({u for v in expected for u in graph[v]} - expected, key=lambda u: remaining[u]))
    assert held == expected


@every_gnn
def test_scores_mark_the_edges_of_one_small_subgraph(task: Task, kind: str) -> None:
    instance = instance_of(nx.connected_watts_strogatz_graph(16, 4, 0.3, seed=4), task)
    method = SubgraphX(random_gnn(task, kind, std=0.8), SearchConfig(rollouts=3, samples=30))
    found, held = method.explain(instance), nodes_of(method.search(instance).best().members)
    assert found.edge_mask.dtype == np.float64
    assert len(held) <= 5
    assert instance.target is None or instance.target in held
    expected = [float({s, t} <= held) for s, t in instance.edge_index.T.tolist()]
    assert found.edge_mask.tolist() == expected


def test_a_graph_in_pieces_keeps_the_largest() -> None:
    graph = nx.disjoint_union(nx.cycle_graph(4), nx.cycle_graph(7))
    instance = instance_of(graph, Task.GRAPH)
    search = SubgraphX(random_gnn(Task.GRAPH, "sum", std=0.5), SearchConfig(rollouts=2)).search(instance)
    assert nodes_of(search.root.members) == set(range(4, 11))
