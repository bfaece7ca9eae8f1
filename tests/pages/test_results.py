"""The Results page: claims as cards, each with the table of its records, and the documents beside them."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import streamlit as st

from gfx_core.bench import documents, report
from gfx_core.bench.report import STUDIES, Findings, read_records
from gfx_core.bench.study import Claim, Study
from tests.pages.page_reading import Open, read, table_lines, texts


@pytest.fixture
def claiming(monkeypatch: pytest.MonkeyPatch) -> Iterator[Claim]:
    """A study that claims what its second table decides."""
    tables = STUDIES["auc"].tables(read_records(STUDIES["auc"]))
    claim = Claim("<b>No</b> *explainer* is perfect.", "does not hold here", "AUC 1.000 [0.99, 1.00]", tables[1].title)
    monkeypatch.setattr(type(STUDIES["auc"]), "claims", lambda self, records: [claim, claim])
    st.cache_resource.clear()
    yield claim
    st.cache_resource.clear()


def cards(html: str) -> list[str]:
    return re.findall(r'<(?:a class="claim".*?</a>|div class="claim many".*?</div>)', html, re.DOTALL)


def test_claims_are_cards_that_tell_their_verdict_in_words(open_page: Open, claiming: Claim) -> None:
    at = open_page("results")
    (html,) = [each.proto.body for each in at.get("html") if 'class="claims"' in each.proto.body]
    assert html.index('class="forest"') < html.index('class="claim"')  # the picture for everybody comes first
    caption = re.search(r"<figcaption>(.*?)</figcaption>", html)
    assert caption is not None
    assert "F1 is 1" in caption[1]  # what is read off the picture is explained below it
    assert "control" in caption[1]
    shown = [card for card in cards(html) if "study=auc&amp;claim=" in card]
    assert len(shown) == 2
    assert "✗</b>does not hold here" in shown[1]
    assert "&lt;b&gt;No&lt;/b&gt; *explainer*" in shown[1]
    assert claiming.number in shown[1]
    assert {name for card in cards(html) for name in re.findall(r"study=(\w+)", card)} == set(STUDIES)
    assert len(texts(at).split()) < 100  # besides the cards
    opened = open_page("results", study="auc", claim="2")
    assert claiming.sentence in [read(each.value) for each in opened.subheader]
    assert opened.selectbox(key="table").value == 2  # the table that decides it
    assert any("does not hold here" in each.proto.body for each in opened.get("html"))


def test_the_conclusion_stands_first(open_page: Open) -> None:
    at = open_page("results")
    every = [Findings(study, read_records(study)) for study in STUDIES.values()]
    assert report.conclusion(every) in [read(each.value) for each in at.markdown]
    code = ast.parse((Path(__file__).parents[2] / "pages" / "results.py").read_text(encoding="utf-8"))
    texts = [line.value for line in code.body[1:] if isinstance(line, ast.Expr)]
    assert not [text for text in texts if isinstance(text, ast.Constant)]  # Streamlit would write it on the page


def test_the_papers_claims_are_marked_and_can_be_counted(open_page: Open) -> None:
    (html,) = [each.proto.body for each in open_page("results").get("html") if 'class="claims"' in each.proto.body]
    every = [Findings(study, read_records(study)) for study in STUDIES.values()]
    assert html.count("<abbr") == len(report.paper_claims(every)) > 1


@pytest.mark.parametrize(("study", "rule"), [("answers", "contains 0"), ("inductive", "")])
def test_the_star_tells_when_numbers_are_level(open_page: Open, study: str, rule: str) -> None:
    at = open_page("results", study=study)
    (notes,) = [each.value for each in at.caption if "brackets" in each.value]
    assert ("★" in notes and "level" in notes and rule in notes) if rule else "★" not in notes


def test_many_claims_share_a_card(open_page: Open, claiming: Claim, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(STUDIES["auc"]), "claims", lambda self, records: [claiming] * 7)
    st.cache_resource.clear()
    (html,) = [each.proto.body for each in open_page("results").get("html") if 'class="claims"' in each.proto.body]
    (card,) = [card for card in cards(html) if "study=auc" in card]
    assert card.count(claiming.verdict) == card.count(claiming.number) == 7
    claims = re.findall(r'<a class="line" data-inside="" href="results\?study=auc&amp;claim=(\d)">', card)
    assert claims == list("1234567")  # each line leads to its own
    opened = open_page("results", study="auc")
    assert sum(each.proto.body.count(claiming.number) for each in opened.get("html")) == 7
    assert opened.selectbox(key="table").value == 1


def test_the_table_is_that_of_the_records_above_the_command(open_page: Open) -> None:
    at = open_page("results", study="auc")
    table = STUDIES["auc"].tables(read_records(STUDIES["auc"]))[0]
    head, *lines = table_lines(at).values()
    assert head[1:] == list(table.columns.values())
    assert [line[0] for line in lines] == [row.label for row in table.rows]
    for row, line in zip(table.rows, lines, strict=True):
        for name, text in zip(table.columns, line[1:], strict=True):
            mark = "best ★ " * (row.label in table.best_of(name))
            assert text == mark + table.text(row, name)
    assert all(note in [read(each.value) for each in at.caption] for note in table.notes)
    assert not at.code  # its highlighter is larger than the rest of the page
    # of the first column: equal numbers have one colour, the best has the most, the paper's have none
    (html,) = [each.proto.body for each in at.get("html") if "<table" in each.proto.body]
    rows = re.findall(r"<tr.*?</tr>", html, re.DOTALL)[1:]
    shade = [int(re.search(r"<td(?: style=\"--shade: (\d+)%\")?", row)[1] or 0) for row in rows]  # type: ignore[index]
    column = next(iter(table.columns))
    known = {row.label: round(mean, 3) for row in table.rows if (mean := table.means(column).get(row.label))}
    pairs = [(known[row.label], each) for row, each in zip(table.rows, shade, strict=True) if row.label in known]
    assert all((one < other) == (a < b) for one, a in pairs for other, b in pairs)
    assert not any(each for row, each in zip(table.rows, shade, strict=True) if row.label not in known)
    assert any(read(each.value).startswith("`python -m gfx_core bench auc`: ") for each in at.markdown)


@pytest.mark.parametrize("study", STUDIES.values(), ids=lambda study: study.name)
def test_every_study_can_be_opened(study: Study, open_page: Open) -> None:
    found = Findings(study, read_records(study))
    at = open_page("results", study=study.name)
    assert sum("<table" in each.proto.body for each in at.get("html")) == bool(found.records)
    assert bool(at.get("plotly_chart")) == (bool(found.records) and study.has_figure)
    assert found.records or f"`python -m gfx_core bench {study.name}`" in at.info[0].value
    assert found.stale in ["", *(read(each.value) for each in at.warning)]


def test_another_table_and_the_url(open_page: Open) -> None:
    at = open_page("results", study="auc", table="2", dataset="tree_grid")
    assert at.selectbox(key="table").value == 2
    assert at.segmented_control[0].value == "tree_grid"
    at.selectbox(key="table").select(4).run()
    assert at.query_params["table"] in ("4", ["4"])


def test_what_is_not_measured_or_only_half(open_page: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = STUDIES["reasons"]
    some = [record for record in read_records(study) if record["dataset"] != "tree_grid"]
    (tmp_path / "reasons.json").write_text(json.dumps({"cells": some}), encoding="utf-8")
    monkeypatch.setattr(report, "RESULTS", tmp_path)
    st.cache_resource.clear()
    done, every = Findings(study, some).cells
    assert 0 < done < every
    assert f"{done} of {every} cells" in texts(open_page("results", study="reasons"))
    at = open_page("results", study="time")
    assert "python -m gfx_core bench time" in at.info[0].value
    assert not any("<table" in each.proto.body for each in at.get("html"))
    (html,) = [each.proto.body for each in open_page("results").get("html") if 'class="claims"' in each.proto.body]
    assert "to be measured" in next(card for card in cards(html) if "study=time" in card)


@pytest.mark.parametrize("name", documents.TITLES)
def test_documents_are_shown_with_their_pictures(name: str, open_page: Open) -> None:
    at = open_page("results", read=name)
    pictures = [picture for _, picture in documents.parts(name) if picture is not None]
    assert sum('class="forest"' in each.proto.body for each in at.get("html")) == len(pictures)
    assert "<!--" not in texts(at)


def test_documents_link_to_where_the_explorer_shows_the_same(
    open_page: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = "[a](departures.md), [b](../results/RESULTS.md), [c](commands.md), [d](https://pyg.org), [e](/lab)."
    (tmp_path / "measuring.md").write_text(words, encoding="utf-8")
    monkeypatch.setattr(documents, "DOCUMENTS", tmp_path)
    monkeypatch.setattr(documents, "TITLES", {"departures": "", "measuring": ""})
    monkeypatch.setattr(documents, "path_of", lambda name: tmp_path / "measuring.md")
    shown = texts(open_page("results", read="measuring"))
    assert "[a](/results?read=departures), [b](/results), c, [d](https://pyg.org), [e](/lab)." in shown
