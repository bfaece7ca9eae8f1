"""How a training learns from what it has seen: several steps, replay, balance beside matching, a β that rises."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional

from gfx_core.gfn.exact_targets import ExactTargets, list_states
from gfx_core.gfn.first_layer import gelu
from gfx_core.gfn.objectives import FlowMatching
from gfx_core.gfn.ramp import RampedReward, heat
from gfx_core.gfn.replay import Replay, Seen
from gfx_core.gfn.sampler import parent_nodes
from gfx_core.gfn.settings import LearningConfig, Parents, RewardConfig
from gfx_core.gfn.states import States
from gfx_core.gfn.trainer import Trainer
from gfx_core.gfn.visited import Visited
from tests.toys.exact_policy import ExactPolicy
from tests.toys.trainings import TASKS, K, assert_finite, numbers, same, trainer, weights

WAYS = {
    "steps": {"steps_per_batch": 3},
    "replay": {"steps_per_batch": 3, "replay": 4},
    "balance": {"balance": 0.1},
    "shares": {"shares": 1.0},
    "ramp": {"ramp": 0.5, "steps_per_batch": 2, "replay": 3},
}


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("way", WAYS)
def test_every_way_trains(name: str, way: str) -> None:
    plain, other = trainer(name, 4, epochs=4), trainer(name, 4, epochs=4, learning=LearningConfig(**WAYS[way]))
    for each in (plain, other):
        each.fit()
        assert_finite(each)
    assert not same(weights(plain), weights(other))


def test_as_many_steps_as_were_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[int] = []
    step = Trainer.step
    monkeypatch.setattr(Trainer, "step", lambda self, *seen: steps.append(len(seen[0])) or step(self, *seen))
    trained = trainer(count=6, batch_size=2, epochs=2, learning=LearningConfig(steps_per_batch=4))
    trained.fit()
    assert len(steps) == 3 * 4 * 2


@pytest.mark.parametrize("way", ["steps", "balance", "shares"])
def test_what_is_stopped_and_goes_on_is_the_same(way: str) -> None:
    """But for replay, which begins with nothing."""
    whole, broken = (trainer(epochs=4, learning=LearningConfig(**WAYS[way])) for _ in range(2))
    whole.fit()
    broken.fit(cancelled=lambda: broken.epoch == 2)
    assert broken.epoch == 2
    broken.fit()
    assert numbers(whole.curve) == numbers(broken.curve)
    assert same(weights(whole), weights(broken))


# Replay


def test_the_last_batches_are_kept() -> None:
    trained, replay = trainer("ba_2motifs", 3), Replay(2)
    orders = []
    for seed in range(3):
        trained.batches[0].start.fill_(seed)
        seen = Seen(*trained.sample(trained.batches[0], torch.Generator().manual_seed(seed)))
        replay.keep(0, seen)
        orders.append(seen.trajectories.order)
    rng = np.random.RandomState(0)
    picked = [replay.pick(0, rng).trajectories for _ in range(40)]
    for each in picked:  # with the start nodes of their time
        assert torch.equal(each.order[:, 0], each.episodes.start[each.episode])
    starts = {int(each.order[0, 0]) for each in picked}
    assert starts == {1, 2}


def test_rewards_of_another_time() -> None:
    trained = trainer()
    seen = Seen(*trained.sample(trained.batches[0], torch.Generator().manual_seed(0)), heat=0.5)
    log_reward = seen.trajectories.log_reward
    assert log_reward is not None
    assert seen.at(0.5) is seen
    assert torch.allclose(seen.at(1.0).trajectories.log_reward, 2 * log_reward)  # type: ignore[arg-type]


# Balance beside matching


def objective_at_the_truth(shift: float = 0.0, **learning: Any) -> float:
    trained = trainer(count=6, reward=RewardConfig(5.0), learning=LearningConfig(**learning))
    starts = list(enumerate(trained.predictor.graphs.target.tolist()))
    found = list_states(trained.graphs, starts, K, 100_000)
    targets = ExactTargets(trained.graphs, found, trained.reward, trained.config)
    trajectories, parents = trained.sample(trained.batches[0], torch.Generator().manual_seed(0))
    policy = ExactPolicy(targets, [dag for _, dag in found], shift)
    return float(trained.objective(policy, trajectories, parents, trained.reward).loss)


@pytest.mark.parametrize("learning", [{}, {"balance": 1.0}, {"shares": 1.0}])
def test_exact_flows_balance_in_every_sense(learning: dict[str, float]) -> None:
    assert objective_at_the_truth(**learning) == pytest.approx(0, abs=1e-5)


@pytest.mark.parametrize("name", ["balance", "shares"])
def test_what_is_added_is_weighted(name: str) -> None:
    plain, once, twice = (objective_at_the_truth(0.3, **({name: w} if w else {})) for w in (0, 1, 2))
    assert once > plain + 1e-3
    assert twice - plain == pytest.approx(2 * (once - plain), rel=1e-3)


def test_shares_state_by_state_and_parent_by_parent() -> None:
    trained = trainer(count=6, delta=None, learning=LearningConfig(shares=1.0))
    plain = FlowMatching(replace(trained.config, learning=LearningConfig()), trained.graphs)
    trajectories, parents = trained.sample(trained.batches[0], torch.Generator().manual_seed(0))
    plain.delta = trained.objective.delta = None
    added = trained.objective(trained.policy, trajectories, parents, trained.reward).loss
    added = added - plain(trained.policy, trajectories, parents, trained.reward).loss
    with torch.no_grad():
        visited = Visited.by(trained.policy, trajectories, parent_nodes(trajectories, Parents.VALID), trained.reward)
    means = []
    for row in range(len(visited.at)):
        from_parents = [float(visited.flows.log_in[row, u]) for u in visited.parents[row].nonzero()[:, 0]]
        if from_parents:
            share = float(visited.log_out[row]) - np.log(len(from_parents))
            means.append(np.mean([(flow - share) ** 2 for flow in from_parents]))
    assert float(added) == pytest.approx(np.mean(means), rel=1e-3)


def test_trajectory_balance_with_the_policys_own_z() -> None:
    trained = trainer(count=6, learning=LearningConfig(balance=1.0))
    plain = trainer(count=6)
    trajectories, parents = trained.sample(trained.batches[0], torch.Generator().manual_seed(0))
    added = float(trained.loss(trajectories, parents).loss - plain.loss(trajectories, parents).loss)
    visited_reward = trajectories.log_reward
    assert visited_reward is not None
    balances = []
    for row, order in enumerate(trajectories.order.tolist()):
        length = sum(node >= 0 for node in order)
        back = sum(np.log(max(1, int(parents[row, t].sum()))) for t in range(length))
        final = float(visited_reward[row, length - 1])
        balances.append((log_z(trained, row) + float(trajectories.log_forward[row]) - final + back) ** 2)
    assert added == pytest.approx(np.mean(balances), rel=1e-2)


def log_z(trained: Trainer, row: int) -> float:
    """What leaves the start state of an episode, evaluated by itself."""
    episodes = trained.batches[0]
    states = States.initial(episodes, torch.tensor([row]), K)
    with torch.no_grad():
        flows = trained.policy(trained.policy.encode(episodes), states)
    stop = trained.reward(episodes.start[row].view(1, 1), episodes.instance[row : row + 1])
    return float(torch.cat([flows.log_out[0], stop]).logsumexp(0))


# A β that rises


def test_heat() -> None:
    assert [heat(epoch, 10, 0.0) for epoch in (1, 10)] == [1, 1]
    rising = [heat(epoch, 100, 0.3) for epoch in range(1, 101)]
    assert rising[0] == pytest.approx(0.1)
    assert all(a < b for a, b in pairwise(rising[:31]))
    assert rising[30:] == [1] * 70


def test_the_reward_rises_and_what_is_remembered_follows() -> None:
    trained = trainer(count=6, epochs=4, reward=RewardConfig(5.0), learning=LearningConfig(ramp=0.75))
    assert isinstance(trained.reward, RampedReward)
    full, known = trained.reward.full, []
    for epoch in range(1, 5):
        trained.run_epoch()
        subsets, instance = torch.tensor([[0, -1], [0, 1]]), torch.tensor([0, 0])
        starts = int(trained.predictor.graphs.target[0])
        subsets[:, 0] = starts
        now = heat(epoch, 4, 0.75)
        assert torch.allclose(trained.reward(subsets[:1], instance[:1]), now * full(subsets[:1], instance[:1]))
        known.append(trained.objective.best / now)
    seen = known[0].isfinite()
    for before, after in pairwise(known):
        assert bool((after[seen] >= before[seen] - 1e-4).all())


# GELU


@pytest.mark.parametrize("scale", [0.1, 1.0, 30.0])
def test_gelu_has_the_derivative_of_torchs_own(scale: float) -> None:
    values = (torch.randn(500, generator=torch.Generator().manual_seed(0)) * scale).requires_grad_()
    weight = torch.linspace(-1, 1, 500)
    ours, theirs = gelu(values), functional.gelu(values)
    assert torch.equal(ours, theirs)
    (slope,), (wanted,) = (torch.autograd.grad((each * weight).sum(), values) for each in (ours, theirs))
    assert torch.allclose(slope, wanted, atol=1e-6)
