"""Whose turn it is, who may wait, and for how long: without processes."""

import random
from collections.abc import Sequence
from itertools import count

import pytest

from gfx_core.errors import UserError
from gfx_core.jobs.job import NO_CLIENT, Client, JobState, Work
from gfx_core.jobs.scheduler import Scheduler
from gfx_core.limits import JobLimits
from tests.jobs.work_for_tests import Double, NeverLooks, Talks

NUMBERS = count(1)
A, B, C = (Client(f"page of {name}", name) for name in "abc")


def work(*clients: Client, short: bool = False, device: str = "cpu", seconds: float | None = None) -> Work:
    """One that waits or, with seconds, has run for so long."""
    number = next(NUMBERS)
    made = Work(number, Double(number), b"", str(number), device, short, position=number, clients=list(clients))
    if seconds is not None:
        made.state = JobState.RUNNING
        made.begin(100.0 - seconds)
    return made


def scheduler(*waiting: Work, limits: JobLimits | None = None) -> Scheduler:
    made = Scheduler(limits or JobLimits({"cpu": 2, "cuda": 1}))
    made.waiting += waiting
    return made


def one_by_one(waiting: Sequence[Work], rounds: dict[str, int]) -> list[str]:
    """The slow reference: again and again, of those who have had the fewest rounds, the one who came first."""
    left, order = list(waiting), []
    while left:
        first = min(left, key=lambda each: (rounds.get(each.clients[0].user, 0), each.position))
        rounds[first.clients[0].user] = rounds.get(first.clients[0].user, 0) + 1
        left.remove(first)
        order.append(first.key)
    return order


@pytest.mark.parametrize("seed", range(20))
def test_everybody_in_turn(seed: int) -> None:
    draw = random.Random(seed)
    waiting = [work(draw.choice((A, B, C))) for _ in range(12)]
    running = [work(draw.choice((A, B, C)), seconds=1.0) for _ in range(2)]
    rounds = {who: sum(each.clients[0].user == who for each in running) for who in "abc"}
    assert [each.key for each in scheduler(*waiting).order("cpu", running)] == one_by_one(waiting, rounds)


def test_whoever_was_served_longest_ago_or_has_least_going_is_next() -> None:
    first, second, third = work(A), work(A), work(B)
    queue = scheduler(first, second, third)
    queue.start(first, [])
    assert queue.order("cpu", []) == [third, second]  # also when nothing of A's runs any more
    tabs = [work(Client(f"tab {number}", "a"), short=True) for number in range(108)]
    other = work(B, short=True)
    assert scheduler(*tabs, other).order("cpu", [])[1] is other
    waiting = [work(A), work(A), work(A, B)]  # what two wait for has the better place
    assert scheduler(*waiting).order("cpu", []) == [waiting[0], waiting[2], waiting[1]]
    waiting = [work(NO_CLIENT) for _ in range(5)]
    assert scheduler(*waiting[::-1]).order("cpu", []) == waiting


def test_short_and_long_ones_have_places_of_their_own() -> None:
    limits = JobLimits({"cpu": 2}, spare=1)
    short, long = [work(A, short=True) for _ in range(4)], [work(B) for _ in range(3)]
    assert scheduler(*short, limits=limits).ready("cpu", []) == short[:3]  # nobody else wants them
    assert scheduler(*short, *long, limits=limits).ready("cpu", []) == [short[0], *long[:2]]
    busy = [work(C, seconds=1.0), work(C, seconds=1.0)]
    assert scheduler(*short, *long, limits=limits).ready("cpu", busy) == short[:1]
    assert scheduler(*long, limits=limits).ready("cpu", busy) == []


def test_on_a_gpu_short_ones_overtake_but_not_for_ever() -> None:
    long, other = work(A, device="cuda"), work(B, device="cuda")
    queue = scheduler(long, other, limits=JobLimits({"cuda": 1}, overtakes=2))
    for _ in range(2):
        short = work(B, short=True, device="cuda")
        queue.waiting.append(short)
        assert queue.ready("cuda", []) == [short]
        queue.start(short, [])
    queue.waiting.append(work(B, short=True, device="cuda"))
    assert queue.ready("cuda", []) == [long]


def test_one_training_and_a_few_more_each() -> None:
    limits = JobLimits({"cpu": 1}, each_long=2, each_short=3)
    queue = scheduler(work(A), work(A), *(work(A, short=True) for _ in range(3)), limits=limits)
    with pytest.raises(UserError, match="2 long computations of yours are running or waiting already"):
        queue.admit(NeverLooks(), False, A, [])
    with pytest.raises(UserError, match="3 computations of yours are running or waiting already"):
        queue.admit(Double(1), True, Client("another tab", "a"), [])
    with pytest.raises(UserError, match="2 long computations of yours"):
        queue.admit(NeverLooks(), False, C, [work(C, seconds=1.0), work(C, seconds=2.0)])
    queue.admit(NeverLooks(), False, B, [])
    training = work(B, seconds=1.0)
    training.request = Talks()
    with pytest.raises(UserError, match="One training of yours is going already"):
        queue.admit(Talks(), False, B, [training])
    queue.admit(NeverLooks(), False, B, [training])
    queue.admit(Talks(), False, C, [training])
    training.finish(None, None)
    queue.admit(Talks(), False, B, [training])


