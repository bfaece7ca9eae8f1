"""Who can reach the server, what it tells browsers about itself, and what it lets go when somebody or it leaves."""

import json
import os
import sys
import tomllib
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from streamlit import net_util
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.web.server import server_util
from streamlit.web.server.app_discovery import discover_asgi_app
from websockets.asyncio.client import connect

from gfx_core.config import ASSETS
from gfx_core.drawing.export import css
from gfx_core.jobs.job import Client, JobState
from gfx_core.jobs.pool import WorkerPool
from gfx_core.jobs.scheduler import JobLimits
from pages.ui import sessions, shell
from pages.ui.components.mount import modules, routes
from pages.ui.server import HEADERS, HERE, REFUSED, network_address, room_address, secure
from pages.ui.sessions import COOKIE, GONE_S
from pages.ui.shell import ASIDE, PAGES, TITLE
from pages.ui.streamlit_private import prepare
from tests.jobs.work_for_tests import call
from tests.loops import run_alone
from tests.pages.page_reading import ROOT
from tests.patience import PATIENCE_S, until
from tests.server import running


def ask(app: Any, path: str, **headers: str) -> tuple[int, dict[str, str], str]:
    """What an ASGI application answers: the status, the headers and the text."""
    sent: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    pairs = [(name.encode(), value.encode()) for name, value in {"host": "localhost:8501", **headers}.items()]
    scope = {"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": pairs}
    run_alone(app(scope, receive, send))
    body = b"".join(message.get("body", b"") for message in sent).decode()
    return sent[0]["status"], {name.decode(): value.decode() for name, value in sent[0]["headers"]}, body


def _here(_: Request) -> Response:
    return PlainTextResponse("here", headers={"x-frame-options": "DENY"})


def test_shipped_settings_listen_on_this_computer_only() -> None:
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert settings["server"]["address"] == "127.0.0.1"
    assert set(settings["server"]["allowedHosts"]) == set(HERE)
    assert settings["logger"] == {"enableRich": False}  # Rich would write errors of visitors as they are
    assert not network_address().startswith("127.")
    found = discover_asgi_app(ROOT / "app.py")  # else `streamlit run app.py` would serve the pages without headers
    assert (found.is_asgi_app, found.import_string) == (True, "app:app")


