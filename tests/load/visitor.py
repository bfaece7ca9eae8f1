"""A visitor without a browser: one websocket to Streamlit, and what a browser would keep and do.

It keeps the elements of the page, runs fragments again whose time has come, as a browser does, and knows when a page
has nothing more to do.
"""

import asyncio
import math
import time
from contextlib import suppress
from dataclasses import dataclass
from secrets import token_hex

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect

PATIENCE_S = 180.0  # a page that needs longer has failed
_LONGEST_S = 0.5  # without a look at what is due
_GONE_S = 5.0  # a fragment that is gone meanwhile is not run again, and no message says so


class VisitError(RuntimeError):
    """The page did not do what it should."""


@dataclass(frozen=True)
class _Drawn:
    """An element, the fragment that drew it, and the run in which it did."""

    element: Element
    fragment: str
    run: int


class Visitor:
    """One tab of one browser.

    Args:
        address: Of the server.
    """

    def __init__(self, address: str) -> None:
        self.address, self.page, self.query = address, "", ""
        self._socket: ClientConnection
        self._elements: dict[tuple[int, ...], _Drawn] = {}
        self._cached: dict[str, ForwardMsg] = {}  # messages of which the server sends only the hash from then on
        self._again: dict[str, tuple[float, float]] = {}  # by fragment: how often it is run, and when next
        self._hash, self._run, self._running = "", 0, False
        self._asked = math.inf  # when a fragment was requested, unless it ran

    async def __aenter__(self) -> "Visitor":
        # Without the cookie of a browser all visitors would be taken for one.
        cookie = f"_streamlit_xsrf=2|{token_hex(4)}|{token_hex(16)}|{time.time():.0f}"
        self._socket = await connect(
            f"{self.address.replace('http', 'ws', 1)}/_stcore/stream",
            subprotocols=["streamlit"],  # type: ignore[list-item]
            max_size=2**28,
            origin=self.address,  # type: ignore[arg-type]
            additional_headers={"Cookie": cookie},
            open_timeout=60,
            ping_interval=None,
            proxy=None,
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._socket.close()

    async def open(self, page: str, query: str = "") -> float:
        """Go to a page, and stay until it has nothing more to do; returns the seconds."""
        began = time.perf_counter()
        self.page, self.query, self._hash = page, query, ""
        self._again.clear()
        self._asked = math.inf
        await self._ask()
        while self._running or self.elements("progress"):
            if time.perf_counter() - began > PATIENCE_S:
                raise VisitError(f"{page} is not ready after {PATIENCE_S:.0f} s")
            await self._tick(_LONGEST_S)
        return time.perf_counter() - began

    async def stay(self, seconds: float) -> None:
        """Look at the page for a while; what runs again by itself does so meanwhile."""
        until = time.perf_counter() + seconds
        while (left := until - time.perf_counter()) > 0:
            await self._tick(left)

    def elements(self, kind: str) -> list[Element]:
        """The elements of a kind that are on the page."""
        return [drawn.element for drawn in self._elements.values() if drawn.element.WhichOneof("type") == kind]

    async def _tick(self, most_s: float) -> None:
        """Run again what is due; then wait for a message, or until the next is due, or until the time is over."""
        now = time.perf_counter()
        if now - self._asked > _GONE_S:
            self._running, self._asked = False, math.inf
        for fragment, (interval, due) in list(self._again.items()):
            if now >= due and not self._running:
                self._again[fragment] = (interval, now + interval)
                await self._ask(fragment)
                self._asked = now
        next_due = [due - now for _, due in self._again.values() if due > now]
        with suppress(TimeoutError):
            raw = await asyncio.wait_for(self._socket.recv(), max(0.001, min([most_s, _LONGEST_S, *next_due])))
            message = ForwardMsg()
            message.ParseFromString(raw if isinstance(raw, bytes) else raw.encode())
            self._hear(message)

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
        await self._socket.send(message.SerializeToString())

    def _hear(self, message: ForwardMsg) -> None:
        if message.ref_hash:
            message = self._cached[message.ref_hash]
        elif message.hash:
            self._cached[message.hash] = message
        kind = message.WhichOneof("type")
        if kind == "new_session":
            self._run += 1
            self._running, self._asked = True, math.inf
            self._hash = message.new_session.page_script_hash or self._hash
            if not message.metadata.run.fragment_ids:
                self._again.clear()
        elif kind == "delta" and message.delta.WhichOneof("type") == "new_element":
            drawn = _Drawn(message.delta.new_element, message.delta.fragment_id, self._run)
            self._elements[tuple(message.metadata.delta_path)] = drawn
            if drawn.element.WhichOneof("type") == "exception":
                error = drawn.element.exception
                raise VisitError(f"{error.type}: {error.message}"[:300])
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

    def _finish(self, message: ForwardMsg) -> None:
        """Take away what this run did not draw again."""
        status = message.script_finished
        if status == ForwardMsg.FINISHED_EARLY_FOR_RERUN:
            return
        fragments = None
        if status == ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY:
            fragments = set(message.metadata.run.fragment_ids)
        for path, drawn in list(self._elements.items()):
            if drawn.run < self._run and (fragments is None or drawn.fragment in fragments):
                del self._elements[path]
        self._running = False
