"""The address layer: what a link says, what a change takes along, and widgets that show and write it."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.page_reading import link_of
from tests.patience import PATIENCE_S


def _page() -> None:
    import streamlit as st

    from pages.ui.address import Address, bind, one_of, spell_number, whole

    where = Address()
    size = where.parameter("size", 5, whole(1, 9))
    price = where.parameter("price", 1.0, one_of((0.1, 1.0, 10.0)), spell=spell_number)
    seed = where.parameter("seed", 0, whole(0, 9), under=(size,))
    where.parameter("digit", 0, whole(0, 9), under=(seed,))
    share = where.parameter("share", 0.5, float)
    picked = where.parameter("picked", 0, whole(0, 9))
    shown = bind(st.slider, "Size", size, 1, 9)
    bind(st.select_slider, "Price", price, (0.1, 1.0, 10.0), own=1.0, key="the-price")
    bind(st.number_input, "Seed", seed, 0, 9, shown=seed.read(shown), drops=(picked,))
    st.text(f"{shown} {size.read()} {seed.read()} {share.read()}")


@pytest.mark.parametrize(
    "nonsense",
    [
        {"size": "99", "price": "7", "seed": "x", "share": "nan"},
        {"size": "", "price": "inf", "seed": "9" * 5000, "share": "-inf"},
    ],
)
def test_a_widget_shows_the_link_and_writes_it(nonsense: dict[str, str]) -> None:
    at = AppTest.from_function(_page, default_timeout=PATIENCE_S)
    at.query_params.update(nonsense)
    at.run()
    assert at.text[0].value == "5 5 0 0.5"
    assert (at.slider(key="size").value, at.select_slider(key="the-price").value) == (5, 1.0)
    assert link_of(at) == nonsense  # it stays until something is chosen
    at.query_params.update({"size": "7", "price": "0.10", "seed": "3", "picked": "4"})
    del at.query_params["share"]
    at.run()  # the link wins over what a widget showed
    assert (at.slider(key="size").value, at.select_slider(key="the-price").value) == (7, 0.1)
    assert at.number_input(key="seed").value == 3
    at.number_input(key="seed").set_value(6).run()
    assert link_of(at) == {"size": "7", "price": "0.10", "seed": "6"}  # it drops what was picked
    at.query_params["digit"] = "5"
    at.run()
    at.slider(key="size").set_value(2).run()
    assert link_of(at) == {"size": "2", "price": "0.10"}  # the seed stood under it, and the digit under the seed
    assert at.text[0].value == "2 2 0 0.5"
    assert at.number_input(key="seed").value == 2  # what is shown need not be the parameter's own
    at.select_slider(key="the-price").set_value(10.0).run()
    assert link_of(at)["price"] == "10"
    at.select_slider(key="the-price").set_value(1.0).run()
    assert link_of(at) == {"size": "2"}  # what goes without saying is left out
