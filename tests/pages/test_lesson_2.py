"""Lesson 2: what is clicked is a path in the DAG; orders that arrive at the same set are counted."""

import pytest
from streamlit.testing.v1 import AppTest

from gfx_core.teaching.practice import Practice, ground
from tests.pages.page_reading import Open, component, refused, texts, url


def messages(at: AppTest) -> str:
    return "\n".join(str(element.value) for element in (*at.info, *at.success))


def roles(at: AppTest) -> dict[str, list[str]]:
    return {node["label"]: node["roles"] for node in component(at, "l2-graph")["nodes"]}


def test_it_starts_at_the_start_node(open_page: Open) -> None:
    at = open_page("learn", lesson="2")
    graph, dag = component(at, "l2-graph"), component(at, "l2-dag")
    assert roles(at)["a"] == ["start", "member"]
    assert [n for n, its in roles(at).items() if "frontier" in its] == ["b", "c"]
    assert graph["clickable"] == [1, 2]
    assert dag["path"] == [0]
    assert "0 of 3" in messages(at)
    assert "add **b**, add **c**, **STOP**" in texts(at)


def test_the_dag_follows_the_order(open_page: Open) -> None:
    at = open_page("learn", lesson="2", order="acb", found="acb")
    dag = component(at, "l2-dag")
    names = {box["id"]: box["name"] for box in dag["picture"]["boxes"]}
    assert [names[state] for state in dag["path"]] == ["a", "ac", "abc"]
    assert names[dag["selected"]] == "abc"
    assert "You went **a → c → b**" in texts(at)
    assert component(at, "l2-graph")["clickable"] == [3]


def test_two_orders_arrive_at_the_same_state(open_page: Open) -> None:
    first = open_page("learn", lesson="2", order="abcd", found="abcd")
    second = open_page("learn", lesson="2", order="acdb", found="abcd.acdb")
    assert component(first, "l2-dag")["selected"] == component(second, "l2-dag")["selected"]
    assert "You arrived" in messages(first)
    assert "1 of 3" in messages(first)
    assert "Another order, the same state" in messages(second)
    assert "2 of 3" in messages(second)


def test_orders_on_the_way_count_as_found(open_page: Open) -> None:
    assert "2 of 3" in messages(open_page("learn", lesson="2", order="a", found="abcde.acbde"))


def test_going_back(open_page: Open) -> None:
    at = open_page("learn", lesson="2", order="acb", found="acb")
    at.button(key="l2-back").click().run()
    assert url(at, "order") == "ac"
    assert url(at, "found") == "acb"
    at.button(key="l2-again").click().run()
    assert url(at, "order") == "a"
    assert at.button(key="l2-again").disabled


def test_an_order_that_cannot_be_is_the_start(open_page: Open) -> None:
    at = open_page("learn", lesson="2", order="<b>", found="ad.abc")
    assert component(at, "l2-dag")["path"] == [0]
    assert "0 of 3" in messages(at)


@pytest.mark.parametrize("bad", ["x", "ad", "bca", "aab", "abcdef", "", "…", "A"])
def test_a_word_that_is_no_order(bad: str) -> None:
    with pytest.raises(KeyError):
        ground(Practice.TOY).read_order(bad)


def test_the_question(open_page: Open) -> None:
    at = open_page("learn", lesson="2", done="1")
    refused(at, lambda page: page.number_input(key="l2-question"), (0, 1, 2, 24, 7))
    at.number_input(key="l2-question").set_value(4).run()
    assert at.success[0].value.startswith("Yes, 4: ")
    assert url(at, "done") == "1.2"
    assert at.button(key="lesson-2").icon


def test_parts_can_be_hidden(open_page: Open) -> None:
    at = open_page("learn", lesson="2", hide="controls,question,theory", order="abcd")
    assert "l2-again" not in {button.key for button in at.button}
    assert not at.number_input
    assert [caption.value[:18] for caption in at.caption] == ["Only this computer"]  # Teach's, not the lesson's
    assert "Start again" not in messages(at)
    assert component(at, "l2-graph")["nodes"]


def test_words_of_orders() -> None:
    toy = ground(Practice.TOY)
    for order in toy.tree.orders:
        assert toy.read_order(toy.word(order)) == order
