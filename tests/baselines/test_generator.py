"""What generators draw and what they grow greedily: against one instance at a time, and against all trajectories."""

from collections import Counter
from dataclasses import astuple, replace

import networkx as nx
import numpy as np
import pytest
import torch

from gfx_core import GFNConfig, load_model
from gfx_core.baselines import generators
from gfx_core.baselines.edge_scores import order_weights
from gfx_core.baselines.generators import Generator, GFlowMethod
from gfx_core.baselines.rgexplainer import RGExplainer, RGExplainerPlain, log_likelihood
from gfx_core.config import Task
from gfx_core.explanation.samplers import SubgraphSampler
from gfx_core.gfn.instances import Episodes, FlowGraphs
from gfx_core.gnn.predict import SubgraphPredictor
from tests.toys.instances import graph_of
from tests.toys.reinforce import SMALL, TASKS, all_orders, some, toy, toy_model


def trained(kind: str, name: str) -> Generator:
    model = load_model(name)
    method = (
        GFlowMethod(model, config=GFNConfig(max_nodes=5, epochs=2)) if kind == "gflow" else RGExplainer(model, SMALL)
    )
    method.fit(some(name))
    return method


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("kind", ["gflow", "rg"])
def test_greedy_together_is_greedy_alone(kind: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    method, instances = trained(kind, name), some(name)
    orders = method.greedy(instances)
    assert orders.shape == (len(instances), 5)
    for instance, order in zip(instances, orders, strict=True):
        predictor = SubgraphPredictor(method.model, [instance])
        alone = SubgraphSampler(method.generating_policy(), predictor, instance).draw(1, seed=0, greedy=True)
        assert np.array_equal(order, alone.orders[0])
    monkeypatch.setattr(generators, "_TOGETHER", 3)
    assert np.array_equal(method.greedy(instances), orders)
    assert method.greedy([]).shape == (0, 5)


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("kind", ["gflow", "rg"])
def test_what_is_drawn_are_connected_subgraphs_with_their_reward(kind: str, name: str) -> None:
    method, instances = trained(kind, name), some(name)
    method.samples = 16
    many = method.draw(instances)
    assert many.orders.shape == many.grown.shape == many.reach.shape == (len(instances), 16, 5)
    assert many.log_reward.shape == (len(instances), 16)
    for instance, drawn, rewards, grown in zip(instances, many.orders, many.log_reward, many.grown, strict=True):
        graph = graph_of(instance)
        sampler = SubgraphSampler(method.generating_policy(), SubgraphPredictor(method.model, [instance]), instance)
        assert np.allclose(sampler.log_rewards(drawn), rewards, atol=1e-4)
        for order in (*drawn, *grown):
            nodes = order[order >= 0].tolist()
            assert nx.is_connected(graph.subgraph(nodes))
            assert instance.target is None or nodes[0] == instance.target
    again = method.draw(instances)
    for one, other in zip(astuple(many), astuple(again), strict=True):
        assert np.array_equal(one, other)


def test_rgexplainer_draws_from_its_policy() -> None:
    """Shares of 4,000 draws against the probability of every trajectory."""
    instance = toy(nx.Graph([(0, 1), (1, 2), (2, 0), (2, 3), (0, 4)]))
    method = RGExplainerPlain(toy_model(Task.NODE), replace(SMALL, max_nodes=4), seed=1)
    method.samples = 4000
    assert instance.target is not None
    every = all_orders(graph_of(instance), instance.target, 4)
    policy = method.generating_policy()
    graphs = FlowGraphs(SubgraphPredictor(method.model, [instance]), policy.config.policy)
    episodes, zeros = Episodes.of(graphs, np.zeros(1, np.int64)), torch.zeros(len(every), dtype=torch.long)
    with torch.no_grad():
        exact = log_likelihood(policy.policy, episodes, zeros, every).exp().tolist()
    assert sum(exact) == pytest.approx(1, abs=1e-4)
    counted = Counter(tuple(order) for order in method.draw([instance]).orders[0].tolist())
    for order, probability in zip(every.tolist(), exact, strict=True):
        assert counted[tuple(order)] / 4000 == pytest.approx(probability, abs=0.03)


def test_rgexplainers_own_rule_is_its_greedy_order() -> None:
    method, instances = trained("rg", "tree_cycles"), some("tree_cycles")
    for instance, order, found in zip(instances, method.greedy(instances), method.explain_many(instances), strict=True):
        assert np.array_equal(found.edge_mask, order_weights(instance, order))
