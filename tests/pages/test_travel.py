"""One prediction travels from page to page, by links, by the navigation and by the tour."""

from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

from gfx_core.datasets.registry import load_dataset
from gfx_core.explanation.question import Question
from gfx_core.gnn.checkpoint import model_path
from gfx_core.teaching.tour import TourStop, stops
from gfx_core.trace.schema import Trace
from gfx_core.training.user_gnn import bring_gnn
from pages.ui.explorer import loaders, parameters
from pages.ui.presenting import PAGES, PRESENT_STYLE, PRESENTED, STAGE_STYLE, address
from tests.pages.page_reading import Open, answered, by_link, component, go, has, link_of, url
from tests.patience import PATIENCE_S

ASKED = {
    "dataset": "tree_cycles",
    "index": "612",
    "gnn": "sum",
    "flows": "exact",
    "beta": "3",
    "price": "0.1",
    "k": "6",
    "seed": "7",
}
alone = pytest.mark.usefixtures("no_workers")


@alone
def test_the_navigation_opens_the_prediction_that_was_looked_at(open_page: Open) -> None:
    at = open_page("explain", **ASKED)
    for page in ("learn", "compare", "datasets", "explain"):
        go(at, page)
        assert link_of(at) == (ASKED if page in parameters.PREDICTION_PAGES else {})
    assert at.number_input(key="index").value == 612
    at = open_page("datasets", **ASKED)  # a link that names another one counts more
    go(at, "datasets", dataset="ba_shapes")
    assert link_of(at) == {"dataset": "ba_shapes"}
    shown = str(at.number_input(key="index").value)
    assert link_of(go(at, "compare")) == {"dataset": "ba_shapes", "index": shown}


def test_own_data_travel_once_they_have_a_gnn(open_page: Open) -> None:
    at = open_page("own", **{"from": "example"})
    at.button(key="own-try-rings").click().run()
    answered(at).button(key="own-take").click().run()
    name = url(at, "dataset")
    assert link_of(go(at, "explain")) == {}  # nothing of it can be explained yet
    bring_gnn(name, model_path("tree_cycles"))
    first, other = ({"dataset": name, "index": index} for index in (str(load_dataset(name).example), "3"))
    assert link_of(go(go(at, "own"), "explain")) == first
    go(at, "explain", **other)
    assert link_of(go(go(at, "own"), "explain")) == other  # what was looked at of it stays


@alone
def test_a_page_keeps_its_own_choices_and_forgets_what_belonged_to_another_prediction(open_page: Open) -> None:
    own = {"methods": "random"}
    at = open_page("compare", **ASKED, **own)
    go(at, "datasets", dataset="tree_grid", index="700")
    assert link_of(go(at, "compare")) == {"dataset": "tree_grid", "index": "700", **own}
    chosen = {"order": "0.1", "tab": "files"}
    at = open_page("explain", dataset="tree_grid", index="700", **chosen)
    go(at, "datasets", dataset="tree_grid", index="514")
    assert link_of(go(at, "explain")) == {"dataset": "tree_grid", "index": "514", "tab": "files"}


@alone
def test_a_browser_that_lags_behind_takes_nothing_back(open_page: Open) -> None:
    at = open_page("datasets", dataset="ba_2motifs", gnn="sum")
    at.number_input(key="index").set_value(7).run()
    late = {"dataset": "ba_2motifs", "gnn": "sum"}  # what the browser still says: it has not heard of the change
    for then, index in ((lambda: at, "7"), (lambda: at.number_input(key="index").set_value(8), "8")):
        at.query_params.clear()
        at.query_params.update(late)
        then().run()
        assert link_of(at) == {**late, "index": index}
    by_link(at, {**late, "index": "9"}).run()  # by Back
    assert at.number_input(key="index").value == 9


def _reports() -> None:
    import streamlit as st

    from pages.ui.address import Address, arrive, bind, whole

    size = Address().parameter("size", 5, whole(1, 9))
    arrive("page", lambda page, last: last)
    bind(st.slider, "Size", size, 1, 9)


def test_what_a_page_reports_that_was_left_changes_nothing() -> None:
    at = AppTest.from_function(_reports, default_timeout=PATIENCE_S).run()
    at.slider(key="size").set_value(7).run()
    assert link_of(at) == {"size": "7"}
    at.session_state["links"] = {"another page": {}}
    at.session_state["page"] = "another page"
    at.query_params.clear()
    at.slider(key="size").set_value(8).run()
    assert link_of(at) == {}


# Present mode and the tour


