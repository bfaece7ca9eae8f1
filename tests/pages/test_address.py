"""The address layer: what a link says, what a change takes along, and widgets that show and write it."""

from typing import Any
from unittest.mock import Mock

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from gfx_core.errors import UserError
from pages.ui import address
from pages.ui.address import Address, Parameter
from tests.pages.page_reading import link_of
from tests.patience import PATIENCE_S


class Link(dict[str, str]):
    """What the browser's address says, to be read and changed; it counts how often the browser is told."""

    told = 0

    def to_dict(self) -> dict[str, str]:
        return dict(self)

    def from_dict(self, values: dict[str, str]) -> None:
        self.clear()
        self.update(values)
        self.told += 1


@pytest.fixture
def link(monkeypatch: pytest.MonkeyPatch) -> Link:
    made = Link()
    monkeypatch.setattr(st, "query_params", made)
    return made


class Shop:
    """A street, a house in it, a room in that; the colour of the house; and something that belongs to nothing."""

    def __init__(self) -> None:
        self.address = Address()
        add = self.address.parameter
        self.street = add("street", "Main", str)
        self.house = add("house", 1, address.whole(1, 99), under=(self.street,))
        self.room = add("room", 0, address.whole(0, 9), under=(self.house,))
        self.colour = add("colour", "red", address.one_of(["red", "blue"]), under=(self.house,))
        self.language = add("lang", "en", str)


@pytest.fixture
def shop() -> Shop:
    return Shop()


FULL = {"street": "Elm", "house": "7", "room": "3", "colour": "blue", "lang": "de"}


# Reading


def test_what_is_not_told_is_the_default(link: dict[str, str], shop: Shop) -> None:
    assert (shop.street.read(), shop.house.read(), shop.house.in_link, shop.house.text) == ("Main", 1, False, "")
    assert shop.house.read(12) == 12
    link["house"] = "7"
    assert (shop.house.read(), shop.house.read(12), shop.house.in_link, shop.house.text) == (7, 7, True, "7")


def test_nonsense_is_the_default_and_nobody_is_told(link: dict[str, str], shop: Shop) -> None:
    for text in ("", "x", "0", "100", "-1", "1.5", "1e1", "²", "9" * 5000, "<b>"):
        link["house"] = text
        assert (shop.house.read(), shop.house.read(5), shop.house.in_link, shop.house.problem) == (1, 5, True, None)
    share = Address().parameter("share", 0.5, float)
    for text in ("nan", "inf", "-inf"):
        link["share"] = text
        assert share.read() == 0.5
    for error in (ValueError, TypeError, KeyError, IndexError, ZeroDivisionError):
        number = Address().parameter("share", 3, Mock(side_effect=error))
        assert (number.read(), number.problem) == (3, None)


def test_a_sentence_for_people(link: dict[str, str]) -> None:
    def parse(text: str) -> str:
        if text != "Paris":
            raise UserError(f"There is no city “{text}”.")
        return text

    city = Address().parameter("city", "Rome", parse)
    assert city.problem is None
    link["city"] = "Paris"
    assert (city.read(), city.problem) == ("Paris", None)
    link["city"] = "Atlantis"
    assert (city.read(), city.problem) == ("Rome", "There is no city “Atlantis”.")


# Writing


def test_a_change_takes_along_what_stands_under_it(link: dict[str, str], shop: Shop) -> None:
    link.update(FULL)
    shop.room.write(4)
    assert link == {**FULL, "room": "4"}
    shop.house.write(8)
    assert link == {"street": "Elm", "house": "8", "lang": "de"}
    link.update(FULL)
    shop.street.write("Oak")  # the room stands under the house, and so under the street
    assert link == {"street": "Oak", "lang": "de"}
    link.update(FULL)
    shop.street.write(None)
    assert link == {"lang": "de"}


def test_several_at_once(link: dict[str, str], shop: Shop) -> None:
    link.update(FULL)
    shop.street.write("Elm")
    shop.address.change({shop.street: "Elm", shop.house: 7, shop.language: "fr"})
    assert link == {**FULL, "lang": "fr"}  # what stays the same takes nothing along
    shop.address.change({shop.street: "Oak", shop.room: 5})
    assert link == {"street": "Oak", "room": "5", "lang": "fr"}
    shop.address.change({shop.room: None, shop.language: None})
    assert link == {"street": "Oak"}


def test_what_is_spelled_as_nothing_is_left_out(link: dict[str, str]) -> None:
    where = Address()
    marked = where.parameter("mark", False, address.flag, spell=address.spell_flag)
    below = where.parameter("below", 0, int, under=(marked,))
    link["below"] = "2"
    marked.write(False)
    assert link == {"below": "2"}  # it was off before
    marked.write(True)
    assert link == {"mark": "1"}
    marked.write(False)
    assert link == {}
    assert below.read() == 0


def test_one_change_is_told_once(link: Link, shop: Shop) -> None:
    link.update(FULL)
    shop.address.change({shop.street: "Oak", shop.language: "fr"})
    assert (link, link.told) == ({"street": "Oak", "lang": "fr"}, 1)
    shop.address.change({shop.street: "Oak", shop.room: None})
    assert link.told == 1  # it says so already
    shop.address.start_anew({shop.house: 4})
    assert (link, link.told) == ({"house": "4"}, 2)


def test_a_name_is_declared_once_in_an_address_and_may_come_again_in_another(link: dict[str, str]) -> None:
    where = Address()
    where.parameter("seed", 0, int)
    with pytest.raises(ValueError, match="seed"):
        where.parameter("seed", 1, int)
    other = Address().parameter("seed", "none", str)
    link["seed"] = "abc"
    assert other.read() == "abc"


# Ways to read and write


