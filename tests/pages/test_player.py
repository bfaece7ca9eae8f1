"""What the player's wrapper hands to the browser, and how it answers."""

from typing import Any

from streamlit.testing.v1 import AppTest

from gfx_core.config import ASSETS
from gfx_core.trace.serialize import from_json, load
from pages.ui.components.player import _once, _text, alone
from tests.pages.page_reading import component
from tests.patience import PATIENCE_S

PAGE = """
import streamlit as st
from gfx_core.config import ASSETS
from gfx_core.trace.serialize import load
from pages.ui.components.player import player

trace = load(ASSETS / "traces" / f"{st.session_state.get('name', 'ba_shapes-423')}.json")
st.button("again")
player(trace, key="played", **st.session_state.get("options", {}))
"""


def opened(**state: Any) -> AppTest:
    at = AppTest.from_string(PAGE, default_timeout=PATIENCE_S)
    for name, value in state.items():
        at.session_state[name] = value
    at.run()
    assert not at.exception
    return at


def test_the_trace_travels_whole() -> None:
    data = component(opened(), "played")
    assert from_json(data["trace"]) == load(ASSETS / "traces" / "ba_shapes-423.json")
    assert len(data.pop("theorem")[0]) == len(from_json(data.pop("trace")).steps)
    assert data == {
        "autoplay": True,
        "manual": False,
        "ended": True,
        "height": 640,
        "hears": [],
        "initialStep": None,
        "view": "",
        "folded": False,
        "presenting": False,
        "loops": False,
    }


def test_another_step_or_trace_is_sent() -> None:
    at = opened(options={"step": 4, "heard": {"take": lambda *_: None}, "ended": False})
    before = component(at, "played")
    assert [before[name] for name in ("initialStep", "autoplay", "manual", "ended")] == [4, False, True, False]
    at.button[0].click().run()
    assert component(at, "played") == before
    at.session_state["options"] = {"step": 6}
    at.run()
    assert component(at, "played")["initialStep"] == 6
    at.session_state["name"] = "tree_cycles-513"
    at.session_state["options"] = {}
    at.run()
    data = component(at, "played")
    assert data["initialStep"] is None
    assert from_json(data["trace"]).dataset == "tree_cycles"


def test_a_trace_without_masks_is_made_and_written_once() -> None:
    trace = load(ASSETS / "traces" / "ba_shapes-423.json")
    bare = alone(trace)
    assert (bare.masks, trace.masks != ()) == ((), True)
    assert alone(trace) is bare
    assert _text(bare) is _text(bare)
    other = load(ASSETS / "traces" / "ba_shapes-423.json")
    assert alone(other) is not bare
    many = _once(lambda _: object(), most=2)
    first, second, third = (load(ASSETS / "traces" / "ba_shapes-423.json") for _ in range(3))
    made = many(first)
    assert many(first) is made
    many(second), many(third)
    assert many(first) is not made
