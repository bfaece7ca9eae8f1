"""Pages with sentences: our own, typed ones, and the paper's figure."""

from pathlib import Path

import pytest

from gfx_core.datasets import sentences
from gfx_core.datasets.sentences import OwnSentences
from gfx_core.drawing.qualitative import shipped
from gfx_core.explanation.question import SHIPPED
from tests.pages.hostile import check_that_nothing_is_markdown
from tests.pages.page_reading import Open, answered, bars_of, component, read, texts

HOSTILE = "Not <b>bad</b> ![x](http://x.y/z) **at** all"


@pytest.fixture(autouse=True)
def no_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sentences, "_installed", lambda: None)
    sentences._reader.cache_clear()


def test_a_sentence_opens_without_any_data(open_page: Open, no_mutagenicity: Path) -> None:
    at = answered(open_page(dataset="graph_sst2"))
    assert at.selectbox(key="example").value == OwnSentences.first
    assert read(at.subheader[0].value) == OwnSentences.first
    svg = component(at, "neighbourhood")["svg"]
    assert all(f">{word}</text>" in svg for word in OwnSentences.first.strip(".").split())
    assert [bar["name"] for bar in bars_of(at)] == ["negative", "positive"]
    assert "No true reason is known here." in texts(at)
    assert not at.error
    missing = open_page(dataset="graph_sst2", source="dataset")
    assert "are not on this computer" in read(missing.error[0].value)


def test_a_typed_sentence_says_how_it_was_read(open_page: Open) -> None:
    at = open_page(dataset="graph_sst2", sentence=HOSTILE)
    assert not at.error
    assert "linked to its neighbours" in texts(at)
    assert "&lt;</text>" in component(at, "neighbourhood")["svg"]
    check_that_nothing_is_markdown(at)
    long = open_page(dataset="graph_sst2", sentence="so " * 200)
    assert "at most 400 can be read" in read(" ".join(each.value for each in (*long.warning, *long.error)))


def test_a_shipped_one_is_explained_at_once(open_page: Open) -> None:
    question = next(each for each in SHIPPED if each.dataset == "graph_sst2")
    at = open_page("explain", dataset="graph_sst2", example=question.name)
    assert not at.error
    trace = component(at, "player")["trace"]
    assert '"drawing":"sentence"' in trace


def test_the_papers_figure_is_on_compare(open_page: Open) -> None:
    first = next(each for each in SHIPPED if each.dataset == "graph_sst2")
    at = open_page("compare", dataset="graph_sst2", example=first.name, figure="1")
    assert at.toggle(key="paper-figure").value
    rows = [component(at, f"paper-figure-{number}")["cards"] for number in range(len(shipped()))]
    assert {card["title"] for row in rows for card in row} >= {"GFlowExplainer", "GNNExplainer"}
    assert any('class="underline"' in card["svg"] for card in rows[-1])
