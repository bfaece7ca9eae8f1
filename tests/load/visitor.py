"""A visitor without a browser: one websocket to Streamlit, and what a browser would keep and do.

It keeps the elements of the page, runs fragments again whose time has come, as a browser does, and knows when a page
has nothing more to do.
"""

import asyncio
import math
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from secrets import token_hex
from typing import Any

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

_MOST_BYTES = 2**28
_LONGEST_S = 0.5  # without a look at what is due
_GONE_S = 5.0  # a fragment that is gone meanwhile is not run again, and nobody says so


def _cookie() -> str:
    """A cookie as Streamlit gives one to each browser: without it all of them would be taken for one visitor."""
    return f"2|{token_hex(4)}|{token_hex(16)}|{time.time():.0f}"


class VisitError(RuntimeError):
    """The page did not do what it should."""


@dataclass(frozen=True)
class _Kept:
    """An element, the fragment that drew it, and the run in which it did."""

    element: Element
    fragment: str
    run: int


class Visitor:
    """One tab of one browser.

    Args:
        address: Of the server.
        patience_s: A page that needs longer has failed.
    """

    def __init__(self, address: str, patience_s: float = 180.0) -> None:
        self.address, self.patience_s = address, patience_s
        self.page, self.query = "", ""
        self.exceptions: list[str] = []
        self._elements: dict[tuple[int, ...], _Kept] = {}
        self._known: dict[str, ForwardMsg] = {}  # messages that the server takes for known
        self._again: dict[str, tuple[float, float]] = {}  # by fragment: how often it is run, and when next
        self._socket: ClientConnection | None = None
        self._reader: asyncio.Task[None] | None = None
        self._hash, self._run, self._running, self._lost = "", 0, False, ""
        self._heard, self._asked = asyncio.Event(), math.inf  # when a fragment was asked to run, unless it did

    async def __aenter__(self) -> "Visitor":
        stream = f"{self.address.replace('http', 'ws', 1)}/_stcore/stream"
        subprotocols: list[Any] = ["streamlit"]
        self._socket = await connect(
            stream,
            subprotocols=subprotocols,
            max_size=_MOST_BYTES,
            origin=self.address,  # type: ignore[arg-type]
            additional_headers={"Cookie": f"_streamlit_xsrf={_cookie()}"},
            open_timeout=60,
            ping_interval=None,
            proxy=None,
        )
        self._reader = asyncio.create_task(self._read())
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._socket is not None:
            await self._socket.close()
        if self._reader is not None:
            self._reader.cancel()

    async def open(self, page: str, query: str = "") -> float:
        """Go to a page, and stay until it has nothing more to do; returns the seconds."""
        began = time.perf_counter()
        self.page, self.query, self._hash = page, query, ""
        self.exceptions.clear()
        self._again.clear()
        self._asked = math.inf
        await self._ask()
        await self._settle(began)
        return time.perf_counter() - began

    async def stay(self, seconds: float) -> None:
        """Look at the page for a while; what runs again by itself does so meanwhile."""
        until = time.perf_counter() + seconds
        while (left := until - time.perf_counter()) > 0:
            await self._tick(left)

    @property
    def kinds(self) -> list[str]:
        """Of all elements of the page."""
        return [kept.element.WhichOneof("type") or "" for kept in self._elements.values()]

    @property
    def components(self) -> str:
        """The names of all components of the page."""
        return " ".join(each.bidi_component.id for each in self._each("bidi_component"))

    @property
    def html(self) -> str:
        """What the page writes as HTML."""
        return " ".join(each.html.body for each in self._each("html"))

    @property
    def alerts(self) -> list[str]:
        """What the page warns of."""
        return [each.alert.body for each in self._each("alert")]

    def _each(self, kind: str) -> Iterator[Element]:
        return (kept.element for kept in self._elements.values() if kept.element.WhichOneof("type") == kind)

    async def _settle(self, began: float) -> None:
        """Wait until the script has run and no job is shown to be under way."""
        while self._running or "progress" in self.kinds:
            if self._lost:
                raise VisitError(self._lost)
            if self.exceptions:
                raise VisitError(self.exceptions[0])
            if time.perf_counter() - began > self.patience_s:
                raise VisitError(f"{self.page} is not ready after {self.patience_s:.0f} s")
            await self._tick(_LONGEST_S)
        if self.exceptions:
            raise VisitError(self.exceptions[0])

    async def _tick(self, most_s: float) -> None:
        """Run again what is due; then wait until something is heard, or the next is due, or the time is over."""
        now = time.perf_counter()
        if now - self._asked > _GONE_S:
            self._running, self._asked = False, math.inf
        for fragment, (interval, due) in list(self._again.items()):
            if now >= due and not self._running:
                self._again[fragment] = (interval, now + interval)
                await self._ask(fragment)
                self._asked = now
        next_due = [due - now for _, due in self._again.values() if due > now]
        self._heard.clear()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._heard.wait(), max(0.001, min([most_s, _LONGEST_S, *next_due])))

    async def _ask(self, fragment: str = "") -> None:
        message = BackMsg()
        rerun = message.rerun_script
        rerun.query_string = self.query
        rerun.context_info.url = f"{self.address}/{self.page}"
        if self._hash:
            rerun.page_script_hash = self._hash
        else:
            rerun.page_name = self.page
        if fragment:
            rerun.fragment_id, rerun.is_auto_rerun = fragment, True
        self._running = True
        assert self._socket is not None
        await self._socket.send(message.SerializeToString())

    async def _read(self) -> None:
        assert self._socket is not None
        try:
            async for raw in self._socket:
                message = ForwardMsg()
                message.ParseFromString(raw if isinstance(raw, bytes) else raw.encode())
                self._hear(message)
                self._heard.set()
            self._lost = "the server closed the connection"
        except (OSError, WebSocketException) as error:
            self._lost = f"the connection was lost: {error}"
        self._heard.set()

    def _hear(self, message: ForwardMsg) -> None:
        kind = message.WhichOneof("type")
        if kind == "ref_hash":
            known = self._known.get(message.ref_hash)
            if known is None:
                self._lost = "the server took a message for known that was never sent"
                return
            message, kind = known, known.WhichOneof("type")
        elif message.hash:
            self._known[message.hash] = message
        if kind == "new_session":
            self._run += 1
            self._running, self._asked = True, math.inf
            self._hash = message.new_session.page_script_hash or self._hash
            if not message.metadata.run.fragment_ids:
                self._again.clear()
        elif kind == "delta":
            self._draw(message)
        elif kind == "navigation":
            self._hash = message.navigation.page_script_hash or self._hash
        elif kind == "page_info_changed":
            self.query = message.page_info_changed.query_string
        elif kind == "auto_rerun":
            every = message.auto_rerun.interval
            self._again[message.auto_rerun.fragment_id] = (every, time.perf_counter() + every)
        elif kind == "stop_auto_rerun":
            for fragment in message.stop_auto_rerun.fragment_ids:
                self._again.pop(fragment, None)
        elif kind == "script_finished":
            self._finish(message)

    def _draw(self, message: ForwardMsg) -> None:
        delta, path = message.delta, tuple(message.metadata.delta_path)
        if delta.WhichOneof("type") == "new_element":
            self._elements[path] = _Kept(delta.new_element, delta.fragment_id, self._run)
            if delta.new_element.WhichOneof("type") == "exception":
                error = delta.new_element.exception
                self.exceptions.append(f"{error.type}: {error.message}"[:300])

    def _finish(self, message: ForwardMsg) -> None:
        """Take away what this run did not draw again."""
        status = message.script_finished
        if status == ForwardMsg.FINISHED_EARLY_FOR_RERUN:
            return
        if status == ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY:
            ran = set(message.metadata.run.fragment_ids)
            stale = [path for path, kept in self._elements.items() if kept.fragment in ran and kept.run < self._run]
        else:
            stale = [path for path, kept in self._elements.items() if kept.run < self._run]
        for path in stale:
            del self._elements[path]
        self._running = False
