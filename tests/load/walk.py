"""What each visitor does: lesson 1, lesson 5, Explain, another node there, and Compare on it."""

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlencode

from websockets.exceptions import WebSocketException

from tests.load.visitor import VisitError, Visitor

DATASET = "ba_shapes"
NODES = range(300, 700)
"""On houses: all of them take work, and none is shipped but a few."""


@dataclass(frozen=True)
class Step:
    """Something that a visitor does.

    Attributes:
        title: What it is.
        page: The page that is opened.
        shows: Part of the name of a component that must be there at the end.
        link: The parameters, from the visitor's node.
        most_ratio: The aim for 95 of 100 visitors, as a multiple of what one visitor alone waits.
    """

    title: str
    page: str
    shows: str
    link: Callable[[int], dict[str, str]]
    most_ratio: float


STEPS = (
    Step("Lesson 1", "learn", "lesson-1-dag", lambda _: {"lesson": "1"}, 3.0),
    Step("Lesson 5", "learn", "lesson-5", lambda _: {"lesson": "5"}, 3.0),
    Step("Explain", "explain", "player", lambda _: {}, 6.0),
    Step("Explain, another node", "explain", "player", lambda node: {"dataset": DATASET, "index": str(node)}, 6.0),
    Step("Compare", "compare", "methods-gallery", lambda node: {"dataset": DATASET, "index": str(node)}, 6.0),
)


@dataclass
class Found:
    """What was measured.

    Attributes:
        seconds: Of every visitor, by step.
        errors: What went wrong, with the step.
    """

    seconds: dict[str, list[float]] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)


async def walk(address: str, node: int, found: Found, *, think_s: float = 0.0, code: str = "", seed: int = 0) -> None:
    """One visitor's way through all steps.

    Args:
        address: Of the server.
        node: The node that is asked about.
        found: Takes what is measured.
        think_s: At most so long does the visitor look before each step.
        code: Of the class that the visitor is in, if any.
        seed: Of how long the visitor looks.
    """
    pause = random.Random(seed)
    try:
        await asyncio.sleep(pause.random() * think_s)
        async with Visitor(address) as visitor:
            for step in STEPS:
                await _take(visitor, step, node, found, code)
                await visitor.stay(pause.random() * think_s)
    except (OSError, TimeoutError, WebSocketException) as error:
        found.errors.append(f"{type(error).__name__}: {error}"[:200])


async def _take(visitor: Visitor, step: Step, node: int, found: Found, code: str) -> None:
    link = {**step.link(node), **({"class": code} if code else {})}
    try:
        seconds = await visitor.open(step.page, urlencode(link))
        if step.shows not in visitor.components:
            alerts = "; ".join(visitor.alerts)[:200] or "it is not there"
            raise VisitError(f"{step.shows}: {alerts}")
        found.seconds.setdefault(step.title, []).append(seconds)
    except VisitError as error:
        found.errors.append(f"{step.title}: {error}")


async def crowd(address: str, nodes: Sequence[int], *, think_s: float, code: str = "") -> Found:
    """Several visitors at once, each with a node of their own."""
    found = Found()
    ways = (walk(address, node, found, think_s=think_s, code=code, seed=number) for number, node in enumerate(nodes))
    await asyncio.gather(*ways)
    return found


def some_nodes(count: int, seed: int = 0) -> list[int]:
    """Nodes that nobody has asked about; all different as long as there are enough."""
    chosen = random.Random(seed)
    return chosen.sample(NODES, count) if count <= len(NODES) else chosen.choices(NODES, k=count)
