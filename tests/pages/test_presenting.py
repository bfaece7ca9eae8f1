"""Present mode and the guided tour: what their links open, and whether the tour's sentences are true."""

import re
from pathlib import Path
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

from gfx_core.bench.report import STUDIES, Findings, conclusion, read_records
from gfx_core.explanation.question import Question
from gfx_core.teaching.tour import Stop, stops
from gfx_core.trace.schema import Trace
from pages.ui.explorer import loaders
from pages.ui.presenting import PAGES, PRESENT_STYLE, PRESENTED, STAGE_STYLE, address
from tests.pages.page_reading import Open, component, has, link_of, opened
from tests.pages.test_travel import go

NUMBERS = range(1, len(stops()) + 1)


def presented(at: AppTest, style: Path = PRESENT_STYLE) -> bool:
    """Whether the page has a style sheet for a room."""
    return any(style.read_text(encoding="utf-8") in html.proto.body for html in at.get("html"))


def explained(stop: Stop) -> Trace:
    """The shipped trace of a stop."""
    link = stop.link
    source = next(name for name in ("index", "compound", "example") if name in link)
    trace = loaders.trace(Question(link["dataset"], link[source], source))
    assert trace is not None
    return trace


def test_the_tour_has_eight_stops_of_one_short_sentence() -> None:
    assert len(stops()) == 8
    assert {stop.page for stop in stops()} == {*PAGES, "results"}
    for stop in stops():
        assert re.fullmatch(r"[A-Z][^.!?]*\.", stop.sentence), stop.sentence
        assert len(stop.sentence.split()) <= 25, stop.sentence


@pytest.mark.parametrize("number", NUMBERS)
def test_each_stop_opens_by_its_link_and_computes_nothing(number: int) -> None:
    stop, way = stops()[number - 1], address(number)
    assert way is not None
    page, _, query = way.partition("?")
    assert page == ("./" if stop.page == "home" else stop.page)
    at = opened(stop.page, **dict(parse_qsl(query)))
    assert not at.error
    assert not at.warning
    assert "jobs" not in at.session_state or not at.session_state["jobs"]
    shown = component(at, "tour-bar")
    assert (shown["number"], shown["of"], shown["sentence"]) == (number, 8, stop.sentence)
    assert (shown["back"], shown["next"]) == (address(number - 1), address(number + 1))
    assert "tour" not in shown["end"]
    assert "present" not in shown["end"]
    assert presented(at) == ("present" in stop.link)


def test_what_the_stops_say_of_their_predictions_is_so() -> None:
    tested, mistaken = explained(stops()[1]), explained(stops()[3])
    answer, prediction = tested.answer, tested.prediction
    assert answer is not None
    reason = answer.first
    assert reason.alone[prediction.predicted] == max(reason.alone)
    assert reason.without[prediction.predicted] < max(reason.without)
    wrong = mistaken.prediction
    assert wrong.true is not None
    assert (mistaken.classes[wrong.true], mistaken.classes[wrong.predicted]) == ("positive", "negative")
    assert mistaken.answer is not None
    assert mistaken.answer.first.name == "“gets dull”"


def test_the_tour_also_leads_to_where_others_are_better() -> None:
    pages = [stop.page for stop in stops()]
    assert pages.index("results") == pages.index("compare") + 1
    assert "better" in stops()[pages.index("results")].sentence
    words = conclusion([Findings(study, read_records(study)) for study in STUDIES.values()])
    assert "alone they are best on none" in words
    assert "worse than" in words


@pytest.mark.parametrize("number", ["0", "9", "x", "1e3", ""])
def test_there_are_no_other_stops(open_page: Open, number: str) -> None:
    assert not has(open_page("home", tour=number), "tour-bar")


def test_a_stop_is_on_its_own_page_only(open_page: Open) -> None:
    assert not has(open_page("compare", tour="1"), "tour-bar")


@pytest.mark.parametrize("page", [*PRESENTED, "classroom"])
def test_present_mode_is_in_the_link_of_all_pages_but_the_class(open_page: Open, page: str) -> None:
    at = open_page(page, present="1")
    assert presented(at) == (page in PRESENTED)
    assert presented(at, STAGE_STYLE) == (page in PAGES)
    assert component(at, "history-keeper")["presents"] == (page in PRESENTED)


def test_the_navigation_opens_a_page_again_without_the_tour_and_present_mode(open_page: Open) -> None:
    at = open_page("train", story="beta", tour="7", present="1")
    go(at, "glossary")
    assert link_of(go(at, "train")) == {"story": "beta"}


def test_another_story_keeps_the_tour(open_page: Open) -> None:
    at = open_page("train", story="first", tour="7", present="1")
    at.selectbox(key="train-story").set_value("beta").run()
    assert link_of(at) == {"story": "beta", "tour": "7", "present": "1"}
