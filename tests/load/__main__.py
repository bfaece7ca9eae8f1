"""Many visitors on one server: ``python -m tests.load --visitors 30`` prints what each interaction takes them.

Each walks lesson 1, lesson 5, Explain, another node there and Compare on it, through Streamlit's own websocket; what
runs again by itself does so as in a browser. What a browser needs to draw is not in the numbers. Beside them stands the
same walk by one visitor on the same server, so that the ratio is known: seconds depend on the computer.
"""

import argparse
import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from gfx_core.classroom.classes import Classroom
from tests.load.report import errors_told, seconds_table, use_table
from tests.load.server import Server, Use, running
from tests.load.walk import Found, crowd, some_nodes

WARM_UP, ALONE = 2, 3  # walks by one visitor: before anything is measured, and to compare with


def measure(
    server: Server, visitors: int, think_s: float, settle_s: float, code: str, say: Callable[[str], object]
) -> tuple[Found, Found, dict[str, Use]]:
    """Walk alone, then together; what both took, and what the server took before, meanwhile and afterwards."""
    nodes = some_nodes(WARM_UP + ALONE + visitors)

    def one(node: int) -> Found:
        return asyncio.run(crowd(server.address, [node], think_s=0, code=code))

    for node in nodes[:WARM_UP]:
        one(node)
    say("the server is warm")
    alone = Found()
    for node in nodes[WARM_UP : WARM_UP + ALONE]:
        found = one(node)
        alone.errors += found.errors
        for title, seconds in found.seconds.items():
            alone.seconds.setdefault(title, []).extend(seconds)
    say("one visitor has walked")
    uses = {"before": server.use()}
    together = asyncio.run(_watched(server, nodes[WARM_UP + ALONE :], think_s, code, uses))
    say(f"{visitors} visitors have walked")
    time.sleep(settle_s)
    uses[f"{settle_s:g} s after all left"] = server.use()
    return alone, together, uses


async def _watched(server: Server, nodes: Sequence[int], think_s: float, code: str, uses: dict[str, Use]) -> Found:
    walking = asyncio.create_task(crowd(server.address, nodes, think_s=think_s, code=code))
    while not walking.done():
        now = server.use()
        if now.server_mb >= uses.get("at most", now).server_mb:
            uses["at most"] = now
        await asyncio.wait([walking], timeout=1.0)
    return walking.result()


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and print the tables; 1 if anything went wrong or was left behind."""
    parser = argparse.ArgumentParser(prog="python -m tests.load", description=__doc__)
    parser.add_argument("--visitors", type=int, default=30, metavar="N", help="at once (default: %(default)s)")
    parser.add_argument("--think", type=float, default=2.0, metavar="S", help="at most so long do they look at a page")
    parser.add_argument("--settle", type=float, default=150.0, metavar="S", help="wait so long before memory is read")
    parser.add_argument(
        "--class", dest="room", action="store_true", help="they are in a class, and asked where they are"
    )
    options = parser.parse_args(arguments)

    def say(words: str) -> None:
        sys.stderr.write(f"{words}\n")

    with tempfile.TemporaryDirectory() as folder:
        code = Classroom(Path(folder) / "classes.json").open(2).code if options.room else ""
        with running(Path(folder)) as server:
            alone, together, uses = measure(server, options.visitors, options.think, options.settle, code, say)
        left = server.left_behind()
    busy = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    parts = [
        f"{options.visitors} visitors, each looking up to {options.think:g} s at a page; {os.cpu_count()} cores{busy}.",
        seconds_table(alone, together),
        errors_told(Found(errors=alone.errors + together.errors)),
        use_table(uses),
        f"Processes left behind: {left}.",
    ]
    sys.stdout.write("\n\n".join(parts) + "\n")
    return 1 if alone.errors or together.errors or left else 0


if __name__ == "__main__":
    sys.exit(main())
