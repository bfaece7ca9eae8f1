"""How a training learns from what it has seen: several steps for a batch, some parts of the instances only."""

from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional

from gfx_core.gfn.first_layer import gelu
from gfx_core.gfn.instances import Episodes
from gfx_core.gfn.policy import FlowPolicy
from gfx_core.gfn.settings import LearningConfig, PolicyConfig, Stop
from gfx_core.gfn.trainer import Trainer
from tests.toys.trainings import TASKS, assert_finite, numbers, same, trainer, weights

WAYS: dict[str, dict[str, Any]] = {
    "steps": {"steps_per_batch": 3},
    "exact flows": {"exact_cap": 60, "exact_states": 16, "exact_steps": 2},
    "exact flows of few": {"exact_cap": 60, "exact_states": 16, "exact_instances": 2},
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


def test_only_some_parts_in_each_epoch(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    sample = Trainer.sample

    def watched(self: Trainer, episodes: Episodes, generator: torch.Generator) -> Any:
        seen.append(id(episodes))
        return sample(self, episodes, generator)

    monkeypatch.setattr(Trainer, "sample", watched)
    trained = trainer(count=6, batch_size=2, epochs=12, learning=LearningConfig(parts=1))
    trained.fit()
    assert len(seen) == 12
    assert len(set(seen)) == 3


@pytest.mark.parametrize("way", WAYS)
def test_what_is_stopped_and_goes_on_is_the_same(way: str) -> None:
    whole, broken = (trainer(epochs=4, learning=LearningConfig(**WAYS[way])) for _ in range(2))
    whole.fit()
    broken.fit(cancelled=lambda: broken.epoch == 2)
    assert broken.epoch == 2
    broken.fit()
    assert numbers(whole.curve) == numbers(broken.curve)
    assert same(weights(whole), weights(broken))


# A beginning where targets are


@pytest.mark.parametrize("context", [False, True])
def test_a_policy_begins_at_the_size_of_its_targets(context: bool) -> None:
    features = torch.randn(200, 5, generator=torch.Generator().manual_seed(0)) * torch.tensor([1.0, 10, 0.1, 0, 3]) + 7
    with torch.random.fork_rng():
        torch.manual_seed(0)
        policy = FlowPolicy(5, PolicyConfig(hidden=16, context=context), Stop.REWARD, 6)
    raw = policy.first.features(features)
    policy.begin_at(features, -40.0, 3.0)
    assert policy.score.bias.item() == -40
    read = policy.first.features(features)
    if not context:  # the paper's layer has no bias to move
        assert torch.equal(raw, read)
        return
    assert read.mean(0).abs().max() < 1e-3 + policy.first.features.bias.abs().max()  # type: ignore[union-attr]
    deviation = np.maximum(features.std(0, correction=0).numpy(), 0.1)
    plain = (features.numpy() - features.mean(0).numpy()) / deviation
    found = read.detach().numpy() - read.detach().mean(0).numpy()
    again = plain @ (policy.first.features.weight.detach().numpy() * deviation).T
    assert np.allclose(found, again - again.mean(0), atol=1e-3)


# GELU


@pytest.mark.parametrize("scale", [0.1, 1.0, 30.0])
def test_gelu_has_the_derivative_of_torchs_own(scale: float) -> None:
    values = (torch.randn(500, generator=torch.Generator().manual_seed(0)) * scale).requires_grad_()
    weight = torch.linspace(-1, 1, 500)
    ours, theirs = gelu(values), functional.gelu(values)
    assert torch.equal(ours, theirs)
    (slope,), (wanted,) = (torch.autograd.grad((each * weight).sum(), values) for each in (ours, theirs))
    assert torch.allclose(slope, wanted, atol=1e-6)
