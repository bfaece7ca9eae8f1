"""The measuring itself: a visitor without a browser sees what a browser would, and the tables say what was measured."""

import asyncio
from pathlib import Path

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.load.report import errors_told, seconds_table, share, use_table
from tests.load.server import Use, running
from tests.load.visitor import VisitError, Visitor
from tests.load.walk import NODES, STEPS, Found, some_nodes, walk
from tests.loops import run_alone


def said(kind: str, *, fragment: str = "", path: tuple[int, ...] = (0,)) -> ForwardMsg:
    """A message that draws an element."""
    message = ForwardMsg()
    getattr(message.delta.new_element, kind).SetInParent()
    message.delta.fragment_id = fragment
    message.metadata.delta_path.extend(path)
    return message


def finished(status: int, *fragments: str) -> ForwardMsg:
    message = ForwardMsg()
    message.script_finished = status  # type: ignore[assignment]
    message.metadata.run.fragment_ids.extend(fragments)
    return message


def begun(*fragments: str) -> ForwardMsg:
    message = ForwardMsg()
    message.new_session.SetInParent()
    message.metadata.run.fragment_ids.extend(fragments)
    return message


def test_a_visitor_keeps_what_a_browser_keeps() -> None:
    async def hear() -> None:
        visitor = Visitor("http://localhost")
        heard = [begun(), said("markdown", path=(0,)), said("progress", fragment="f", path=(1,))]
        for message in (*heard, finished(ForwardMsg.FINISHED_SUCCESSFULLY)):
            visitor._hear(message)
        assert visitor.kinds == ["markdown", "progress"]
        for message in (begun("f"), finished(ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY, "f")):
            visitor._hear(message)
        assert visitor.kinds == ["markdown"]  # the fragment did not draw it again
        for message in (begun(), said("alert", path=(2,)), finished(ForwardMsg.FINISHED_EARLY_FOR_RERUN)):
            visitor._hear(message)
        assert visitor._running
        for message in (begun(), finished(ForwardMsg.FINISHED_SUCCESSFULLY)):
            visitor._hear(message)
        assert visitor.kinds == []

    run_alone(hear())


def test_shares_and_tables() -> None:
    assert (share([3, 1, 2], 0.5), share(range(1, 101), 0.95), share([5], 0.95)) == (2, 95, 5)
    alone = Found({step.title: [1.0, 2.0, 3.0] for step in STEPS})
    together = Found({step.title: [4.0] * 18 + [8.0, 40.0] for step in STEPS[1:]}, ["a", "a", "b"])
    table = seconds_table(alone, together).splitlines()
    assert table[2].startswith(f"| {STEPS[0].title} | – ")
    assert "| 2.00 | 4.00 | 8.00 | 40.00 | 4.0 | ≤ 3 × | no |" in table[3]
    assert "| 4.0 | ≤ 6 × | yes |" in table[4]
    assert errors_told(together).splitlines() == ["3 errors:", "- 2 × a", "- 1 × b"]
    assert "| before | 100 | 900 | 2 | 30 |" in use_table({"before": Use(100, 900, 2, 30)})


def test_everybody_has_a_node_of_their_own() -> None:
    assert len(set(some_nodes(35))) == 35
    assert len(some_nodes(2 * len(NODES))) == 2 * len(NODES)


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