def test_a_page_is_answered_with_headers_and_its_navigation() -> None:
    middleware = [Middleware(BaseHTTPMiddleware, dispatch=secure)]
    app = Starlette(routes=[*shell.routes(), Route("/{path:path}", _here)], middleware=middleware)
    status, headers, text = ask(app, "/_stcore/health")
    assert (status, text) == (200, "here")
    assert set(HEADERS) <= set(headers)
    assert headers["x-frame-options"] == "DENY"  # what is there already stays
    assert {"HttpOnly", "SameSite=lax"} <= set(headers["set-cookie"].split("; "))
    assert "set-cookie" not in ask(app, "/learn", cookie=f"{COOKIE}=a-token")[1]
    for path, current in {"/": "Home", "/explain": "Explain"}.items():
        _, headers, text = ask(app, path)
        assert headers["cache-control"] == "no-cache"
        assert set(HEADERS) <= set(headers)
        assert f"<b class=current>{current}</b>" in text
        assert f"<title>{TITLE}</title>" in text
        assert text.count("<b>") == len(PAGES) - len(ASIDE) - 1
    for path in ("/nowhere", "/static/js/index.js", "/media/picture"):
        assert ask(app, path)[2] == "here"


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost", 200),
        ("127.0.0.1:8501", 200),
        ("[::1]:8501", 200),
        ("a.lab.example", 200),
        ("evil.example", 421),
        ("lab.example.evil.example", 421),
        ("a; script-src *", 421),
        ("", 421),
    ],
)
def test_other_names_are_refused(host: str, status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(st, "get_option", {"server.allowedHosts": [*HERE, "*.lab.example"]}.__getitem__)
    app = Starlette(routes=[Route("/{path:path}", _here)], middleware=[Middleware(BaseHTTPMiddleware, dispatch=secure)])
    answer = ask(app, "/learn", host=host)
    assert (answer[0], answer[2]) == (status, "here" if status == 200 else REFUSED)
    assert set(HEADERS) <= set(answer[1])


@pytest.mark.parametrize("base", ["", "/some/where"])
def test_modules_have_addresses_of_their_own(base: str) -> None:
    app, digest = Starlette(routes=routes()), modules()[0]
    status, headers, text = ask(app, f"{base}/modules/{digest}/kit/dom.js")
    assert (status, text) == (200, (ASSETS / "kit" / "dom.js").read_text(encoding="utf-8"))
    assert "immutable" in headers["cache-control"]
    assert headers["content-type"].startswith("text/javascript")  # also of a style sheet, which modules import
    sheet = ask(app, f"{base}/modules/{digest}/kit/kit.css")
    assert sheet[1]["content-type"] == headers["content-type"]
    assert json.loads(sheet[2].removeprefix("export default ").removesuffix(";")) in css("player")
    for path in ("kit/none.js", "../app.py", "logo.svg", "content/limits.toml"):
        assert ask(app, f"{base}/modules/{digest}/{path}")[0] == 404


def test_nothing_may_be_loaded_from_elsewhere() -> None:
    words = HEADERS["content-security-policy"].replace(";", " ").split()
    assert not {"http:", "https:", "*", "ws:", "wss:"} & set(words)


def test_no_service_is_asked_for_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    """A websocket from another site's page had Streamlit ask a service on the web."""
    asked: list[str] = []
    monkeypatch.setattr(net_util, "_make_blocking_http_get", lambda url, timeout=5: asked.append(url))
    monkeypatch.setattr(net_util, "get_external_ip", net_util.get_external_ip)  # is put back afterwards
    prepare()
    assert not server_util.is_url_from_allowed_origins("http://evil.example")
    assert asked == []


def test_the_room_is_told_only_where_it_is_let_in(monkeypatch: pytest.MonkeyPatch) -> None:
    assert room_address() == ""
    options = {"browser.serverAddress": "192.168.1.20", "server.port": 8501, "server.sslCertFile": None}
    monkeypatch.setattr(st, "get_option", options.__getitem__)
    assert room_address() == "http://192.168.1.20:8501"


# Servers


HOSTILE = "a\x1b[2J\r\nERROR forged: b\x00\x9b\u2028\u202e\ud800"
ROOM = ("app.py", "--class", "--headless", "--address", "room.example", "--port")


@pytest.mark.skipif(sys.platform == "win32", reason="no such signals there")
def test_files_of_visitors_go_with_the_server_and_forged_frames_write_one_line_each(tmp_path: Path) -> None:
    folder, log = tmp_path / "temporary", tmp_path / "server.log"
    folder.mkdir()
    message = BackMsg()
    message.rerun_script.fragment_id = HOSTILE.replace("\ud800", "")
    frames = [b"\xff\xff\xff", "text", message.SerializeToString()]  # no message, a text frame, escape codes

    async def forge(address: str) -> None:
        for frame in frames:
            stream = f"{address.replace('http', 'ws')}/_stcore/stream"
            async with connect(stream, proxy=None, open_timeout=PATIENCE_S) as websocket:
                await websocket.send(frame)

    with running(tmp_path, TMPDIR=str(folder)) as server:
        before = len(log.read_text().splitlines())
        run_alone(forge(server.address))
        until(lambda: len(log.read_text().splitlines()) >= before + len(frames))
        server.process.kill()
    text = log.read_text()
    assert "Traceback" not in text
    assert "\x1b" not in text
    assert not any(line.startswith("ERROR forged") for line in text.splitlines())
    assert len(text.splitlines()[before:]) == len(frames)
    with running(tmp_path, ROOM, TMPDIR=str(folder)) as server:
        assert f"{server.address.replace('127.0.0.1', 'room.example')}/learn" in log.read_text()
        for host in ("room.example", "evil.example", "room.example.evil.example", "room.example@evil.example"):
            page = urllib.request.Request(server.address, headers={"Host": host})
            try:
                answer = urllib.request.urlopen(page, timeout=PATIENCE_S)
            except urllib.error.HTTPError as error:
                answer = error
            assert answer.status == (200 if host == "room.example" else 421)
        (own,) = folder.glob("gfx-own-*")  # of the killed server nothing is left
        (own / "data.safetensors").write_bytes(b"somebody's own")
    assert os.listdir(folder) == []


# Visits


VISITOR = Client("page of a", "a")


def test_a_job_ends_when_its_page_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    connected, visit = {VISITOR.session}, sessions.Visit()
    visit.pages[VISITOR.session] = 0.0
    monkeypatch.setattr(sessions, "is_connected", connected.__contains__)
    monkeypatch.setattr(sessions, "_visits", {"browser": visit})
    with WorkerPool(JobLimits({"cpu": 1})) as pool:
        monkeypatch.setattr(sessions, "pools", [pool])
        job = pool.submit(call("never_looks"), client=VISITOR)
        for at, here in ((0.0, True), (1.0, False), (GONE_S, False), (GONE_S + 0.5, True), (GONE_S + 2.0, False)):
            connected.clear()
            connected |= {VISITOR.session} if here else set()
            sessions.end_what_is_left(at)
            assert not job.finished
        sessions.end_what_is_left(2 * GONE_S + 2.0)
        assert job.status.state is JobState.CANCELLED
