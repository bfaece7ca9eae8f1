"""Jobs as a page shows them: progress, cancel, errors, and reruns that lose nothing."""

from collections.abc import Iterator
from typing import Any

import pytest
import streamlit as st
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime.app_session import AppSession, AppSessionState
from streamlit.runtime.state import SessionState
from streamlit.testing.v1 import AppTest

from gfx_core.jobs.job import Job, JobState, JobStatus, Request
from gfx_core.jobs.pool import WorkerPool
from gfx_core.limits import JobLimits
from pages.ui import jobs
from tests.jobs.work_for_tests import Breaks, Double, InSteps, NeverLooks, Refuses, Sleeps
from tests.pages.page_reading import read
from tests.patience import PATIENCE_S


def page(request: "Request[Any]", slot: str) -> None:
    import streamlit as st

    from pages.ui.jobs import run_job
    from tests.jobs.work_for_tests import NeverLooks

    if st.toggle("elsewhere", key="elsewhere"):
        st.write("another page")
    else:
        other = st.text_input("other", key="other")
        result = run_job("Counting", NeverLooks(other) if other else request, slot=slot)
        st.write(f"result: {result}")


def open_it(request: Request[Any]) -> AppTest:
    at = AppTest.from_function(page, kwargs={"request": request, "slot": "here"}, default_timeout=PATIENCE_S)
    at.run()
    assert not at.exception
    return at


def job_of(at: AppTest) -> Job[Any]:
    """The latest that this visitor has."""
    return list(at.session_state["jobs"].values())[-1]


def bar_that_says(at: AppTest, words: str) -> Any:
    """Look again until it does: a worker stands back where cores are few."""
    while words not in (bar := at.get("progress")[0]).proto.text:
        at.run()
    return bar


def finished(at: AppTest) -> AppTest:
    assert job_of(at).wait(PATIENCE_S)
    return at.run()


