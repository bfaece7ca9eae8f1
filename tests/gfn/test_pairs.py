"""Pairs in a fixed room give the numbers, and the gradients, of as many pairs as there are."""

from typing import Any

import pytest
import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from gfx_core.gfn.pairs import Pairs, Room
from gfx_core.gfn.policy import pair_masks
from gfx_core.gfn.sampler import Draws, grow_then_stop
from gfx_core.gfn.settings import LearningConfig, Loss, Parents, PolicyConfig, Stop
from gfx_core.gfn.states import States
from gfx_core.gfn.trainer import Trainer
from tests.toys.exact_policy import targets_of
from tests.toys.trainings import TASKS, K, trainer


@pytest.mark.parametrize("room", [1, 7, 60, 200])
@pytest.mark.parametrize("density", [0.0, 0.3, 1.0])
def test_pairs_in_a_room(density: float, room: int) -> None:
    mask = torch.rand(9, 7, generator=torch.Generator().manual_seed(room)) < density
    pairs, plain = Pairs.of(mask, room), Pairs.of(mask)
    assert pairs.real is not None
    assert len(pairs) == room
    kept = min(room, len(plain))
    assert int(pairs.real.sum()) == kept
    assert torch.equal(pairs.state[pairs.real], plain.state[:kept])
    assert torch.equal(pairs.node[pairs.real], plain.node[:kept])
    if room < len(plain):
        return
    values = torch.randn(room, generator=torch.Generator().manual_seed(1))
    assert torch.equal(pairs.table(values), plain.table(values[:kept]))
    rows = values[:, None] * torch.arange(3)
    assert torch.allclose(pairs.summed(rows), plain.summed(rows[:kept]), atol=1e-6)


def test_room() -> None:
    room = Room.for_counts([0, 300, 5000])
    assert room.holds([0, 300, 5000])
    assert not room.holds([0, 300, 50000])


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


def assert_fixed_is_the_same(name: str, spare: int = 256, **options: Any) -> None:
    trained = trainer(name, 4, epochs=3, **options)
    trained.fit()
    trajectories, parents = trained.sample(trained.batches[0], torch.Generator().manual_seed(3))
    assert bool((trajectories.order < 0).any())  # there is something to leave out
    states = States.along(trajectories.episodes, trajectories.episode, trajectories.order, K)
    masks = pair_masks(states, parents.flatten(0, 1), trajectories.visited.flatten())
    counts = [int(mask.sum()) for mask in masks]
    room = Room(*(count + spare for count in counts))
    plain, fixed = trained.loss(trajectories, parents), trained.loss(trajectories, parents, room)
    assert fixed.rows is not None
    assert fixed.rows.tolist() == counts
    assert torch.allclose(plain.loss, fixed.loss, rtol=1e-5, atol=1e-5)
    assert torch.allclose(plain.residual, fixed.residual, rtol=1e-5, atol=1e-5)
    assert torch.allclose(plain.log_reward, fixed.log_reward, atol=1e-5)
    assert_same_gradients(gradients(trained, plain.loss), gradients(trained, fixed.loss))


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("stop", Stop)
@pytest.mark.parametrize("loss", Loss)
def test_every_objective_in_a_room(name: str, loss: Loss, stop: Stop) -> None:
    assert_fixed_is_the_same(name, loss=loss, stop=stop)


@pytest.mark.parametrize("parents", Parents)
@pytest.mark.parametrize("spare", [0, 1, 5000])
def test_every_kind_of_parents_in_a_room(parents: Parents, spare: int) -> None:
    assert_fixed_is_the_same("tree_cycles", spare, parents=parents)


@pytest.mark.parametrize("name", TASKS)
def test_a_floor_in_a_room(name: str) -> None:
    assert_fixed_is_the_same(name, delta=0.5)


@pytest.mark.parametrize("stop", Stop)
def test_the_papers_network_in_a_room(stop: Stop) -> None:
    assert_fixed_is_the_same("tree_cycles", stop=stop, policy=PolicyConfig(context=False))


@pytest.mark.parametrize("stop", Stop)
@pytest.mark.parametrize("context", [False, True])
def test_listed_states_in_tables_of_fixed_width(context: bool, stop: Stop) -> None:
    trained = trainer(count=6, stop=stop, policy=PolicyConfig(context=context))
    targets, _ = targets_of(trained, trained.predictor.graphs.target.tolist(), K, 100_000)
    drawn = targets.draw(200, torch.Generator().manual_seed(0))
    plain, fixed = (
        targets.flows_at(trained.policy, trained.policy.encode(targets.episodes), drawn, fixed)
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
@pytest.mark.parametrize("stop", Stop)
@pytest.mark.parametrize("loss", [Loss.FLOW_MATCHING, Loss.TRAJECTORY_BALANCE_CONDITIONAL])
def test_a_loss_in_a_room_asks_the_device_nothing(name: str, loss: Loss, stop: Stop) -> None:
    trained = trainer(name, 4, loss=loss, stop=stop)
    trajectories, parents = trained.sample(trained.batches[0], torch.Generator().manual_seed(3))
    with Silent():
        trained.loss(trajectories, parents, Room(2000, 2000, 2000)).loss.backward()
    with pytest.raises(AssertionError), Silent():
        trained.loss(trajectories, parents)


@pytest.mark.parametrize("name", TASKS)
def test_growing_first_and_stopping_later_asks_the_device_nothing(name: str) -> None:
    trained = trainer(name, 4)
    episodes = trained.batches[0]
    draws = Draws.empty(K, len(episodes), episodes.width + 1, torch.device("cpu"))
    draws.fill(torch.Generator().manual_seed(0))
    with Silent():
        grow_then_stop(trained.policy, episodes, torch.arange(len(episodes)), trained.reward, 0.1, draws)


def test_listed_states_ask_the_device_nothing() -> None:
    trained = trainer(count=6, learning=LearningConfig(exact_cap=100_000))
    assert trained.exact is not None
    with Silent():
        drawn = trained.exact.pick(trained.exact.luck(50, torch.Generator().manual_seed(0)))
        trained.exact.loss(trained.policy, drawn, fixed=True).backward()
