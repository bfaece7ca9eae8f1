"""Requests answered by real processes."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from gfx_core.errors import UserError
from gfx_core.jobs.job import Client, JobCancelledError, JobError, JobState
from gfx_core.jobs.pool import Job, WorkerPool
from gfx_core.jobs.scheduler import JobLimits
from gfx_core.jobs.worker import WorkerProcess
from tests.conftest import ROOT
from tests.jobs.work_for_tests import (
    KILL,
    Breaks,
    CountCalls,
    Dies,
    Double,
    InSteps,
    LeavesAFile,
    NeverLooks,
    OddResult,
    Refuses,
    Sleeps,
    TakesAll,
    TakesLong,
    Talks,
    TalksToTheEnd,
    UnreadableResult,
    UntilCancelled,
)
from tests.patience import PATIENCE_S, until

A, B = Client("page of a", "a"), Client("page of b", "b")
Start = Callable[..., WorkerPool]


@pytest.fixture(scope="module")
def shared_pool() -> Iterator[WorkerPool]:
    """For tests that leave its worker as it was."""
    with WorkerPool(JobLimits({"cpu": 1, "cuda": 1})) as pool:
        yield pool


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts pools with one worker, which prepares nothing, and some limits; ends them."""
    with ExitStack() as stack:

        def started(limits: dict[str, Any] | None = None, **settings: Any) -> WorkerPool:
            pool = WorkerPool(JobLimits({"cpu": 1, "cuda": 1}, **(limits or {})), **settings)
            return stack.enter_context(pool)

        yield started


@pytest.fixture
def pool(start: Start) -> WorkerPool:
    return start()


def until_running(job: Job[Any]) -> None:
    until(lambda: job.status.seconds > 0)


