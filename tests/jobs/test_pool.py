"""Requests answered by real processes."""

import logging
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gfx_core.errors import UserError
from gfx_core.jobs.job import Job, JobCancelledError, JobError, JobState, WorkerDiedError
from gfx_core.jobs.pool import WorkerPool
from gfx_core.limits import LEAST_MEMORY, JobLimits
from tests.jobs.conftest import MODULES
from tests.jobs.work_for_tests import (
    Breaks,
    CountCalls,
    Dies,
    DiesAtFirst,
    DiesPreparing,
    Double,
    InSteps,
    LeavesAFile,
    NeverLooks,
    OddResult,
    Prints,
    Refuses,
    Retires,
    Ring,
    Sleeps,
    TakesAll,
    Threads,
    Turns,
    UnreadableResult,
    UntilCancelled,
)
from tests.patience import PATIENCE_S, until


def until_running(job: Job[Any]) -> None:
    until(lambda: job.status.seconds > 0)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_result_from_another_process_that_stays(pool: WorkerPool) -> None:
    first, second = (pool.submit(Double(value)).result(PATIENCE_S) for value in (3, "ab"))
    assert (first["twice"], second["twice"]) == (6, "abab")
    assert first["pid"] == second["pid"] != os.getpid()
    assert first["device"] == "cpu"


def test_arrays_come_and_go(pool: WorkerPool) -> None:
    points = np.random.RandomState(0).rand(200_000, 2)  # more than a pipe holds
    assert np.array_equal(pool.submit(Ring(points)).result(PATIENCE_S), np.roll(points, 1, axis=0))


def test_what_is_printed_does_not_disturb(pool: WorkerPool) -> None:
    assert pool.submit(Prints()).result(PATIENCE_S) == 1


def test_progress_words_and_eta(pool: WorkerPool) -> None:
    job = pool.submit(InSteps(steps=20, pause=0.05))
    until(lambda: job.status.share >= 0.5)
    status = job.status
    assert status.state is JobState.RUNNING
    assert status.words.startswith("step ")
    assert status.eta_s is not None
    assert 0 < status.eta_s <= 1.1 * status.seconds  # at least half is done
    assert job.result(PATIENCE_S) == "done"
    assert job.status.finished


def test_cancelling_what_never_looks(pool: WorkerPool) -> None:
    job = pool.submit(NeverLooks())
    until_running(job)
    (victim,) = pool.pids
    following = pool.submit(Double(1))
    job.cancel()
    assert job.state is JobState.CANCELLED
    until(lambda: not alive(victim))
    assert following.result(PATIENCE_S)["pid"] != victim
    with pytest.raises(JobCancelledError):
        job.result()


def test_one_that_looks_keeps_its_process(patient_pool: WorkerPool) -> None:
    pool = patient_pool
    job = pool.submit(UntilCancelled())
    until_running(job)
    (pid,) = pool.pids
    job.cancel()
    job.cancel()
    assert pool.submit(Double(1)).result(PATIENCE_S)["pid"] == pid


def test_a_report_ends_a_cancelled_job(patient_pool: WorkerPool) -> None:
    pool = patient_pool
    job = pool.submit(InSteps(steps=10_000, pause=0.01))
    until_running(job)
    (pid,) = pool.pids
    job.cancel()
    assert pool.submit(Double(1)).result(PATIENCE_S)["pid"] == pid


def test_places_in_the_queue(pool: WorkerPool) -> None:
    running = pool.submit(NeverLooks())
    until_running(running)
    waiting = [pool.submit(Sleeps(0)) for _ in range(3)]
    assert [job.status.place for job in waiting] == [1, 2, 3]
    waiting[0].cancel()
    assert [job.status.place for job in waiting[1:]] == [1, 2]
    running.cancel()
    assert [job.result(PATIENCE_S) for job in waiting[1:]] == [0, 0]
    assert waiting[0].state is JobState.CANCELLED


def test_short_ones_do_not_wait_for_a_long_one(pool: WorkerPool) -> None:
    long = pool.submit(NeverLooks())
    until_running(long)
    longer = pool.submit(Sleeps(0))
    assert pool.submit(Double(2), short=True).result(PATIENCE_S)["twice"] == 4
    assert longer.state is JobState.QUEUED
    assert len(pool.pids) == 2


def test_a_gpu_has_one_job_at_a_time(pool: WorkerPool) -> None:
    running = pool.submit(NeverLooks(), device="cuda")
    until_running(running)
    waiting = pool.submit(Double(2), device="cuda", short=True)
    time.sleep(0.2)
    assert waiting.status.place == 1
    assert pool.submit(Double(1)).result(PATIENCE_S)["device"] == "cpu"
    running.cancel()
    assert waiting.result(PATIENCE_S)["device"] == "cuda"


