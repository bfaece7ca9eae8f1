"""Pairs in tables of fixed width give the numbers, and the gradients, of as many pairs as there are."""

from typing import Any

import pytest
import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from gfx_core.gfn.sampler import Noise, grow_then_stop
from gfx_core.gfn.settings import LearningConfig, PolicyConfig, Stop
from gfx_core.gfn.trainer import Trainer
from tests.toys.exact_policy import targets_of
from tests.toys.trainings import TASKS, K, trainer


def gradients(trained: Trainer, loss: Tensor) -> list[Tensor]:
    trained.optimizer.zero_grad(set_to_none=True)
    loss.backward()
    return [each.grad.clone() for each in trained.modules.parameters() if each.grad is not None]


def assert_same_gradients(one: list[Tensor], other: list[Tensor]) -> None:
    assert len(one) == len(other)
    scale = max(float(each.abs().max()) for each in one)
    assert scale > 0
    for a, b in zip(one, other, strict=True):
        assert torch.allclose(a, b, rtol=1e-4, atol=1e-5 * max(1.0, scale))


@pytest.mark.parametrize("stop", Stop)
@pytest.mark.parametrize("context", [False, True])
def test_listed_states_in_tables_of_fixed_width(context: bool, stop: Stop) -> None:
    trained = trainer(count=6, stop=stop, policy=PolicyConfig(context=context))
    targets, _ = targets_of(trained, trained.predictor.graphs.target.tolist(), K, 100_000)
    drawn = targets.draw(200, torch.Generator().manual_seed(0))
    plain, fixed = (
        targets.flows(trained.policy, trained.policy.encode(targets.episodes), drawn.which, drawn.states, fixed)
        for fixed in (False, True)
    )
    assert torch.equal(plain.log_out.isfinite(), fixed.log_out.isfinite())
    finite = plain.log_out.isfinite()
    assert torch.allclose(plain.log_out[finite], fixed.log_out[finite], atol=1e-5)
    sums = [flows.log_out[finite].square().mean() for flows in (plain, fixed)]
    if stop is Stop.LEARNED:
        assert torch.allclose(plain.log_stop, fixed.log_stop, atol=1e-5)  # type: ignore[arg-type]
        sums = [s + f.log_stop.square().mean() for s, f in zip(sums, (plain, fixed), strict=True)]  # type: ignore
    assert_same_gradients(gradients(trained, sums[0]), gradients(trained, sums[1]))


# Nothing is asked


class Silent(TorchDispatchMode):
    """Fails where the device would be asked for an answer: that cannot be recorded."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = func.__name__.split(".")[0]
        assert name not in ("nonzero", "_local_scalar_dense", "masked_select", "unique_dim", "_unique2"), name
        if name in ("index", "index_put", "index_put_", "_index_put_impl_"):
            assert all(each is None or each.dtype is not torch.bool for each in args[1])
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize("name", TASKS)
def test_growing_first_and_stopping_later_asks_the_device_nothing(name: str) -> None:
    trained = trainer(name, 4)
    episodes = trained.batches[0]
    noise = Noise.empty(K, len(episodes), episodes.width + 1, torch.device("cpu"))
    noise.fill(torch.Generator().manual_seed(0))
    with Silent():
        grow_then_stop(trained.policy, episodes, torch.arange(len(episodes)), trained.reward, 0.1, noise, False)


def test_listed_states_ask_the_device_nothing() -> None:
    trained = trainer(count=6, learning=LearningConfig(exact_cap=100_000))
    assert trained.exact is not None
    with Silent():
        drawn = trained.exact.pick(trained.exact.noise(50, torch.Generator().manual_seed(0)))
        trained.exact.loss(trained.policy, drawn, fixed=True).backward()
