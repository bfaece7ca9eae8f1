"""A recorded training against a plain one; on the CPU a stand-in does the work again instead of replaying it."""

import logging
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from gfx_core import load_dataset, load_model
from gfx_core.gfn import cuda_graphs
from gfx_core.gfn.sampler import Noise, grow_then_stop, parent_nodes, sample
from gfx_core.gfn.settings import GFNConfig, LearningConfig, Stop
from gfx_core.gfn.trainer import Trainer
from gfx_core.gnn.predict import SubgraphPredictor
from tests.toys.trainings import TASKS, K, assert_finite, numbers, same, trainer, weights

DEVICES = ["cpu", "cuda"] if torch.cuda.is_available() else ["cpu"]


class Again:
    """Stands in for what is recorded."""

    def __init__(self, work: Callable[[], Any], undo: Callable[[], None] | None = None, pool: Any = None) -> None:
        work()
        if undo is not None:
            undo()
        self._work = work

    def __call__(self) -> Any:
        return self._work()


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch) -> type[cuda_graphs.Recorder]:
    """Lets a training on the CPU be recorded by the stand-in."""
    monkeypatch.setattr(cuda_graphs, "CudaGraph", Again)
    monkeypatch.setattr(torch.cuda, "graph_pool_handle", object)
    return cuda_graphs.Recorder


def assert_alike(plain: Trainer, recorded: Trainer) -> None:
    """A locator is compared by what it gives: what its weights add to the scores of all nodes, a softmax takes out."""
    assert torch.allclose(
        torch.tensor(numbers(plain.curve)), torch.tensor(numbers(recorded.curve)), rtol=1e-3, atol=1e-3
    )
    one, other = weights(plain), weights(recorded)
    learned = [name for name in one if not name.startswith("locator.")]
    assert all(torch.allclose(one[name], other[name], rtol=1e-2, atol=2e-3) for name in learned)
    if plain.locator is not None and recorded.locator is not None:
        for number in range(len(plain.predictor.graphs)):
            starts = [each.locator.probabilities(each.predictor, number) for each in (plain, recorded)]
            assert torch.allclose(*starts, atol=1e-4)


WAYS: dict[str, dict[str, Any]] = {
    "several steps": {"learning": LearningConfig(steps_per_batch=3), "batch_size": 8},
    "one part, learned STOP": {"learning": LearningConfig(parts=1), "stop": Stop.LEARNED},
    "some listed states": {"learning": LearningConfig(exact_cap=60, exact_states=64, exact_steps=2)},
}


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("way", WAYS)
def test_recorded_work_does_what_plain_work_does(name: str, way: str, recorder: type[cuda_graphs.Recorder]) -> None:
    plain, recorded = (trainer(name, 6, epochs=4, **WAYS[way]) for _ in range(2))
    works = recorder(recorded)
    for each in (plain, recorded):
        each.fit()
        assert_finite(each)
    assert works.works  # nothing made it give up
    assert_alike(plain, recorded)


def test_what_cannot_be_recorded_goes_on_as_usual(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, recorder: type[cuda_graphs.Recorder]
) -> None:
    class Fails(Again):
        def __init__(self, work: Callable[[], Any], undo: Any = None, pool: Any = None) -> None:
            work()  # has changed the weights by then
            if undo is not None:
                raise RuntimeError("operation not permitted when stream is capturing\nand much more")
            super().__init__(work)

    monkeypatch.setattr(cuda_graphs, "CudaGraph", Fails)
    learning = LearningConfig(exact_cap=60, exact_states=64, exact_steps=2)
    plain, recorded = (trainer(epochs=3, learning=learning) for _ in range(2))
    works = recorder(recorded)
    with caplog.at_level(logging.WARNING):
        for each in (plain, recorded):
            each.fit()
    assert not works.works
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
    """On a GPU it comes out of a CUDA graph."""
    dataset = load_dataset(name)
    instances = [dataset.instance(int(i)) for i in dataset.explainable[:12]]
    subject = Trainer(SubgraphPredictor(load_model(name), instances, device), GFNConfig(max_nodes=7, stop=stop))
    episodes = subject.batches[0]
    each = torch.arange(len(episodes), device=device)
    for seed in range(3):
        trajectories, parents = subject.sample(episodes, torch.Generator(device).manual_seed(seed))
        generator = torch.Generator(device).manual_seed(seed)
        again = sample(
            subject.policy, episodes, each, subject.reward, epsilon=subject.config.epsilon, generator=generator
        )
        assert torch.equal(trajectories.order, again.order)
        assert torch.allclose(trajectories.log_forward, again.log_forward, atol=1e-4)
        assert torch.equal(parents, parent_nodes(again, subject.config.parents))
        subject.step(trajectories, parents)  # the next round must see the new weights


class Silent(TorchDispatchMode):
    """Fails where the device would be asked for an answer: that cannot be recorded."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = func.__name__.split(".")[0]
        assert name not in ("nonzero", "_local_scalar_dense", "masked_select", "unique_dim", "_unique2"), name
        if name in ("index", "index_put", "index_put_", "_index_put_impl_"):
            assert all(each is None or each.dtype is not torch.bool for each in args[1])
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize("name", TASKS)
def test_neither_growing_first_nor_listed_states_ask_the_device_anything(name: str) -> None:
    trained = trainer(name, 4, learning=LearningConfig(exact_cap=300))
    assert trained.exact is not None
    episodes = trained.batches[0]
    noise = Noise.empty(K, len(episodes), episodes.width + 1, torch.device("cpu")).fill(torch.Generator())
    with Silent():
        grow_then_stop(trained.policy, episodes, torch.arange(len(episodes)), trained.reward, 0.1, noise, False)
        drawn = trained.exact.pick(torch.rand(50, dtype=torch.float64))
        loss = trained.exact.loss(trained.policy, drawn, fixed=True)
        loss.backward()
    assert loss.item() == pytest.approx(trained.exact.loss(trained.policy, drawn, fixed=False).item(), rel=1e-4)