def test_ways_to_read_and_write() -> None:
    assert address.flag("1")
    assert not any(address.flag(text) for text in ("", "0", "yes", "true"))
    assert address.real(0.0, 0.5)("0.25") == 0.25
    assert address.spell_number(address.real(0, 1e6)("0.001")) == "0.001"
    assert address.spell_nodes(address.nodes("0.4.2")) == "0.4.2"
    assert address.spell_nodes([]) is None
    assert address.spell_numbers(address.numbers(3, 0, 12)("1_0.5_12")) == "1_0.5_12"
    for parse, text in (
        (address.real(0, 1), "1.01"),
        (address.real(0, 1), "nan"),
        (address.numbers(2, 0, 1), "1"),
        (address.numbers(2, 0, 1), "1_2"),
        (address.numbers(2, 0, 1), "nan_1"),
        (address.nodes, "a.b"),
    ):
        with pytest.raises(ValueError):  # noqa: PT011
            parse(text)


def test_one_of_some_values() -> None:
    prices = address.one_of((0.0, 0.1, 1.0, 1000.0))
    assert [prices(text) for text in ("0.1", "0.10", "1", "1.0", "1e3", "0")] == [0.1, 0.1, 1.0, 1.0, 1000.0, 0.0]
    words = address.one_of(["a", "ab"])
    assert words("ab") == "ab"
    for parse, text in ((prices, "2"), (prices, "nan"), (prices, "x"), (words, "b"), (words, ""), (words, "1")):
        with pytest.raises((KeyError, ValueError)):
            parse(text)


# Widgets


def _page() -> None:
    import streamlit as st

    from pages.ui.address import Address, bind, one_of, spell_number, whole

    where = Address()
    size = where.parameter("size", 5, whole(1, 9))
    price = where.parameter("price", 1.0, one_of((0.1, 1.0, 10.0)), spell=spell_number)
    seed = where.parameter("seed", 0, whole(0, 9), under=(size,))
    picked = where.parameter("picked", 0, whole(0, 9))
    shown = bind(st.slider, "Size", size, 1, 9)
    bind(st.select_slider, "Price", price, (0.1, 1.0, 10.0), own=1.0, key="the-price")
    bind(st.number_input, "Seed", seed, 0, 9, shown=seed.read(shown), drops=(picked,))
    st.text(f"{shown} {size.read()} {seed.read()}")


def test_a_widget_shows_the_link_and_writes_it() -> None:
    at = AppTest.from_function(_page, default_timeout=PATIENCE_S)
    at.query_params.update({"size": "99", "price": "7", "seed": "x"})
    at.run()
    assert (at.slider(key="size").value, at.select_slider(key="the-price").value) == (5, 1.0)
    assert link_of(at) == {"size": "99", "price": "7", "seed": "x"}  # nonsense stays until something is chosen
    at.query_params.update({"size": "7", "price": "0.10", "seed": "3", "picked": "4"})
    at.run()  # the link wins over what a widget showed
    assert (at.slider(key="size").value, at.select_slider(key="the-price").value) == (7, 0.1)
    assert at.number_input(key="seed").value == 3
    at.number_input(key="seed").set_value(6).run()
    assert link_of(at) == {"size": "7", "price": "0.10", "seed": "6"}  # it drops what was picked
    at.slider(key="size").set_value(2).run()
    assert link_of(at) == {"size": "2", "price": "0.10"}  # the seed stood under it
    assert at.text[0].value == "2 2 0"
    assert at.number_input(key="seed").value == 2  # what is shown need not be the parameter's own
    at.select_slider(key="the-price").set_value(10.0).run()
    assert link_of(at)["price"] == "10"
    at.select_slider(key="the-price").set_value(1.0).run()
    assert link_of(at) == {"size": "2"}  # what goes without saying is left out
    assert not at.exception


# The pages


def every_address() -> list[tuple[str, Address]]:
    from pages.ui import lab_state
    from pages.ui.lessons import frame, lesson_1, lesson_2, lesson_3, lesson_4, lesson_5, lesson_6, lesson_7, lesson_8

    lessons = (lesson_1, lesson_2, lesson_3, lesson_4, lesson_5, lesson_6, lesson_7, lesson_8)
    return [(module.__name__, module.ADDRESS) for module in lessons] + [("learn", frame.LEARN), ("lab", lab_state.LAB)]


def test_a_default_can_be_linked_to(link: dict[str, str]) -> None:
    """A default that is written into the link is read back."""
    for name, where in every_address():
        parameters: list[Parameter[Any]] = list(where._parameters.values())
        for parameter in parameters:
            link.clear()
            if parameter.default is not None:
                link["lesson"] = str(getattr(where, "number", 1))  # only the lesson that is shown can be changed
                parameter.write(parameter.default)
                assert parameter.read() == parameter.default, (name, parameter.name)


RESETS = {
    "pages.ui.lessons.lesson_3": {"reward": {"draws"}},
    "pages.ui.lessons.lesson_4": {key: {"at"} for key in ("graph", "eps", "beta", "lr", "seed")},
    "pages.ui.lessons.lesson_6": {"index": {"set", "best"}},
    "pages.ui.lessons.lesson_7": {key: {"at"} for key in ("starts", "lr", "seed")},
    "lab": {
        **{key: {"edit", "order", "step"} for key in ("graph", "size", "seed", "index")},
        "dataset": {"index", "edit", "order", "step"},
        "order": {"step"},
    },
}


def test_what_each_choice_of_a_lesson_and_of_the_lab_resets() -> None:
    for name, where in every_address():
        parameters = where._parameters.values()
        found = {
            above.name: {below.name for below in parameters if below.stands_under({above})} for above in parameters
        }
        assert {above: below for above, below in found.items() if below} == RESETS.get(name, {}), name
