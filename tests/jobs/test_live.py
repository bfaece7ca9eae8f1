"""Requests that talk while they are answered."""

import pytest

from gfx_core.job_context import JobContext
from gfx_core.jobs.job import JobError, JobState
from gfx_core.jobs.pool import WorkerPool
from tests.jobs.test_pool import until_running
from tests.jobs.work_for_tests import Double, NeverLooks, Talks
from tests.patience import PATIENCE_S, until


def test_events_and_commands_in_order(pool: WorkerPool) -> None:
    job = pool.submit(Talks())
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


def test_live_requests_are_never_shared_and_wait_like_others(pool: WorkerPool) -> None:
    running = pool.submit(NeverLooks())
    until_running(running)
    jobs = [pool.submit(Talks()) for _ in range(2)]
    assert [job.status.place for job in jobs] == [1, 2]
    for number, job in enumerate(jobs):
        job.send({"word": f"for {number}"})
        job.send({"word": "end"})
    running.cancel()
    assert [job.result(PATIENCE_S) for job in jobs] == [["for 0", "end"], ["for 1", "end"]]


def test_a_killed_worker_loses_nothing_that_was_emitted(pool: WorkerPool, caplog: pytest.LogCaptureFixture) -> None:
    job = pool.submit(Talks())
    for word in ("a", "b", "die"):
        job.send({"word": word})
    with pytest.raises(JobError, match="ended from outside"):
        job.result(PATIENCE_S)
    assert [event.get("word") for event in job.events()] == [None, "a", "b", "die"]
    assert pool.submit(Double(1)).result(PATIENCE_S)["twice"] == 2


def test_cancelling_one_that_listens(pool: WorkerPool) -> None:
    job = pool.submit(Talks())
    until(lambda: bool(job.events()))
    job.cancel()
    job.send({"word": "nobody hears it"})
    assert job.state is JobState.CANCELLED
    assert job.events()[0] == {"is": "ready"}  # what was said stays
    assert pool.submit(Double(1)).result(PATIENCE_S)["twice"] == 2


def test_without_a_crew_nobody_listens() -> None:
    job = JobContext()
    job.emit({"is": "nothing"})
    assert job.commands() == []
