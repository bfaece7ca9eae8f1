"""The Results page: claims as cards, each with the table of its records, and the documents beside them."""

import re
import shutil
from pathlib import Path

import pytest
import streamlit as st

from gfx_core.bench import report
from gfx_core.bench.claims import Claim, claims
from gfx_core.bench.studies import STUDIES, records_path
from gfx_core.bench.tables import tables
from tests.pages.page_reading import Open, read, table_lines, texts


def cards(open_page: Open) -> list[str]:
    (html,) = [each.proto.body for each in open_page("results").get("html") if 'class="claims"' in each.proto.body]
    return re.findall(r'<(?:a class="claim".*?</a>|div class="claim many".*?</div>)', html, re.DOTALL)


def test_claims_are_cards_with_their_verdicts(open_page: Open) -> None:
    shown = cards(open_page)
    decided = claims(tables())
    assert sum(card.count("<abbr") for card in shown) == sum(claim.paper for claim in decided) > 1
    assert {name for card in shown for name in re.findall(r"study=(\w+)", card)} == set(STUDIES)
    claim = next(claim for claim in decided if claim.name == "rg")
    (card,) = [card for card in shown if claim.sentence in card]
    line = next(line for line in card.split("<a ") if claim.sentence in line)
    assert "✓</b>holds" in line
    assert "✗</b>does not hold here by the paper" in line
    number = [one.name for one in decided if one.study == "inductive"].index("rg") + 1
    opened = open_page("results", study="inductive", claim=str(number))
    assert claim.sentence in [read(each.value) for each in opened.subheader]
    assert report.conclusion(decided) in [read(each.value) for each in open_page("results").markdown]


def test_what_is_said_is_text(open_page: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    claim = Claim(
        "x",
        "<b>No</b> *one*.",
        False,
        "reasons",
        "motif_alone",
        "does not hold here",
        "<i>1</i>",
        {},
        "does not hold here",
        "",
    )
    monkeypatch.setattr("gfx_core.bench.claims.claims", lambda shown: [claim] * 2)
    st.cache_resource.clear()
    (card, *_) = [card for card in cards(open_page) if "study=reasons" in card]
    assert "&lt;b&gt;No&lt;/b&gt; *one*." in card
    assert "&lt;i&gt;1&lt;/i&gt;" in card
    st.cache_resource.clear()


def test_the_table_is_that_of_the_records_above_the_command(open_page: Open) -> None:
    at = open_page("results", study="explainers", table="4")
    table = list(tables(studies=["explainers"]).values())[3]
    head, *lines = table_lines(at).values()
    assert head[1:] == list(table.columns.values())
    assert [line[0] for line in lines] == [row.label for row in table.rows]
    for row, line in zip(table.rows, lines, strict=True):
        for name, text in zip(table.columns, line[1:], strict=True):
            mark = "best ★ " * (row.label in table.leaders(name)[0])
            assert text == mark + table.text(row, name)
    assert all(note in [read(each.value) for each in at.caption] for note in table.notes)
    assert any(read(each.value).startswith("`gfx bench run explainers`: ") for each in at.markdown)


@pytest.mark.parametrize("study", STUDIES)
def test_every_study_can_be_opened(study: str, open_page: Open) -> None:
    at = open_page("results", study=study)
    assert sum("<table" in each.proto.body for each in at.get("html")) == 1


def test_what_is_not_measured_or_damaged(open_page: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(records_path("reasons"), tmp_path)
    monkeypatch.setattr("gfx_core.bench.studies.RESULTS", tmp_path)
    st.cache_resource.clear()
    at = open_page("results", study="timing")
    assert "gfx bench run timing" in at.info[0].value
    assert any("to be measured" in card for card in cards(open_page) if "study=timing" in card)
    records_path("reasons", tmp_path).write_bytes(b"PAR1, but no more")
    st.cache_resource.clear()
    for name in ("reasons", None):
        at = open_page("results", **({"study": name} if name else {}))
        assert "put it back" in read(at.error[0].value)
        assert not at.exception
    st.cache_resource.clear()


@pytest.mark.parametrize("name", report.TITLES)
def test_documents_are_shown(name: str, open_page: Open) -> None:
    assert "<!--" not in texts(open_page("results", read=name))
