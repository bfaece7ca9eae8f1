"""Jobs in real processes."""

import logging
import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from gfx_core.errors import UserError
from gfx_core.jobs.job import Job, JobCancelledError, JobError, JobState
from gfx_core.jobs.server import JobServer
from tests.jobs.conftest import WORK, Submit

PATIENCE_S = 20.0


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, "it did not come"
        time.sleep(0.01)


def until_running(job: Job) -> None:
    until(lambda: job.status.seconds > 0)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_result_from_another_process_that_stays(submit: Submit) -> None:
    first, second = (submit("double", value=value).result(PATIENCE_S) for value in (3, "ab"))
    assert (first["twice"], second["twice"]) == (6, "abab")
    assert first["pid"] == second["pid"] != os.getpid()
    assert first["device"] == "cpu"


def test_arrays_come_and_go(submit: Submit) -> None:
    points = np.random.RandomState(0).rand(200_000, 2)  # more than a pipe holds
    assert np.array_equal(submit("ring", points=points).result(PATIENCE_S), np.roll(points, 1, axis=0))


def test_what_is_printed_does_not_disturb(submit: Submit) -> None:
    assert submit("prints").result(PATIENCE_S) == 1


def test_progress_words_and_eta(submit: Submit) -> None:
    job = submit("in_steps", steps=20, pause=0.05)
    until(lambda: job.status.share >= 0.5)
    status = job.status
    assert status.state is JobState.RUNNING
    assert status.words.startswith("step ")
    assert status.eta_s is not None
    assert 0.1 < status.eta_s < 2
    assert job.result(PATIENCE_S) == "done"
    assert job.status.finished


def test_cancelling_what_never_looks(submit: Submit, server: JobServer) -> None:
    job = submit("never_looks")
    until_running(job)
    (victim,) = server.pids
    following = submit("double", value=1)
    began = time.monotonic()
    job.cancel()
    assert job.state is JobState.CANCELLED
    until(lambda: not alive(victim))
    assert time.monotonic() - began < 1
    assert following.result(PATIENCE_S)["pid"] != victim
    with pytest.raises(JobCancelledError):
        job.result()


def test_one_that_looks_keeps_its_process(submit: Submit, server: JobServer) -> None:
    job = submit("until_cancelled")
    until_running(job)
    (pid,) = server.pids
    job.cancel()
    job.cancel()
    assert submit("double", value=1).result(PATIENCE_S)["pid"] == pid


def test_a_report_ends_a_cancelled_job(submit: Submit, server: JobServer) -> None:
    job = submit("in_steps", steps=10_000, pause=0.01)
    until_running(job)
    (pid,) = server.pids
    job.cancel()
    assert submit("double", value=1).result(PATIENCE_S)["pid"] == pid


def test_places_in_the_queue(submit: Submit) -> None:
    running = submit("never_looks")
    until_running(running)
    waiting = [submit("sleeps", seconds=0) for _ in range(3)]
    assert [job.status.place for job in waiting] == [1, 2, 3]
    waiting[0].cancel()
    assert [job.status.place for job in waiting[1:]] == [1, 2]
    running.cancel()
    assert [job.result(PATIENCE_S) for job in waiting[1:]] == [0, 0]
    assert waiting[0].state is JobState.CANCELLED


def test_short_ones_do_not_wait_for_a_long_one(submit: Submit, server: JobServer) -> None:
    long = submit("never_looks")
    until_running(long)
    longer = submit("sleeps", seconds=0)
    assert submit("double", value=2, short=True).result(PATIENCE_S)["twice"] == 4
    assert longer.state is JobState.QUEUED
    assert len(server.pids) == 2


def test_a_gpu_has_one_job_at_a_time(submit: Submit, server: JobServer) -> None:
    running = submit("never_looks", device="cuda")
    until_running(running)
    waiting = submit("double", value=1, device="cuda", short=True)
    time.sleep(0.2)
    assert waiting.status.place == 1
    assert submit("double", value=1).result(PATIENCE_S)["device"] == "cpu"
    running.cancel()
    assert waiting.result(PATIENCE_S)["device"] == "cuda"


def test_the_same_key_is_computed_once(submit: Submit, tmp_path: Path) -> None:
    calls = str(tmp_path / "calls")
    first, second = (submit("count_calls", file=calls, seconds=0.2, key="same") for _ in range(2))
    assert (first.result(PATIENCE_S), second.result(PATIENCE_S)) == (1, 1)
    assert submit("count_calls", file=calls, key="same").result(0) == 1  # kept
    for other in "abc":
        submit("double", value=other, key=other).result(PATIENCE_S)
    assert submit("count_calls", file=calls, key="same").result(PATIENCE_S) == 2  # not for ever: three are kept


def test_one_of_two_may_leave(submit: Submit) -> None:
    first, second = (submit("in_steps", steps=5, key="same") for _ in range(2))
    first.cancel()
    assert first.state is JobState.CANCELLED
    assert second.result(PATIENCE_S) == "done"


