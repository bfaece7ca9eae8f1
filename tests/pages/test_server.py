"""Who can reach the server, and what it tells browsers about itself."""

import io
import logging
import socket
import subprocess
import sys
import tomllib
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from streamlit import config, net_util
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.web.server import server_util
from streamlit.web.server.app_discovery import discover_asgi_app
from websockets.asyncio.client import connect

from pages.ui import server as explorer_server
from pages.ui.middleware import HEADERS, SecurityHeaders, content_policy
from pages.ui.server import HERE, LONGEST, addresses, allowed_hosts, clean_log, disable_address_lookup
from pages.ui.shell import ASIDE, PAGES, TITLE, FirstPaint
from tests.load.server import running
from tests.loops import run_alone
from tests.pages.page_reading import ROOT
from tests.patience import PATIENCE_S, until

OUTSIDE = ("http:", "https:", "*")


async def _answer(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"x-frame-options", b"DENY")]})
    await send({"type": "http.response.body", "body": b"here"})


def ask(app: Any, host: str = "localhost:8501", path: str = "/learn") -> tuple[int, dict[str, str], str]:
    """What an ASGI application answers: the status, the headers and the text."""
    sent: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": path, "headers": [(b"host", host.encode())]}
    run_alone(app(scope, None, send))
    headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], headers, sent[1]["body"].decode()


def test_shipped_settings_listen_on_this_computer_only() -> None:
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert config["server"]["address"] == "127.0.0.1"
    assert set(config["server"]["allowedHosts"]) == set(HERE)
    assert config["logger"] == {"enableRich": False}  # Rich would write errors of visitors as they are
    assert not any(address.startswith("127.") for address in addresses())
    assert set(HERE) < set(allowed_hosts(["lab.example"]))
    assert "*" not in allowed_hosts()


def test_streamlit_finds_the_server_in_the_app() -> None:
    """Else `streamlit run app.py` would serve the pages without headers."""
    found = discover_asgi_app(ROOT / "app.py")
    assert (found.is_asgi_app, found.import_string) == (True, "app:app")


def test_headers() -> None:
    status, headers, text = ask(SecurityHeaders(_answer))
    assert (status, text) == (200, "here")
    assert {*HEADERS, "content-security-policy"} <= set(headers)
    assert headers["x-frame-options"] == "DENY"  # what is there already stays


def test_a_page_is_answered_with_its_navigation_and_nothing_else_is() -> None:
    for path, current in {"/": "Home", "/explain": "Explain", "/nowhere": "Home"}.items():
        _, headers, text = ask(FirstPaint(_answer), path=path)
        assert headers["cache-control"] == "no-cache"
        assert f"<b class=current>{current}</b>" in text
        assert f"<title>{TITLE}</title>" in text
        assert text.count("<b>") == len(PAGES) - len(ASIDE) - 1
        assert text.index(".stMainBlockContainer {") < text.index('<div id="root">')
        assert "./favicon.png" not in text
    for path in ("/_stcore/health", "/static/js/index.js", "/favicon.png", "/media/picture"):
        assert ask(FirstPaint(_answer), path=path)[2] == "here"


def test_nothing_may_be_loaded_from_elsewhere() -> None:
    for host in ("localhost:8501", "192.168.1.20", "[::1]:8501", "a; script-src *", "evil.example/'\""):
        policy = content_policy(host)
        assert not any(f" {place} " in f"{policy} ".replace(";", " ") for place in OUTSIDE)
        assert policy.count(";") == content_policy("here").count(";")
    assert "ws://localhost:8501" in content_policy("localhost:8501")


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {"server.allowedHosts": ["localhost", "192.168.1.20"]}
    asked = config.get_option
    monkeypatch.setattr(config, "get_option", lambda name: known.get(name, asked(name)))


def test_other_names_are_refused_with_a_sentence(names: None) -> None:
    app = SecurityHeaders(_answer)
    assert ask(app, "localhost:8501")[0] == ask(app, "192.168.1.20")[0] == 200
    for host in ("evil.example", "localhost.evil.example", "", "localhost@evil.example"):
        status, _, text = ask(app, host)
        assert status == 421
        assert "allowedHosts" in text
        assert str(ROOT) not in text
    assert ask(app, "10.0.0.1", "/_stcore/health")[0] == 200


def test_nobody_is_asked_for_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    """A websocket from another site's page had Streamlit ask a service on the web."""
    asked: list[str] = []
    monkeypatch.setattr(net_util, "_make_blocking_http_get", lambda url, timeout=5: asked.append(url))
    monkeypatch.setattr(net_util, "get_external_ip", net_util.get_external_ip)  # is put back afterwards
    disable_address_lookup()
    assert not server_util.is_url_from_allowed_origins("http://evil.example")
    assert asked == []


def test_the_room_is_told_only_where_it_is_let_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GFX_ROOM", raising=False)
    assert explorer_server.room_address() == ""
    monkeypatch.setenv("GFX_ROOM", "192.168.1.20")
    assert explorer_server.room_address().startswith("http://192.168.1.20:")


