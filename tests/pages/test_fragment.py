"""What a page has drawn reaches the browser, also where that asks for a part of it in the wrong moment."""

import asyncio
import re
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import Runtime, RuntimeConfig
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData, ScriptRequests, ScriptRequestType
from streamlit.runtime.session_manager import SessionClient

from pages.ui import fragment as fragments
from tests.loops import run_alone
from tests.patience import PATIENCE_S

PAGE = """
import streamlit as st
from pages.ui.fragment import flush, fragment, stop
from tests.pages.test_fragment import GATE

def part():
    st.text("part")

def around():
    GATE.wait(10)
    fragment(part, run_every=60)()
    st.text("answer")

{body}
"""
WHOLE = "around()\nflush()"
STOPPED = "around()\nstop()"
NESTED = "fragment(around)()\nflush()"
GATE = threading.Event()
"""The page goes on once it is set."""
STARVED_S = 0.6


class Browser(SessionClient):
    """Keeps what it is sent."""

    def __init__(self) -> None:
        self.got: list[ForwardMsg] = []

    def write_forward_msg(self, msg: ForwardMsg) -> None:
        self.got.append(msg)

    def says(self, text: str) -> bool:
        return any(msg.delta.new_element.text.body == text for msg in self.got)

    def asks_again(self) -> bool:
        return any(msg.WhichOneof("type") == "auto_rerun" for msg in self.got)

    @property
    def fragments(self) -> list[str]:
        found = (msg.delta.fragment_id for msg in self.got if msg.delta.fragment_id)
        return list(dict.fromkeys(found))

    def finished(self) -> int:
        return sum(msg.WhichOneof("type") == "script_finished" for msg in self.got)


async def until(true: Callable[[], object]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not true():
            await asyncio.sleep(0.02)


def request(fragment: str = "") -> BackMsg:
    made = BackMsg()
    made.rerun_script.query_string = ""
    made.rerun_script.fragment_id = fragment
    return made


async def overtaken(script: Path, which: int) -> Browser:
    """A run comes to its end while the server has no time; then a look at the fragment comes before all that waits."""
    files = MemoryMediaFileStorage("/media"), MemoryUploadedFileManager("/upload")
    server, browser = Runtime(RuntimeConfig(str(script), *files)), Browser()
    await server.start()
    session = server.connect_session(browser, {})
    GATE.set()
    server.handle_backmsg(session, request())
    await until(browser.finished)
    await until(lambda: len(browser.fragments) > which)
    part, around = browser.fragments[-1], browser.fragments[0] if which else ""
    GATE.clear()
    browser.got.clear()
    server.handle_backmsg(session, request(around))
    await until(lambda: any(msg.WhichOneof("type") == "new_session" for msg in browser.got))
    runner = server._session_mgr.get_session_info(session).session._scriptrunner
    starved = time.monotonic() + STARVED_S
    GATE.set()
    while runner._requests._state != ScriptRequestType.STOP and time.monotonic() < starved:
        time.sleep(0.01)  # nothing that the script draws is fetched meanwhile
    server.handle_backmsg(session, request(part))
    await until(lambda: browser.says("part"))
    await until(lambda: server._session_mgr.get_session_info(session).session._scriptrunner is None)
    server.stop()
    await server.stopped
    return browser


@pytest.mark.parametrize(("body", "which"), [(WHOLE, 0), (STOPPED, 0), (NESTED, 1)], ids=["whole", "stopped", "nested"])
def test_nothing_is_lost(body: str, which: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Runtime, "_instance", None)
    script = tmp_path / "page.py"
    script.write_text(PAGE.replace("{body}", body), encoding="utf-8")
    browser = run_alone(overtaken(script, which))
    assert browser.says("answer")
    assert browser.asks_again()


def test_no_page_ends_or_polls_in_another_way() -> None:
    pages = Path(__file__).resolve().parents[2] / "pages"
    others = [path for path in pages.rglob("*.py") if path.name != "fragment.py"]
    assert [
        str(path) for path in others if re.search(r"\bst\.(fragment|stop)\b", path.read_text(encoding="utf-8"))
    ] == []


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
    monkeypatch.setattr(fragments, "get_script_run_ctx", lambda: run)
    waited: list[float] = []

    def ready(seconds: float) -> bool:
        waited.append(seconds)
        if isinstance(asked, RerunData):
            requests.request_rerun(asked)
        elif asked:
            requests.request_stop()
        return len(waited) > 2

    assert fragments.wait_in_fragment(ready, PATIENCE_S) is stays
    assert len(waited) == (3 if stays else int(alone))


def test_a_stay_ends_without_an_answer_too(monkeypatch: pytest.MonkeyPatch) -> None:
    run = SimpleNamespace(fragment_ids_this_run=["bar"], script_requests=ScriptRequests())
    monkeypatch.setattr(fragments, "get_script_run_ctx", lambda: run)
    assert not fragments.wait_in_fragment(threading.Event().wait, 0.05)
