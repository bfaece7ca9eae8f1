"""Many visitors on one server: ``python -m tests.load --visitors 30`` prints how long each interaction takes them.

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
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd
import psutil
from websockets.exceptions import WebSocketException

from tests.load.server import Server, running
from tests.load.visitor import VisitError, Visitor

NODES = range(300, 700)
"""Of BA-Shapes, on houses: all of them take work, and none is shipped but a few."""
ALONE = 3
"""Walks of one visitor that are compared with; as many before them warm the server."""
STEPS = {
    "Lesson 1": ("learn", "lesson=1", "lesson-1-dag", 3),
    "Lesson 5": ("learn", "lesson=5", "lesson-5", 3),
    "Explain": ("explain", "", "player", 6),
    "Explain, another node": ("explain", "dataset=ba_shapes&index={node}", "player", 6),
    "Compare": ("compare", "dataset=ba_shapes&index={node}", "methods-gallery", 6),
}
"""Page, link, part of the name of a component that must be there in the end, and the aim for 95 of 100 visitors, as a
multiple of what one visitor alone waits."""


async def walk(address: str, node: int, think_s: float) -> list[dict[str, object]]:
    """One visitor's way through all steps; a row of seconds, or of an error, for each.

    Args:
        address: Of the server.
        node: The node that the visitor asks about.
        think_s: At most so long does the visitor look at a page.
    """
    pause, rows = random.Random(node), []
    try:
        async with Visitor(address) as visitor:
            for step, (page, link, component, _) in STEPS.items():
                await visitor.stay(pause.random() * think_s)
                try:
                    seconds = await visitor.open(page, link.format(node=node))
                    if not any(component in drawn.bidi_component.id for drawn in visitor.elements("bidi_component")):
                        alerts = "; ".join(drawn.alert.body for drawn in visitor.elements("alert"))
                        raise VisitError(alerts[:200] or f"{component} is not there")
                    rows.append({"step": step, "seconds": seconds})
                except VisitError as error:
                    rows.append({"step": step, "error": str(error)})
    except (OSError, TimeoutError, WebSocketException) as error:
        rows.append({"step": "connection", "error": f"{type(error).__name__}: {error}"[:200]})
    return rows


def megabytes(server: Server) -> float:
    """Memory of the pages' process and of all its workers together."""
    total = 0.0
    for process in (server.process, *server.process.children(recursive=True)):
        with suppress(psutil.Error):  # it has just ended
            total += process.memory_info().rss / 1e6
    return total


async def crowd(server: Server, nodes: Sequence[int], think_s: float) -> tuple[pd.DataFrame, float]:
    """Several visitors at once, each with a node of their own; their rows, and the most memory meanwhile, in MB."""
    walks = asyncio.gather(*(walk(server.address, node, think_s) for node in nodes))
    most = 0.0
    while not walks.done():
        most = max(most, megabytes(server))
        await asyncio.wait([walks], timeout=1.0)
    return pd.DataFrame([row for rows in walks.result() for row in rows], columns=["step", "seconds", "error"]), most


def seconds_table(alone: pd.DataFrame, together: pd.DataFrame) -> str:
    """The seconds of each step; p95 as a multiple of one visitor's median."""
    seconds = together.groupby("step").seconds.describe(percentiles=[0.5, 0.95]).reindex(list(STEPS))
    table = pd.DataFrame({"one visitor": alone.groupby("step").seconds.median().reindex(list(STEPS))})
    table[["p50", "p95", "max"]] = seconds[["50%", "95%", "max"]]
    table["p95 / one"] = table["p95"] / table["one visitor"]
    table["aim"] = [aim for _, _, _, aim in STEPS.values()]
    table["reached"] = np.where(table["p95 / one"] <= table["aim"], "yes", "no")
    return table.round(2).to_string()


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and print the tables; 1 if anything went wrong or was left behind."""
    parser = argparse.ArgumentParser(prog="python -m tests.load", description=__doc__)
    parser.add_argument("--visitors", type=int, default=30, metavar="N", help="at once (default: %(default)s)")
    parser.add_argument("--think", type=float, default=2.0, metavar="S", help="at most so long do they look at a page")
    options = parser.parse_args(arguments)
    every = random.Random(0).sample(NODES, len(NODES))
    nodes = [every[number % len(every)] for number in range(2 * ALONE + options.visitors)]
    with tempfile.TemporaryDirectory() as folder:
        with running(Path(folder)) as server:
            walks = [asyncio.run(crowd(server, [node], 0.0))[0] for node in nodes[: 2 * ALONE]]
            alone, before = pd.concat(walks[ALONE:]), megabytes(server)
            together, most = asyncio.run(crowd(server, nodes[2 * ALONE :], options.think))
            workers = server.process.children(recursive=True)
        _, left = psutil.wait_procs(workers, timeout=5)
    errors = pd.concat([*walks, together]).groupby(["step", "error"]).size()
    busy = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    sys.stdout.write(
        f"{options.visitors} visitors, each looking up to {options.think:g} s at a page; {os.cpu_count()} cores{busy}\n"
        f"\n{seconds_table(alone, together)}\n\n{errors.to_string() if len(errors) else 'No errors.'}\n\n"
        f"Memory of all processes: {before:.0f} MB before, at most {most:.0f} MB. Processes left behind: {len(left)}\n"
    )
    return 1 if len(errors) or left else 0


if __name__ == "__main__":
    sys.exit(main())
