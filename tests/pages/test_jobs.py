"""Jobs as a page shows them: progress, cancel, errors, and other visitors."""

from collections.abc import Iterator
from typing import Any

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime.app_session import AppSession, AppSessionState
from streamlit.runtime.state import SessionState
from streamlit.testing.v1 import AppTest

from gfx_core.jobs.job import JobState, Request
from gfx_core.jobs.pool import Job, WorkerPool
from gfx_core.jobs.scheduler import JobLimits
from pages.ui import jobs
from tests.jobs.work_for_tests import call
from tests.pages.page_reading import read
from tests.patience import PATIENCE_S


def _page(request: "Request[Any]", slot: str) -> None:
    import streamlit as st

    from pages.ui.jobs import run_job
    from tests.jobs.work_for_tests import call

    if st.toggle("elsewhere", key="elsewhere"):
        st.write("another page")
    else:
        other = st.text_input("other", key="other")
        result = run_job("Counting", call("never_looks", name=other) if other else request, slot=slot)
        st.write(f"result: {result}")


def open_it(request: Request[Any]) -> AppTest:
    at = AppTest.from_function(_page, kwargs={"request": request, "slot": "here"}, default_timeout=PATIENCE_S)
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


@pytest.fixture(scope="module")
def light_pool() -> Iterator[WorkerPool]:
    """A real pool whose worker imports no torch."""
    with WorkerPool(JobLimits({"cpu": 1}, spare=0)) as pool:
        pool.submit(call("double", value=1)).result(PATIENCE_S)  # the worker is there
        yield pool


@pytest.fixture(autouse=True)
def only_pool(light_pool: WorkerPool, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(jobs.sessions, "pools", [light_pool])
    going: list[Job[Any]] = []
    submit = light_pool.submit
    monkeypatch.setattr(
        light_pool, "submit", lambda *given, **named: going.append(submit(*given, **named)) or going[-1]
    )
    yield
    for job in going:
        job.cancel()


def test_progress_then_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    at = open_it(call("in_steps", steps=100, pause=0.2))
    bar = bar_that_says(at, "**Counting** · step ")
    assert 0 <= bar.proto.value < 100
    assert at.markdown[-1].value == "result: None"
    assert 0 < bar_that_says(at, " left").proto.value < 100
    at.button(key="cancel-here").click().run()
    monkeypatch.setattr(jobs, "PATIENCE_S", PATIENCE_S)  # a busy computer is not what is tested
    at = open_it(call("sleeps", seconds=0))
    assert at.markdown[-1].value == "result: 0"
    assert not at.get("progress")  # a quick one shows no bar


def test_cancel_start_again_and_a_new_choice_in_the_same_place() -> None:
    at = open_it(call("never_looks"))
    at.button(key="cancel-here").click().run()
    assert at.info
    assert not at.get("progress")
    at.button(key="again-here").click().run()
    assert at.get("progress")
    old = job_of(at)
    at.text_input(key="other").set_value("b").run()
    assert old.status.state is JobState.CANCELLED
    assert job_of(at).status.state in (JobState.QUEUED, JobState.RUNNING)


def test_no_visitor_can_end_what_others_compute() -> None:
    at, everybodys = open_it(call("in_steps", pause=0.1)), jobs.pool()
    at.toggle(key="elsewhere").set_value(True).run()  # nor do they themselves, by leaving the page
    assert not at.get("progress")
    at.toggle(key="elsewhere").set_value(False).run()
    visitor = object.__new__(AppSession)  # whoever has a websocket can send this
    visitor._session_state, visitor._state = SessionState(), AppSessionState.SHUTDOWN_REQUESTED
    visitor.handle_backmsg(BackMsg(clear_cache=True))
    assert jobs.pool() is everybodys
    assert finished(at).markdown[-1].value == "result: done"


def test_another_visitor_sees_the_queue_and_shares_results(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "PATIENCE_S", 0.05)
    first = open_it(call("never_looks", name="queue"))
    while job_of(first).status.state is JobState.QUEUED:  # until a worker has it, it is the next one itself
        first.run()
    second = open_it(call("in_steps", steps=1))
    assert "next in the queue" in second.get("progress")[0].proto.text
    third = open_it(call("in_steps", steps=2))
    assert "number 2 in the queue" in third.get("progress")[0].proto.text
    joining = open_it(call("in_steps", steps=1))
    assert job_of(joining)._work is job_of(second)._work
    first.button(key="cancel-here").click().run()
    for at in (second, joining):
        assert finished(at).markdown[-1].value == "result: done"


@pytest.mark.parametrize(
    ("request_", "sentence", "offers"),
    [
        (call("refuses", sentence="“<b> **y**” is no molecule."), "“<b> **y**” is no molecule.", 0),
        (call("breaks"), "", 1),
    ],
)
def test_a_failure_is_one_sentence(request_: Request[Any], sentence: str, offers: int) -> None:
    at = finished(open_it(request_))
    (error,) = at.error
    assert read(error.value).startswith(sentence)
    assert "**y**" not in error.value
    assert "secret" not in error.value
    assert len(at.button) == offers  # what is refused would be refused again
    for button in at.button:
        assert len(finished(button.click().run()).error) == 1
