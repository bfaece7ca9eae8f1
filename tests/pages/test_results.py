"""The Results page: the numbers are those of the records, and every study can be looked at."""

import re

import pytest

from gfx_core.bench import results_file
from gfx_core.bench.registry import STUDIES
from gfx_core.bench.results_file import read_records
from gfx_core.bench.tables import Entry, Row, Table
from pages.ui.results import measured
from tests.pages.conftest import Open
from tests.pages.page_reading import read, seen, table_lines, texts


def test_the_table_is_that_of_the_records(open_page: Open) -> None:
    at = open_page("results")
    table = STUDIES["auc"].tables(read_records(STUDIES["auc"]))[0]
    head, *lines = table_lines(at).values()
    assert head[1:] == list(table.columns.values())
    assert [line[0] for line in lines] == [row.label for row in table.rows]
    for row, line in zip(table.rows, lines, strict=True):
        for name, text in zip(table.columns, line[1:], strict=True):
            mark = "best ★ " * (row.label in table.best_of(name))
            assert text == mark + table.text(row, name)
    assert re.search(r"best on \d of \d data sets? that can tell|No data set that was measured", texts(at))
    assert all(note in [read(each.value) for each in at.caption] for note in table.notes)
    assert "`python -m gfx_core bench auc`" in [each.value for each in at.markdown]
    assert not at.code  # its highlighter is larger than the rest of the page


def test_the_finding_comes_first_and_the_command_last(open_page: Open) -> None:
    at = open_page("results")
    study = STUDIES["auc"]
    verdicts = study.verdicts(read_records(study))
    kinds = ("markdown", "subheader", "html")
    order = [e.proto.body if e.type == "html" else read(e.value) for e in at.main if e.type in kinds]
    reason = STUDIES["ceiling"].verdicts(read_records(STUDIES["ceiling"]))[0].short
    finding, why = order.index(verdicts[0].short), order.index(f"**Why?** {reason}")
    others = [order.index(f"**{verdict.about}.** {verdict.short}") for verdict in verdicts[1:]]
    table = next(i for i, value in enumerate(order) if "<table" in value)
    command = next(i for i, value in enumerate(order) if value == "`python -m gfx_core bench auc`")
    assert finding < why < table < min(others)
    assert others == sorted(others)
    assert max(others) < command


@pytest.mark.parametrize("study", [name for name, study in STUDIES.items() if study.short])
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


@pytest.mark.parametrize("link", [{"study": "<b>"}, {"table": "99"}, {"table": "-1"}, {"dataset": "nowhere"}])
def test_a_link_that_makes_no_sense(link: dict[str, str], open_page: Open) -> None:
    at = open_page("results", **link)
    assert len(table_lines(at)) > 1
    assert "<b>" not in texts(at)


def some_table(best: str) -> Table:
    means = {"a": 0.5, "b": 0.9004, "c": 0.9001, "d": 0.7}
    rows = [Row(label, {"x": Entry((mean,))}) for label, mean in means.items()]
    rows += [Row("paper", {"x": Entry((1.0,))}, ours=False), Row("gnn", {"x": Entry((1.0,))}, compared=False)]
    return Table("", {"x": "X"}, rows, best=best)  # type: ignore[arg-type]


def test_the_best_is_set_off_and_equals_are_equal() -> None:
    assert measured.places(some_table("high"), "x") == {"a": 0.0, "b": 1.0, "c": 1.0, "d": 0.5}
    assert measured.places(some_table("low"), "x") == {"a": 1.0, "b": 0.0, "c": 0.0, "d": 0.5}
    assert measured.places(some_table(""), "x") == {}
    lines = measured.lines(some_table("high"))
    assert [line.places[0].best for line in lines] == [False, True, True, False, False, False]
    assert [line.title for line in lines if line.faint] == ["paper"]


def test_a_control_is_never_best_and_near_is_level() -> None:
    means = {"a": 0.5, "b": 0.95, "c": 0.941, "d": 0.939}
    rows = [Row(label, {"x": Entry((mean,))}) for label, mean in means.items()]
    rows.append(Row("control", {"x": Entry((0.93,))}, control=True))
    assert Table("", {"x": "X"}, rows, best="high").best_of("x") == {"b", "c"}
    assert Table("", {"x": "X"}, rows, best="high", close=0).best_of("x") == {"b"}
    as_good = Row("another", {"x": Entry((0.945,))}, control=True)
    assert Table("", {"x": "X"}, [*rows, as_good], best="high").best_of("x") == set()  # the column tells nothing
    assert Table("", {"x": "X"}, rows, best="low").best_of("x") == {"a"}
    assert Table("", {"x": "X"}, rows).best_of("x") == set()
    assert Table("", {"x": "X"}, rows[1:3], best="high").best_of("x") == set()  # all are level


def test_the_text_of_a_place() -> None:
    shown = {line.title: line.places[0].text for line in measured.lines(some_table("high"))}
    assert shown["a"] == "0.500 (1)"
    assert shown["paper"] == shown["gnn"] == "1.000"


def test_nothing_measured_says_what_to_run(open_page: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measured, "records", lambda study: [])
    at = open_page("results", study="time")
    assert "python -m gfx_core bench time" in at.info[0].value
    assert not any("<table" in each.proto.body for each in at.get("html"))
    assert not at.exception


def test_a_study_that_is_half_measured_says_so(open_page: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    study = STUDIES["reasons"]
    some = [record for record in read_records(study) if record["dataset"] != "tree_grid"]
    assert results_file.coverage(study, read_records(study)) == ""
    monkeypatch.setattr(measured, "coverage", lambda study: results_file.coverage(study, some))
    assert "nothing yet on Tree-Grid" in texts(open_page("results", study="reasons"))
