"""Shapley values: the coalition game against the GNN itself, the values against all orders of arrival."""

import math
from itertools import combinations, permutations

import networkx as nx
import numpy as np
import pytest
import torch
from torch import Tensor

from gfx_core.baselines.subgraphx import CoalitionGame, ShapleyValues
from gfx_core.config import Task
from gfx_core.datasets.instance import Instance
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import SubgraphPredictor
from tests.toys.gnns import every_gnn, random_gnn
from tests.toys.instances import instance_of

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


# The game


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
@pytest.mark.parametrize("nodes", [9, 150])  # above 62 keys are random numbers
def test_a_coalition_is_worth_what_the_gnn_says_of_it(task: Task, kind: str, nodes: int) -> None:
    model = random_gnn(task, kind, std=0.5)
    instance = instance_of(nx.connected_watts_strogatz_graph(nodes, 6, 0.4, seed=4), task)
    assert (instance.num_nodes > 62) == (nodes > 62)
    game = CoalitionGame(model, instance, CPU)
    sets = torch.cat([random_sets(instance.num_nodes), torch.zeros(1, instance.num_nodes, dtype=torch.bool)])
    expected = slow_values(model, instance, sets)
    assert expected.std() > 0.01
    torch.testing.assert_close(game(sets), expected, atol=1e-5, rtol=0)
    torch.testing.assert_close(game(sets.flip(0)), expected.flip(0), atol=1e-5, rtol=0)  # now from memory


# The values


def by_all_orders(game: CoalitionGame, subgraph: set[int], others: list[int]) -> float:
    """The mean of what the subgraph adds over every order in which the players can arrive."""
    m, gains = game.num_nodes, []
    for order in permutations([-1, *others]):
        before = set(order[: order.index(-1)])
        pair = game(torch.stack([row(m, before | subgraph), row(m, before)]))
        gains.append(float(pair[0] - pair[1]))
    return sum(gains) / len(gains)


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
def test_exact_where_the_coalitions_can_be_listed(task: Task, kind: str) -> None:
    game = game_of(task, kind)
    subgraph = {0, 1, 2, 3}
    others = sorted(set(range(game.num_nodes)) - subgraph)
    exact = by_all_orders(game, subgraph, others)
    assert by_all_coalitions(game, subgraph, others)[0] == pytest.approx(exact, abs=1e-6)
    values = ShapleyValues(game, samples=2 ** len(others), radius=8)
    assert values(row(game.num_nodes, subgraph)[None]).item() == pytest.approx(exact, abs=1e-5)


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
def test_only_nodes_within_the_radius_play(radius: int) -> None:
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
    assert len(again(sets[:0])) == 0


@every_gnn
def test_one_node(task: Task, kind: str) -> None:
    game = CoalitionGame(random_gnn(task, kind, std=0.5), instance_of(nx.empty_graph(1), task), CPU)
    whole = torch.ones(1, 1, dtype=torch.bool)
    expected = 0.0 if task is Task.NODE else float(game(whole) - game(~whole))
    assert ShapleyValues(game)(whole).item() == pytest.approx(expected, abs=1e-6)