def test_a_full_queue_is_full_for_its_kind_only_and_never_of_one_address() -> None:
    limits = JobLimits({"cpu": 1}, waiting=2, waiting_short=4)
    queue = scheduler(work(A), work(B), limits=limits)
    with pytest.raises(UserError, match="2 computations are waiting already"):
        queue.admit(NeverLooks(), False, C, [])
    queue.admit(Double(1), True, C, [])
    queue.waiting += [work(Client(name, name, "10.0.0.7"), short=True) for name in ("invented", "names")]
    with pytest.raises(UserError, match="4 computations are waiting already"):
        queue.admit(Double(1), True, Client("one more", "one more", "10.0.0.7"), [])
    queue.admit(Double(1), True, Client("page", "d", "10.0.0.8"), [])


def test_how_long_it_takes_until_it_starts() -> None:
    waiting = [work(A), work(B), work(C)]
    queue = scheduler(*waiting, limits=JobLimits({"cpu": 1}, spare=1))
    assert queue.expected_s(work(A, short=True)) < 10 < queue.expected_s(waiting[0])  # as long as none was measured
    queue.record(waiting[0], 10.0)
    running = [work(C, seconds=4.0), work(B, short=True, seconds=0.0)]
    assert [queue.wait_s(each, running, 100.0) for each in waiting] == [6.0, 16.0, 26.0]
    running[0].progress(0.5, "", 98.0)
    running[0].progress(0.75, "", 100.0)  # it says itself that 2 s are left
    assert queue.wait_s(waiting[0], running, 100.0) == pytest.approx(2.0)
    queue.record(waiting[0], 20.0)
    assert queue.expected_s(waiting[0]) == pytest.approx(13.0)


def test_the_wait_before_sixty_trainings_is_not_that_of_sixty_explanations() -> None:
    waiting = [work(Client(f"page {number}", str(number))) for number in range(61)]
    for each in waiting:
        each.expected_s = 8.0
    queue = scheduler(*waiting, limits=JobLimits({"cpu": 1}))
    short = work(A, short=True)
    for _ in range(100):  # of the same kind, as an explanation is that needs no training
        queue.record(short, 0.2)
    assert queue.wait_s(waiting[60], [], 100.0) == pytest.approx(480.0)
    queue.record(waiting[0], 10.0)
    assert queue.wait_s(waiting[60], [], 100.0) == pytest.approx(600.0)
    larger, on_gpu = work(A), work(A, device="cuda")
    larger.expected_s, on_gpu.expected_s = 100.0, 8.0
    assert queue.expected_s(larger) == 100.0  # none of its size was measured
    assert queue.expected_s(on_gpu) == 8.0
    queue.record(larger, 300.0)
    assert queue.wait_s(waiting[60], [], 100.0) == pytest.approx(600.0)


def test_short_ones_also_have_what_long_ones_leave() -> None:
    waiting = [work(A, short=True) for _ in range(4)]
    queue = scheduler(*waiting, limits=JobLimits({"cpu": 2}, spare=1))
    queue.record(waiting[0], 3.0)
    running = [work(B, short=True, seconds=0.0) for _ in range(3)]
    assert [queue.wait_s(each, running, 100.0) for each in waiting] == [3.0, 3.0, 3.0, 6.0]
    queue.waiting.append(work(C))
    assert [queue.wait_s(each, running, 100.0) for each in waiting[:3]] == [3.0, 3.0, 6.0]


def test_nobody_is_remembered_for_ever() -> None:
    queue = scheduler()
    for number in range(300):
        one = work(Client(f"page {number}", f"visitor {number}"))
        queue.waiting.append(one)
        queue.start(one, [])
    assert len(queue._served) <= 111


@pytest.mark.parametrize("seed", range(5))
def test_how_a_job_stands_is_what_is_told_one_by_one(seed: int) -> None:
    draw = random.Random(seed)
    waiting = [
        work(draw.choice((A, B, C)), short=draw.random() < 0.7, device=draw.choice(("cpu", "cpu", "cuda")))
        for _ in range(15)
    ]
    running = [work(draw.choice((A, B, C)), device=device, seconds=1.0) for device in ("cpu", "cuda")]
    queue = scheduler(*waiting)
    for each in waiting:
        place, wait_s = queue.queue_position(each, running, 100.0)
        assert place == 1 + queue.order(each.device, running).index(each)
        ready = each in queue.ready(each.device, running)
        assert wait_s == (None if ready else queue.wait_s(each, running, 100.0))
