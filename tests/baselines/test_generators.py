"""What generators draw and what they grow greedily: against one instance at a time, and against all trajectories."""

import numpy as np
import pytest
import torch

from gfx_core import load_dataset, load_model
from gfx_core.baselines.edge_scores import expected_marginals, order_weights
from gfx_core.baselines.generators import Draws, Generator, GFlowMethod
from gfx_core.baselines.registry import METHODS, make_method
from gfx_core.baselines.rgexplainer import RGExplainer
from gfx_core.explanation.samplers import SubgraphSampler
from gfx_core.gfn.checkpoint import TrainedPolicy
from gfx_core.gfn.instances import Episodes, FlowGraphs
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.sampler import sample
from gfx_core.gfn.settings import GFNConfig, Loss, Parents, PolicyConfig, RewardConfig, Stop
from gfx_core.gfn.trainer import Trainer
from gfx_core.gnn.predict import SubgraphPredictor
from gfx_core.job_context import JobContext
from tests.toys.reinforce import SMALL, TASKS, some
from tests.toys.trainings import policy_of


def fitted(kind: str, name: str) -> Generator:
    model = load_model(name)
    method = (
        GFlowMethod(model, config=GFNConfig(max_nodes=5, reward=RewardConfig(1.0), epochs=2))
        if kind == "gflow"
        else RGExplainer(model, SMALL)
    )
    method.fit(some(name))
    return method


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("kind", ["gflow", "rg"])
def test_greedy_together_is_greedy_alone(kind: str, name: str) -> None:
    method, instances = fitted(kind, name), some(name)
    predictor, trained = SubgraphPredictor(method.model, instances), method.trained
    assert trained is not None
    graphs, reward = FlowGraphs(predictor, trained.config.policy), Reward(predictor, trained.config.reward)
    alone = [SubgraphSampler(trained, SubgraphPredictor(method.model, [one]), one) for one in instances]
    episodes = Episodes.of(graphs, np.arange(len(instances)), np.array([sampler.locate() for sampler in alone]))
    together = sample(trained.policy, episodes, torch.arange(len(instances)), reward)
    for instance, order in zip(instances, together.order.numpy(), strict=True):
        assert np.array_equal(method.greedy(instance), order)
        assert np.array_equal(Generator.scores(method, instance), order_weights(instance, order))


# Drawing for many instances at once, against one trajectory after the other in its own episode.


COUNT = 16


def drawn_slowly(trained: TrainedPolicy, predictor: SubgraphPredictor) -> Draws:
    """Every draw has an episode of its own, in order of size of the instances."""
    by_size = np.argsort(predictor.graphs.sizes, kind="stable")
    rng, starts = np.random.RandomState(3), None
    if trained.locator is not None:
        chances = [trained.locator.probabilities(predictor, int(i)).double().numpy() for i in by_size]
        starts = np.concatenate([rng.choice(len(p), COUNT, p=p / p.sum()) for p in chances])
    episodes = Episodes.of(FlowGraphs(predictor, trained.config.policy), by_size.repeat(COUNT), starts)
    reward = Reward(predictor, trained.config.reward)
    generator = torch.Generator().manual_seed(3)
    drawn = sample(trained.policy, episodes, torch.arange(len(episodes)), reward, generator=generator)
    back = np.argsort(by_size)
    tensors = (drawn.order, drawn.grown, drawn.log_reach.double().exp())
    return Draws(*(values.numpy().reshape(-1, COUNT, *values.shape[1:])[back] for values in tensors))


@pytest.mark.parametrize("name", ["tree_cycles", "ba_2motifs"])
@pytest.mark.parametrize("shipped", [True, False])
def test_as_drawn_one_by_one(name: str, shipped: bool) -> None:
    data = load_dataset(name)
    instances = [data.instance(int(index)) for index in data.explainable[:4]]
    method = GFlowMethod(load_model(name), seed=3)
    method.samples, predictor = COUNT, SubgraphPredictor(method.model, instances)
    if shipped:
        method.load(policy_of(name))
    else:
        config = GFNConfig(max_nodes=6, reward=RewardConfig(1.0), stop=Stop.LEARNED)
        method.trained = TrainedPolicy.of(Trainer(predictor, config))
    assert method.trained is not None
    fast, slow = method.draw(instances), drawn_slowly(method.trained, predictor)
    same = (fast.orders == slow.orders).all(2)
    assert same.mean() > 0.98  # a choice may hang on the last digit
    same = (fast.grown == slow.grown).all(2)
    assert same.mean() > 0.98
    assert np.allclose(fast.reach[same], slow.reach[same], atol=1e-4)


# GFlowExplainer as a method


@pytest.mark.parametrize("name", ["tree_cycles", "ba_2motifs"])
def test_scores_are_the_marginals_to_be_expected_of_what_is_drawn(name: str) -> None:
    method = GFlowMethod(load_model(name), seed=3, config=GFNConfig(max_nodes=6, reward=RewardConfig(1.0), epochs=3))
    method.samples = 16
    instances = some(name)[:5]
    told: list[float] = []
    method.fit(instances, JobContext(progress=lambda share, _: told.append(share)))
    assert told == pytest.approx([1 / 3, 2 / 3, 1, 1])
    assert method.trained is not None
    assert method.trained.config.seed == 3
    for instance in instances:
        drawn = method.draw([instance])
        expected = expected_marginals(instance, drawn.grown[0], drawn.reach[0])
        assert np.array_equal(method.explain(instance).edge_mask, expected)


def test_as_printed_is_the_papers_own_recipe() -> None:
    """β = 1, linear loss, its network, learned STOP, K_M = 20, batches of 64, and order weights for edges."""
    method = make_method("GFlowExplainer as printed", load_model("tree_cycles"), {"epochs": 2})
    instances = some("tree_cycles")[:5]
    assert isinstance(method, GFlowMethod)
    method.fit(instances)
    assert method.trained is not None
    config = method.trained.config
    assert (config.loss, config.stop, config.parents) == (Loss.FLOW_MATCHING_LINEAR, Stop.LEARNED, Parents.VALID)
    assert (config.max_nodes, config.batch_size, config.lr, config.delta, config.epochs) == (20, 64, 1e-2, None, 2)
    assert config.policy == PolicyConfig(hidden=64, steps=3, teleport=0.85, context=False)
    assert config.reward.as_dict() == {"beta": 1.0}
    for instance in instances:
        assert np.array_equal(method.explain(instance).edge_mask, order_weights(instance, method.greedy(instance)))
    assert "gflow_paper" not in METHODS  # pages do not offer it
