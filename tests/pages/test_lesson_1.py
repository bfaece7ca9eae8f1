"""Lesson 1: the river follows the rewards, the question is checked, links are read."""

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.lessons import lesson_1
from tests.pages.page_reading import Open, component, texts
from tests.patience import PATIENCE_S

DEFAULT = [0.5, 0.5, 0.5, 6.0, 1.0, 0.5, 0.5, 3.0]


def one(value: object) -> str:
    return str(value[0] if isinstance(value, list) else value)


def rows(at: AppTest) -> dict[str, dict[str, float]]:
    return {row["name"]: row for row in component(at, "lesson-1-stops")["rows"]}


def boxes(at: AppTest) -> dict[str, dict[str, float]]:
    return {box["name"]: box for box in component(at, "lesson-1-dag")["picture"]["boxes"]}


def test_it_opens_with_the_usual_rewards(open_page: Open) -> None:
    at = open_page("learn", lesson="1")
    assert [row["reward"] for row in rows(at).values()] == DEFAULT
    for name, row in rows(at).items():
        assert row["stop"] == pytest.approx(row["reward"] / 12.5) == pytest.approx(row["target"])
        assert boxes(at)[name]["stop"] == pytest.approx(row["stop"], abs=1e-5)
    assert component(at, "lesson-1-dag")["draggable"]
    assert "8 from a" in texts(at)  # the balance of ac


def test_rewards_of_the_link(open_page: Open) -> None:
    at = open_page("learn", lesson="1", r="1_0_0_0_3_0_0_0", s="acd")
    assert rows(at)["acd"]["stop"] == pytest.approx(0.75)
    assert "done. Now the question" in texts(at)
    assert "**acd** · in: 3 from ac = **3** = out: 3 stops here" in texts(at)


@pytest.mark.parametrize(
    "link", ["", "1_2", "x_1_1_1_1_1_1_1", "0_0_0_0_0_0_0_0", "1e9_1_1_1_1_1_1_1", "nan_1_1_1_1_1_1_1", "<b>"]
)
def test_senseless_rewards_do_no_harm(open_page: Open, link: str) -> None:
    at = open_page("learn", lesson="1", r=link, s="<i>")
    assert [row["reward"] for row in rows(at).values()] == DEFAULT


def test_double_halve_and_reset(open_page: Open) -> None:
    at = open_page("learn", lesson="1")
    before = rows(at)
    at.button(key="double").click().run()
    assert [row["reward"] for row in rows(at).values()] == [2 * r for r in DEFAULT]
    assert {name: row["stop"] for name, row in rows(at).items()} == pytest.approx(
        {name: row["stop"] for name, row in before.items()}
    )
    assert at.button(key="double").disabled
    assert one(at.query_params["r"]) == "1_1_1_12_2_1_1_6"
    at.button(key="halve").click().run()
    assert rows(at) == before
    at.button(key="halve").click().run()
    at.button(key="reset").click().run()
    assert rows(at) == before
    assert "r" not in at.query_params


def dragging() -> None:
    """A page that drags rewards as the view reports it."""
    import streamlit as st

    from pages.ui.lessons import lesson_1

    lesson_1.set_reward(4, 4.0)
    st.text(lesson_1.rewards()[4])
    st.text(st.query_params.get("r", "none"))
    lesson_1.write_rewards()
    st.text(st.query_params["r"])
    for state in range(8):
        lesson_1.set_reward(state, 0.0)
    st.text(sum(lesson_1.rewards()))


def test_a_dragged_reward_reaches_the_url_when_it_is_let_go() -> None:
    at = AppTest.from_function(dragging, default_timeout=PATIENCE_S).run()
    assert not at.exception
    assert [text.value for text in at.text] == ["4.0", "none", "0.5_0.5_0.5_6_4_0.5_0.5_3", "0.5"]


@pytest.mark.parametrize(("answer", "says"), [(0, "twice as much enters"), (2, "the two cancel")])
def test_wrong_answers_are_told_why(open_page: Open, answer: int, says: str) -> None:
    at = open_page("learn", lesson="1")
    at.radio(key="lesson-1-question").set_value(answer).run()
    assert says in at.warning[0].value
    assert "done" not in at.query_params


def test_the_right_answer(open_page: Open) -> None:
    at = open_page("learn", lesson="1")
    at.radio(key="lesson-1-question").set_value(1).run()
    assert "P ∝ R" in at.success[0].value
    assert one(at.query_params["done"]) == "1"


def test_a_teacher_hides_parts(open_page: Open) -> None:
    at = open_page("learn", lesson="1", hide="controls,question,theory")
    assert not component(at, "lesson-1-dag")["draggable"]
    assert "lesson-1-question" not in {radio.key for radio in at.radio}
    assert "double" not in {button.key for button in at.button}
    assert "stops here" not in texts(at)


def test_names_and_rewards_belong_together() -> None:
    assert lesson_1.TOY.names == ("a", "ab", "ac", "abc", "acd", "abcd", "acde", "abcde")
    assert lesson_1.TOY.dag.num_states == len(lesson_1.parse_rewards("1_1_1_1_1_1_1_1"))
