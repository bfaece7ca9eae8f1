"""Requests answered by real processes."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from gfx_core.errors import UserError
from gfx_core.jobs import pool as pools
from gfx_core.jobs.job import Client, JobCancelledError, JobError, JobState
from gfx_core.jobs.pool import Job, WorkerPool
from gfx_core.jobs.scheduler import JobLimits
from tests.conftest import ROOT
from tests.jobs.work_for_tests import KILL, call, live
from tests.patience import PATIENCE_S, until

A, B = Client("page of a", "a"), Client("page of b", "b")
Start = Callable[..., WorkerPool]


@pytest.fixture(scope="module")
def shared_pool() -> Iterator[WorkerPool]:
    """For tests that leave its worker as it was."""
    with WorkerPool(JobLimits({"cpu": 1, "cuda": 1}, spare=0)) as pool:
        yield pool


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts pools with one worker for long jobs and one for short ones, and some limits; ends them."""
    with ExitStack() as stack:

        def started(limits: dict[str, Any] | None = None, **settings: Any) -> WorkerPool:
            pool = WorkerPool(JobLimits({"cpu": 1, "cuda": 1}, **(limits or {})), **settings)
            return stack.enter_context(pool)

        yield started


@pytest.fixture
def pool(start: Start) -> WorkerPool:
    return start()


@pytest.fixture
def single(start: Start) -> WorkerPool:
    return start({"spare": 0})


def until_running(job: Job[Any], long: bool = False) -> None:
    until(lambda: job.status.seconds > 0 and job._work.long is long)


