"""Jobs as a page shows them: progress, cancel, errors, and reruns and fragments that lose nothing."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import streamlit as st
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import Runtime, RuntimeConfig
from streamlit.runtime.app_session import AppSession, AppSessionState
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData, ScriptRequests, ScriptRequestType
from streamlit.runtime.session_manager import SessionClient
from streamlit.runtime.state import SessionState
from streamlit.testing.v1 import AppTest

from gfx_core.jobs.job import Job, JobState, JobStatus, Request
from gfx_core.jobs.pool import WorkerPool
from gfx_core.limits import JobLimits
from pages.ui import fragment, jobs
from tests.jobs.work_for_tests import Breaks, Double, InSteps, NeverLooks, Refuses, Sleeps
from tests.loops import run_alone
from tests.pages.page_reading import keys, read
from tests.patience import PATIENCE_S


def _page(request: "Request[Any]", slot: str) -> None:
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
    with WorkerPool(JobLimits({"cpu": 1})) as pool:
        pool.submit(Double(1)).result(PATIENCE_S)  # the worker is there
        yield pool


@pytest.fixture(autouse=True)
def only_pool(light_pool: WorkerPool, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(jobs, "_pools", [light_pool])
    going: list[Job[Any]] = []
    submit = light_pool.submit
    monkeypatch.setattr(
        light_pool, "submit", lambda *given, **named: going.append(submit(*given, **named)) or going[-1]
    )
    yield
    for job in going:
        job.cancel()


def test_progress_then_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    at = open_it(InSteps(25, 0.1))
    bar = bar_that_says(at, "**Counting** · step ")
    assert 0 <= bar.proto.value < 100
    assert at.markdown[-1].value == "result: None"
    assert 0 < bar_that_says(at, " left").proto.value < 100
    assert finished(at).markdown[-1].value == "result: done"
    assert not at.get("progress")
    monkeypatch.setattr(jobs, "PATIENCE_S", PATIENCE_S)  # a busy computer is not what is tested
    at = open_it(Sleeps(0))
    assert at.markdown[-1].value == "result: 0.0"
    assert not at.get("progress")  # a quick one shows no bar


def test_cancel_start_again_and_a_new_choice_in_the_same_place() -> None:
    at = open_it(NeverLooks())
    at.button(key="cancel-here").click().run()
    assert at.info
    assert not at.get("progress")
    at.button(key="again-here").click().run()
    assert at.get("progress")
    old = job_of(at)
    at.text_input(key="other").set_value("b").run()
    assert old.state is JobState.CANCELLED
    assert job_of(at).state in (JobState.QUEUED, JobState.RUNNING)


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


def test_another_visitor_sees_the_queue_and_shares_results(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "PATIENCE_S", 0.05)
    first = open_it(NeverLooks("queue"))
    second = open_it(InSteps(1, 0))
    assert "next in the queue" in second.get("progress")[0].proto.text
    third = open_it(InSteps(2, 0))
    assert "number 2 in the queue" in third.get("progress")[0].proto.text
    joining = open_it(InSteps(1, 0))
    assert job_of(joining)._work is job_of(second)._work
    first.button(key="cancel-here").click().run()
    for at in (second, joining):
        assert finished(at).markdown[-1].value == "result: done"


@pytest.mark.parametrize(
    ("request_", "sentence", "offers"),
    [(Refuses("“<b> **y**” is no molecule."), "“<b> **y**” is no molecule.", 0), (Breaks(), "", 1)],
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


def test_nobody_looks_at_a_job_that_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[float | None] = []
    real = st.fragment

    def recorded(function: Any, run_every: float | None = None) -> Any:
        looks.append(run_every)
        return real(function, run_every=run_every)

    monkeypatch.setattr(st, "fragment", recorded)
    at = open_it(InSteps(3, 0.5))
    assert looks
    assert all(looks)  # while it is computed, the browser asks again and again
    looks.clear()
    assert "result: " in finished(at).markdown[0].value
    assert not looks  # a look that comes late finds nothing: it must not start a run beside the one with the result
    for wait_s, short_s, long_s in ((None, 0.4, 1), (6.0, 1, 1), (90.0, 3, 3)):  # the longer the queue the fewer
        going = [JobStatus(JobState.RUNNING), JobStatus(JobState.QUEUED, 3, wait_s=wait_s)]
        assert (jobs._poll_s(True, going), jobs._poll_s(False, going)) == pytest.approx((short_s, long_s))


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (JobStatus(JobState.QUEUED, place=1), "waiting: next in the queue"),
        (JobStatus(JobState.QUEUED, place=2, wait_s=200.0), "waiting: number 2 in the queue, about 3 min"),
        (JobStatus(JobState.QUEUED, place=1, words="loading PyTorch"), "loading PyTorch …"),
        (JobStatus(JobState.RUNNING, seconds=12.4), "computing · 12 s so far"),
        (JobStatus(JobState.RUNNING, words="epoch 3 of 10", eta_s=0.2), "epoch 3 of 10 · about 1 s left"),
    ],
)
def test_words(status: JobStatus, words: str) -> None:
    assert jobs.status_text(status) == words


def _several() -> None:
    import streamlit as st

    from pages.ui import jobs
    from tests.jobs.work_for_tests import Double, NeverLooks, Sleeps

    requests = {"Waiting": NeverLooks("several"), "Doubling": Double(3)}
    jobs.wait_for([jobs.submit(request) for request in requests.values()])
    jobs.watch({title: each for title, each in requests.items() if jobs.cached_result(each) is None}, key="all")
    if number := st.number_input("live", value=0, key="live"):
        jobs.start_live(NeverLooks("live") if number == 1 else Sleeps(0), slot="here")


def test_each_of_several_has_a_bar_and_a_live_one_takes_the_place_of_the_one_before() -> None:
    at = AppTest.from_function(_several, default_timeout=PATIENCE_S).run()
    assert [bar.proto.text.split(" · ")[0] for bar in at.get("progress")] == ["**Waiting**", "**Doubling**"]
    assert {"cancel-all", "cancel-all-1"} <= keys(at.button)
    at.number_input(key="live").set_value(1).run()
    first = job_of(at)
    assert not first.status.finished
    at.number_input(key="live").set_value(2).run()
    assert first.state is JobState.CANCELLED


# What a page has drawn reaches the browser, also where that asks for a part of it in the wrong moment

SCRIPT = """
import streamlit as st
from pages.ui.fragment import flush, fragment, stop
from tests.pages.test_jobs import GATE