def test_equal_requests_are_computed_once(pool: WorkerPool, tmp_path: Path) -> None:
    calls = str(tmp_path / "calls")
    first, second = (pool.submit(CountCalls(calls, 0.2)) for _ in range(2))
    assert (first.result(PATIENCE_S), second.result(PATIENCE_S)) == (1, 1)
    assert pool.submit(CountCalls(calls, 0.2)).result(0) == 1  # kept
    for other in "abc":
        pool.submit(Double(other)).result(PATIENCE_S)
    assert pool.submit(CountCalls(calls, 0.2)).result(PATIENCE_S) == 2  # not for ever: three are kept


def test_one_of_two_may_leave(pool: WorkerPool) -> None:
    first, second = (pool.submit(InSteps(steps=5)) for _ in range(2))
    first.cancel()
    assert first.state is JobState.CANCELLED
    assert second.result(PATIENCE_S) == "done"


def test_after_a_cancel_the_same_starts_anew(pool: WorkerPool, tmp_path: Path) -> None:
    request = CountCalls(str(tmp_path / "calls"), wait_first=True)
    first = pool.submit(request)
    until((tmp_path / "calls").is_file)  # it has counted, not only been started
    first.cancel()
    assert pool.submit(request).result(PATIENCE_S) == 2


def test_a_replaced_file_makes_another_request(pool: WorkerPool, tmp_path: Path) -> None:
    weights = tmp_path / "weights"
    request = CountCalls(str(tmp_path / "calls"), read=str(weights))
    assert [pool.submit(request).result(PATIENCE_S) for _ in range(2)] == [1, 1]
    weights.write_text("new")
    assert pool.submit(request).result(PATIENCE_S) == 2


def test_a_request_that_is_not_shared(pool: WorkerPool) -> None:
    jobs = [pool.submit(Sleeps(0)) for _ in range(2)]
    assert jobs[0]._work is not jobs[1]._work


def test_listeners_hear_every_state(pool: WorkerPool, tmp_path: Path) -> None:
    heard: list[JobState] = []
    assert pool.submit(DiesAtFirst(str(tmp_path / "calls"), 1), listener=heard.append).result(PATIENCE_S) == 2
    assert heard == [JobState.RUNNING, JobState.QUEUED, JobState.RUNNING, JobState.DONE]


def test_user_errors_arrive_as_they_are(pool: WorkerPool) -> None:
    job = pool.submit(Refuses())
    with pytest.raises(UserError, match="There is no node 7"):
        job.result(PATIENCE_S)
    assert job.status.sentence == "There is no node 7: choose one from 0 to 6."


def test_other_errors_are_one_sentence_and_the_log_knows_more(
    pool: WorkerPool, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR), pytest.raises(JobError, match="ZeroDivisionError") as caught:
        pool.submit(Breaks()).result(PATIENCE_S)
    assert "secret" not in str(caught.value)
    assert "a secret detail" in caplog.text
    unknown = type("NotThere", (Breaks,), {})()
    for wrong in (OddResult(), unknown):
        with pytest.raises(JobError, match=r"TypeError|AttributeError"):
            pool.submit(wrong).result(PATIENCE_S)
    with pytest.raises(JobError):
        pool.submit(UnreadableResult()).result(PATIENCE_S)
    assert "AssertionError" in caplog.text


def test_a_death_costs_one_job(pool: WorkerPool, caplog: pytest.LogCaptureFixture) -> None:
    jobs = [pool.submit(Double(1)), pool.submit(Dies()), pool.submit(Double(2))]
    assert jobs[0].result(PATIENCE_S)["twice"] == 2
    with pytest.raises(JobError, match="lack of memory"):
        jobs[1].result(PATIENCE_S)
    assert jobs[2].result(PATIENCE_S)["twice"] == 4


def test_a_worker_that_died_while_idle_is_replaced(pool: WorkerPool) -> None:
    pid = pool.submit(Double(1)).result(PATIENCE_S)["pid"]
    os.kill(pid, signal.SIGKILL)
    assert pool.submit(Double(2)).result(PATIENCE_S)["pid"] != pid


