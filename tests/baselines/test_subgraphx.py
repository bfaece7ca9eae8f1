"""SubgraphX: Shapley values against all coalitions, what deletions leave, and the best subgraph of small instances."""

import math
from collections.abc import Iterable
from dataclasses import replace
from itertools import combinations
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch
from torch import Tensor

from gfx_core.baselines.subgraphx import Search, SearchConfig, ShapleyValues, SubgraphX
from gfx_core.config import Task
from gfx_core.datasets.info import GRID, HOUSE, NITRO
from gfx_core.datasets.instance import Instance
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import SubgraphPredictor
from tests.toys.gnns import every_gnn, random_gnn
from tests.toys.instances import graph_of, instance_of

CPU = torch.device("cpu")


def shapley(instance: Instance, kind: str = "sum", seed: int = 0, **settings: int) -> ShapleyValues:
    model = random_gnn(instance.task, kind, std=0.5)
    return ShapleyValues(model, instance, CPU, SearchConfig(**settings), seed)  # type: ignore[arg-type]


def small_world(task: Task, nodes: int) -> Instance:
    return instance_of(nx.connected_watts_strogatz_graph(nodes, 4, 0.3, seed=4), task)


def row(size: int, nodes: Iterable[int]) -> Tensor:
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
    values = shapley(instance, kind)
    sets = torch.cat([random_sets(instance.num_nodes), torch.zeros(1, instance.num_nodes, dtype=torch.bool)])
    expected = slow_values(model, instance, sets)
    assert expected.std() > 0.01
    torch.testing.assert_close(values.worth(sets), expected, atol=1e-5, rtol=0)
    torch.testing.assert_close(values.worth(sets.flip(0)), expected.flip(0), atol=1e-5, rtol=0)  # now from memory


def by_all_coalitions(values: ShapleyValues, m: int, subgraph: set[int], others: list[int]) -> tuple[float, float]:
    """The value, and the standard deviation of one sampled gain."""
    p, first, second = len(others), 0.0, 0.0
    for size in range(p + 1):
        weight = math.factorial(size) * math.factorial(p - size) / math.factorial(p + 1)
        for company in map(set, combinations(others, size)):
            pair = values.worth(torch.stack([row(m, company | subgraph), row(m, company)]))
            gain = float(pair[0] - pair[1])
            first, second = first + weight * gain, second + weight * gain**2
    return first, math.sqrt(max(0.0, second - first**2))


@every_gnn
def test_samples_agree_within_their_error(task: Task, kind: str) -> None:
    instance, subgraph = small_world(task, 8), {0, 2}
    m = instance.num_nodes
    others = sorted(set(range(m)) - subgraph)
    exact, deviation = by_all_coalitions(shapley(instance, kind), m, subgraph, others)
    samples = 2 ** len(others) - 1  # one too few to list them
    members = row(m, subgraph)[None]
    drawn = [shapley(instance, kind, seed, samples=samples, radius=8)(members)[0] for seed in range(60)]
    error = deviation / math.sqrt(samples * len(drawn))
    assert abs(np.mean(drawn) - exact) < 4 * error + 1e-6
    assert np.std(drawn) == pytest.approx(deviation / math.sqrt(samples), rel=0.4)


@pytest.mark.parametrize("radius", [0, 1, 2])
def test_exact_where_the_coalitions_within_the_radius_can_be_listed(radius: int) -> None:
    graph = nx.path_graph(7)
    values = shapley(instance_of(graph, Task.GRAPH), radius=radius)
    others = [v for v in graph if v != 3 and abs(v - 3) <= radius]
    expected = by_all_coalitions(values, 7, {3}, others)[0]
    assert values(row(7, {3})[None])[0] == pytest.approx(expected, abs=1e-5)


def search_of(task: Task, kind: str = "sum", nodes: int = 9, **settings: Any) -> tuple[Search, Instance]:
    instance = small_world(task, nodes)
    return SubgraphX(random_gnn(task, kind, std=0.8), SearchConfig(**settings)).search(instance), instance


