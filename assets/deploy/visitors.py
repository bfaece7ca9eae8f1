"""Many visitors on one server: how long each interaction takes them (``python -m assets.deploy.visitors``).

Each walks lesson 1, lesson 5, Explain, another node there and Compare on it, through Streamlit's own websocket; what
runs again by itself does so as in a browser. What a browser needs to draw is not in the numbers. Beside them stands the
same walk by one visitor on the same server, so that the ratio is known: seconds depend on the computer.
"""

import argparse
import asyncio
import os
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from secrets import token_hex
from typing import Any

import pandas as pd
import psutil
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState, ContextInfo
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from pages.ui.sessions import COOKIE
from tests.server import running

NODES = range(300, 700)
"""Of BA-Shapes, on houses: all of them take work, and none is shipped but a few."""
ALONE = 3
"""Walks of one visitor that are compared with; as many before them warm the server."""
PATIENCE_S = 180.0
"""A page that needs longer has failed."""
STEPS = {
    "Lesson 1": ("learn", "lesson=1", "lesson-water", 3),
    "Lesson 5": ("learn", "lesson=5", "lesson-puzzles", 3),
    "Explain": ("explain", "", "player", 6),
    "Explain, another node": ("explain", "dataset=ba_shapes&index={node}", "player", 6),
    "Compare": ("compare", "dataset=ba_shapes&index={node}", "methods-gallery", 6),
}
"""Page, link, part of the name of a component that must be there in the end, and the aim for 95 of 100 visitors, as a
multiple of what one visitor alone waits."""


async def ask(socket: ClientConnection, url: str, query: str, **page: Any) -> None:
    """Request a run of a page, or of one of its fragments."""
    rerun = ClientState(query_string=query, context_info=ContextInfo(url=url), **page)
    await socket.send(BackMsg(rerun_script=rerun).SerializeToString())


async def open_page(socket: ClientConnection, url: str, query: str, component: str) -> None:
    """Stay on a page until its script has ended and none of its fragments runs again by itself.

    Args:
        socket: The visitor's.
        url: Of the page.
        query: Its parameters.
        component: What must be there in the end.
    """
    drawn, page, script_runs = "", "", True
    repeats: dict[str, tuple[float, float]] = {}  # fragment: interval, and when it is due
    # as if by Back or Forward: where the visitor stays on a page, its link counts more than what a browser sends
    await ask(socket, url, query, page_name=url.rpartition("/")[2], is_history_navigation=True)
    while script_runs or repeats:
        for fragment, (interval, due) in repeats.items():
            if not script_runs and time.perf_counter() >= due:
                script_runs, repeats[fragment] = True, (interval, time.perf_counter() + interval)
                await ask(socket, url, query, page_script_hash=page, fragment_id=fragment, is_auto_rerun=True)
        message = ForwardMsg()
        with suppress(TimeoutError):
            message.ParseFromString(await asyncio.wait_for(socket.recv(decode=False), 0.1))
        element, kind = message.delta.new_element, message.WhichOneof("type")
        drawn += element.bidi_component.id
        if element.HasField("exception") or element.HasField("alert"):
            raise RuntimeError((element.exception.message or element.alert.body)[:200])
        page = message.navigation.page_script_hash or page
        if kind == "new_session" and not message.metadata.run.fragment_ids:
            script_runs, repeats = True, {}
        elif kind == "auto_rerun":
            interval = message.auto_rerun.interval
            repeats[message.auto_rerun.fragment_id] = (interval, time.perf_counter() + interval)
        elif kind == "stop_auto_rerun":
            for fragment in message.stop_auto_rerun.fragment_ids:
                repeats.pop(fragment, None)
        elif kind == "script_finished":
            script_runs = message.script_finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN
    if component not in drawn:
        raise RuntimeError(f"{component} is not there")


