"""Whose turn it is and who may wait: without processes."""

import random
from collections.abc import Sequence
from itertools import count
from typing import Any

import pytest

from gfx_core.errors import UserError
from gfx_core.jobs.job import NO_CLIENT, Client, Work
from gfx_core.jobs.scheduler import JobLimits, Scheduler
from tests.jobs.work_for_tests import call

NUMBERS = count(1)
A, B, C = (Client(f"page of {name}", name) for name in "abc")


def work(*clients: Client, long: bool = True) -> Work:
    number = str(next(NUMBERS))
    return Work(call("double", value=number), number, "cpu", long, clients=list(clients))


def scheduler(*waiting: Work, running: Sequence[Work] = (), **limits: Any) -> Scheduler:
    """One with jobs that started in their order, and jobs that came in theirs."""
    queue = Scheduler(JobLimits({"cpu": 2}, **limits))
    for one in (*running, *waiting):
        queue.add(one)
        if one in running:
            queue.start(one)
    return queue


def one_by_one(waiting: Sequence[Work], rounds: dict[str, int]) -> list[str]:
    """The slow reference: again and again, of those who have had the fewest rounds, the one who came first."""
    left, order = list(waiting), []
    while left:
        first = min(left, key=lambda one: rounds.get(one.clients[0].user, 0))
        rounds[first.clients[0].user] = rounds.get(first.clients[0].user, 0) + 1
        left.remove(first)
        order.append(first.key)
    return order


@pytest.mark.parametrize("seed", range(10))
def test_users_take_turns(seed: int) -> None:
    draw = random.Random(seed)
    running, waiting = [work(A), work(B)], [work(draw.choice((A, B, C))) for _ in range(12)]
    queue = scheduler(*waiting, running=running)
    assert [one.key for one in queue.queue("cpu", long=True)] == one_by_one(waiting, {"a": 1, "b": 1})


def test_who_comes_late_waits_a_round_and_no_more() -> None:
    tabs = [work(Client(f"tab {number}", "a"), long=False) for number in range(108)]
    other = work(B, long=False)
    queue = scheduler(*tabs, other)
    assert queue.queue("cpu", long=False)[1] is other
    for one in tabs[:50]:
        queue.start(one)
        queue.running.remove(one)
    late, again = work(C, long=False), work(B, long=False)
    queue.add(late)
    queue.add(again)
    assert [queue.position(one) for one in (other, late, again, tabs[50])] == [1, 2, 3, 4]
    waiting = [work(NO_CLIENT) for _ in range(5)]
    assert scheduler(*waiting).queue("cpu", long=True) == waiting
    assert queue.position(tabs[0]) == 0


def test_short_and_long_ones_have_places_of_their_own() -> None:
    short, long = [work(A, long=False) for _ in range(4)], [work(B) for _ in range(3)]
    assert scheduler(*short, spare=1).ready("cpu") == short[:3]  # no long one wants them
    assert scheduler(*short, *long, spare=1).ready("cpu") == [short[0], *long[:2]]
    assert scheduler(*short, *long, spare=1, running=[work(C), work(C)]).ready("cpu") == short[:1]
    assert scheduler(*long, spare=1, running=[work(C), work(C)]).ready("cpu") == []


def test_a_user_has_some_and_a_full_queue_is_never_of_one_address() -> None:
    queue = scheduler(work(A), work(A, long=False), running=[work(A)], user=3)
    with pytest.raises(UserError, match="3 computations"):
        queue.admit(Client("another tab", "a"))
    queue.admit(B)
    queue.running[0].finish(None, None)
    queue.admit(A)
    invented = [Client(name, name, "10.0.0.7") for name in ("invented", "names")]
    queue = scheduler(work(A), *map(work, invented), waiting=4)
    with pytest.raises(UserError, match="4 computations"):
        queue.admit(Client("one more", "one more", "10.0.0.7"))
    queue.admit(Client("page", "d", "10.0.0.8"))
    queue.add(work(B))
    with pytest.raises(UserError, match="4 computations"):
        queue.admit(C)
