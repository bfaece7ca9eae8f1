"""The address layer: what a link says, what a change takes along, and widgets that show and write it."""

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from pages.ui import address
from pages.ui.address import Address
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


@pytest.mark.parametrize("text", ["nan", "inf", "-inf", "x", "", "9" * 5000])
def test_nonsense_is_the_default(text: str, link: dict[str, str]) -> None:
    link["share"] = text
    share = Address().parameter("share", 0.5, float)
    assert (share.read(), share.in_link, share.problem) == (0.5, True, None)


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
    shop.street.write("Elm")
    assert link == FULL  # what stays the same takes nothing along


def test_one_change_is_told_once(link: Link, shop: Shop) -> None:
    link.update(FULL)
    shop.address.change({shop.street: "Oak", shop.language: "fr"})
    assert (link, link.told) == ({"street": "Oak", "lang": "fr"}, 1)


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
