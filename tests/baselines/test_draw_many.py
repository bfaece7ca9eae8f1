"""Drawing for many instances at once, against one trajectory after the other in its own episode."""

import numpy as np
import pytest
import torch

from gfx_core import load_dataset, load_model
from gfx_core.baselines.generators import ManyDraws, draw_many
from gfx_core.gfn.checkpoint import TrainedPolicy, load_policy
from gfx_core.gfn.growth import can_share
from gfx_core.gfn.instances import Episodes, FlowGraphs
from gfx_core.gfn.own_policies import policy_path
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.sampler import sample
from gfx_core.gfn.settings import GFNConfig, Stop
from gfx_core.gfn.trainer import Trainer
from gfx_core.gnn.predict import SubgraphPredictor

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
    if can_share(trained.policy):
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
    assert can_share(trained.policy) == shipped
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