def lives(pid: int) -> bool:
    """Whether a process is there, and has not ended unnoticed by its parent."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


# Answers


def test_a_result_from_another_process_that_stays(shared_pool: WorkerPool) -> None:
    first, second = (shared_pool.submit(Double(value)).result(PATIENCE_S) for value in (3, "ab"))
    assert (first["twice"], second["twice"]) == (6, "abab")
    assert first["pid"] == second["pid"] != os.getpid()
    points = np.random.RandomState(0).rand(200_000, 2)  # more than a pipe holds
    assert np.array_equal(shared_pool.submit(Double(points)).result(PATIENCE_S)["twice"], 2 * points)


def test_progress_words_and_eta(shared_pool: WorkerPool) -> None:
    job = shared_pool.submit(InSteps(steps=10_000, pause=0.01))
    until(lambda: job.status.share)
    status = job.status
    assert (status.state, status.words[:5]) == (JobState.RUNNING, "step ")
    assert status.eta_s == pytest.approx(status.seconds * (1 - status.share) / status.share)
    job.cancel()


def test_equal_requests_are_computed_once_until_a_file_is_replaced(start: Start, tmp_path: Path) -> None:
    pool, weights = start({"cached": 3}), tmp_path / "weights"
    request = CountCalls(str(tmp_path / "calls"), 0.2, read=str(weights))
    first, second = (pool.submit(request) for _ in range(2))
    assert (first.result(PATIENCE_S), second.result(PATIENCE_S)) == (1, 1)
    assert pool.submit(request).result(0) == 1  # cached
    weights.write_text("new")
    assert pool.submit(request).result(PATIENCE_S) == 2
    for other in "abc":
        pool.submit(Double(other)).result(PATIENCE_S)
    assert pool.submit(request).result(PATIENCE_S) == 3  # not for ever: three are cached
    jobs = [pool.submit(Sleeps(0)) for _ in range(2)]
    assert jobs[0]._work is not jobs[1]._work  # these are not shared


def test_one_of_two_may_leave_and_after_a_cancel_the_same_starts_anew(shared_pool: WorkerPool, tmp_path: Path) -> None:
    first, second = (shared_pool.submit(InSteps(steps=5)) for _ in range(2))
    first.cancel()
    assert first.state is JobState.CANCELLED
    assert second.result(PATIENCE_S) == "done"
    request = CountCalls(str(tmp_path / "calls"), wait_first=True)
    first = shared_pool.submit(request)
    until((tmp_path / "calls").is_file)  # it has counted, not only been started
    first.cancel()
    assert shared_pool.submit(request).result(PATIENCE_S) == 2


def test_answers_are_forgotten_that_nobody_has_requested_in_a_while(start: Start, tmp_path: Path) -> None:
    pool, request = start({"cached_s": 1000.0}), CountCalls(str(tmp_path / "calls"))
    job = pool.submit(request)
    assert (job.result(PATIENCE_S), pool.evict()) == (1, 0)
    job._work.requested -= 1001.0
    assert pool.submit(request).result(PATIENCE_S) == 1  # and so it is wanted again
    assert pool.evict() == 0
    job._work.requested -= 1001.0
    assert (pool.evict(), pool.evict()) == (1, 0)
    assert pool.submit(request).result(PATIENCE_S) == 2
    assert job.result() == 1  # who has it keeps it


def test_user_errors_arrive_as_they_are_and_of_others_the_log_knows_more(
    capfd: pytest.CaptureFixture[str], pool: WorkerPool, caplog: pytest.LogCaptureFixture
) -> None:
    job = pool.submit(Refuses())
    with pytest.raises(UserError, match="no node 7"):
        job.result(PATIENCE_S)
    assert job.status.sentence == Refuses().sentence
    with pytest.raises(JobError, match="ZeroDivisionError") as caught:
        pool.submit(Breaks()).result(PATIENCE_S)
    assert "secret" not in str(caught.value)
    assert "a secret detail" in capfd.readouterr().err
    with pytest.raises(JobError, match="TypeError"):
        pool.submit(OddResult()).result(PATIENCE_S)
    with pytest.raises(JobError):
        pool.submit(UnreadableResult()).result(PATIENCE_S)
    assert "AssertionError" in caplog.text


def test_an_unknown_device_is_refused(pool: WorkerPool) -> None:
    with pytest.raises(UserError, match="no device “abacus”"):
        pool.submit(Double(1, device="abacus"))


# The queue


def test_places_in_the_queue_and_cancelling_what_never_looks(pool: WorkerPool) -> None:
    running = pool.submit(NeverLooks())
    until_running(running)
    (victim,) = pool.pids
    waiting = [pool.submit(Sleeps(0)) for _ in range(3)]
    assert [job.status.place for job in waiting] == [1, 2, 3]
    waiting[0].cancel()
    assert [job.status.place for job in waiting[1:]] == [1, 2]
    running.cancel()
    assert running.state is JobState.CANCELLED
    until(lambda: not lives(victim))
    assert [job.result(PATIENCE_S) for job in waiting[1:]] == [0, 0]
    assert waiting[0].state is JobState.CANCELLED
    with pytest.raises(JobCancelledError):
        running.result()


@pytest.mark.parametrize("request_", [UntilCancelled(), InSteps(steps=10_000, pause=0.01)], ids=["looks", "reports"])
def test_one_that_looks_or_reports_keeps_its_process(start: Start, request_: Any) -> None:
    pool = start({"grace_s": PATIENCE_S})
    job = pool.submit(request_)
    until_running(job)
    (pid,) = pool.pids
    job.cancel()
    job.cancel()
    assert pool.submit(Double(1)).result(PATIENCE_S)["pid"] == pid


# The life of a worker


def test_a_death_costs_one_job_also_of_one_that_was_idle(pool: WorkerPool, caplog: pytest.LogCaptureFixture) -> None:
    jobs = [pool.submit(Double(1)), pool.submit(Dies()), pool.submit(Double(2))]
    assert jobs[0].result(PATIENCE_S)["twice"] == 2
    with pytest.raises(JobError, match="lack of memory"):
        jobs[1].result(PATIENCE_S)
    pid = jobs[2].result(PATIENCE_S)["pid"]
    os.kill(pid, KILL)
    assert pool.submit(Double(3)).result(PATIENCE_S)["pid"] != pid


def test_an_error_on_a_gpu_costs_its_process(shared_pool: WorkerPool, caplog: pytest.LogCaptureFixture) -> None:
    for device, same in (("cpu", True), ("cuda", False)):
        before = shared_pool.submit(Double(f"before {device}", device=device)).result(PATIENCE_S)["pid"]
        with pytest.raises(JobError):
            shared_pool.submit(Breaks(device=device)).result(PATIENCE_S)
        after = shared_pool.submit(Double(f"after {device}", device=device)).result(PATIENCE_S)["pid"]
        assert (before == after) is same


@pytest.mark.skipif(not hasattr(os, "nice"), reason="no such priority there")
def test_workers_stand_back_and_share_the_cores(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    answer = start({"nice": 3, "threads": 2}).submit(Double(1)).result(PATIENCE_S)
    assert (answer["nice"], answer["threads"]) == (min(19, os.nice(0) + 3), "2")


def test_while_a_worker_prepares_the_job_says_so_and_can_be_cancelled(start: Start) -> None:
    pool = start(warmups=[Sleeps(0.5)])
    first, second = (pool.submit(Double(value)) for value in (1, 2))
    assert first.status.words == "loading PyTorch"
    assert second.status.place == 2
    until(lambda: bool(pool.pids))
    (pid,) = pool.pids
    first.cancel()
    assert second.result(PATIENCE_S)["pid"] == pid


def test_a_worker_that_cannot_start_fails_who_waits(start: Start, capfd: pytest.CaptureFixture[str]) -> None:
    pool = start(warmups=[Dies()])
    for _ in range(2):
        with pytest.raises(JobError, match="could not start"):
            pool.submit(Double(1)).result(PATIENCE_S)
    assert not pool.pids
    assert start(warmups=[Breaks()]).submit(Double(1)).result(PATIENCE_S)["twice"] == 2  # it works without
    assert "a secret detail" in capfd.readouterr().err


class Dead(WorkerProcess):
    """Dies before it begins anything."""

    def receive(self, timeout: float | None = None) -> tuple[str, Any]:
        return "lost", EOFError()


def test_a_worker_that_dies_before_it_is_ready_costs_no_job(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls, deaths = tmp_path / "calls", list[Any]()
    pool = start(warmups=[CountCalls(str(calls))])
    long = pool.submit(NeverLooks())
    until_running(long)
    monkeypatch.setattr(Dead, "terminate", lambda process: (deaths.append(process), WorkerProcess.terminate(process)))
    monkeypatch.setattr("gfx_core.jobs.pool.WorkerProcess", Dead)
    short = pool.submit(Double(1, short=True))  # for which a second worker is started in vain
    until(lambda: len(deaths) == 2)
    monkeypatch.undo()
    long.cancel()
    assert short.result(PATIENCE_S)["twice"] == 2
    assert pool.submit(Double(2)).result(PATIENCE_S)["twice"] == 4
    assert set(calls.read_text()) == {"x"}


def test_an_idle_worker_warms_up_once_is_replaced_if_it_dies_of_that_and_ends(start: Start, tmp_path: Path) -> None:
    ready = [tmp_path / "first", tmp_path / "second"]
    pool = start({"warmup_s": 0.1, "idle_s": 3.0}, warmups=[*(CountCalls(str(path)) for path in ready), Dies()])
    first = pool.submit(Double(0)).result(PATIENCE_S)["pid"]
    until(lambda: all(path.is_file() for path in ready) and not lives(first))
    assert [path.read_text() for path in ready] == ["x", "x"]  # once is enough
    assert pool.submit(Double(4)).result(PATIENCE_S)["pid"] != first
    until(lambda: not pool.pids)  # idle ones end


def test_warming_up(pool: WorkerPool) -> None:
    assert not pool.has_workers
    pool.warm_up("cpu")
    assert pool.has_workers
    pool.warm_up("cpu")
    jobs = [pool.submit(Double(1)), pool.submit(Double(2))]
    assert jobs[0].result(PATIENCE_S)["pid"] == jobs[1].result(PATIENCE_S)["pid"]  # one that is warming up counts
    assert len(pool.pids) == 1
    long = pool.submit(NeverLooks())
    until_running(long)
    pool.warm_up("cpu")  # beside a long one
    until(lambda: len(pool.pids) == 2)
    pool.warm_up("cpu")
    assert pool.submit(Double(3, short=True)).result(PATIENCE_S)["twice"] == 6
    assert len(pool.pids) == 2


def test_closing_ends_everything(pool: WorkerPool) -> None:
    running, waiting = pool.submit(NeverLooks()), pool.submit(Double(1))
    until_running(running)
    pids = pool.pids
    pool.close()
    assert {running.state, waiting.state} == {JobState.CANCELLED}
    assert not any(map(lives, pids))
    with pytest.raises(UserError, match="shutting down"):
        pool.submit(Double(1))


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not hold a process to a limit")
@pytest.mark.parametrize("how", ["numpy", "torch"])
def test_one_that_wants_all_the_memory_is_told_so_and_its_process_is_replaced(
    how: str, start: Start, caplog: pytest.LogCaptureFixture
) -> None:
    pool = start({"memory": 2**28})
    before = pool.submit(Double(1)).result(PATIENCE_S)["pid"]
    with pytest.raises(JobError, match="more memory"):
        pool.submit(TakesAll(how)).result(PATIENCE_S)
    assert pool.submit(Double(2)).result(PATIENCE_S)["pid"] != before


def test_what_a_worker_leaves_in_a_temporary_folder_goes_with_it(pool: WorkerPool) -> None:
    left = Path(pool.submit(LeavesAFile()).result(PATIENCE_S))
    assert left.is_file()
    os.kill(*pool.pids, KILL)
    pool.submit(Double(1)).result(PATIENCE_S)  # by another one
    assert not left.parent.exists()
    folder = Path(pool.submit(LeavesAFile()).result(PATIENCE_S)).parent
    pool.close()
    assert not folder.exists()


_HAS_A_WORKER = """
import sys, time
from gfx_core.jobs.pool import WorkerPool
from gfx_core.jobs.scheduler import JobLimits
from tests.jobs.work_for_tests import Double, NeverLooks
pool = WorkerPool(JobLimits({"cpu": 1}))
assert pool.submit(Double(2)).result(300)["twice"] == 4
job = pool.submit(NeverLooks())
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
    job = shared_pool.submit(Talks())
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
    job = pool.submit(Talks())
    for word in ("a", "b", "die"):
        job.send({"word": word})
    with pytest.raises(JobError, match="ended"):
        job.result(PATIENCE_S)
    assert [event.get("word") for event in job.events()] == [None, "a", "b", "die"]


