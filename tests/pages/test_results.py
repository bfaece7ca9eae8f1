"""The Results page: the numbers are those of the records, and every study can be looked at."""

import json
import re
from pathlib import Path

import pytest
import streamlit as st

from gfx_core.bench import report
from gfx_core.bench.report import STUDIES, read_records
from tests.pages.page_reading import Open, read, seen, table_lines, texts


def test_the_table_is_that_of_the_records_between_the_finding_and_the_command(open_page: Open) -> None:
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
    kinds = ("markdown", "subheader", "html")
    order = [e.proto.body if e.type == "html" else read(e.value) for e in at.main if e.type in kinds]
    finding = order.index(STUDIES["auc"].finding(read_records(STUDIES["auc"])))
    place = next(i for i, value in enumerate(order) if "<table" in value)
    assert finding < place < order.index("`python -m gfx_core bench auc`")
    badge, intro, *_ = [each.value for each in at.markdown]
    assert intro.startswith("Every explainer explains")  # nothing that is no part of the page
    assert "badge" in badge


@pytest.mark.parametrize("study", STUDIES)
def test_every_study_is_shown(study: str, open_page: Open) -> None:
    at, known = seen(open_page("results", study=study)), bool(read_records(STUDIES[study]))
    assert STUDIES[study].question in [each.value for each in at.subheader]
    assert sum("<table" in each.proto.body for each in at.get("html")) == known
    assert bool(at.get("plotly_chart")) == (known and STUDIES[study].draws)
    assert known or f"`python -m gfx_core bench {study}`" in at.info[0].value


def test_another_quantity_and_the_url(open_page: Open) -> None:
    at = open_page("results", study="fidelity", table="2", dataset="tree_grid")
    assert at.selectbox(key="table").value == 2
    assert at.segmented_control[1].value == "tree_grid"
    at.selectbox(key="table").select(4).run()
    assert at.query_params["table"] in ("4", ["4"])
    at.segmented_control[0].select("reasons").run()
    assert "table" not in at.query_params
    assert "motif alone" in at.selectbox(key="table").options[0]


def test_what_is_not_measured_or_only_half(open_page: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = STUDIES["reasons"]
    some = [record for record in read_records(study) if record["dataset"] != "tree_grid"]
    (tmp_path / "reasons.json").write_text(json.dumps({"cells": some}), encoding="utf-8")
    monkeypatch.setattr(report, "RESULTS", tmp_path)
    st.cache_resource.clear()
    assert "nothing yet on Tree-Grid" in texts(open_page("results", study="reasons"))
    at = open_page("results", study="time")
    assert "python -m gfx_core bench time" in at.info[0].value
    assert not any("<table" in each.proto.body for each in at.get("html"))