def test_after_a_cancel_the_same_key_starts_anew(submit: Submit) -> None:
    first = submit("until_cancelled", key="same")
    until_running(first)
    first.cancel()
    again = submit("double", value=1, key="same")
    assert again.result(PATIENCE_S)["twice"] == 2


def test_user_errors_arrive_as_they_are(submit: Submit) -> None:
    job = submit("refuses", key="refused")
    with pytest.raises(UserError, match="There is no node 7"):
        job.result(PATIENCE_S)
    assert job.status.sentence == "There is no node 7: choose one from 0 to 6."


def test_other_errors_are_one_sentence_and_the_log_knows_more(
    submit: Submit, server: JobServer, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR), pytest.raises(JobError, match="ZeroDivisionError") as caught:
        submit("breaks").result(PATIENCE_S)
    assert "secret" not in str(caught.value)
    assert "a secret detail" in caplog.text
    for wrong in ("odd_result", "not_there"):
        with pytest.raises(JobError):
            submit(wrong).result(PATIENCE_S)


def test_a_death_costs_one_job(submit: Submit, caplog: pytest.LogCaptureFixture) -> None:
    jobs = [submit("double", value=1), submit("dies"), submit("double", value=2)]
    assert jobs[0].result(PATIENCE_S)["twice"] == 2
    with pytest.raises(JobError, match="lack of memory"):
        jobs[1].result(PATIENCE_S)
    assert jobs[2].result(PATIENCE_S)["twice"] == 4


def test_a_worker_that_died_while_idle_is_replaced(submit: Submit, server: JobServer) -> None:
    pid = submit("double", value=1).result(PATIENCE_S)["pid"]
    os.kill(pid, signal.SIGKILL)
    assert submit("double", value=1).result(PATIENCE_S)["pid"] != pid


def test_while_a_worker_prepares_the_job_says_so_and_can_be_cancelled() -> None:
    server = JobServer(limits={"cpu": 1}, prepare=f"{WORK}:prepares")
    first, second = (server.submit(f"{WORK}:double", {"value": 1}, device="cpu") for _ in range(2))
    assert first.status.words == "loading PyTorch"
    assert (second.status.place, second.status.words) == (2, "")
    until(lambda: bool(server.pids))
    (pid,) = server.pids
    first.cancel()
    assert second.result(PATIENCE_S)["pid"] == pid
    server.close()


def test_a_worker_that_cannot_start_fails_who_waits(caplog: pytest.LogCaptureFixture) -> None:
    server = JobServer(limits={"cpu": 1}, prepare=f"{WORK}:dies_preparing")
    for _ in range(2):
        with pytest.raises(JobError, match="No process could be started"):
            server.submit(f"{WORK}:double", {"value": 1}, device="cpu").result(PATIENCE_S)
    assert not server.pids


def test_idle_workers_end() -> None:
    server = JobServer(limits={"cpu": 1}, prepare="", idle_s=0.1)
    server.warm_up("cpu")
    until(lambda: len(server.pids) == 1)
    until(lambda: not server.pids)
    assert server.submit(f"{WORK}:double", {"value": 1}, device="cpu").result(PATIENCE_S)["twice"] == 2
    server.close()


def test_a_worker_that_is_warming_up_counts(server: JobServer, submit: Submit) -> None:
    server.warm_up("cpu")
    server.warm_up("cpu")
    jobs = [submit("double", value=1), submit("double", value=1)]
    assert jobs[0].result(PATIENCE_S)["pid"] == jobs[1].result(PATIENCE_S)["pid"]
    assert len(server.pids) == 1


def test_warming_up_beside_a_long_job(server: JobServer, submit: Submit) -> None:
    long = submit("never_looks")
    server.warm_up("cpu")
    until(lambda: len(server.pids) == 2)
    until_running(long)
    server.warm_up("cpu")
    assert submit("double", value=1, short=True).result(PATIENCE_S)["twice"] == 2
    assert len(server.pids) == 2


def test_closing_ends_everything(submit: Submit, server: JobServer) -> None:
    running, waiting = submit("never_looks"), submit("double", value=1)
    until_running(running)
    pids = server.pids
    server.close()
    assert {running.state, waiting.state} == {JobState.CANCELLED}
    until(lambda: not any(map(alive, pids)))
    with pytest.raises(UserError, match="shutting down"):
        submit("double", value=1)


def test_many_threads_submit_at_once(submit: Submit, tmp_path: Path) -> None:
    results: list[int] = []

    def ask(value: int) -> None:
        results.append(submit("double", value=value, key=str(value % 5)).result(PATIENCE_S)["twice"])

    threads = [threading.Thread(target=ask, args=(value % 5,)) for value in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == sorted(2 * (value % 5) for value in range(40))


def test_bad_requests(submit: Submit, server: JobServer) -> None:
    with pytest.raises(UserError, match="no device “abacus”"):
        submit("double", value=1, device="abacus")
    with pytest.raises(TypeError, match="cannot be sent"):
        submit("double", value=object())
    running = submit("never_looks")
    until_running(running)
    for _ in range(100):
        submit("sleeps", seconds=0)
    with pytest.raises(UserError, match="100 computations are waiting"):
        submit("sleeps", seconds=0)
