"""Lesson 7: three trainings side by side, what one constant log Z cannot do, and the question."""

import numpy as np
import pytest

from gfx_core.teaching.practice import Practice, ground, true_log_z
from pages.ui.lessons.lesson_7 import METHODS
from tests.pages.page_reading import Open, component, has, looked_until, refused, texts, url

KEY = "lesson-7-question"


def test_start_nodes_and_their_true_log_z() -> None:
    assert ground(Practice.TOY).read_nodes("ae") == (0, 4)
    assert ground(Practice.TOY).read_nodes("abcde") == (0, 1, 2, 3, 4)
    assert true_log_z("a") == pytest.approx(np.log(6 + 3 + 1 + 5 * 0.5))  # eight states hold a


def test_it_opens_with_what_to_do_and_no_training(open_page: Open) -> None:
    at = open_page("learn", lesson="7")
    assert "Press “Train all three”" in at.info[0].value
    assert not any("l7-training" in c.proto.id for c in at.get("bidi_component"))


def test_with_two_start_nodes_only_the_constant_fails(open_page: Open) -> None:
    at = open_page("learn", lesson="7", starts="ae")
    at.button(key="l7-train").click().run()
    looked_until(at, lambda: has(at, "l7-training"))
    levels, lines = component(at, "l7-training")["panels"]
    assert levels["names"] == ["a", "e"]
    assert levels["exact"] == pytest.approx([true_log_z("a"), true_log_z("e")], abs=1e-3)
    by_name = {one["name"]: one["values"][-1] for one in levels["series"]}
    distance = {one["name"]: one["values"][-1] for one in lines["series"]}
    for name in ("fm", "tb-conditional"):
        assert by_name[METHODS[name][0]] == pytest.approx(levels["exact"], abs=0.02)
        assert distance[METHODS[name][0]] < 0.01
    constant = METHODS["tb-constant"][0]
    assert by_name[constant][0] == by_name[constant][1]
    assert distance[constant] > 0.05
    assert "ends at" not in texts(at)  # the verdict waits for the end of the playback
    at.query_params["frame"] = str(len(component(at, "l7-training")["steps"]) - 1)
    at.run()
    assert f"**{constant}** ends at" in texts(at)


def test_controls_are_kept_in_the_url(open_page: Open) -> None:
    at = open_page("learn", lesson="7")
    at.select_slider(key="l7-lr").set_value(0.1).run()
    at.number_input(key="l7-seed").set_value(3).run()
    at.segmented_control(key="l7-starts").set_value("abcde").run()
    assert not at.exception
    assert [url(at, name) for name in ("lr", "seed", "starts")] == ["0.1", "3", "abcde"]


def test_each_answer_has_its_own_words_and_the_right_one_counts(open_page: Open) -> None:
    at = open_page("learn", lesson="7")
    refused(at, lambda page: page.radio(key=KEY), (0, 2, 3))
    at.radio(key=KEY).set_value(1).run()
    assert not at.exception
    assert "Right." in at.success[0].value
    assert url(at, "done") == "7"


@pytest.mark.parametrize(
    "link",
    [{"starts": "zz", "lr": "x", "seed": "-1"}, {"starts": "", "seed": "9" * 5000}, {"run": "<b>", "frame": "-4"}],
)
def test_senseless_links_do_no_harm(open_page: Open, link: dict[str, str]) -> None:
    at = open_page("learn", lesson="7", **link)
    assert not at.error
    assert at.segmented_control(key="l7-starts").value == "a"
    assert at.number_input(key="l7-seed").value == 0


def test_a_teacher_can_hide_parts(open_page: Open) -> None:
    at = open_page("learn", lesson="7", hide="controls,question")
    assert not any(button.key == "l7-train" for button in at.button)
    assert not any(radio.key == KEY for radio in at.radio)
