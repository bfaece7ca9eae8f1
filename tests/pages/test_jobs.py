"""Jobs as a page shows them: progress, cancel, errors, and reruns that lose nothing."""

import time
from collections.abc import Iterator

import pytest
from streamlit.testing.v1 import AppTest

from gfx_core.jobs.job import JobState, JobStatus
from gfx_core.jobs.server import JobServer
from pages.ui import jobs


def page(function: str, arguments: dict[str, object], key: str, slot: str | None = None) -> None:
    import streamlit as st

    from pages.ui.jobs import run_job

    if st.toggle("elsewhere", key="elsewhere"):
        st.write("another page")
    else:
        key = st.text_input("key", key, key="key")
        result = run_job("Counting", f"tests.jobs.work_for_tests:{function}", arguments, key=key, slot=slot)
        st.write(f"result: {result}")


def open_it(function: str, key: str = "job", slot: str | None = None, **arguments: object) -> AppTest:
    at = AppTest.from_function(page, kwargs={"function": function, "arguments": arguments, "key": key, "slot": slot})
    at.run(timeout=20)
    assert not at.exception
    return at


def until_finished(at: AppTest, key: str = "job") -> None:
    assert at.session_state["jobs"][key].wait(20)


@pytest.fixture(autouse=True)
def light_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[JobServer]:
    """A real server whose workers import no torch."""
    made = JobServer(limits={"cpu": 1}, prepare="")
    monkeypatch.setattr(jobs, "server", lambda: made)
    made.submit("tests.jobs.work_for_tests:double", {"value": 1}, device="cpu").result(20)  # the worker is there
    yield made
    made.close()


def test_a_quick_job_shows_no_bar() -> None:
    at = open_it("sleeps", seconds=0)
    assert at.markdown[-1].value == "result: 0"
    assert not at.get("progress")


def test_progress_then_the_result() -> None:
    at = open_it("in_steps", steps=14, pause=0.1)
    (bar,) = at.get("progress")
    assert "**Counting** · step " in bar.proto.text
    assert 0 < bar.proto.value < 100
    assert at.markdown[-1].value == "result: None"
    at.run()
    assert "left" in at.get("progress")[0].proto.text
    until_finished(at)
    at.run()
    assert at.markdown[-1].value == "result: done"
    assert not at.get("progress")


def test_cancel_and_start_again() -> None:
    at = open_it("never_looks")
    began = time.monotonic()
    at.button(key="cancel-job").click().run()
    assert time.monotonic() - began < 1
    assert at.info[0].value == "Counting: cancelled."
    assert not at.get("progress")
    at.button(key="again-job").click().run()
    assert at.get("progress")


def test_leaving_the_page_does_not_end_the_job() -> None:
    at = open_it("in_steps", steps=8, pause=0.1)
    job = at.session_state["jobs"]["job"]
    at.toggle(key="elsewhere").set_value(True).run()
    assert at.markdown[-1].value == "another page"
    assert not at.get("progress")
    assert job.wait(20)
    at.toggle(key="elsewhere").set_value(False).run()
    assert at.markdown[-1].value == "result: done"


def test_another_visitor_sees_the_queue_and_shares_results(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "_PATIENCE_S", 0.05)
    first = open_it("never_looks", key="long")
    second = open_it("sleeps", key="short", seconds=0)
    assert "waiting\\: next in the queue" in second.get("progress")[0].proto.text
    third = open_it("in_steps", key="third", steps=1)
    assert "waiting\\: number 2 in the queue" in third.get("progress")[0].proto.text
    joining = open_it("sleeps", key="short", seconds=0)
    first.button(key="cancel-long").click().run()
    for at in (second, joining):
        until_finished(at, "short")
        at.run()
        assert at.markdown[-1].value == "result: 0"


def test_a_new_choice_in_the_same_place_ends_the_old_job() -> None:
    at = open_it("never_looks", key="a", slot="explain")
    old = at.session_state["jobs"]["a"]
    at.text_input(key="key").set_value("b").run()
    assert old.state is JobState.CANCELLED
    assert at.session_state["jobs"]["b"].state in (JobState.QUEUED, JobState.RUNNING)


@pytest.mark.parametrize(
    ("function", "sentence"),
    [("refuses", "There is no node 7: choose one from 0 to 6."), ("breaks", "The computation failed")],
)
def test_a_failure_is_one_sentence(function: str, sentence: str) -> None:
    at = open_it(function)
    (error,) = at.error
    assert error.value.replace("\\", "").startswith(sentence)
    assert "secret" not in error.value
    at.button(key="again-job").click().run()
    assert len(at.error) == 1


def test_what_somebody_typed_is_no_markdown() -> None:
    at = open_it("refuses_politely", text="![x](http://example.org/x.png) <b> :red[y]")
    assert at.error[0].value == r"“\!\[x\](http\://example.org/x.png) \<b\> \:red\[y\]” is no molecule."


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (JobStatus(JobState.QUEUED, place=1), "waiting: next in the queue"),
        (JobStatus(JobState.QUEUED, place=3), "waiting: number 3 in the queue"),
        (JobStatus(JobState.QUEUED, place=1, words="loading PyTorch"), "loading PyTorch …"),
        (JobStatus(JobState.RUNNING, seconds=12.4), "computing · 12 s so far"),
        (JobStatus(JobState.RUNNING, words="epoch 3 of 10", eta_s=0.2), "epoch 3 of 10 · about 1 s left"),
        (JobStatus(JobState.RUNNING, words="epoch 3 of 10", eta_s=200), "epoch 3 of 10 · about 3 min left"),
    ],
)
def test_words(status: JobStatus, words: str) -> None:
    assert jobs.in_words(status) == words
