"""What generators draw and what they grow greedily: against one instance at a time, and against all trajectories."""

from collections import Counter
from dataclasses import astuple, replace

import networkx as nx
import numpy as np
import pytest
import torch

from gfx_core import load_dataset, load_model
from gfx_core.baselines import generators
from gfx_core.baselines.generators import Generator, GFlowMethod, ManyDraws, draw_many
from gfx_core.baselines.rgexplainer import RGExplainer, RGExplainerPlain, log_likelihood
from gfx_core.config import Task
from gfx_core.explanation.samplers import SubgraphSampler
from gfx_core.gfn.checkpoint import TrainedPolicy, load_policy
from gfx_core.gfn.instances import Episodes, FlowGraphs
from gfx_core.gfn.own_policies import policy_path
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.sampler import sample
from gfx_core.gfn.settings import GFNConfig, Stop
from gfx_core.gfn.trainer import Trainer
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


# Drawing for many instances at once, against one trajectory after the other in its own episode.


COUNT = 16


def predictor_of(name: str) -> SubgraphPredictor:
    data = load_dataset(name)
    return SubgraphPredictor(load_model(name), [data.instance(int(index)) for index in data.explainable[:4]])


def drawn_slowly(trained: TrainedPolicy, predictor: SubgraphPredictor) -> ManyDraws:
    """Every draw has an episode of its own, in order of size of the instances.

    Where states are shared, what stops and what never stops come from the same random numbers, elsewhere one after the
    other.
    """
    by_size = np.argsort(predictor.graphs.sizes, kind="stable")
    rng, starts = np.random.RandomState(3), None
    if trained.locator is not None:
        chances = [trained.locator.probabilities(predictor, int(i)).double().numpy() for i in by_size]
        starts = np.concatenate([rng.choice(len(p), COUNT, p=p / p.sum()) for p in chances])
    episodes = Episodes.of(FlowGraphs(predictor, trained.config.policy), by_size.repeat(COUNT), starts)
    reward = Reward(predictor, trained.config.reward)
    generator = torch.Generator().manual_seed(3)
    each = torch.arange(len(episodes))
    drawn = sample(trained.policy, episodes, each, reward, generator=generator)
    if trained.policy.stop is Stop.REWARD:
        generator.manual_seed(3)
    grown = sample(trained.policy, episodes, each, reward, generator=generator, stops=False)
    assert grown.log_reach is not None
    log_reward = reward(drawn.order, drawn.instance).double()
    back = np.argsort(by_size)
    found = (drawn.order, log_reward, grown.order, grown.log_reach.double().exp())
    return ManyDraws(*(values.numpy().reshape(-1, COUNT, *values.shape[1:])[back] for values in found))


@pytest.mark.parametrize("name", ["tree_cycles", "ba_2motifs"])
@pytest.mark.parametrize("shipped", [True, False])
def test_as_drawn_one_by_one(name: str, shipped: bool) -> None:
    predictor = predictor_of(name)
    if shipped:
        trained = load_policy(policy_path(name))
    else:  # one whose states cannot be shared
        trained = TrainedPolicy.of(Trainer(predictor, GFNConfig(max_nodes=6, stop=Stop.LEARNED)))
    fast, slow = draw_many(trained, predictor, COUNT, 3), drawn_slowly(trained, predictor)
    same = (fast.orders == slow.orders).all(2)
    assert same.mean() > 0.98  # a choice may hang on the last digit
    assert np.allclose(fast.log_reward[same], slow.log_reward[same], atol=1e-4)
    same = (fast.grown == slow.grown).all(2)
    assert same.mean() > 0.98
    assert np.allclose(fast.reach[same], slow.reach[same], atol=1e-4)
    some = fast[np.array([2, 0])]
    for name_of in ("orders", "log_reward", "grown", "reach"):
        assert np.array_equal(getattr(some, name_of), getattr(fast, name_of)[[2, 0]])
