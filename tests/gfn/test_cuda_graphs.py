"""A recorded training against a plain one; on the CPU a stand-in does the work again instead of replaying it."""

import logging
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from gfx_core import load_dataset, load_model
from gfx_core.gfn.cuda_graphs import CudaGraphs
from gfx_core.gfn.sampler import empty_noise, removable_nodes, sample
from gfx_core.gfn.settings import GFNConfig, LearningConfig, RewardConfig, Stop
from gfx_core.gfn.trainer import Trainer
from gfx_core.gnn.predict import SubgraphPredictor
from tests.toys.trainings import TASKS, K, assert_finite, numbers, same, trainer, weights

DEVICES = ["cpu", "cuda"] if torch.cuda.is_available() else ["cpu"]


class Again(CudaGraphs):
    """Stands in for what is recorded."""

    def _record(self, work: Any, noise: Tensor, undo: Callable[[], None] | None) -> Any:
        work(noise)
        if undo is not None:
            undo()
        return lambda: work(noise)


WAYS: dict[str, dict[str, Any]] = {
    "several steps": {"learning": LearningConfig(steps_per_batch=3), "batch_size": 8},
    "one part, learned STOP": {"learning": LearningConfig(parts=1), "stop": Stop.LEARNED},
    "some listed states": {"learning": LearningConfig(exact_cap=60, exact_states=64, exact_steps=2)},
}


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("way", WAYS)
def test_recorded_work_does_what_plain_work_does(name: str, way: str) -> None:
    plain, recorded = (trainer(name, 6, epochs=4, **WAYS[way]) for _ in range(2))
    recorded.replays = Again(works=True)
    for trained in (plain, recorded):
        trained.fit()
        assert_finite(trained)
    assert recorded.replays.works  # nothing made it give up
    assert numbers(plain.curve) == numbers(recorded.curve)
    assert same(weights(plain), weights(recorded))


def test_what_cannot_be_recorded_goes_on_as_usual(caplog: pytest.LogCaptureFixture) -> None:
    class Fails(Again):
        def _record(self, work: Any, noise: Tensor, undo: Callable[[], None] | None) -> Any:
            if undo is None:
                return super()._record(work, noise, undo)
            work(noise)  # has changed the weights by then
            raise RuntimeError("operation not permitted when stream is capturing\nand much more")

    learning = LearningConfig(exact_cap=60, exact_states=64, exact_steps=2)
    plain, recorded = (trainer(epochs=3, learning=learning) for _ in range(2))
    recorded.replays = Fails(works=True)
    with caplog.at_level(logging.WARNING):
        for trained in (plain, recorded):
            trained.fit()
    assert not recorded.replays.works
    (line,) = caplog.messages
    assert "operation not permitted" in line
    assert "much more" not in line
    assert numbers(plain.curve) == numbers(recorded.curve)
    assert same(weights(plain), weights(recorded))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("stop", Stop)
@pytest.mark.parametrize("name", ["tree_grid", "ba_2motifs"])
def test_what_is_sampled_is_what_the_plain_sampler_draws_with_the_weights_of_then(
    name: str, stop: Stop, device: str
) -> None:
    """On a GPU it comes out of a CUDA graph; without shared sets, in fixed shapes, it is drawn alike."""
    dataset = load_dataset(name)
    instances = [dataset.instance(int(i)) for i in dataset.explainable[:12]]
    config = GFNConfig(max_nodes=7, stop=stop, reward=RewardConfig())
    trained = Trainer(SubgraphPredictor(load_model(name), instances, device), config)
    episodes = trained.batches[0]
    episode = torch.arange(len(episodes), device=device)
    for seed in range(3):
        trajectories, removable = trained.sample(0, torch.Generator(device).manual_seed(seed))
        for fixed in {device == "cuda", True}:
            generator = torch.Generator(device).manual_seed(seed)
            noise = empty_noise(trained.policy, episodes, len(episode)).uniform_(generator=generator)
            options: dict[str, Any] = {"epsilon": config.epsilon, "generator": noise, "fixed": fixed}
            again = sample(trained.policy, episodes, episode, trained.reward, **options)
            assert torch.equal(trajectories.order, again.order)
            assert torch.equal(trajectories.grown, again.grown)
            assert torch.allclose(trajectories.log_forward, again.log_forward, atol=1e-4)
            assert torch.allclose(trajectories.log_reward, again.log_reward, atol=1e-4)
            assert torch.equal(removable, removable_nodes(again, config.parents))
        trained.step((trajectories, removable), 0)  # the next round must see the new weights


class Silent(TorchDispatchMode):
    """Fails where the device would be asked for an answer: that cannot be recorded."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = func.__name__.split(".")[0]
        assert name not in ("nonzero", "_local_scalar_dense", "masked_select", "unique_dim", "_unique2"), name
        if name in ("index", "index_put", "index_put_", "_index_put_impl_"):
            assert all(index is None or index.dtype is not torch.bool for index in args[1])
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize("name", TASKS)
def test_neither_sampling_nor_listed_states_ask_the_device_anything(name: str) -> None:
    trained = trainer(name, 4, learning=LearningConfig(exact_cap=300))
    assert trained.exact is not None
    episodes = trained.batches[0]
    generator = torch.Generator().manual_seed(0)
    noise = empty_noise(trained.policy, episodes, len(episodes)).uniform_(generator=generator)
    options: dict[str, Any] = {"epsilon": 0.1, "generator": noise, "fixed": True}
    with Silent():
        drawn = sample(trained.policy, episodes, torch.arange(len(episodes)), trained.reward, **options)
        removable_nodes(drawn, trained.config.parents)
        states = trained.exact.draw(torch.rand(50, dtype=torch.float64))
        loss = trained.exact.loss(trained.policy, *states, fixed=True)
        loss.backward()
    assert drawn.order.shape == (len(episodes), K)
    assert loss.item() == pytest.approx(trained.exact.loss(trained.policy, *states).item(), rel=1e-4)
