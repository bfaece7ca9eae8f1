"""A recorded training against a plain one; on the CPU a stand-in does the work again instead of replaying it."""

import logging
from collections.abc import Callable
from typing import Any

import pytest
import torch

from gfx_core.gfn import captured, captures
from gfx_core.gfn.pairs import Room
from gfx_core.gfn.settings import LearningConfig, Loss, Parents, PolicyConfig, Stop
from gfx_core.gfn.trainer import Trainer
from tests.toys.trainings import TASKS, assert_finite, numbers, same, trainer, weights


class Again:
    """Stands in for what is recorded."""

    made = 0

    def __init__(self, work: Callable[[], Any], undo: Callable[[], None] | None = None, pool: Any = None) -> None:
        type(self).made += 1
        work()
        if undo is not None:
            undo()
        self._work = work

    def __call__(self) -> Any:
        return self._work()


@pytest.fixture(autouse=True)
def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(captured, "Recorded", Again)
    monkeypatch.setattr(captures, "_new_pool", object)


def pair(name: str, count: int = 6, **options: Any) -> tuple[Trainer, Trainer]:
    plain, recorded = (trainer(name, count, epochs=4, **options) for _ in range(2))
    recorded._captures.samples = True
    for each in (plain, recorded):
        each.fit()
        assert_finite(each)
    assert recorded._captures.samples  # nothing made it give up
    return plain, recorded


def assert_alike(plain: Trainer, recorded: Trainer) -> None:
    """A locator is compared by what it gives: what its weights add to the scores of all nodes, a softmax takes out.

    The gradient of that is rounding alone, and Adam makes steps of it as large as of any other.
    """
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


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("stop", Stop)
@pytest.mark.parametrize("loss", [Loss.FLOW_MATCHING, Loss.TRAJECTORY_BALANCE_CONDITIONAL])
def test_recorded_steps_do_what_plain_ones_do(name: str, loss: Loss, stop: Stop) -> None:
    assert_alike(*pair(name, loss=loss, stop=stop, batch_size=8))


WAYS = {
    "several steps": {"steps_per_batch": 3},
    "one part": {"parts": 1},
    "listed states": {"exact_cap": 100_000, "exact_states": 64},
    "listed states, often": {"exact_cap": 100_000, "exact_states": 64, "steps_per_batch": 3},
    "some listed states": {"exact_cap": 60, "exact_states": 64, "steps_per_batch": 2},
    "some listed states, often": {"exact_cap": 60, "exact_states": 64, "exact_steps": 2},
}


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_learn(name: str, way: str) -> None:
    assert_alike(*pair(name, learning=LearningConfig(**WAYS[way])))


@pytest.mark.parametrize("parents", [Parents.SEQUENCE, Parents.GRAPH])
def test_other_parents(parents: Parents) -> None:
    assert_alike(*pair("tree_cycles", parents=parents))


def test_the_papers_network() -> None:
    assert_alike(*pair("tree_cycles", stop=Stop.LEARNED, policy=PolicyConfig(context=False)))


def test_each_batch_is_recorded_once() -> None:
    Again.made = 0
    pair("tree_cycles", 6, batch_size=2)
    assert Again.made == 3 * 2  # three batches: how they are sampled, and learned from


def test_too_little_room_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then the epoch is done again with more."""
    rooms: list[Room] = []
    original = Room.for_counts

    def tight(counts: list[int]) -> Room:
        rooms.append(Room(*(count // 2 + 1 for count in counts)) if len(rooms) < 2 else original(counts))
        return rooms[-1]

    monkeypatch.setattr(captures.Room, "for_counts", tight)
    assert_alike(*pair("tree_cycles"))
    assert len(rooms) == 3


def test_what_cannot_be_recorded_goes_on_as_usual(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    class Fails(Again):
        def __init__(self, work: Callable[[], Any], undo: Any = None, pool: Any = None) -> None:
            work()  # has changed the weights by then
            if undo is not None:
                raise RuntimeError("operation not permitted when stream is capturing\nand much more")
            super().__init__(work)

    monkeypatch.setattr(captured, "Recorded", Fails)
    plain, recorded = trainer(epochs=3), trainer(epochs=3)
    recorded._captures.samples = True
    with caplog.at_level(logging.WARNING):
        for each in (plain, recorded):
            each.fit()
    assert not recorded._captures.samples
    (line,) = caplog.messages
    assert "operation not permitted" in line
    assert "much more" not in line
    assert numbers(plain.curve) == numbers(recorded.curve)
    assert same(weights(plain), weights(recorded))


def test_full_memory_is_no_reason_to_give_up_recording(monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(Again):
        def __init__(self, *given: Any, **named: Any) -> None:
            if type(self).made < 1:
                type(self).made += 1
                raise torch.OutOfMemoryError("out of memory")
            super().__init__(*given, **named)

    monkeypatch.setattr(captured, "Recorded", Full)
    Full.made = 0
    recorded, small = trainer(count=6, batch_size=6), trainer(count=6, batch_size=3)
    recorded._captures.samples = True
    recorded.fit()
    small.fit()
    assert [len(batch) for batch in recorded.batches] == [3, 3]
    assert recorded._captures.samples
    assert_alike(small, recorded)
