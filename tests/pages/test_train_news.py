"""News of a training: whatever is lost on the way, the browser has it all soon after."""

import json
import random
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from gfx_core.drawing.export import train_parts
from pages.ui.components import train_view
from tests.patience import PATIENCE_S
from tests.training.toy_recording import Toy, toy_recording

SOON = 6
"""So many messages after the last one that was lost."""


class Browser:
    """Keeps frames as `assets/train/stream.js` does; a message that says what the last one said is not heeded."""

    def __init__(self) -> None:
        self.steps: list[int] = []
        self._last = ""

    def take(self, message: dict[str, Any]) -> list[int] | None:
        text = json.dumps(message)
        if text == self._last:
            return None
        self._last = text
        (lane,) = message["lanes"]
        if lane["from"] > len(self.steps):
            return [len(self.steps)]
        self.steps[lane["from"] :] = [frame["step"] for frame in lane["frames"]]
        return None


@pytest.mark.parametrize("seed", range(20))
def test_what_is_lost_comes_again(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(st, "session_state", {})
    chance, browser = random.Random(seed), Browser()
    recording = toy_recording(Toy(lanes=1, frames=40))
    frames = recording["lanes"][0]["frames"]
    grown = 0

    def send(lost: bool) -> None:
        recording["lanes"][0]["frames"] = frames[:grown]
        message = train_parts(recording, "toy", train_view._known(recording, "key", "toy"))
        message["number"] = train_view._next_number("key")
        lacks = None if lost else browser.take(message)
        if lacks is not None and chance.random() < 0.8:  # what it says may be lost as well
            train_view._lacked(lacks, "key", "toy")

    for _ in range(30):
        grown = min(len(frames), grown + chance.randrange(3))
        send(lost=chance.random() < 0.6)
    for _ in range(SOON):  # it is paused: nothing new comes
        send(lost=False)
    assert browser.steps == [frame["step"] for frame in frames[:grown]]


def test_a_click_that_is_told_twice_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(st, "session_state", {})
    clicks = [{"value": "step", "stamp": stamp} for stamp in ("1", "1", "2")]
    assert [train_view._is_new(click, "key") for click in clicks] == [True, False, True]


def _page() -> None:
    from pages.ui.components.train_view import Live, train_view
    from tests.training.toy_recording import Toy, toy_recording

    train_view(toy_recording(Toy(lanes=1)), key="watched", token="toy", live=Live(False))


def test_no_message_is_like_the_last_one() -> None:
    at = AppTest.from_function(_page, default_timeout=PATIENCE_S)
    said = []
    for _ in range(3):
        at.run()
        (news,) = (part.proto for part in at.get("bidi_component") if part.proto.component_name.endswith("train_news"))
        said.append(news.json)
    assert len(set(said[1:])) == 2