def test_one_that_dies_too_often(pool: WorkerPool, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(WorkerDiedError, match="lack of memory") as died:
        pool.submit(DiesAtFirst(str(tmp_path / "calls"), 3)).result(PATIENCE_S)
    assert (died.value.tries, died.value.how) == (3, "with exit status 7")


def test_a_worker_may_retire(pool: WorkerPool) -> None:
    pid = pool.submit(Retires()).result(PATIENCE_S)
    assert pool.submit(Double(1)).result(PATIENCE_S)["pid"] != pid


def test_an_error_on_a_gpu_costs_its_process(pool: WorkerPool, caplog: pytest.LogCaptureFixture) -> None:
    for device, same in (("cpu", True), ("cuda", False)):
        before = pool.submit(Double(f"before {device}"), device=device).result(PATIENCE_S)["pid"]
        with pytest.raises(JobError):
            pool.submit(Breaks(), device=device).result(PATIENCE_S)
        after = pool.submit(Double(f"after {device}"), device=device).result(PATIENCE_S)["pid"]
        assert (before == after) is same


def test_workers_stand_back_and_share_the_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    with WorkerPool(JobLimits({"cpu": 1}, nice=3, threads=2), modules=MODULES) as pool:
        assert pool.submit(Double(1)).result(PATIENCE_S)["nice"] == min(19, os.nice(0) + 3)
        assert pool.submit(Threads()).result(PATIENCE_S) == "2"


def test_while_a_worker_prepares_the_job_says_so_and_can_be_cancelled() -> None:
    with WorkerPool(JobLimits({"cpu": 1}), prepare=Sleeps(0.5), modules=MODULES) as pool:
        first, second = (pool.submit(Double(value)) for value in (1, 2))
        assert first.status.words == "loading PyTorch"
        assert (second.status.place, second.status.words) == (2, "")
        until(lambda: bool(pool.pids))
        (pid,) = pool.pids
        first.cancel()
        assert second.result(PATIENCE_S)["pid"] == pid


def test_a_worker_that_cannot_start_fails_who_waits(caplog: pytest.LogCaptureFixture) -> None:
    pool = WorkerPool(JobLimits({"cpu": 1}), prepare=DiesPreparing(), modules=MODULES)
    for _ in range(2):
        with pytest.raises(JobError, match="No process could be started"):
            pool.submit(Double(1)).result(PATIENCE_S)
    assert not pool.pids


def test_at_leisure_a_worker_gets_ready_for_more(tmp_path: Path) -> None:
    ready = [tmp_path / "first", tmp_path / "second"]
    with WorkerPool(
        JobLimits({"cpu": 1}, warmup_s=0.2), warmups=[CountCalls(str(path)) for path in ready], modules=MODULES
    ) as pool:
        before = pool.submit(Double(0)).result(PATIENCE_S)
        until(lambda: all(path.is_file() for path in ready))
        after = pool.submit(Double(1)).result(PATIENCE_S)
        assert before["pid"] == after["pid"]
        time.sleep(0.5)
        assert [path.read_text() for path in ready] == ["x", "x"]  # once is enough


def test_a_worker_that_dies_of_getting_ready_is_replaced_by_one_that_does_not_try() -> None:
    with WorkerPool(JobLimits({"cpu": 1}, warmup_s=0.0), warmups=[Dies()], modules=MODULES) as pool:
        pool.warm_up("cpu")
        until(lambda: bool(pool.pids))
        (first,) = pool.pids
        until(lambda: bool(pool.pids) and pool.pids != (first,))
        assert pool.submit(Double(4)).result(PATIENCE_S)["pid"] != first


def test_a_crew_knows_whether_it_has_a_worker_or_starts_one() -> None:
    with WorkerPool(JobLimits({"cpu": 1}), modules=MODULES) as pool:
        assert not pool.has_workers
        pool.warm_up("cpu")
        assert pool.has_workers


def test_a_worker_that_cannot_be_prepared_works(caplog: pytest.LogCaptureFixture) -> None:
    with WorkerPool(JobLimits({"cpu": 1}), prepare=Breaks(), modules=MODULES) as pool:
        assert pool.submit(Double(1)).result(PATIENCE_S)["twice"] == 2
    assert "a secret detail" in caplog.text


def test_idle_workers_end() -> None:
    with WorkerPool(JobLimits({"cpu": 1}, idle_s=0.1), modules=MODULES) as pool:
        pool.warm_up("cpu")
        until(lambda: len(pool.pids) == 1)
        until(lambda: not pool.pids)
        assert pool.submit(Double(1)).result(PATIENCE_S)["twice"] == 2


def test_a_worker_that_is_warming_up_counts(pool: WorkerPool) -> None:
    pool.warm_up("cpu")
    pool.warm_up("cpu")
    jobs = [pool.submit(Double(1)), pool.submit(Double(2))]
    assert jobs[0].result(PATIENCE_S)["pid"] == jobs[1].result(PATIENCE_S)["pid"]
    assert len(pool.pids) == 1


def test_warming_up_beside_a_long_job(pool: WorkerPool) -> None:
    long = pool.submit(NeverLooks())
    pool.warm_up("cpu")
    until(lambda: len(pool.pids) == 2)
    until_running(long)
    pool.warm_up("cpu")
    assert pool.submit(Double(1), short=True).result(PATIENCE_S)["twice"] == 2
    assert len(pool.pids) == 2


def test_closing_ends_everything(pool: WorkerPool) -> None:
    running, waiting = pool.submit(NeverLooks()), pool.submit(Double(1))
    until_running(running)
    pids = pool.pids
    pool.close()
    assert {running.state, waiting.state} == {JobState.CANCELLED}
    assert not any(map(alive, pids))
    with pytest.raises(UserError, match="shutting down"):
        pool.submit(Double(1))


def test_many_threads_submit_at_once(pool: WorkerPool, tmp_path: Path) -> None:
    results: list[int] = []

    def ask(value: int) -> None:
        results.append(pool.submit(Double(value)).result(PATIENCE_S)["twice"])

    threads = [threading.Thread(target=ask, args=(value % 5,)) for value in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == sorted(2 * (value % 5) for value in range(40))


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not hold a process to a limit")
@pytest.mark.parametrize("how", ["small", "large", "torch"])
def test_one_that_wants_all_the_memory_is_told_so_and_its_process_is_replaced(
    how: str, caplog: pytest.LogCaptureFixture
) -> None:
    with WorkerPool(JobLimits({"cpu": 1}, memory=2**28), modules=MODULES) as pool:
        before = pool.submit(Double(1)).result(PATIENCE_S)["pid"]
        with pytest.raises(JobError, match="needs more memory than one computation may have here"):
            pool.submit(TakesAll(how)).result(PATIENCE_S)
        assert pool.submit(Double(2)).result(PATIENCE_S)["pid"] != before


def test_a_worker_may_have_what_the_largest_work_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    for there, most in ((2**30, LEAST_MEMORY), (2**40, 2**38), (0, LEAST_MEMORY)):
        monkeypatch.setattr("gfx_core.limits.machine_memory", lambda there=there: there)
        assert JobLimits().memory == most


def test_what_a_worker_leaves_in_a_temporary_folder_goes_with_it(pool: WorkerPool) -> None:
    left = Path(pool.submit(LeavesAFile()).result(PATIENCE_S))
    assert left.is_file()
    os.kill(*pool.pids, signal.SIGKILL)
    pool.submit(Double(1)).result(PATIENCE_S)  # by another one
    assert not left.parent.exists()
    folder = Path(pool.submit(LeavesAFile()).result(PATIENCE_S)).parent
    pool.close()
    assert not folder.exists()


def test_bad_requests(pool: WorkerPool) -> None:
    with pytest.raises(UserError, match="no device “abacus”"):
        pool.submit(Double(1), device="abacus")
    with pytest.raises(TypeError, match="cannot be sent"):
        pool.submit(Double(object()))
    running = pool.submit(NeverLooks())
    until_running(running)
    for _ in range(100):
        pool.submit(Sleeps(0))
    with pytest.raises(UserError, match="100 computations are waiting"):
        pool.submit(Sleeps(0))


def test_a_short_job_that_takes_long_waits_among_the_long_ones() -> None:
    seen: list[JobState] = []
    with WorkerPool(JobLimits({"cpu": 1}), modules=MODULES) as pool:
        before = pool.submit(UntilCancelled())
        until_running(before)
        job = pool.submit(Turns(), listener=seen.append)
        until(lambda: seen == [JobState.RUNNING, JobState.QUEUED])
        assert pool.submit(Double(3), short=True).result(PATIENCE_S)["twice"] == 6  # its place is free again
        assert not job.finished
        before.cancel()
        assert job.result(PATIENCE_S) == "after a while"
        assert seen == [JobState.RUNNING, JobState.QUEUED, JobState.RUNNING, JobState.DONE]


def test_answers_are_forgotten_that_nobody_has_asked_for_in_a_while(tmp_path: Path) -> None:
    request = CountCalls(str(tmp_path / "calls"))
    with WorkerPool(JobLimits({"cpu": 1}, cached_s=1000.0), modules=MODULES) as pool:
        job = pool.submit(request)
        assert (job.result(PATIENCE_S), pool.evict()) == (1, 0)
        job._work.requested -= 1001.0
        assert pool.submit(request).result(PATIENCE_S) == 1  # and so it is wanted again
        assert pool.evict() == 0
        job._work.requested -= 1001.0
        assert (pool.evict(), pool.evict()) == (1, 0)
        assert pool.submit(request).result(PATIENCE_S) == 2
        assert job.result() == 1  # who has it keeps it