def lives(pid: int) -> bool:
    """Whether a process is there, and has not ended unnoticed by its parent."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def twice(pool: WorkerPool, value: Any, **arguments: Any) -> Any:
    return pool.submit(call("double", value=value, **arguments)).result(PATIENCE_S)["twice"]


def pid(pool: WorkerPool, value: Any) -> int:
    """Of the process that computes something new."""
    return int(pool.submit(call("double", value=value)).result(PATIENCE_S)["pid"])


# Answers


def test_a_result_from_another_process_that_stays(shared_pool: WorkerPool) -> None:
    assert (twice(shared_pool, 3), twice(shared_pool, "ab")) == (6, "abab")
    assert pid(shared_pool, 4) == pid(shared_pool, 5) != os.getpid()
    points = np.random.RandomState(0).rand(200_000, 2)  # more than a pipe holds
    assert np.array_equal(twice(shared_pool, points), 2 * points)


def test_progress_words_and_eta(shared_pool: WorkerPool) -> None:
    job = shared_pool.submit(call("in_steps", steps=10_000, pause=0.01))
    until(lambda: job.status.share)
    status = job.status
    assert (status.state, status.words[:5]) == (JobState.RUNNING, "step ")
    assert status.eta_s == pytest.approx(status.seconds * (1 - status.share) / status.share)
    job.cancel()


def test_equal_requests_are_computed_once_until_a_file_is_replaced(start: Start, tmp_path: Path) -> None:
    pool, weights = start({"answers": 3}), tmp_path / "weights"
    request = replace(call("count_calls", file=str(tmp_path / "calls"), seconds=0.2), files=(weights,))
    first, second = (pool.submit(request) for _ in range(2))
    assert (first.result(PATIENCE_S), second.result(PATIENCE_S)) == (1, 1)
    assert pool.submit(request).result(0) == 1  # kept
    assert pool.submit(replace(request, turn="again")).result(PATIENCE_S) == 2
    weights.write_text("new")
    assert pool.submit(request).result(PATIENCE_S) == 3
    for other in "abc":
        twice(pool, other)
    assert pool.submit(request).result(PATIENCE_S) == 4  # not for ever: three are kept


def test_one_of_two_may_leave_and_after_a_cancel_the_same_starts_anew(shared_pool: WorkerPool, tmp_path: Path) -> None:
    first, second = (shared_pool.submit(call("in_steps", steps=5)) for _ in range(2))
    first.cancel()
    assert first.status.state is JobState.CANCELLED
    assert second.result(PATIENCE_S) == "done"
    request = call("count_calls", file=str(tmp_path / "calls"), wait_first=True)
    first = shared_pool.submit(request)
    until((tmp_path / "calls").is_file)  # it has counted, not only been started
    first.cancel()
    assert shared_pool.submit(request).result(PATIENCE_S) == 2


def test_user_errors_arrive_as_they_are_and_of_others_the_log_knows_more(
    capfd: pytest.CaptureFixture[str], pool: WorkerPool, caplog: pytest.LogCaptureFixture
) -> None:
    job = pool.submit(call("refuses"))
    with pytest.raises(UserError, match="no node 7"):
        job.result(PATIENCE_S)
    assert "no node 7" in job.status.sentence
    with pytest.raises(JobError, match="ZeroDivisionError") as caught:
        pool.submit(call("breaks")).result(PATIENCE_S)
    assert "secret" not in str(caught.value)
    assert "a secret detail" in capfd.readouterr().err
    with pytest.raises(JobError, match="TypeError"):
        pool.submit(call("odd_result")).result(PATIENCE_S)
    with pytest.raises(JobError):
        pool.submit(call("unreadable_result")).result(PATIENCE_S)
    assert "AssertionError" in caplog.text


# The queue


def test_places_in_the_queue_and_cancelling_what_never_looks(single: WorkerPool) -> None:
    running = single.submit(call("never_looks"))
    until_running(running)
    (victim,) = single.pids
    waiting = [single.submit(call("sleeps", seconds=number / 100)) for number in range(3)]
    assert [job.status.position for job in waiting] == [1, 2, 3]
    waiting[0].cancel()
    assert [job.status.position for job in waiting[1:]] == [1, 2]
    running.cancel()
    assert running.status.state is JobState.CANCELLED
    until(lambda: not lives(victim))
    assert [job.result(PATIENCE_S) for job in waiting[1:]] == [0.01, 0.02]
    assert waiting[0].status.state is JobState.CANCELLED
    with pytest.raises(JobCancelledError):
        running.result()


@pytest.mark.parametrize("name", ["until_cancelled", "in_steps"])
def test_one_that_looks_or_reports_keeps_its_process(name: str, start: Start) -> None:
    pool = start({"grace_s": PATIENCE_S, "spare": 0})
    job = pool.submit(call(name))
    until_running(job)
    (before,) = pool.pids
    job.cancel()
    job.cancel()
    assert pid(pool, 1) == before


def test_what_takes_long_waits_for_its_place_and_short_ones_for_nothing(pool: WorkerPool) -> None:
    running = pool.submit(call("never_looks", long=True), A)
    until_running(running, long=True)
    until(lambda: len(pool.pids) == 2)  # at once, for short ones
    long = [pool.submit(call("double", value=value, long=True), B) for value in "ab"]
    until(lambda: all(job._work.long and job.status.state is JobState.QUEUED for job in long))
    assert twice(pool, 1) == 2
    running.cancel()
    assert [job.result(PATIENCE_S)["twice"] for job in long] == ["aa", "bb"]


# The life of a worker


def test_a_death_costs_one_job_also_of_one_that_was_idle(single: WorkerPool, caplog: pytest.LogCaptureFixture) -> None:
    jobs = [single.submit(call("double", value=1)), single.submit(call("dies")), single.submit(call("double", value=2))]
    assert jobs[0].result(PATIENCE_S)["twice"] == 2
    with pytest.raises(JobError, match="lack of memory"):
        jobs[1].result(PATIENCE_S)
    before = jobs[2].result(PATIENCE_S)["pid"]
    os.kill(before, KILL)
    assert pid(single, 3) != before


def test_an_error_on_a_gpu_costs_its_process(shared_pool: WorkerPool, caplog: pytest.LogCaptureFixture) -> None:
    for device, same in (("cpu", True), ("cuda", False)):

        def here(value: str, device: str = device) -> int:
            request = replace(call("double", value=value), device=device)
            return int(shared_pool.submit(request).result(PATIENCE_S)["pid"])

        before = here("before")
        with pytest.raises(JobError):
            shared_pool.submit(replace(call("breaks"), device=device)).result(PATIENCE_S)
        assert (here("after") == before) is same


@pytest.mark.skipif(not hasattr(os, "nice"), reason="no such priority there")
def test_workers_stand_back_and_share_the_cores(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setattr("gfx_core.jobs.worker.cores", lambda: 7)
    answer = start({"nice": 3}).submit(call("double", value=1)).result(PATIENCE_S)
    assert (answer["nice"], answer["threads"]) == (min(19, os.nice(0) + 3), "6")


def test_while_a_worker_prepares_the_job_says_so_and_can_be_cancelled(start: Start) -> None:
    pool = start({"spare": 0, "grace_s": PATIENCE_S}, warmups=[call("sleeps", seconds=0.5)])
    first, second = (pool.submit(call("double", value=value)) for value in (1, 2))
    until(lambda: first.status.words == "loading PyTorch")
    assert second.status.position == 1
    first.cancel()
    assert second.result(PATIENCE_S)["pid"] in pool.pids


def test_a_worker_that_cannot_start_fails_who_waits(
    start: Start, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    assert twice(start(warmups=[call("breaks")]), 1) == 2  # it works without
    assert "a secret detail" in capfd.readouterr().err
    with pytest.raises(JobError, match="system ended"):
        twice(start(warmups=[call("dies")]), 1)

    def full(*_: object) -> None:
        raise OSError("no memory")

    monkeypatch.setattr(pools, "WorkerProcess", full)
    pool = start()
    with pytest.raises(JobError, match="could not start"):
        twice(pool, 1)
    monkeypatch.undo()
    assert twice(pool, 1) == 2


def test_an_idle_worker_warms_up_once_is_replaced_if_it_dies_of_that_and_ends(start: Start, tmp_path: Path) -> None:
    ready = [tmp_path / "first", tmp_path / "second"]
    warmups = [*(call("count_calls", file=str(path)) for path in ready), call("dies")]
    pool = start({"idle_s": 8.0}, warmups=warmups)
    first = pid(pool, 0)
    until(lambda: all(path.is_file() for path in ready) and not lives(first))
    assert [path.read_text() for path in ready] == ["x", "x"]  # once is enough
    assert pid(pool, 4) != first
    until(lambda: not pool.pids)  # idle ones end


def test_warming_up(pool: WorkerPool) -> None:
    assert not pool.pids
    pool.warm_up()
    pool.warm_up()
    until(lambda: len(pool.pids) == 1)
    assert pool.pids == (pid(pool, 1),)


def test_closing_ends_everything(single: WorkerPool) -> None:
    running, waiting = single.submit(call("never_looks")), single.submit(call("double", value=1))
    until_running(running)
    pids = single.pids
    single.close()
    assert {running.status.state, waiting.status.state} == {JobState.CANCELLED}
    assert not any(map(lives, pids))
    with pytest.raises(UserError, match="shutting down"):
        single.submit(call("double", value=1))


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not hold a process to a limit")
@pytest.mark.parametrize("how", ["numpy", "torch"])
def test_one_that_wants_all_the_memory_is_told_so_and_its_process_is_replaced(
    how: str, start: Start, caplog: pytest.LogCaptureFixture
) -> None:
    pool = start({"memory": 2**28})
    before = pid(pool, 1)
    with pytest.raises(JobError, match="more memory"):
        pool.submit(call("takes_all", how=how)).result(PATIENCE_S)
    assert pid(pool, 2) != before


def test_what_a_worker_leaves_in_a_temporary_folder_goes_with_it(single: WorkerPool) -> None:
    left = Path(single.submit(call("leaves_a_file")).result(PATIENCE_S))
    assert left.is_file()
    os.kill(*single.pids, KILL)
    twice(single, 1)  # by another one
    assert not left.parent.exists()
    folder = Path(single.submit(replace(call("leaves_a_file"), turn="again")).result(PATIENCE_S)).parent
    single.close()
    assert not folder.exists()


_HAS_A_WORKER = """
import sys, time
from gfx_core.jobs.pool import WorkerPool
from gfx_core.jobs.scheduler import JobLimits
from tests.jobs.work_for_tests import call
pool = WorkerPool(JobLimits({"cpu": 1}, spare=0))
assert pool.submit(call("double", value=2)).result(300)["twice"] == 4
job = pool.submit(call("never_looks"))
while not job.status.seconds:
    time.sleep(0.01)