@pytest.fixture(autouse=True)
def light_pool(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A real pool whose workers import no torch."""
    with WorkerPool(JobLimits({"cpu": 1})) as made:
        monkeypatch.setattr(jobs, "_pools", [made])
        made.submit(Double(1)).result(PATIENCE_S)  # the worker is there
        yield


def test_a_quick_job_shows_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "PATIENCE_S", PATIENCE_S)  # a busy computer is not what is tested
    at = open_it(Sleeps(0))
    assert at.markdown[-1].value == "result: 0.0"
    assert not at.get("progress")


def test_progress_then_the_result() -> None:
    at = open_it(InSteps(25, 0.1))
    bar = bar_that_says(at, "**Counting** · step ")
    assert 0 <= bar.proto.value < 100
    assert at.markdown[-1].value == "result: None"
    assert 0 < bar_that_says(at, " left").proto.value < 100
    assert finished(at).markdown[-1].value == "result: done"
    assert not at.get("progress")


def test_cancel_and_start_again() -> None:
    at = open_it(NeverLooks())
    at.button(key="cancel-here").click().run()
    assert at.info[0].value == "Counting: cancelled."
    assert not at.get("progress")
    at.button(key="again-here").click().run()
    assert at.get("progress")


def test_no_visitor_can_end_what_others_compute() -> None:
    at, everybodys = open_it(InSteps(10, 0.1)), jobs.pool()
    at.toggle(key="elsewhere").set_value(True).run()  # nor do they themselves, by leaving the page
    assert not at.get("progress")
    at.toggle(key="elsewhere").set_value(False).run()
    visitor = object.__new__(AppSession)  # whoever has a websocket can send this
    visitor._session_state, visitor._state = SessionState(), AppSessionState.SHUTDOWN_REQUESTED
    visitor.handle_backmsg(BackMsg(clear_cache=True))
    assert jobs.pool() is everybodys
    assert finished(at).markdown[-1].value == "result: done"
    assert everybodys.submit(Double(2)).result(PATIENCE_S)["twice"] == 4


def test_a_worker_is_started_when_the_page_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    with WorkerPool(JobLimits({"cpu": 1})) as cold:
        monkeypatch.setattr(jobs, "_pools", [cold])
        monkeypatch.setattr(jobs, "_DRAWN_S", 0.3)
        for _ in range(3):  # several visitors at once
            jobs.warm_up_soon()
        (timer,) = jobs._soon
        assert not cold.has_workers
        timer.join()
        assert cold.has_workers
        jobs.warm_up_soon()
        assert not jobs._soon


def test_another_visitor_sees_the_queue_and_shares_results(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "PATIENCE_S", 0.05)
    first = open_it(NeverLooks())
    second = open_it(InSteps(1, 0))
    assert "waiting\\: next in the queue" in second.get("progress")[0].proto.text
    third = open_it(InSteps(2, 0))
    assert "waiting\\: number 2 in the queue, about " in third.get("progress")[0].proto.text
    joining = open_it(InSteps(1, 0))
    assert job_of(joining)._work is job_of(second)._work
    first.button(key="cancel-here").click().run()
    for at in (second, joining):
        assert finished(at).markdown[-1].value == "result: done"


def test_a_new_choice_in_the_same_place_ends_the_old_job() -> None:
    at = open_it(NeverLooks())
    old = job_of(at)
    at.text_input(key="other").set_value("b").run()
    assert old.state is JobState.CANCELLED
    assert job_of(at).state in (JobState.QUEUED, JobState.RUNNING)


@pytest.mark.parametrize(
    ("request_", "sentence", "offers"),
    [
        (Refuses(), "There is no node 7: choose one from 0 to 6.", []),
        (Refuses("“<b> **y**” is no molecule."), "“<b> **y**” is no molecule.", []),
        (Breaks(), "The computation failed", ["Try again"]),
    ],
)
def test_a_failure_is_one_sentence(request_: Request[Any], sentence: str, offers: list[str]) -> None:
    at = finished(open_it(request_))
    (error,) = at.error
    assert read(error.value).startswith(sentence)
    assert "**y**" not in error.value
    assert "secret" not in error.value
    assert [button.label for button in at.button] == offers  # what is refused would be refused again
    for button in at.button:
        assert len(finished(button.click().run()).error) == 1


def test_nobody_looks_at_a_job_that_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[tuple[str, float | None]] = []
    fragment = st.fragment

    def recorded(function: Any, run_every: float | None = None) -> Any:
        made.append((function.__name__, run_every))
        return fragment(function, run_every=run_every)

    monkeypatch.setattr(st, "fragment", recorded)
    at = open_it(InSteps(3, 0.5))
    looks = [every for _, every in made]
    assert looks
    assert all(looks)  # while it is computed, the browser asks again and again
    made.clear()
    assert "result: " in finished(at).markdown[0].value
    assert not made  # a look that comes late finds nothing: it must not start a run beside the one with the result
    assert "result: " in open_it(Double(4)).markdown[0].value
    assert not made  # nobody had looked


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (JobStatus(JobState.QUEUED, place=1), "waiting: next in the queue"),
        (JobStatus(JobState.QUEUED, place=3), "waiting: number 3 in the queue"),
        (JobStatus(JobState.QUEUED, place=2, wait_s=200.0), "waiting: number 2 in the queue, about 3 min"),
        (JobStatus(JobState.QUEUED, place=1, words="loading PyTorch"), "loading PyTorch …"),
        (JobStatus(JobState.RUNNING, seconds=12.4), "computing · 12 s so far"),
        (JobStatus(JobState.RUNNING, words="epoch 3 of 10", eta_s=0.2), "epoch 3 of 10 · about 1 s left"),
        (JobStatus(JobState.RUNNING, words="epoch 3 of 10", eta_s=200), "epoch 3 of 10 · about 3 min left"),
    ],
)
def test_words(status: JobStatus, words: str) -> None:
    assert jobs.status_text(status) == words


def _own() -> None:
    import streamlit as st

    from pages.ui.jobs import start_live
    from tests.jobs.work_for_tests import NeverLooks, Sleeps

    if st.button("again", key="again"):
        start_live(NeverLooks() if not st.session_state.get("jobs") else Sleeps(0), slot="here")


def test_a_job_of_its_own_takes_the_place_of_the_one_before() -> None:
    at = AppTest.from_function(_own, default_timeout=PATIENCE_S).run()
    at.button(key="again").click().run()
    first = job_of(at)
    assert not first.status.finished
    at.button(key="again").click().run()
    assert not at.exception
    assert first.state is JobState.CANCELLED
    assert job_of(at).result(PATIENCE_S) == 0


def test_the_longer_the_queue_the_less_often_one_looks() -> None:
    for wait_s, short_s, long_s in ((None, 0.4, 1), (1.0, 0.4, 1), (6.0, 1, 1), (90.0, 3, 3)):
        going = [JobStatus(JobState.RUNNING), JobStatus(JobState.QUEUED, 3, wait_s=wait_s)]
        assert (jobs._poll_s(True, going), jobs._poll_s(False, going)) == pytest.approx((short_s, long_s))


def _several() -> None:
    from pages.ui import jobs
    from tests.jobs.work_for_tests import Double, NeverLooks

    requests = {"Waiting": NeverLooks(), "Doubling": Double(3)}
    jobs.wait_for([jobs.submit(request) for request in requests.values()])
    jobs.watch({title: each for title, each in requests.items() if jobs.cached_result(each) is None}, key="all")


def test_each_of_several_has_a_bar_and_a_button() -> None:
    at = AppTest.from_function(_several, default_timeout=PATIENCE_S).run()
    assert [bar.proto.text.split(" · ")[0] for bar in at.get("progress")] == ["**Waiting**", "**Doubling**"]
    assert {"cancel-all", "cancel-all-1"} <= {button.key for button in at.button}
