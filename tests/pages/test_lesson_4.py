"""Lesson 4: balance by hand, the training that fails and its repair, and the question."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from gfx_core.training.recording import decode_probabilities as decode
from pages.ui.components.train_view import TrainActions
from pages.ui.lessons import lesson_4
from pages.ui.lessons.lesson_4 import FIRST_TRY
from tests.pages.page_reading import Open, component, has, looked_until, texts, url
from tests.patience import PATIENCE_S

KEY = "lesson-4-question"
LISTENERS: list[Callable[[int | None], None]] = []
"""What the view of a training would call."""


def trained(at: AppTest) -> dict[str, Any]:
    """Wait for the worker; returns what the browser is given of its training."""
    looked_until(at, lambda: has(at, "l4-training"))
    return component(at, "l4-training")


def end_playback(at: AppTest) -> None:
    """What the browser reports when the playback ends."""
    at.query_params["at"] = str(component(at, "l4-training")["lanes"][0]["frames"][-1]["step"])
    at.run()


def test_it_opens_out_of_balance_and_a_link_in_balance_leads_on(open_page: Open) -> None:
    at = open_page("learn", lesson="4")
    shown = component(at, "l4-hand")
    assert (shown["state"], shown["parents"], shown["children"]) == ("abc", ["ab", "ac"], ["abcd"])
    assert shown["reward"] == 6
    assert shown["flows"] == list(FIRST_TRY)
    assert "**6** more flows out than in" in texts(at)
    assert "**6** more flows in than out" in texts(open_page("learn", lesson="4", f="9_4_1"))
    at = open_page("learn", lesson="4", f="3_4_1")
    assert "Balanced" in texts(at)
    at.button(key="l4-on").click().run()
    assert url(at, "part") == "2"
    assert url(at, "run") == "1"


def test_it_trains_fails_and_is_repaired(open_page: Open) -> None:
    at = open_page("learn", lesson="4", part="2")
    assert "Press “Train”" in at.info[0].value
    at.button(key="l4-fail").click().run()
    shown = trained(at)
    assert shown["only"] == ["dag", "stop"]
    lane = shown["lanes"][0]
    scene, last = lane["scenes"][0], lane["frames"][-1]
    far = scene["states"].index([0, 2, 3, 4])
    assert decode(last["visits"])[far] == 0
    assert decode(last["stop"])[far] < 0.01
    assert decode(scene["target"])[far] == pytest.approx(10 / 26, abs=1e-3)
    assert last["total_variation"] > 0.4
    assert "should get" not in texts(at)  # the verdict waits for the end of the playback
    end_playback(at)
    assert "**acde** should get 38.5 % of the walks and gets 0.0 %. It was never visited." in texts(at)
    before = component(at, "l4-training")["token"]
    at.button(key="l4-repair").click().run()
    assert url(at, "eps") == "0.2"
    looked_until(at, lambda: has(at, "l4-training") and component(at, "l4-training")["token"] != before)
    assert component(at, "l4-training")["lanes"][0]["frames"][-1]["total_variation"] < 0.01
    assert "every state is in balance" not in texts(at)
    end_playback(at)
    assert "every state is in balance" in texts(at)


def test_without_controls_the_training_runs_by_itself(open_page: Open) -> None:
    at = open_page("learn", lesson="4", part="2", hide="controls")
    frames = trained(at)["lanes"][0]["frames"]
    assert np.isclose(decode(frames[0]["stop"]).sum(), 1, atol=1e-3)
    assert not at.info
    assert not any(button.key == "l4-train" for button in at.button)
    assert component(at, "l4-graph-drawn")["nodes"]


def test_hidden_explanations_are_hidden(open_page: Open) -> None:
    for part in ("1", "2"):
        shown, bare = (open_page("learn", lesson="4", part=part, **hide) for hide in ({}, {"hide": "theory"}))
        assert "one rule can be checked" in texts(shown)
        assert "one rule can be checked" not in texts(bare)
    assert "All flows begin" in shown.info[0].value
    assert bare.info[0].value == "Press “Train”."


def test_a_playback_that_was_replaced_is_not_listened_to(monkeypatch: pytest.MonkeyPatch) -> None:
    def view(*_: object, actions: TrainActions, **__: object) -> None:
        assert actions.step is not None
        LISTENERS.append(actions.step)

    monkeypatch.setattr(lesson_4, "train_view", view)
    at = AppTest.from_function(_replaced, default_timeout=PATIENCE_S).run()
    assert not at.exception
    assert [text.value for text in at.text] == ["12", "", "True"]


def _replaced() -> None:
    import streamlit as st

    from pages.ui.lessons import frame, lesson_4
    from tests.pages.test_lesson_4 import LISTENERS

    st.query_params.from_dict({"lesson": "4", "part": "2", "run": "1"})
    frame.open_lesson()
    recording = {"lanes": [{"frames": [{"step": 300}]}]}
    lesson_4.play(recording, lesson_4.TRAINING.run)
    first = LISTENERS[-1]
    first(12)
    st.text(st.query_params.get("at", ""))
    lesson_4.TRAINING.train()
    lesson_4.play(recording, lesson_4.TRAINING.run)
    first(300)  # the one before ends while the next is computed
    st.text(st.query_params.get("at", ""))
    LISTENERS[-1](300)
    st.text(lesson_4.play(recording, lesson_4.TRAINING.run))


def test_controls_are_kept_in_the_url(open_page: Open) -> None:
    at = open_page("learn", lesson="4", part="2")
    at.slider(key="l4-eps").set_value(0.35).run()
    at.slider(key="l4-beta").set_value(1.5).run()
    at.select_slider(key="l4-lr").set_value(0.1).run()
    at.number_input(key="l4-seed").set_value(7).run()
    at.selectbox(key="l4-graph").set_value("two-modes").run()
    assert not at.exception
    now = {name: url(at, name) for name in ("eps", "beta", "lr", "seed", "graph")}
    assert now == {"eps": "0.35", "beta": "1.5", "lr": "0.1", "seed": "7", "graph": "two-modes"}
    again = open_page("learn", lesson="4", part="2", **now)
    assert again.slider(key="l4-eps").value == 0.35
    assert again.number_input(key="l4-seed").value == 7


SENSELESS: list[dict[str, str]] = [
    {"f": "x_1_2", "part": "9"},
    {"f": "nan_1_1"},
    {"f": "1e9_1_1", "part": "<b>"},
    {"part": "2", "eps": "nan", "beta": "99", "lr": "7", "seed": "-3", "graph": "no", "at": "x"},
    {"part": "2", "eps": "", "beta": "inf", "seed": "1" * 5000, "run": "maybe"},
]


def test_senseless_links_do_no_harm(open_page: Open) -> None:
    at = open_page("learn", lesson="4")
    for link in SENSELESS:
        at.query_params.clear()
        at.query_params.update({"lesson": "4", **link})
        at.run()
        assert not at.exception
        assert not at.error
        if link.get("part") == "2":
            assert at.slider(key="l4-eps").value == 0.2
            assert at.slider(key="l4-beta").value == 1.0
        else:
            assert component(at, "l4-hand")["flows"] == list(FIRST_TRY)


def test_a_teacher_can_hide_parts(open_page: Open) -> None:
    at = open_page("learn", lesson="4", part="2", hide="controls,question,theory")
    assert not any(slider.key == "l4-eps" for slider in at.slider)
    assert not any(radio.key == KEY for radio in at.radio)
    at = open_page("learn", lesson="4", hide="controls")
    assert component(at, "l4-hand")["fixed"] is True
