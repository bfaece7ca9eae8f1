"""SubgraphX: what deletions leave, what a rollout books, and that the best subgraph of small instances is found."""

from dataclasses import replace
from itertools import combinations
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch

from gfx_core.baselines.degree import Degree
from gfx_core.baselines.method import answer_nodes
from gfx_core.baselines.subgraphx import Search, SearchConfig, SubgraphX
from gfx_core.config import Task
from gfx_core.datasets.info import GRID, HOUSE, NITRO
from gfx_core.datasets.instance import Instance
from gfx_core.errors import UserError
from tests.toys.gnns import every_gnn, random_gnn
from tests.toys.instances import graph_of, instance_of


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
        grown = Degree(model).explain(instance).order
        assert grown is not None
        assert len(grown) == most


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
    settings = {"rollouts": 300, "max_actions": 20, "min_atoms": 1, "max_nodes": 4, "search_nodes": None}
    search, instance = search_of(task, kind, nodes=7, **settings)
    graph, best = graph_of(instance), search.best()
    sets = [
        set(nodes)
        for size in range(1, 5)
        for nodes in combinations(range(7), size)
        if nx.is_connected(graph.subgraph(nodes)) and (instance.target is None or instance.target in nodes)
    ]
    members = torch.zeros(len(sets), 7, dtype=torch.bool)
    for row, nodes in enumerate(sets):
        members[row, list(nodes)] = True
    values = search.values(members)
    assert best.size <= 4
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
    method = SubgraphX(random_gnn(task, kind, std=0.8), SearchConfig(rollouts=3, max_nodes=6, samples=30))
    found, held = method.explain(instance), nodes_of(method.search(instance).best().members)
    assert found.order is None
    assert found.edge_mask.dtype == np.float64
    assert len(held) <= 6
    assert instance.target is None or instance.target in held
    expected = [float({s, t} <= held) for s, t in instance.edge_index.T.tolist()]
    assert found.edge_mask.tolist() == expected


def test_a_graph_in_pieces_keeps_the_largest() -> None:
    graph = nx.disjoint_union(nx.cycle_graph(4), nx.cycle_graph(7))
    instance = instance_of(graph, Task.GRAPH)
    search = SubgraphX(random_gnn(Task.GRAPH, "sum", std=0.5), SearchConfig(rollouts=2)).search(instance)
    assert nodes_of(search.root.members) == set(range(4, 11))


@pytest.mark.parametrize(
    "settings",
    [{"rollouts": 0}, {"max_nodes": 4}, {"search_nodes": 4}, {"samples": 0}, {"radius": -1}, {"expand": "up"}],
    ids=str,
)
def test_settings_that_make_no_sense(settings: dict[str, Any]) -> None:
    with pytest.raises(UserError):
        SearchConfig(**settings)
