"""Jobs of visitors who leave, and jobs whose time is up: by real processes."""

from collections.abc import Iterator

import pytest

from gfx_core.errors import UserError
from gfx_core.jobs.job import Client, JobState, TimeUpError
from gfx_core.jobs.pool import WorkerPool
from gfx_core.limits import JobLimits
from tests.jobs.conftest import MODULES
from tests.jobs.test_pool import alive, until_running
from tests.jobs.work_for_tests import Double, NeverLooks, NeverLooksAtAClock, Talks, TalksToTheEnd, Turns
from tests.patience import PATIENCE_S, until

A, B = Client("page of a", "a"), Client("page of b", "b")


def test_a_visitors_jobs_end_with_the_visit_unless_somebody_waits_for_the_same(pool: WorkerPool) -> None:
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


def test_what_was_asked_to_go_on_goes_on_and_a_live_one_hears_itself_that_nobody_is_there(pool: WorkerPool) -> None:
    live = pool.submit(Talks(), client=A)
    until_running(live)
    staying = pool.submit(Double(1), client=A)
    staying.detach(True)
    pool.end_session(A.session)
    assert live.state is JobState.RUNNING
    assert staying.state is JobState.QUEUED
    with pytest.raises(UserError, match="One training of yours"):
        pool.submit(Talks(), client=Client("the same page, loaded again", "a"))
    pool.end_session(A.session, live=True)
    assert live.state is JobState.CANCELLED
    assert staying.result(PATIENCE_S)["twice"] == 2


def test_what_turns_out_long_counts_among_the_long_ones_of_a_visitor() -> None:
    with WorkerPool(JobLimits({"cpu": 1}, each_long=3), modules=MODULES) as pool:
        running = pool.submit(NeverLooks(), client=A)
        until_running(running)
        jobs = [pool.submit(Turns(number), client=A) for number in range(6)]
        until(lambda: sum(job.finished for job in jobs) == 4)
        assert {job.status.sentence for job in jobs if job.finished} == {
            "3 long computations of yours are running or waiting already, as many as one visitor may have: "
            "wait for one of them, or cancel it."
        }
        assert not pool.submit(Turns(0), client=B).finished  # another's are others
        running.cancel()
        assert [job.result(PATIENCE_S) for job in jobs if job.status.state is not JobState.FAILED] == [
            "after a while"
        ] * 2


@pytest.fixture
def hasty() -> Iterator[WorkerPool]:
    limits = JobLimits({"cpu": 1}, short_s=0.05, long_s=0.05, grace_s=0.01)
    with WorkerPool(limits, modules=MODULES) as made:
        yield made


def test_a_time_limit(hasty: WorkerPool) -> None:
    with pytest.raises(TimeUpError, match="took longer than 1 s, so it was ended"):
        hasty.submit(NeverLooks(), short=True).result(PATIENCE_S)
    assert hasty.submit(Double(1)).result(PATIENCE_S)["twice"] == 2


@pytest.mark.parametrize("short", [True, False])
def test_a_deadline_ends_what_never_looks_up_and_it_is_not_tried_again(pool: WorkerPool, short: bool) -> None:
    job = pool.submit(NeverLooksAtAClock(), short=short)
    until_running(job)
    (victim,) = pool.pids
    with pytest.raises(UserError, match="Reading this took too long"):
        job.result(PATIENCE_S)
    assert (job.state, job.status.sentence) == (JobState.FAILED, NeverLooksAtAClock.deadline_message)
    assert job._work.tries == 1
    until(lambda: not alive(victim))
    assert pool.submit(Double(1)).result(PATIENCE_S)["pid"] != victim


def test_time_in_the_queue_does_not_count_for_a_deadline(pool: WorkerPool) -> None:
    before = pool.submit(NeverLooks())
    until_running(before)
    job = pool.submit(NeverLooksAtAClock())
    until(lambda: before.status.seconds > 10 * (NeverLooksAtAClock.deadline_s or 0))
    assert job.state is JobState.QUEUED
    before.cancel()
    until_running(job)


def test_a_long_one_may_take_its_time_until_somebody_else_waits(
    hasty: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gfx_core.jobs.pool._LOOK_AGAIN_S", 0.01)
    long = hasty.submit(NeverLooks(), client=A)
    until(lambda: long.status.seconds > 0.2)
    own = hasty.submit(Double("of the same visitor"), client=A)
    until(lambda: long.status.seconds > 0.3)
    assert not own.status.finished
    own.cancel()  # it has no more time than others
    other = hasty.submit(Double("b"), client=B)
    with pytest.raises(TimeUpError, match="while others waited"):
        long.result(PATIENCE_S)
    assert other.result(PATIENCE_S)["twice"] == "bb"


def test_a_live_one_is_told_that_its_time_is_up(hasty: WorkerPool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gfx_core.jobs.pool._LOOK_AGAIN_S", 0.01)
    live = hasty.submit(TalksToTheEnd(), client=A)
    hasty.submit(Double(1), client=B)
    assert live.result(PATIENCE_S) == ["end"]
