"""Files that are brought along: read once, given back at once, and limited."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec
from streamlit.testing.v1 import AppTest

from gfx_core import limits
from pages.ui import middleware
from pages.ui.middleware import UploadLimits
from pages.ui.sessions import COOKIE, UPLOAD_REFUSED
from tests.loops import run_alone
from tests.pages.page_reading import read
from tests.patience import PATIENCE_S


def _page(several: bool) -> None:
    import streamlit as st

    from gfx_core.errors import UserError
    from pages.ui.uploads import find_uploads, upload_field

    def count(data: bytes, name: str) -> int:
        st.session_state["reads"] = st.session_state.get("reads", 0) + 1
        if data == b"bad":
            raise UserError(f"{name} holds nothing that can be *counted*.")
        return len(data)

    st.write(" ".join(f"{file.name}={file.value}" for file in find_uploads("field")) or "none")
    upload_field("A file", count, types=["txt"], key="field", most_mb=1, help_text="any", several=several)


def field(several: bool = False) -> AppTest:
    return AppTest.from_function(_page, kwargs={"several": several}, default_timeout=PATIENCE_S).run()


def test_files_are_read_once_and_stay_until_they_are_removed() -> None:
    at = field(several=True)
    assert at.markdown[0].value == "none"
    at.file_uploader[0].set_value([("a.txt", b"1", ""), ("b.txt", b"22", "")]).run()
    at.run()
    assert at.markdown[0].value == "a.txt=1 b.txt=2"
    assert at.session_state["reads"] == 2
    assert not any(file.getvalue() for file in at.session_state["field"])  # their bytes were given back
    at.file_uploader[0].set_value(None).run()
    assert at.markdown[0].value == "none"


def test_what_cannot_be_read_is_a_sentence_that_stays() -> None:
    at = field()
    at.file_uploader[0].upload("![x](http://evil.example).txt", b"bad").run()
    (error,) = at.run().error
    assert read(error.value) == "![x](http://evil.example).txt holds nothing that can be *counted*."
    assert "](http:/" not in error.value
    at.file_uploader[0].upload("large.txt", bytes(2**20 + 1)).run()
    assert "1 MB" in read(at.error[0].value)
    assert at.session_state["reads"] == 1
    at.session_state[UPLOAD_REFUSED] = "There is *no* room."
    assert "There is *no* room." in [read(error.value) for error in at.run().error]
    at.file_uploader[0].upload("one.txt", b"12345").run()
    assert not at.error  # a file was taken


class Server:
    """What takes files behind the limits, and Streamlit's runtime.

    A session is named by its visitor's letter and a number; all are at one address, unless it is told otherwise.
    """

    def __init__(self) -> None:
        self.uploaded_file_mgr = self.manager = MemoryUploadedFileManager("/upload")
        self.app = UploadLimits(self._take)
        self.closed: set[str] = set()
        self.addresses: dict[str, str] = {}
        self.states: dict[str, dict[str, str]] = {}

    def is_active_session(self, session: str) -> bool:
        return session not in self.closed

    def get_app_session(self, session: str) -> Any:
        state = self.states.setdefault(session, {})
        return SimpleNamespace(session_state=state, _client_state=object(), request_rerun=lambda _: None)

    def get_client(self, session: str) -> Any:
        cookies = {COOKIE: f"2|00000000|{ord(session[0]):02x}{'61' * 15}|1"}
        address = self.addresses.get(session[0], session[0])
        return SimpleNamespace(client_context=SimpleNamespace(cookies=cookies, remote_ip=address))

    async def _take(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "websocket":
            self.closed.add(await receive())
            return
        _, session, name = scope["path"].rsplit("/", 2)
        body = await receive()
        self.manager.add_file(session, UploadedFileRec(name, name, "text/plain", body["body"]))
        await send({"type": "http.response.start", "status": 204})

    async def close(self, session: str) -> None:
        """A page is closed."""

        async def receive() -> str:
            return session

        await self.app({"type": "websocket"}, receive, None)  # type: ignore[arg-type]

    async def put(self, session: str, name: str, size: int, sized: bool = True) -> int:
        """The status that a file is answered with."""
        answers: list[dict[str, Any]] = []

        async def send(message: dict[str, Any]) -> None:
            answers.append(message)

        async def receive() -> dict[str, Any]:
            await asyncio.sleep(0)  # others are heard meanwhile
            return {"type": "http.request", "body": bytes(size)}

        headers = [(b"content-length", str(size).encode())] if sized else []
        path = f"/_stcore/upload_file/{session}/{name}"
        await self.app({"type": "http", "method": "PUT", "path": path, "headers": headers}, receive, send)
        return int(answers[0]["status"])


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Server:
    made = Server()
    monkeypatch.setattr(limits, "UPLOAD_BYTES", 100)
    monkeypatch.setattr(limits, "UPLOAD_BYTES_PER_ADDRESS", 150)
    monkeypatch.setattr(limits, "UPLOAD_BYTES_IN_ALL", 250)
    monkeypatch.setattr(limits, "UPLOAD_CLOSED_S", 0.0)
    monkeypatch.setattr(middleware.runtime, "exists", lambda: True)
    monkeypatch.setattr(middleware.runtime, "get_instance", lambda: made)
    return made


def test_a_visitor_may_have_so_much_and_all_of_them_together(server: Server) -> None:
    async def visitors() -> None:
        assert await server.put("a", "large", 101) == 413
        for number in range(limits.UPLOAD_FILES):
            assert await server.put("a", str(number), 10) == 204
        assert await server.put("a", "one too many", 1) == 413
        server.manager.remove_file("a", "0")  # a page has read it
        assert await server.put("a", "another", 1) == 204
        assert [await server.put(visit, "large", 100) for visit in "bc"] == [204, 204]
        assert await server.put("d", "too much for all", 30) == 413
        server.manager.remove_session_files("b")
        assert await server.put("d", "there is room again", 30) == 204
        assert await server.put("e", "it does not say how large", 1, sized=False) == 413
        server.manager.file_storage.clear()
        at_once = await asyncio.gather(*(server.put("a", str(number), 60) for number in range(3)))
        assert sorted(at_once) == [204, 413, 413]  # what is on its way counts

    run_alone(visitors())


def test_many_pages_of_one_visitor_and_visitors_at_one_address_have_no_more_than_one(server: Server) -> None:
    """Whoever invents cookies is many visitors, and still at one address."""
    server.addresses = dict.fromkeys("bcdef", "10.0.0.1")

    async def pages() -> list[int]:
        statuses = [await server.put(f"a{number}", "file", 36) for number in range(12)]
        server.manager.file_storage.clear()
        return statuses + [await server.put(f"{name}1", "file", 50) for name in "bcdef"]

    assert run_alone(pages()) == [204, 204, *[413] * 10, 204, 204, 204, 413, 413]
    reasons = {server.states[session][UPLOAD_REFUSED] for session in ("a5", "f1")}  # also on the page
    assert len(reasons) == 2


def test_files_are_given_back_when_their_page_is_closed(server: Server) -> None:
    async def visit() -> None:
        await server.put("a1", "stays", 40)
        await server.put("a2", "never read", 40)
        await server.put("b1", "page comes back", 40)
        await server.close("a2")
        await server.close("b1")
        server.closed.remove("b1")
        server.closed.add("c1")
        await server.put("c1", "comes after its page was closed", 40)
        await asyncio.sleep(0.01)

    run_alone(visit())
    assert set(server.manager.file_storage) == {"a1", "b1"}
