"""Training that is cancelled, runs out of memory, or meets numbers that break."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from gfx_core.gfn.instances import Episodes
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.settings import GFNConfig, Loss, RewardConfig, Stop
from gfx_core.gfn.states import States
from gfx_core.gfn.trainer import EpochReport, Trainer
from tests.toys.trainings import TASKS, K, assert_finite, numbers, predictor, same, trainer, weights

# Cancelling


def cancelled_after(times: int) -> Callable[[], bool]:
    """Says no so often, then yes."""
    left = iter([False] * times)
    return lambda: next(left, True)


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("batches", [0, 3, 7])
def test_cancelling_keeps_the_last_whole_epoch(name: str, batches: int) -> None:
    """And going on afterwards is as if nothing had happened: three batches make an epoch here."""
    batch_size = 2 if name == "tree_cycles" else 8
    whole, broken = (trainer(name, 6, epochs=3, batch_size=batch_size) for _ in range(2))
    states = [weights(whole)]
    whole.fit(lambda _: states.append(weights(whole)))
    steps: list[int] = []
    original = broken.step

    def count(*arguments: Any) -> Any:
        steps.append(1)
        return original(*arguments)

    broken.step = count  # type: ignore[method-assign]
    broken.fit(cancelled=cancelled_after(batches))
    assert len(steps) == batches
    assert broken.epoch == batches // 3
    assert same(weights(broken), states[broken.epoch])
    broken.fit()
    assert numbers(broken.curve) == numbers(whole.curve)
    assert same(weights(broken), states[-1])


def test_full_memory_halves_the_batches(caplog: pytest.LogCaptureFixture) -> None:
    """An epoch that does not fit begins again; the result is that of the smaller batches from the start."""
    trained = trainer(count=6, batch_size=6)
    original, sizes = trained.sample, []

    def small_memory(episodes: Episodes, generator: torch.Generator) -> Any:
        sizes.append(len(episodes))
        if len(episodes) > 4:
            raise torch.OutOfMemoryError("out of memory")
        return original(episodes, generator)

    trained.sample = small_memory  # type: ignore[method-assign]
    trained.fit()
    assert sizes == [6, 3, 3, 3, 3]
    assert "batches of 3" in caplog.text
    small = trainer(count=6, batch_size=3)
    small.fit()
    assert numbers(trained.curve) == numbers(small.curve)
    assert same(weights(trained), weights(small))


# Numbers that break


class BreakableReward(Reward):
    broken = False

    def __call__(self, subsets: Tensor, instance: Tensor) -> Tensor:
        return super().__call__(subsets, instance) * (torch.nan if self.broken else 1)


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize(("loss", "stop"), [(Loss.FLOW_MATCHING, Stop.REWARD), (Loss.TRAJECTORY_BALANCE, Stop.LEARNED)])
def test_a_reward_that_is_not_a_number(name: str, stop: Stop, loss: Loss) -> None:
    reward = BreakableReward(predictor(name, 4), RewardConfig())
    trained = Trainer(reward.predictor, GFNConfig(max_nodes=K, epochs=5, stop=stop, loss=loss), reward=reward)
    states = [weights(trained)]

    def after(report: EpochReport) -> None:
        states.append(weights(trained))
        if report.epoch == 3:
            reward.broken = True

    with pytest.raises(FloatingPointError, match="stopped being a number in epoch 4"):
        trained.fit(after)
    for _ in range(3):  # trying again does not make it worse
        assert_finite(trained)
        assert same(weights(trained), states[trained.epoch])
        with pytest.raises(FloatingPointError):
            trained.fit()
    reward.broken = False
    trained.fit()
    assert trained.epoch == 5
    assert_finite(trained)


@pytest.mark.parametrize(("lr", "batch_size"), [(1e4, 2), (1e8, 6), (1e30, 2)])
def test_a_learning_rate_that_is_far_too_large(lr: float, batch_size: int) -> None:
    """The weights that are kept are ones that work."""
    trained = trainer(epochs=50, batch_size=batch_size)
    trained.steps.change_rate(lr)  # beyond what a configuration may say
    states = [weights(trained)]
    with pytest.raises(FloatingPointError, match="smaller learning rate"):
        trained.fit(lambda _: states.append(weights(trained)))
    assert_finite(trained)
    assert same(weights(trained), states[trained.epoch])
    episodes = Episodes.of(trained.graphs, np.arange(6))
    states = States.initial(episodes, torch.arange(6), K)
    assert not trained.policy(trained.policy.encode(episodes), states).log_out.isnan().any()
