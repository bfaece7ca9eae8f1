"""Who visits, and when a visit is over."""

import asyncio
import threading
from collections.abc import Iterator
from secrets import token_hex
from types import SimpleNamespace

import pytest
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.runtime.session_manager import SessionInfo

from gfx_core.jobs.job import Client, JobState
from gfx_core.jobs.pool import WorkerPool
from gfx_core.limits import JobLimits
from pages.ui import sessions
from pages.ui.sessions import GONE_S, SessionMonitor
from tests.jobs.work_for_tests import Double, NeverLooks
from tests.patience import PATIENCE_S

A = Client("page of a", "a")


def test_a_visit_is_over_when_its_connection_is_gone_for_a_while() -> None:
    time, connected = [0.0], {A.session}
    with WorkerPool(JobLimits({"cpu": 1})) as pool:
        monitor = SessionMonitor(connected.__contains__, lambda: time[0])
        monitor.pools.append(pool)
        job = pool.submit(NeverLooks(), client=A)
        for at, here in ((0.0, True), (1.0, False), (GONE_S, False), (GONE_S + 0.5, True), (GONE_S + 2.0, False)):
            time[0] = at
            connected.clear()
            connected |= {A.session} if here else set()
            monitor.look()
            assert not job.status.finished
        time[0] = 2 * GONE_S + 2.0
        monitor.look()
        assert job.state is JobState.CANCELLED
        monitor.look()
        assert not monitor._missed


class Stored:
    """A session of Streamlit's, of a page that was closed."""

    def __init__(self) -> None:
        self.id, self.ended = token_hex(4), False

    def shutdown(self) -> None:
        self.ended = True


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[SimpleNamespace]:
    """A server that has nothing but Streamlit's own storage of closed sessions, and a loop."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    made = SimpleNamespace(
        _session_mgr=SimpleNamespace(_session_storage=MemorySessionStorage(ttl_seconds=100), active=[]),
        _get_async_objs=lambda: SimpleNamespace(eventloop=loop),
    )
    made._session_mgr.list_active_sessions = lambda: made._session_mgr.active
    monkeypatch.setattr(sessions.runtime, "exists", lambda: True)
    monkeypatch.setattr(sessions.runtime, "get_instance", lambda: made)
    yield made
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


def test_sessions_end_when_their_time_is_over(server: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    stored, storage, time = (Stored(), Stored()), server._session_mgr._session_storage, [0.0]
    monkeypatch.setattr(storage._cache, "_timer", lambda: time[0])
    for session in stored:
        storage.save(SessionInfo(client=None, session=session, script_run_count=1))  # type: ignore[arg-type]
        time[0] = 50.0
    found = []
    for now in (99.0, 101.0, 120.0, 151.0):
        time[0] = now
        found.append((sessions.end_sessions(), *(session.ended for session in stored)))
    assert [count for count, *_ in found] == [0, 1, 0, 1]
    assert found[1] == (1, True, False)
    assert found[-1] == (1, True, True)


def test_when_nobody_is_there_answers_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    time, there = [0.0], [True]
    monkeypatch.setattr("pages.ui.sessions.any_page_open", lambda _: there[0])
    with WorkerPool(JobLimits({"cpu": 1})) as pool:
        monitor = SessionMonitor(lambda _: True, lambda: time[0])
        monitor.pools.append(pool)
        pool.submit(Double(1)).result(PATIENCE_S)
        kept = []
        for at, here in ((1.0, True), (500.0, False), (500.0 + GONE_S - 1, False), (500.0 + GONE_S, False)):
            time[0], there[0] = at, here
            monitor.look()
            kept.append(len(pool._shared))
        assert kept == [1, 1, 1, 0]


def test_memory_is_given_back_after_something_ended_and_not_too_often(monkeypatch: pytest.MonkeyPatch) -> None:
    time, ended, given = [0.0], [0], []
    monkeypatch.setattr("pages.ui.sessions.end_sessions", lambda: ended[0])
    monkeypatch.setattr("pages.ui.sessions.trim_memory", lambda: given.append(time[0]))
    monitor = SessionMonitor(lambda _: True, lambda: time[0])
    for at, some in ((5.0, 0), (10.0, 3), (15.0, 0), (20.0, 0), (25.0, 2), (35.0, 0), (45.0, 0), (100.0, 0)):
        time[0], ended[0] = at, some
        monitor.look()
    assert given == [20.0, 45.0]
