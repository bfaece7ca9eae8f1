"""Lesson 7: three trainings side by side, what one constant log Z cannot do, and the question."""

import json
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from gfx_core.gfn.settings import Loss
from gfx_core.teaching.practice import Practice, ground, true_log_z
from pages.ui.lessons.lesson_7 import METHODS
from tests.pages.page_reading import Open, looked_until, texts, url

KEY = "lesson-7-question"


def test_start_nodes_and_their_true_log_z() -> None:
    assert ground(Practice.TOY).read_nodes("ae") == (0, 4)
    assert ground(Practice.TOY).read_nodes("abcde") == (0, 1, 2, 3, 4)
    assert true_log_z("a") == pytest.approx(np.log(6 + 3 + 1 + 5 * 0.5))  # eight states hold a


def charts(at: AppTest) -> list[dict[str, Any]]:
    """log Z of each start node, and the curves, as Plotly is given them."""
    return [json.loads(chart.proto.spec) for chart in at.get("plotly_chart")]


def test_it_opens_with_what_to_do_and_no_training(open_page: Open) -> None:
    at = open_page("learn", lesson="7")
    assert "Press “Train all three”" in at.info[0].value
    assert not charts(at)


def test_with_two_start_nodes_only_the_constant_fails(open_page: Open) -> None:
    at = open_page("learn", lesson="7", starts="ae")
    at.button(key="l7-train").click().run()
    looked_until(at, lambda: any(slider.key == "l7-step" for slider in at.select_slider))
    levels, curves = charts(at)
    assert levels["layout"]["xaxis"]["ticktext"] == ["a", "e"]
    assert [trace["name"] for trace in levels["data"]][1:] == [trace["name"] for trace in curves["data"]]
    constant = METHODS[Loss.TRAJECTORY_BALANCE][0]
    assert f"**{constant}** ends at" in texts(at)
    at.select_slider(key="l7-step").set_value(0).run()
    assert url(at, "at") == "0"
    assert len(charts(at)[1]["data"][0]["x"]) < len(curves["data"][0]["x"])
    at.query_params["at"] = "199"  # of which there is no snapshot
    assert at.run().select_slider(key="l7-step").value == 200


def test_controls_are_kept_in_the_url(open_page: Open) -> None:
    at = open_page("learn", lesson="7")
    at.select_slider(key="l7-lr").set_value(0.1).run()
    at.number_input(key="l7-seed").set_value(3).run()
    at.segmented_control(key="l7-starts").set_value("abcde").run()
    assert not at.exception
    assert [url(at, name) for name in ("lr", "seed", "starts")] == ["0.1", "3", "abcde"]


def test_senseless_links_do_no_harm(open_page: Open) -> None:
    at = open_page("learn", lesson="7")
    for link in (
        {"starts": "zz", "lr": "x", "seed": "-1"},
        {"starts": "", "seed": "9" * 5000},
        {"run": "<b>", "at": "-4"},
    ):
        at.query_params.clear()
        at.query_params.update({"lesson": "7", **link})
        at.run()
        assert not at.exception
        assert not at.error
        assert at.segmented_control(key="l7-starts").value == "a"
        assert at.number_input(key="l7-seed").value == 0


def test_a_teacher_can_hide_parts(open_page: Open) -> None:
    at = open_page("learn", lesson="7", hide="controls,question")
    assert not any(button.key == "l7-train" for button in at.button)
    assert not any(radio.key == KEY for radio in at.radio)
