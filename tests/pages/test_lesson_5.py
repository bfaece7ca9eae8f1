"""Lesson 5: pick what may be removed, be told why not, and answer the question."""

from streamlit.testing.v1 import AppTest

from gfx_core.teaching.lab_graphs import PUZZLES, puzzle, removable
from tests.pages.page_reading import Open, component, texts, url

QUESTION = "lesson-5-question"


def roles(at: AppTest) -> dict[str, list[str]]:
    return {node["label"]: node["roles"] for node in component(at, "lesson-5-graph")["nodes"]}


def picked(at: AppTest, number: int, nodes: set[int]) -> AppTest:
    """Choose nodes as clicks would, and check."""
    at.session_state[f"lesson-5-picked-{number}"] = nodes
    at.button(key="lesson-5-check").click().run()
    assert not at.exception
    return at


def test_it_opens_with_the_first_state(open_page: Open) -> None:
    at = open_page("learn", lesson="5")
    shown = component(at, "lesson-5-graph")
    assert [shown["nodes"][i]["label"] for i in shown["clickable"]] == ["a", "b", "c", "d"]
    assert roles(at)["a"] == ["member", "start"]
    assert "State 1 of 6" in texts(at)
    assert not any("cut" in each or "parent" in each for each in roles(at).values())  # nothing is given away


def test_every_prepared_state_accepts_its_answer(open_page: Open) -> None:
    at = open_page("learn", lesson="5")
    for number, asked in enumerate(PUZZLES, 1):
        picked(at, number, removable(asked.graph, asked.order, asked.start))
        assert at.success[0].value.startswith("All right")
        at.button(key="lesson-5-another").click().run()
        assert url(at, "state") == str(number + 1)
    assert "Extra state 1" in texts(at)
    extra = puzzle(len(PUZZLES) + 1)
    picked(at, len(PUZZLES) + 1, removable(extra.graph, extra.order, extra.start))
    assert at.success


def test_wrong_and_missed_nodes_are_told_why(open_page: Open) -> None:
    at = picked(open_page("learn", lesson="5", state="2"), 2, {0, 1, 2})
    said = texts(at)
    assert "**c** · Not removable: without c the nodes d and e would hang in the air." in said
    assert "**e** · Missed: without e the rest stays in one piece." in said
    assert "**b** · Right" in said
    assert "**a** · Not removable: a is the start node" in said
    assert not at.success
    looks = roles(at)
    assert "right" in looks["b"]
    assert {"wrong", "cut"} <= set(looks["c"])
    assert "parent" in looks["e"]
    assert looks["f"] == ["outside"]
    assert component(at, "lesson-5-graph")["hulls"] == {
        "without c: still with the start": [0, 1],
        "without c: in the air": [3, 4],
    }


def test_a_senseless_state_is_the_first(open_page: Open) -> None:
    at = open_page("learn", lesson="5")
    for state in ("0", "-3", "x", "99999", "1e3", "<b>"):
        at.query_params["state"] = state
        assert "State 1 of 6" in texts(at.run())


def test_parts_can_be_hidden(open_page: Open) -> None:
    at = open_page("learn", lesson="5", hide="controls,question,theory")
    keys = {button.key for button in at.button}
    assert not keys & {"lesson-5-check", "lesson-5-another"}
    assert not at.radio
    assert "one piece" not in texts(at)
    assert component(at, "lesson-5-graph")["nodes"]
