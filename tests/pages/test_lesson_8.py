"""Lesson 8: a recorded training, the state that was clicked, and the question."""

import numpy as np
import pytest

from gfx_core.teaching.practice import final_states, most_wrong, orders
from gfx_core.text.numbers import counted
from pages.ui.explorer.loaders import shipped_recording
from pages.ui.lessons.lesson_8 import SEQUENCE
from tests.pages.page_reading import Open, component, texts

KEY = "lesson-8-question"


def test_it_opens_with_the_training_and_says_what_to_click(open_page: Open) -> None:
    at = open_page("learn", lesson="8")
    assert not at.warning
    assert len(component(at, "l8-view")["lanes"]) == 2
    assert "Now click a state" in texts(at)
    assert f"story={SEQUENCE}" in [
        link.proto.query_string for link in at.get("page_link") if link.proto.page == "train"
    ]


def test_the_state_that_was_clicked_is_told(open_page: Open) -> None:
    recording = shipped_recording(SEQUENCE)
    assert recording is not None
    states = final_states(recording)
    worst = most_wrong(states, 1)
    pin = ".".join(map(str, recording.lanes[0].scenes[-1].states[worst]))
    at = open_page("learn", lesson="8", pin=pin)
    assert f"can be built in **{counted(states[worst].orders, 'order')}**" in texts(at)


def test_a_link_to_no_state_asks_for_one(open_page: Open) -> None:
    assert "Now click a state" in texts(open_page("learn", lesson="8", pin="77.78", at="x"))


def test_a_teacher_can_hide_parts(open_page: Open) -> None:
    at = open_page("learn", lesson="8", hide="controls,question")
    assert "can be built in" in texts(at)
    assert not any(radio.key == KEY for radio in at.radio)


def test_orders_and_shares_are_those_of_the_graph() -> None:
    recording = shipped_recording(SEQUENCE)
    assert recording is not None
    scene = recording.lanes[0].scenes[-1]
    ways = orders(scene)
    parents: dict[int, list[int]] = {}
    for parent, child, _ in scene.links:
        parents.setdefault(child, []).append(parent)

    def slowly(state: int) -> int:
        return 1 if len(scene.states[state]) == 1 else sum(map(slowly, parents[state]))

    small = [state for state, nodes in enumerate(scene.states) if len(nodes) <= 5]
    assert [ways[state] for state in small] == [slowly(state) for state in small]
    states = final_states(recording)
    assert sum(state.target for state in states) == pytest.approx(1, abs=0.01)
    assert sum(state.by_orders for state in states) == pytest.approx(1)
    assert np.sum([state.drawn for state in states], axis=0) == pytest.approx([1, 1], abs=0.01)


def test_the_second_lane_ends_where_orders_count() -> None:
    """What the lesson tells is what was trained: the shares of GFlow-Sequence are nearer to orders · R than to R."""
    recording = shipped_recording(SEQUENCE)
    assert recording is not None
    states = final_states(recording)
    right, wrong = (np.array([state.drawn[lane] for state in states]) for lane in (0, 1))
    target, by_orders = np.array([s.target for s in states]), np.array([s.by_orders for s in states])
    assert np.abs(right - target).sum() / 2 < 0.05
    assert np.abs(wrong - by_orders).sum() / 2 < np.abs(wrong - target).sum() / 2
    assert states[most_wrong(states, 1)].orders > 1
