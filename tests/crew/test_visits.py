"""Jobs of visitors who leave, and jobs whose time is up: by real processes."""

from collections.abc import Iterator

import pytest

from gfx_core.crew.crew import Crew
from gfx_core.crew.job import JobState, TimeUpError
from gfx_core.crew.limits import Limits
from gfx_core.crew.visitor import Visitor
from gfx_core.errors import UserError
from tests.crew.conftest import MODULES
from tests.crew.test_crew import alive, until_running
from tests.crew.work_for_tests import Double, NeverLooks, NeverLooksAtAClock, Talks, TalksToTheEnd, Turns
from tests.patience import PATIENCE_S, until

A, B = Visitor("page of a", "a"), Visitor("page of b", "b")


def test_a_visitors_jobs_end_with_the_visit_unless_somebody_waits_for_the_same(crew: Crew) -> None:
    alone = crew.submit(NeverLooks(), visitor=A)
    until_running(alone)
    waiting, together = crew.submit(Double("only a"), visitor=A), crew.submit(Double("both"), visitor=A)
    theirs = crew.submit(Double("both"), visitor=B)
    assert crew.visits() == {A.visit, B.visit}
    assert crew.visits("b") == {B.visit}
    crew.end_visit(A.visit)
    assert {alone.state, waiting.state} == {JobState.CANCELLED}
    assert theirs.result(PATIENCE_S)["twice"] == "bothboth"
    together.cancel()  # whoever comes back late takes nothing away from others
    assert crew.visits() == set()


def test_what_was_asked_to_go_on_goes_on_and_a_live_one_hears_itself_that_nobody_is_there(crew: Crew) -> None:
    live = crew.submit(Talks(), visitor=A)
    until_running(live)
    staying = crew.submit(Double(1), visitor=A)
    staying.outlive(True)
    crew.end_visit(A.visit)
    assert live.state is JobState.RUNNING
    assert staying.state is JobState.QUEUED
    with pytest.raises(UserError, match="One training of yours"):
        crew.submit(Talks(), visitor=Visitor("the same page, loaded again", "a"))
    crew.end_visit(A.visit, live=True)
    assert live.state is JobState.CANCELLED
    assert staying.result(PATIENCE_S)["twice"] == 2


def test_what_turns_out_long_counts_among_the_long_ones_of_a_visitor() -> None:
    with Crew(Limits({"cpu": 1}, each_long=3), modules=MODULES) as crew:
        running = crew.submit(NeverLooks(), visitor=A)
        until_running(running)
        jobs = [crew.submit(Turns(number), visitor=A) for number in range(6)]
        until(lambda: sum(job.finished for job in jobs) == 4)
        assert {job.status.sentence for job in jobs if job.finished} == {
            "3 long computations of yours are running or waiting already, as many as one visitor may have: "
            "wait for one of them, or cancel it."
        }
        assert not crew.submit(Turns(0), visitor=B).finished  # another's are others
        running.cancel()
        assert [job.result(PATIENCE_S) for job in jobs if job.status.state is not JobState.FAILED] == [
            "after a while"
        ] * 2


@pytest.fixture
def hasty() -> Iterator[Crew]:
    limits = Limits({"cpu": 1}, short_s=0.05, long_s=0.05, grace_s=0.01)
    with Crew(limits, modules=MODULES) as made:
        yield made


def test_a_time_limit(hasty: Crew) -> None:
    with pytest.raises(TimeUpError, match="took longer than 1 s, so it was ended"):
        hasty.submit(NeverLooks(), short=True).result(PATIENCE_S)
    assert hasty.submit(Double(1)).result(PATIENCE_S)["twice"] == 2


@pytest.mark.parametrize("short", [True, False])
def test_a_deadline_ends_what_never_looks_up_and_it_is_not_tried_again(crew: Crew, short: bool) -> None:
    job = crew.submit(NeverLooksAtAClock(), short=short)
    until_running(job)
    (victim,) = crew.pids
    with pytest.raises(UserError, match="Reading this took too long"):
        job.result(PATIENCE_S)
    assert (job.state, job.status.sentence) == (JobState.FAILED, NeverLooksAtAClock.deadline_words)
    assert job._work.tries == 1
    until(lambda: not alive(victim))
    assert crew.submit(Double(1)).result(PATIENCE_S)["pid"] != victim


def test_time_in_the_queue_does_not_count_for_a_deadline(crew: Crew) -> None:
    before = crew.submit(NeverLooks())
    until_running(before)
    job = crew.submit(NeverLooksAtAClock())
    until(lambda: before.status.seconds > 10 * (NeverLooksAtAClock.deadline_s or 0))
    assert job.state is JobState.QUEUED
    before.cancel()
    until_running(job)


def test_a_long_one_may_take_its_time_until_somebody_else_waits(hasty: Crew, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gfx_core.crew.crew._LOOK_AGAIN_S", 0.01)
    long = hasty.submit(NeverLooks(), visitor=A)
    until(lambda: long.status.seconds > 0.2)
    own = hasty.submit(Double("of the same visitor"), visitor=A)
    until(lambda: long.status.seconds > 0.3)
    assert not own.status.finished
    own.cancel()  # it has no more time than others
    other = hasty.submit(Double("b"), visitor=B)
    with pytest.raises(TimeUpError, match="while others waited"):
        long.result(PATIENCE_S)
    assert other.result(PATIENCE_S)["twice"] == "bb"


def test_a_live_one_is_told_that_its_time_is_up(hasty: Crew, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gfx_core.crew.crew._LOOK_AGAIN_S", 0.01)
    live = hasty.submit(TalksToTheEnd(), visitor=A)
    hasty.submit(Double(1), visitor=B)
    assert live.result(PATIENCE_S) == ["end"]