@every_gnn
def test_every_subgraph_is_a_component_that_one_deletion_leaves(task: Task, kind: str) -> None:
    search, instance = search_of(task, kind, nodes=14, rollouts=5)
    graph = graph_of(instance)
    expanded = [node for node in search.tree.values() if node.children is not None]
    assert len(expanded) > 5
    for parent in expanded:
        assert parent.children is not None
        held = parent.nodes
        possible = []
        for deleted in held - {instance.target}:
            parts = list(nx.connected_components(graph.subgraph(held - {deleted})))
            if task is Task.NODE:
                possible += [part for part in parts if instance.target in part]
            else:
                possible += [part for part in parts if len(part) == max(map(len, parts))]
        found = [child.nodes for child in parent.children]
        assert all(part in possible for part in found)
        assert len(set(found)) == len(found)


@pytest.mark.parametrize("task", Task)
@pytest.mark.parametrize("expand", ["low2high", "high2low"])
def test_low_or_high_degree_is_deleted_first(task: Task, expand: str) -> None:
    search, instance = search_of(task, nodes=14, rollouts=1, max_actions=3, expand=expand)
    graph, held = graph_of(instance), frozenset(range(instance.num_nodes))
    deleted = [held - left for left in search.deletions(held)]
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
        search = SubgraphX(model, SearchConfig(rollouts=3, samples=20)).search(instance)
        assert search.max_nodes == most
        assert len(search.best().nodes) <= most


@pytest.mark.parametrize("task", Task)
def test_rollouts_are_booked_on_the_way_down(task: Task) -> None:
    search, _ = search_of(task, nodes=12, rollouts=7)
    assert search.root.visits == 7
    for node in search.tree.values():
        if node.visits and len(node.nodes) <= search.config.min_atoms:
            assert node.total == pytest.approx(node.visits * node.value)
        elif node is not search.root:
            assert node.visits <= 7
    visited_leaves = [n for n in search.tree.values() if n.visits and len(n.nodes) <= search.config.min_atoms]
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
    values = search.values(torch.stack([row(7, nodes) for nodes in sets]))
    assert len(best.nodes) <= 5
    assert best.value == pytest.approx(values[sets.index(set(best.nodes))], abs=1e-6)
    assert best.value == pytest.approx(max(values), abs=1e-6)


@pytest.mark.parametrize("task", Task)
def test_the_window_is_connected_and_grown_by_harm(task: Task) -> None:
    search, instance = search_of(task, nodes=40, rollouts=1, search_nodes=12)
    graph, held = graph_of(instance), search.root.nodes
    size = min(12, instance.num_nodes)
    assert len(held) == size
    assert nx.is_connected(graph.subgraph(held))
    remaining = search.values.log_probability(~torch.eye(instance.num_nodes, dtype=torch.bool))
    start = instance.target if instance.target is not None else int(remaining.argmin())
    expected = {start}
    while len(expected) < size:
        expected.add(min({u for v in expected for u in graph[v]} - expected, key=lambda u: remaining[u]))
    assert held == expected


@every_gnn
def test_scores_mark_the_edges_of_one_small_subgraph(task: Task, kind: str) -> None:
    instance = small_world(task, 16)
    method = SubgraphX(random_gnn(task, kind, std=0.8), SearchConfig(rollouts=3, samples=30))
    found, held = method.explain(instance), method.search(instance).best().nodes
    assert found.edge_mask.dtype == np.float64
    assert len(held) <= 5
    assert instance.target is None or instance.target in held
    expected = [float({s, t} <= held) for s, t in instance.edge_index.T.tolist()]
    assert found.edge_mask.tolist() == expected


def test_a_graph_in_pieces_keeps_the_largest() -> None:
    graph = nx.disjoint_union(nx.cycle_graph(4), nx.cycle_graph(7))
    instance = instance_of(graph, Task.GRAPH)
    search = SubgraphX(random_gnn(Task.GRAPH, "sum", std=0.5), SearchConfig(rollouts=2)).search(instance)
    assert search.root.nodes == set(range(4, 11))