print(*pool.pids, flush=True)
time.sleep(600)
"""


def test_a_parent_needs_no_torch_and_its_workers_end_with_it_when_it_is_killed() -> None:
    command = [sys.executable, "-c", _HAS_A_WORKER]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        worker = int(parent.stdout.readline())
        assert lives(worker)
        parent.kill()
    until(lambda: not lives(worker))


# Live jobs


def test_events_and_commands_in_order(shared_pool: WorkerPool) -> None:
    job = shared_pool.submit(live(call("talks")))
    words = [f"word {number}" for number in range(300)]
    for word in words:  # some before it has a process, some while it runs
        job.send({"word": word})
    until(lambda: len(job.events()) == 301)
    assert job.events()[0] == {"is": "ready"}
    assert [event["word"] for event in job.events(1)] == words
    assert job.events(300) == [{"is": "heard", "word": "word 299", "number": 300}]
    job.send({"word": "end"})
    assert job.result(PATIENCE_S) == [*words, "end"]
    job.send({"word": "too late"})
    assert len(job.events()) == 302


def test_a_killed_worker_loses_nothing_that_was_emitted(pool: WorkerPool, caplog: pytest.LogCaptureFixture) -> None:
    job = pool.submit(live(call("talks")))
    for word in ("a", "b", "die"):
        job.send({"word": word})
    with pytest.raises(JobError, match="ended"):
        job.result(PATIENCE_S)
    assert [event.get("word") for event in job.events()] == [None, "a", "b", "die"]


# Sessions that end, and time that is up


def test_a_users_jobs_end_with_the_session_unless_another_waits_for_the_same(single: WorkerPool) -> None:
    alone, both = single.submit(call("never_looks"), A), call("double", value="both")
    until_running(alone)
    waiting, together = single.submit(call("double", value="only a"), A), single.submit(both, A)
    theirs = single.submit(both, B)
    single.end_session(A.session)
    assert {alone.status.state, waiting.status.state} == {JobState.CANCELLED}
    assert theirs.result(PATIENCE_S)["twice"] == "bothboth"
    together.cancel()  # whoever comes back late takes nothing away from others


def test_a_live_one_outlives_its_page_and_another_of_its_user_takes_its_place(pool: WorkerPool) -> None:
    old, other = (pool.submit(live(call("talks"), client.user), client) for client in (A, B))
    until_running(old)
    pool.end_session(A.session)
    assert old.status.state is JobState.RUNNING
    new = pool.submit(live(call("talks"), "new"), Client("the same page, loaded again", "a"))
    assert old.status.state is JobState.CANCELLED
    assert not other.finished
    new.send({"word": "end"})
    assert new.result(PATIENCE_S) == ["end"]


@pytest.fixture
def hasty(start: Start) -> WorkerPool:
    return start({"short_s": 1.0, "long_s": 0.05, "grace_s": 0.01})


def test_a_long_one_may_take_its_time_until_another_waits_and_a_short_one_may_not(hasty: WorkerPool) -> None:
    long = hasty.submit(call("never_looks", long=True), A)
    until(lambda: long._work.long and long.status.seconds > 0.2)
    own = hasty.submit(call("double", value="of the same user", long=True), A)
    time.sleep(0.1)
    assert {job.finished for job in (long, own)} == {False}
    own.cancel()  # it has no more time than others
    other = hasty.submit(call("double", value="b", long=True), B)
    with pytest.raises(JobError, match="while others waited"):
        long.result(PATIENCE_S)
    assert other.result(PATIENCE_S)["twice"] == "bb"
    for request in (call("never_looks"), replace(call("sleeps", seconds=9.0), limit_s=0.1)):
        with pytest.raises(JobError, match="longer than 1 s"):
            hasty.submit(request).result(PATIENCE_S)


def test_a_live_one_is_sent_its_stop_command_when_its_time_is_up(hasty: WorkerPool) -> None:
    stopping = hasty.submit(live(call("talks")), A)
    assert stopping.result(PATIENCE_S) == ["end"]
