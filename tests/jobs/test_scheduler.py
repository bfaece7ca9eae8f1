"""Whose turn it is, who may wait, and for how long: without processes."""

import random
from collections.abc import Sequence
from itertools import count
from typing import Any

import pytest

from gfx_core.errors import UserError
from gfx_core.jobs.job import NO_CLIENT, Client, JobState, Work
from gfx_core.jobs.scheduler import JobLimits, Scheduler
from tests.jobs.work_for_tests import Double, NeverLooks, Talks

NUMBERS = count(1)
A, B, C = (Client(f"page of {name}", name) for name in "abc")


def work(*clients: Client, short: bool = False, device: str = "cpu", seconds: float | None = None) -> Work:
    """One that waits or, with seconds, has run for so long."""
    number = next(NUMBERS)
    one = Work(Double(number), device, short, number, str(number), list(clients))
    if seconds is not None:
        one.state = JobState.RUNNING
        one.started = 100.0 - seconds
    return one


def scheduler(*waiting: Work, **limits: Any) -> Scheduler:
    queue = Scheduler(JobLimits({"cpu": 2, "cuda": 1}, **limits))
    queue.waiting += waiting
    return queue


def one_by_one(waiting: Sequence[Work], rounds: dict[str, int]) -> list[str]:
    """The slow reference: again and again, of those who have had the fewest rounds, the one who came first."""
    left, order = list(waiting), []
    while left:
        first = min(left, key=lambda one: (rounds.get(one.clients[0].user, 0), one.position))
        rounds[first.clients[0].user] = rounds.get(first.clients[0].user, 0) + 1
        left.remove(first)
        order.append(first.key)
    return order


@pytest.mark.parametrize("seed", range(10))
def test_users_take_turns(seed: int) -> None:
    draw = random.Random(seed)
    waiting = [work(draw.choice((A, B, C))) for _ in range(12)]
    running = [work(draw.choice((A, B, C)), seconds=1.0) for _ in range(2)]
    rounds = {user: sum(one.clients[0].user == user for one in running) for user in "abc"}
    assert [one.key for one in scheduler(*waiting).queue("cpu", False, running)] == one_by_one(waiting, rounds)


def test_the_user_who_was_served_longest_ago_is_next() -> None:
    first, second, third = work(A), work(A), work(B)
    queue = scheduler(first, second, third)
    queue.start(first)
    assert queue.queue("cpu", False, []) == [third, second]  # also when nothing of A's runs any more
    tabs = [work(Client(f"tab {number}", "a"), short=True) for number in range(108)]
    other = work(B, short=True)
    assert scheduler(*tabs, other).queue("cpu", True, [])[1] is other
    waiting = [work(A), work(A), work(A, B)]  # what two wait for has the better place
    assert scheduler(*waiting).queue("cpu", False, []) == [waiting[0], waiting[2], waiting[1]]
    waiting = [work(NO_CLIENT) for _ in range(5)]
    assert scheduler(*waiting[::-1]).queue("cpu", False, []) == waiting


def test_users_are_not_remembered_for_ever() -> None:
    queue = scheduler()
    for number in range(1200):
        one = work(Client(f"page {number}", f"visitor {number}"))
        queue.waiting.append(one)
        queue.start(one)
    assert len(queue._served) <= 1000


def test_short_and_long_ones_have_places_of_their_own() -> None:
    short, long = [work(A, short=True) for _ in range(4)], [work(B) for _ in range(3)]
    assert scheduler(*short, spare=1).ready("cpu", []) == short[:3]  # no long one wants them
    assert scheduler(*short, *long, spare=1).ready("cpu", []) == [short[0], *long[:2]]
    busy = [work(C, seconds=1.0), work(C, seconds=1.0)]
    assert scheduler(*short, *long, spare=1).ready("cpu", busy) == short[:1]
    assert scheduler(*long, spare=1).ready("cpu", busy) == []


def test_one_training_and_a_few_more_for_each_user() -> None:
    queue = scheduler(work(A), work(A), *(work(A, short=True) for _ in range(3)), each_long=2, each_short=3)
    with pytest.raises(UserError, match="2 long computations"):
        queue.admit(NeverLooks(), False, A, [])
    with pytest.raises(UserError, match="3 computations"):
        queue.admit(Double(1), True, Client("another tab", "a"), [])
    with pytest.raises(UserError, match="2 long computations"):
        queue.admit(NeverLooks(), False, C, [work(C, seconds=1.0), work(C, seconds=2.0)])
    queue.admit(NeverLooks(), False, B, [])
    training = work(B, seconds=1.0)
    training.request = Talks()
    with pytest.raises(UserError, match="have a training"):
        queue.admit(Talks(), False, B, [training])
    queue.admit(NeverLooks(), False, B, [training])
    queue.admit(Talks(), False, C, [training])
    training.finish(None, None, 0.0)
    queue.admit(Talks(), False, B, [training])


def test_a_full_queue_is_full_for_its_kind_only_and_never_of_one_address() -> None:
    queue = scheduler(work(A), work(B), waiting=2, waiting_short=4)
    with pytest.raises(UserError, match="2 computations"):
        queue.admit(NeverLooks(), False, C, [])
    queue.admit(Double(1), True, C, [])
    queue.waiting += [work(Client(name, name, "10.0.0.7"), short=True) for name in ("invented", "names")]
    with pytest.raises(UserError, match="4 computations"):
        queue.admit(Double(1), True, Client("one more", "one more", "10.0.0.7"), [])
    queue.admit(Double(1), True, Client("page", "d", "10.0.0.8"), [])


def test_how_long_it_takes_until_it_starts() -> None:
    waiting, limits = [work(A), work(B), work(C)], JobLimits({"cpu": 1}, spare=1)
    queue = Scheduler(limits)
    queue.waiting += waiting
    for _ in range(50):
        queue.record(waiting[0], 10.0)
        queue.record(work(A, short=True), 3.0)
    running = [work(C, seconds=4.0), work(B, short=True, seconds=0.0)]
    positions = [(place, pytest.approx(10.0 * place)) for place in (1, 2, 3)]
    assert [queue.queue_position(one, running) for one in waiting] == positions
    queue, short = Scheduler(limits), [work(A, short=True) for _ in range(3)]
    queue.waiting += short  # they also have what long ones leave
    busy = [work(B, short=True, seconds=0.0) for _ in range(2)]
    assert [queue.queue_position(one, busy)[1] for one in short] == [2.0, 2.0, 4.0]
    assert queue.queue_position(short[0], []) == (1, None)  # but for a worker