# Sessions that end, and time that is up


def test_a_users_jobs_end_with_the_session_unless_another_waits_for_the_same(pool: WorkerPool) -> None:
    alone = pool.submit(NeverLooks(), client=A)
    until_running(alone)
    waiting, together = pool.submit(Double("only a"), client=A), pool.submit(Double("both"), client=A)
    theirs = pool.submit(Double("both"), client=B)
    assert pool.sessions() == {A.session, B.session}
    assert pool.sessions("b") == {B.session}
    pool.end_session(A.session)
    assert {alone.state, waiting.state} == {JobState.CANCELLED}
    assert theirs.result(PATIENCE_S)["twice"] == "bothboth"
    together.cancel()  # whoever comes back late takes nothing away from others
    assert pool.sessions() == set()


def test_what_is_detached_goes_on_and_a_live_one_hears_itself_that_nobody_is_there(pool: WorkerPool) -> None:
    live = pool.submit(Talks(), client=A)
    until_running(live)
    staying = pool.submit(Double(1), client=A)
    staying.detach(True)
    pool.end_session(A.session)
    assert live.state is JobState.RUNNING
    assert staying.state is JobState.QUEUED
    with pytest.raises(UserError, match="have a training"):
        pool.submit(Talks(), client=Client("the same page, loaded again", "a"))
    pool.end_session(A.session, live=True)
    assert live.state is JobState.CANCELLED
    assert staying.result(PATIENCE_S)["twice"] == 2


