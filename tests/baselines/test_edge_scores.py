"""The four scoring rules by hand, and the expected marginals against those of the policy itself."""

from collections.abc import Iterator

import networkx as nx
import numpy as np
import pytest
import torch

from gfx_core import load_dataset
from gfx_core.baselines.edge_scores import edge_marginals, expected_marginals, on_edges, order_weights
from gfx_core.baselines.generators import Draws, GFlowMethod
from gfx_core.config import Task
from gfx_core.datasets.instance import Instance
from gfx_core.explanation.samplers import SubgraphSampler
from gfx_core.gfn.checkpoint import TrainedPolicy
from gfx_core.gfn.settings import GFNConfig, PolicyConfig, RewardConfig, Stop
from gfx_core.gfn.trainer import Trainer
from gfx_core.gnn.predict import SubgraphPredictor
from tests.toys.gnns import random_gnn
from tests.toys.instances import instance_of

INSTANCE = load_dataset("tree_cycles").instance(600)
ORDERS = np.array([[0, 1, 2, -1], [0, 1, -1, -1], [0, -1, -1, -1], [0, 2, 1, 3]])


def pairs() -> list[tuple[int, int]]:
    return [(int(s), int(t)) for s, t in INSTANCE.edge_index.T]


def test_marginals_count_subgraphs_that_hold_both_ends() -> None:
    sets = [{0, 1, 2}, {0, 1}, {0}, {0, 1, 2, 3}]
    expected = [sum({s, t} <= held for held in sets) / 4 for s, t in pairs()]
    assert edge_marginals(INSTANCE, ORDERS).tolist() == expected


def test_order_weights() -> None:
    place = {0: 0, 2: 1, 1: 2, 3: 3}
    expected = [(4 - max(place.get(s, 4), place.get(t, 4))) / 3 for s, t in pairs()]
    assert np.allclose(order_weights(INSTANCE, ORDERS[3]), np.clip(expected, 0, 1))


def test_scores_on_other_edges() -> None:
    """Of several the highest, of none that of the other direction, else 0."""
    given, scored = np.array([[0, 1, 1, 2, 3], [1, 0, 2, 1, 0]]), np.array([[0, 0, 2], [1, 1, 1]])
    assert on_edges(given, scored, np.array([0.5, 0.2, 0.7])).tolist() == [0.5, 0.5, 0.7, 0.7, 0]


DRAWS = 4096
GRAPH = nx.Graph([(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 2), (0, 6)])

everywhere = pytest.mark.parametrize(("task", "stop"), [(task, stop) for task in Task for stop in Stop], ids=str)


def sampler_of(task: Task, stop: Stop) -> SubgraphSampler:
    """A policy of random weights, far from uniform, on a small instance."""
    instance = instance_of(GRAPH, task)
    predictor = SubgraphPredictor(random_gnn(task, seed=2, hidden=20), [instance])
    reward = RewardConfig(beta=2.0, prices={"nodes": 0.1})
    config = GFNConfig(max_nodes=5, reward=reward, policy=PolicyConfig(hidden=32), stop=stop, seed=3)
    trained = TrainedPolicy.of(Trainer(predictor, config))
    with torch.no_grad():
        trained.policy.score.weight *= 8
    return SubgraphSampler(trained, predictor, instance)


def draws(given: SubgraphSampler, count: int, seed: int) -> Draws:
    assert isinstance(given.predictor, SubgraphPredictor)
    method = GFlowMethod(given.predictor.model, seed=seed)
    method.trained, method.samples = given.trained, count
    return method.draw([given.instance])


def exact_marginals(given: SubgraphSampler) -> np.ndarray:
    """Those of the distribution that the policy really stops with, from every start node as often as it is chosen."""
    instance = given.instance
    starts = np.eye(instance.num_nodes)[instance.target] if instance.target is not None else given.start_probabilities()
    found = np.zeros(instance.edge_index.shape[1])
    for start in np.flatnonzero(starts):
        known = given.distribution(int(start))
        assert known is not None
        space, stops = known[0], np.exp(known[1])
        assert stops.sum() == pytest.approx(1, abs=1e-6)
        found += starts[start] / starts.sum() * space.edge_marginals(instance, stops)
    return found


def each_draw(instance: Instance, many: Draws) -> Iterator[list[float]]:
    """For each draw and edge the chance to have reached both ends, node by node."""
    for nodes, reach in zip(many.grown[0].tolist(), many.reach[0], strict=True):
        chance = {node: reach[t] for t, node in enumerate(nodes) if node >= 0}
        yield [min(chance.get(int(s), 0.0), chance.get(int(t), 0.0)) for s, t in instance.edge_index.T]


@everywhere
def test_expected_marginals_are_the_exact_ones_but_for_what_chance_allows(task: Task, stop: Stop) -> None:
    given = sampler_of(task, stop)
    many = draws(given, DRAWS, seed=1)
    values = np.array(list(each_draw(given.instance, many)))  # [N, e]
    found = expected_marginals(given.instance, many.grown[0], many.reach[0])
    assert np.allclose(found, values.mean(0), atol=1e-12)
    wanted = exact_marginals(given)
    assert (np.abs(found - wanted) < 5 * values.std(0) / np.sqrt(DRAWS) + 1e-5).all()
    plain = edge_marginals(given.instance, many.orders[0])
    assert (np.abs(plain - wanted) < 5 * np.sqrt(wanted * (1 - wanted) / DRAWS) + 1e-5).all()
    assert wanted.max() > 0.2
