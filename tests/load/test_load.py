"""The measuring itself: visitors without a browser see what a browser would."""

import asyncio
from pathlib import Path

import pytest

from tests.load.server import running
from tests.load.visitor import VisitError, Visitor
from tests.load.walk import STEPS, Found, walk
from tests.loops import run_alone


def test_two_visitors_walk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Through the lessons and what is shipped, which needs no worker."""
    monkeypatch.setattr("tests.load.walk.STEPS", STEPS[:3])

    async def both(address: str, found: Found) -> None:
        await asyncio.gather(*(walk(address, node, found) for node in (301, 302)))
        async with Visitor(address, patience_s=0.0) as visitor:
            with pytest.raises(VisitError, match="not ready"):
                await visitor.open("learn", "lesson=1")

    found = Found()
    with running(tmp_path) as server:
        run_alone(both(server.address, found))
        assert server.use().server_mb > 10
    assert found.errors == []
    assert {title: len(seconds) for title, seconds in found.seconds.items()} == {step.title: 2 for step in STEPS[:3]}
    assert server.left_behind() == 0
