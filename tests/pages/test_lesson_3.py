"""Lesson 3: what is drawn from the tree is wrong by the number of orders; merging repairs it."""

import pytest

from gfx_core.teaching.sequences import BATCH
from pages.ui.lessons.lesson_3 import MOST_BATCHES
from tests.pages.page_reading import Open, component, texts, url


def test_the_tree_counts_orders(open_page: Open) -> None:
    shown = component(open_page("learn", lesson="3", draws="100000"), "l3-view")
    assert len(shown["sequences"]) == 14
    assert len(shown["states"]) == 8
    assert shown["merged"] is False
    assert sum(shown["bySequence"]) == sum(shown["byState"]) == shown["total"] == 100_000
    one = shown["factor"][0]
    for orders, factor in zip(shown["orders"], shown["factor"], strict=True):
        assert factor / one == pytest.approx(orders, rel=0.1)


def test_merging_makes_them_right(open_page: Open) -> None:
    at = open_page("learn", lesson="3", draws="100000")
    at.toggle(key="l3-merge").set_value(True).run()
    assert url(at, "merge") == "1"
    shown = component(at, "l3-view")
    assert shown["merged"] is True
    assert shown["factor"] == pytest.approx([1.0] * 8, abs=0.1)
    assert "P = R/Z" in texts(at)
    at.toggle(key="l3-merge").set_value(False).run()
    assert url(at, "merge") is None
    assert "4 · 1 / 14" in texts(at)


def test_more_can_be_drawn(open_page: Open) -> None:
    at = open_page("learn", lesson="3")
    assert component(at, "l3-view")["total"] == BATCH
    at.button(key="l3-more").click().run()
    assert component(at, "l3-view")["total"] == 2 * BATCH
    at.button(key="l3-many").click().run()
    assert url(at, "draws") == str(22 * BATCH)
    assert "Of 22,000 draws" in texts(at)


def test_other_rewards(open_page: Open) -> None:
    at = open_page("learn", lesson="3")
    equal = component(at, "l3-view")["target"]
    at.segmented_control(key="l3-reward").set_value("toy").run()
    assert url(at, "reward") == "toy"
    assert component(at, "l3-view")["target"] != equal
    assert "4 · 3 / 28.5" in texts(at)


def test_a_link_opens_the_same_view(open_page: Open) -> None:
    link = {"lesson": "3", "merge": "1", "draws": "5000", "seed": "7", "reward": "toy"}
    first, second = (component(open_page("learn", **link), "l3-view") for _ in range(2))
    assert first == second
    assert first["byState"] != component(open_page("learn", **link | {"seed": "8"}), "l3-view")["byState"]


@pytest.mark.parametrize("bad", ["<b>", "-1", "9" * 30])
def test_senseless_settings_do_no_harm(open_page: Open, bad: str) -> None:
    at = open_page("learn", lesson="3", merge=bad, draws=bad, seed=bad, reward=bad)
    shown = component(at, "l3-view")
    assert shown["merged"] is False
    assert BATCH <= shown["total"] <= MOST_BATCHES * BATCH


def test_parts_can_be_hidden(open_page: Open) -> None:
    at = open_page("learn", lesson="3", hide="controls,question,theory", merge="1")
    assert not at.toggle
    assert not at.radio
    assert "Total variation" not in texts(at)
    assert component(at, "l3-view")["merged"] is True