def test_what_turns_out_long_counts_among_the_long_ones_of_a_user(start: Start) -> None:
    pool = start({"each_long": 3})
    running = pool.submit(NeverLooks(), client=A)
    until_running(running)
    jobs = [pool.submit(TakesLong(number), client=A) for number in range(6)]
    until(lambda: sum(job.finished for job in jobs) == 4)
    assert all("3 long computations" in job.status.sentence for job in jobs if job.finished)
    assert not pool.submit(TakesLong(0), client=B).finished  # another's are others
    running.cancel()
    assert [job.result(PATIENCE_S) for job in jobs if job.state is not JobState.FAILED] == ["after a while"] * 2


@pytest.fixture
def hasty(start: Start) -> WorkerPool:
    return start({"short_s": 0.05, "long_s": 0.05, "grace_s": 0.01})


def test_a_long_one_may_take_its_time_until_another_waits_and_a_short_one_may_not(hasty: WorkerPool) -> None:
    long = hasty.submit(NeverLooks(), client=A)
    until(lambda: long.status.seconds > 0.2)
    own = hasty.submit(Double("of the same user"), client=A)
    time.sleep(0.1)
    assert not own.status.finished
    own.cancel()  # it has no more time than others
    other = hasty.submit(Double("b"), client=B)
    with pytest.raises(JobError, match="while others waited"):
        long.result(PATIENCE_S)
    assert other.result(PATIENCE_S)["twice"] == "bb"
    with pytest.raises(JobError, match="longer than 1 s"):
        hasty.submit(NeverLooks(short=True)).result(PATIENCE_S)


def test_a_live_one_is_sent_its_stop_command_when_its_time_is_up(hasty: WorkerPool) -> None:
    live = hasty.submit(TalksToTheEnd(), client=A)
    hasty.submit(Double(1), client=B)
    assert live.result(PATIENCE_S) == ["end"]