def presents(html: list[str]) -> list[bool]:
    """Whether a page has the style sheets for a room: letters, and a stage."""
    sheets = [style.read_text(encoding="utf-8") for style in (PRESENT_STYLE, STAGE_STYLE)]
    return [any(sheet in body for body in html) for sheet in sheets]


@alone
@pytest.mark.parametrize("number", range(1, len(stops()) + 1))
def test_each_stop_opens_by_its_link_and_computes_nothing(number: int, open_page: Open) -> None:
    stop, way = stops()[number - 1], address(number)
    assert way is not None
    at = open_page(stop.page, **dict(parse_qsl(way.partition("?")[2])))
    assert not at.error
    assert not at.warning
    assert "jobs" not in at.session_state or not at.session_state["jobs"]
    shown = component(at, "tour-bar")
    assert (shown["number"], shown["sentence"]) == (number, stop.sentence)
    assert presents([html.proto.body for html in at.get("html")])[0] == ("present" in stop.link)


def trace_of(stop: TourStop) -> Trace:
    """The shipped trace of a stop."""
    source = next(name for name in ("index", "compound", "example") if name in stop.link)
    trace = loaders.trace(Question(stop.link["dataset"], stop.link[source], source))
    assert trace is not None
    return trace


def test_the_claims_of_the_stops_hold() -> None:
    tested, mistaken = trace_of(stops()[1]), trace_of(stops()[3])
    assert tested.answer is not None
    reason = tested.answer.first
    assert reason.alone[tested.prediction.predicted] == max(reason.alone)
    assert reason.without[tested.prediction.predicted] < max(reason.without)
    wrong = mistaken.prediction
    assert wrong.true is not None
    assert (mistaken.classes[wrong.true], mistaken.classes[wrong.predicted]) == ("positive", "negative")
    assert mistaken.answer is not None
    assert mistaken.answer.first.name == "“gets dull”"


@alone
def test_there_are_no_other_stops_and_each_is_on_its_page_only(open_page: Open) -> None:
    for number in ("0", "9", "x", "1e3", ""):
        assert not has(open_page("home", tour=number), "tour-bar")
    assert not has(open_page("compare", tour="1"), "tour-bar")
    at = open_page("train", story="first", tour="7", present="1")
    at.selectbox(key="train-story").set_value("beta").run()
    assert link_of(at) == {"story": "beta", "tour": "7", "present": "1"}  # another story keeps the tour
    go(at, "glossary")
    assert link_of(go(at, "train")) == {"story": "beta"}  # the navigation ends it


@alone
@pytest.mark.parametrize("page", [*PRESENTED, "classroom"])
def test_present_mode_is_in_the_link_of_all_pages_but_the_class(open_page: Open, page: str) -> None:
    at = open_page(page, present="1")
    assert presents([html.proto.body for html in at.get("html")]) == [page in PRESENTED, page in PAGES]
    assert component(at, "history-keeper")["presents"] == (page in PRESENTED)


# The address layer


def _page() -> None:
    import streamlit as st

    from pages.ui.address import Address, bind, one_of, spell_number, whole, within

    where = Address()
    size = where.parameter("size", 5, whole(1, 9))
    price = where.parameter("price", 1.0, one_of((0.1, 1.0, 10.0)), spell=spell_number)
    seed = where.parameter("seed", 0, whole(0, 9), under=(size,))
    where.parameter("digit", 0, whole(0, 9), under=(seed,))
    share = where.parameter("share", 0.5, within(float, 0.0, 1.0))
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
    at.query_params.update({"size": "7", "price": "0.1", "seed": "3", "picked": "4"})
    del at.query_params["share"]
    at.run()  # the link wins over what a widget showed
    assert (at.slider(key="size").value, at.select_slider(key="the-price").value) == (7, 0.1)
    assert at.number_input(key="seed").value == 3
    at.number_input(key="seed").set_value(6).run()
    assert link_of(at) == {"size": "7", "price": "0.1", "seed": "6"}  # it drops what was picked
    at.query_params["digit"] = "5"
    at.run()
    at.slider(key="size").set_value(2).run()
    assert link_of(at) == {"size": "2", "price": "0.1"}  # the seed stood under it, and the digit under the seed
    assert at.text[0].value == "2 2 0 0.5"
    assert at.number_input(key="seed").value == 2  # what is shown need not be the parameter's own
    at.select_slider(key="the-price").set_value(10.0).run()
    assert link_of(at)["price"] == "10"
    at.select_slider(key="the-price").set_value(1.0).run()
    assert link_of(at) == {"size": "2"}  # what goes without saying is left out