async def walk(address: str, node: int, think_s: float) -> list[dict[str, object]]:
    """One visitor's way through all steps; a row of seconds, or of an error, for each.

    Args:
        address: Of the server.
        node: The node that the visitor asks about.
        think_s: At most so long does the visitor look at a page.
    """
    pause, rows, step = random.Random(node), [], "connection"
    # Without the cookie of a browser all visitors would be taken for one
    cookie = f"{COOKIE}={token_hex(16)}"
    try:
        async with connect(
            f"{address.replace('http', 'ws', 1)}/_stcore/stream",
            subprotocols=["streamlit"],  # type: ignore[list-item]
            max_size=2**28,
            origin=address,  # type: ignore[arg-type]
            additional_headers={"Cookie": cookie},
            open_timeout=60,
            ping_interval=None,
            proxy=None,
        ) as socket:
            for step, (page, link, component, _) in STEPS.items():
                await asyncio.sleep(pause.random() * think_s)
                began = time.perf_counter()
                query = link.format(node=node)
                await asyncio.wait_for(open_page(socket, f"{address}/{page}", query, component), PATIENCE_S)
                rows.append({"step": step, "seconds": time.perf_counter() - began})
    except (OSError, RuntimeError, TimeoutError, WebSocketException) as error:
        rows.append({"step": step, "error": f"{type(error).__name__}: {error}"[:200]})
    return rows


async def crowd(address: str, nodes: Sequence[int], think_s: float) -> pd.DataFrame:
    """The rows of several visitors at once, each with a node of their own."""
    walks = await asyncio.gather(*(walk(address, node, think_s) for node in nodes))
    return pd.DataFrame([row for rows in walks for row in rows], columns=["step", "seconds", "error"])


def seconds_table(alone: pd.DataFrame, together: pd.DataFrame) -> str:
    """The seconds of each step; p95 as a multiple of one visitor's median."""
    table = together.groupby("step").seconds.quantile([0.5, 0.95, 1.0]).unstack().reindex(list(STEPS))
    table.columns = ["p50", "p95", "max"]
    table.insert(0, "one visitor", alone.groupby("step").seconds.median())
    table["p95 / one"] = table["p95"] / table["one visitor"]
    table["aim"] = [aim for _, _, _, aim in STEPS.values()]
    return table.round(2).to_string()


def use(process: psutil.Process) -> str:
    """Memory of a server and its workers, and the files that it has open."""
    megabytes = [each.memory_info().rss / 2**20 for each in (process, *process.children(recursive=True))]
    return f"{megabytes[0]:.0f} MB, {sum(megabytes[1:]):.0f} MB of workers, {process.num_fds()} files open"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and print the tables; 1 if anything went wrong."""
    parser = argparse.ArgumentParser(prog="python -m assets.deploy.visitors", description=__doc__)
    parser.add_argument("--visitors", type=int, default=30, metavar="N", help="at once (default: %(default)s)")
    parser.add_argument("--think", type=float, default=2.0, metavar="S", help="at most so long do they look at a page")
    parser.add_argument("--settle", type=float, default=30.0, metavar="S", help="how long after them memory is read")
    options = parser.parse_args(arguments)
    every = random.Random(0).sample(NODES, len(NODES))
    nodes = [every[number % len(every)] for number in range(2 * ALONE + options.visitors)]
    with tempfile.TemporaryDirectory() as folder, running(Path(folder)) as server:
        walks = [asyncio.run(crowd(server.address, [node], 0.0)) for node in nodes[: 2 * ALONE]]
        uses = [use(server.process)]
        together = asyncio.run(crowd(server.address, nodes[2 * ALONE :], options.think))
        time.sleep(options.settle)
        uses.append(use(server.process))
    errors = pd.concat([*walks, together]).groupby(["step", "error"]).size()
    sys.stdout.write(
        f"{options.visitors} visitors, each looking up to {options.think:g} s at a page; {os.cpu_count()} cores\n\n"
        f"{seconds_table(pd.concat(walks[ALONE:]), together)}\n\n"
        f"{errors.to_string() if len(errors) else 'No errors.'}\n\n"
        f"The server before: {uses[0]}; {options.settle:g} s after all left: {uses[1]}\n"
    )
    return 1 if len(errors) else 0


if __name__ == "__main__":
    sys.exit(main())