def part():
    st.text("part")

def around():
    GATE.wait(10)
    fragment(part, run_every=60)()
    st.text("answer")

{body}
"""
GATE = threading.Event()
"""The page goes on once it is set."""
STARVED_S = 0.6


class Browser(SessionClient):
    """Keeps what it is sent."""

    def __init__(self) -> None:
        self.messages: list[ForwardMsg] = []

    def write_forward_msg(self, msg: ForwardMsg) -> None:
        self.messages.append(msg)

    def has(self, text: str) -> bool:
        return any(msg.delta.new_element.text.body == text for msg in self.messages)

    def kinds(self) -> list[str]:
        return [str(msg.WhichOneof("type")) for msg in self.messages]

    @property
    def fragments(self) -> list[str]:
        return list(dict.fromkeys(msg.delta.fragment_id for msg in self.messages if msg.delta.fragment_id))


async def until(true: Callable[[], object]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not true():
            await asyncio.sleep(0.02)


def run_request(fragment: str = "") -> BackMsg:
    message = BackMsg()
    message.rerun_script.query_string = ""
    message.rerun_script.fragment_id = fragment
    return message


async def overtaken(script: Path, nested: int) -> Browser:
    """A run comes to its end while the server has no time; then a look at the fragment comes before all that waits."""
    files = MemoryMediaFileStorage("/media"), MemoryUploadedFileManager("/upload")
    server, browser = Runtime(RuntimeConfig(str(script), *files)), Browser()
    await server.start()
    session = server.connect_session(browser, {})
    GATE.set()
    server.handle_backmsg(session, run_request())
    await until(lambda: "script_finished" in browser.kinds() and len(browser.fragments) > nested)
    part, around = browser.fragments[-1], browser.fragments[0] if nested else ""
    GATE.clear()
    browser.messages.clear()
    server.handle_backmsg(session, run_request(around))
    await until(lambda: "new_session" in browser.kinds())
    runner = server._session_mgr.get_session_info(session).session._scriptrunner
    starved = time.monotonic() + STARVED_S
    GATE.set()
    while runner._requests._state != ScriptRequestType.STOP and time.monotonic() < starved:
        time.sleep(0.01)  # nothing that the script draws is fetched meanwhile
    server.handle_backmsg(session, run_request(part))
    await until(lambda: browser.has("part"))
    await until(lambda: server._session_mgr.get_session_info(session).session._scriptrunner is None)
    server.stop()
    await server.stopped
    return browser


@pytest.mark.parametrize(
    ("body", "nested"), [("around()\nflush()", 0), ("around()\nstop()", 0), ("fragment(around)()\nflush()", 1)]
)
def test_nothing_is_lost(body: str, nested: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Runtime, "_instance", None)
    script = tmp_path / "page.py"
    script.write_text(SCRIPT.replace("{body}", body), encoding="utf-8")
    browser = run_alone(overtaken(script, nested))
    assert browser.has("answer")
    assert "auto_rerun" in browser.kinds()  # it asks again


@pytest.mark.parametrize(
    ("alone", "asked", "stays"),
    [
        (True, None, True),
        (True, RerunData(fragment_id="bar", is_auto_rerun=True), True),  # the browser's clock
        (True, RerunData(fragment_id="bar"), False),  # a click in it
        (True, RerunData(), False),  # a click elsewhere
        (True, "stop", False),
        (False, None, False),  # the page goes on
    ],
)
def test_a_part_stays_until_something_is_ready_unless_more_is_asked(
    alone: bool, asked: RerunData | str | None, stays: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests = ScriptRequests()
    run = SimpleNamespace(fragment_ids_this_run=["bar"] if alone else None, script_requests=requests)
    monkeypatch.setattr(fragment, "get_script_run_ctx", lambda: run)
    waited: list[float] = []

    def ready(seconds: float) -> bool:
        waited.append(seconds)
        if isinstance(asked, RerunData):
            requests.request_rerun(asked)
        elif asked:
            requests.request_stop()
        return len(waited) > 2

    assert fragment.wait_in_fragment(ready, PATIENCE_S) is stays
    assert len(waited) == (3 if stays else int(alone))
    if stays:
        assert not fragment.wait_in_fragment(threading.Event().wait, 0.05)  # it ends without an answer too
