"""The gap log Z − ELBO: listed, trajectory by trajectory, and estimated from samples alone."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from gfx_core.gfn.evidence import estimate

from gfx_core import load_dataset, load_model
from gfx_core.exact.state_space import StateSpace, Walk
from gfx_core.gfn.exact_targets import ExactTargets, list_first
from gfx_core.gfn.instances import FlowGraphs
from gfx_core.gfn.policy import FlowPolicy
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.settings import ON_CPU, RewardConfig, policy_config
from gfx_core.gfn.trainer import Trainer
from gfx_core.gnn.predict import SubgraphPredictor

COUNT = 2048


@cache
def trained(epochs: int) -> tuple[SubgraphPredictor, ExactTargets, FlowPolicy]:
    """A policy on a few instances of Tree-Cycles under a mild reward, and all their states."""
    data, model = load_dataset("tree_cycles"), load_model("tree_cycles")
    some = [data.instance(int(index), hops=model.hops) for index in data.explainable[:40:10]]
    learning = replace(ON_CPU, exact_states=64, exact_steps=4)
    config = replace(policy_config("tree_cycles"), reward=RewardConfig(beta=3.0), max_nodes=5, learning=learning)
    config = replace(config, epochs=epochs, lr=1e-2, batch_size=8)
    predictor = SubgraphPredictor(model, some)
    trainer = Trainer(predictor, config)
    trainer.fit()
    found, states = list_first([(each, each.target or 0) for each in some], model, config, "cpu", 20_000)
    assert [each.index for each in found] == [each.index for each in some]
    assert states is not None
    return predictor, states, trainer.policy


def trajectories(space: StateSpace, walk: Walk) -> Iterator[tuple[int, float, float]]:
    """Every trajectory of one instance: where it ends, log P_F and log P_B."""
    todo = [(0, 0.0, 0.0)]
    while todo:
        state, forward, backward = todo.pop()
        yield state, forward + walk.stop[state] - walk.visit[state], backward
        for edge in np.flatnonzero(space.parent == state):
            child = int(space.child[edge])
            step = walk.step[edge] - walk.visit[state]
            todo.append((child, forward + step, backward - np.log(space.num_parents[child])))


def alone(states: ExactTargets, policy: FlowPolicy) -> Iterator[tuple[StateSpace, Walk]]:
    """Each instance by itself with what the policy does on it."""
    space, walk = states.space, states.walk(policy)
    edges = np.split(walk.step, np.searchsorted(space.owner[space.parent], np.arange(1, len(space))))
    yield from zip(space.alone(), map(Walk, space.parts(walk.visit), space.parts(walk.stop), edges), strict=True)


@pytest.mark.parametrize("epochs", [1, 20])
def test_gap_and_divergence_are_those_of_all_trajectories(epochs: int) -> None:
    """The gap is the divergence of exact trajectories from the policy's, the targets' is the other way round."""
    _, states, policy = trained(epochs)
    gaps, back = states.space.gaps(states.walk(policy)), []
    for gap, (space, walk) in zip(gaps, alone(states, policy), strict=True):
        end, forward, backward = (np.array(each) for each in zip(*trajectories(space, walk), strict=True))
        exact = space.log_reward[end] + backward - space.log_z[0]
        assert np.exp(forward).sum() == pytest.approx(1)
        assert np.exp(exact).sum() == pytest.approx(1)
        assert gap == pytest.approx((np.exp(forward) * (forward - exact)).sum(), abs=1e-9)
        back.append((np.exp(exact) * (exact - forward)).sum())
    assert states.divergence(policy) == pytest.approx(np.mean(back), rel=1e-3)
    assert (states.divergence(policy) < 0.03) == (epochs == 20)  # it learns from exact flows


@pytest.mark.parametrize("epochs", [1, 20])
def test_trajectories_estimate_the_listed_gap(epochs: int) -> None:
    """On each instance; and the gap bounds the total variation (Pinsker)."""
    predictor, states, policy = trained(epochs)
    graphs, reward = FlowGraphs(predictor, states.config.policy), Reward(predictor, states.config.reward)
    starts = np.array([dag.start for dag in states.space.dags])
    found = estimate(policy, graphs, starts, reward, COUNT)
    gaps = states.space.gaps(states.walk(policy))
    assert found.log_z == pytest.approx(states.space.log_z, abs=0.1)
    assert found.gap == pytest.approx(gaps, abs=0.1)
    assert ((found.effective > 0) & (found.effective <= 1)).all()
    assert (states.total_variations(policy) <= np.sqrt(gaps / 2) + 1e-9).all()
    assert np.abs(states.space.gaps(states.space.walk(states.space.log_edge))).max() < 1e-9  # of exact flows
    if epochs > 1:
        untrained = estimate(trained(1)[2], graphs, starts, reward, 256)
        assert found.gap.mean() < untrained.gap.mean()
        assert found.effective.mean() > untrained.effective.mean()