def test_a_class_that_streamlit_hears_of_too_late_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GFX_ROOM", raising=False)
    monkeypatch.setattr(sys, "argv", ["app.py", "--class"])
    with pytest.raises(SystemExit, match=r"python app\.py --class"):
        explorer_server.settings()


@pytest.fixture
def log() -> Iterator[Callable[..., str]]:
    """What is written of something that a logger says."""
    before = logging.getLogRecordFactory()
    clean_log()

    def written(name: str, message: str, *args: object, error: BaseException | None = None) -> str:
        out = io.StringIO()
        handler = logging.StreamHandler(out)
        handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
        logger = logging.getLogger(name)
        logger.addHandler(handler)
        try:
            logger.error(message, *args, exc_info=error)
        finally:
            logger.removeHandler(handler)
        return out.getvalue()

    yield written
    logging.setLogRecordFactory(before)


HOSTILE = "a\x1b[2J\r\nERROR forged: b\x00\x9b\u2028\u202e\ud800"


def raised(error: Exception) -> Exception:
    try:
        raise error
    except type(error):
        return error


def test_text_of_visitors_is_one_clean_line_of_the_log(log: Callable[..., str]) -> None:
    for name in ("streamlit.runtime.app_session", "gfx_core.jobs", "anybody"):
        text = log(name, "no fragment %s", HOSTILE)
        assert text.count("\n") == 1
        assert "\\x1b[2J\\r\\nERROR forged: b\\x00\\x9b\\u2028\\u202e\\ud800" in text
        assert text[:-1].isprintable()
    assert len(log("anybody", "%s", "x" * 10**6)) < 2 * LONGEST
    assert log("anybody", "%d of %s", 3, "ä😀") == "ERROR anybody: 3 of ä😀\n"


@pytest.mark.parametrize("name", ["streamlit.web.server.starlette.starlette_websocket", "uvicorn.error", "asyncio"])
def test_a_message_that_cannot_be_read_costs_one_line(name: str, log: Callable[..., str]) -> None:
    text = log(name, "Exception in ASGI application\n", error=raised(TypeError(HOSTILE)))
    assert text.count("\n") == 1
    assert "Exception in ASGI application: TypeError: a\\x1b" in text
    assert f"({__file__}:" in text


def test_what_fails_in_a_page_has_its_traceback_without_control_characters(log: Callable[..., str]) -> None:
    first, *lines = log(
        "streamlit.error_util", "Uncaught app execution", error=raised(ValueError(HOSTILE))
    ).splitlines()
    assert first == "ERROR streamlit.error_util: Uncaught app execution"
    assert len(lines) > 2
    assert all(line.startswith("  | ") and line.isprintable() for line in lines)


def test_forged_frames_write_one_line_each(tmp_path: Path) -> None:
    """Frames that are no messages, text frames, and messages with line breaks and escape codes in them."""
    message = BackMsg()
    message.rerun_script.fragment_id = HOSTILE.replace("\ud800", "")
    frames = [b"\xff\xff\xff", "text", message.SerializeToString()]

    async def forge(address: str) -> None:
        for frame in frames:
            stream = f"{address.replace('http', 'ws', 1)}/_stcore/stream"
            async with connect(stream, proxy=None, open_timeout=PATIENCE_S) as socket:
                await socket.send(frame)

    with running(tmp_path) as server:
        log = tmp_path / "server.log"
        before = len(log.read_text().splitlines())
        run_alone(forge(server.address))
        until(lambda: len(log.read_text().splitlines()) >= before + len(frames))
    text = log.read_text()
    assert "Traceback" not in text
    assert "\x1b" not in text
    assert not any(line.startswith("ERROR forged") for line in text.splitlines())
    assert len(text.splitlines()[before:]) <= len(frames) + 2  # and what a server says when it ends


def test_a_class_is_let_in(tmp_path: Path) -> None:
    """`python app.py --class` says what to give out, and answers to that name and to no other."""
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "app.py", "--class", "--headless", "--address", "room.example", "--port", str(port)]
    log = tmp_path / "log"
    with log.open("w") as out:
        server = subprocess.Popen(command, cwd=ROOT, stdout=out, stderr=subprocess.STDOUT)
        try:
            until(lambda: f"http://room.example:{port}/learn" in log.read_text())
            page = urllib.request.Request(f"http://127.0.0.1:{port}/", headers={"Host": "room.example"})
            with urllib.request.urlopen(page, timeout=PATIENCE_S) as answer:
                assert answer.headers["referrer-policy"] == "no-referrer"
            page = urllib.request.Request(f"http://127.0.0.1:{port}/", headers={"Host": "evil.example"})
            with pytest.raises(urllib.error.HTTPError, match="421"):
                urllib.request.urlopen(page, timeout=PATIENCE_S)
        finally:
            server.terminate()
            server.wait(timeout=PATIENCE_S)
