"""The Results page: the numbers are those of the records, and every study can be looked at."""

import re

import pytest

from gfx_core.bench import results_file
from gfx_core.bench.registry import STUDIES
from gfx_core.bench.results_file import read_records
from gfx_core.bench.tables import Entry, Row, Table
from pages.ui.results import measured
from tests.pages.conftest import Open
from tests.pages.page_reading import texts


def test_the_table_is_that_of_the_records(open_page: Open) -> None:
    at = open_page("results")
    table = STUDIES["auc"].tables(read_records(STUDIES["auc"]))[0]
    shown = at.table[0].value
    assert list(shown.columns) == list(table.columns.values())
    assert list(shown.index) == [row.label for row in table.rows]
    assert shown.loc["GFlowExplainer", table.columns["tree_grid"]] == table.rows[0].entries["tree_grid"].text()
    assert re.search(r"first on \d of \d data sets", texts(at))
    assert all(note in [each.value for each in at.caption] for note in table.notes)
    assert "gfx_core bench auc" in at.code[0].value


def test_the_finding_comes_first_and_the_command_last(open_page: Open) -> None:
    at = open_page("results")
    study = STUDIES["auc"]
    verdicts = study.verdicts(read_records(study))
    order = [element.value for element in at.main if element.type in ("markdown", "subheader", "table", "code")]
    told = [f"**{verdict.about}.** {verdict.short}" for verdict in verdicts]
    places = [next(i for i, value in enumerate(order) if isinstance(value, str) and value == text) for text in told]
    table = next(i for i, value in enumerate(order) if not isinstance(value, str))
    command = next(i for i, value in enumerate(order) if isinstance(value, str) and "gfx_core bench auc" in value)
    assert places == sorted(places)
    assert places[-1] < table < command


@pytest.mark.parametrize("study", [name for name, study in STUDIES.items() if study.short])
def test_every_study_is_shown(study: str, open_page: Open) -> None:
    at, known = open_page("results", study=study), bool(read_records(STUDIES[study]))
    assert STUDIES[study].question in [each.value for each in at.subheader]
    assert len(at.table) == known
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
    assert len(at.table) == 1
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
    css = measured.styles(some_table("high"))["X"]
    assert [("700" in each) for each in css] == [False, True, True, False, False, False]
    assert "italic" in css["paper"]


def test_the_text_of_a_place() -> None:
    frame = measured.frame(some_table("high"))
    assert frame.loc["a", "X"] == "0.500 (1)"
    assert frame.loc["paper", "X"] == frame.loc["gnn", "X"] == "1.000"


def test_nothing_measured_says_what_to_run(open_page: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measured, "records", lambda study: [])
    at = open_page("results", study="time")
    assert "python -m gfx_core bench time" in at.info[0].value
    assert not at.table
    assert not at.exception


def test_a_study_that_is_half_measured_says_so(open_page: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    study = STUDIES["reasons"]
    some = [record for record in read_records(study) if record["dataset"] != "tree_grid"]
    assert results_file.coverage(study, read_records(study)) == ""
    monkeypatch.setattr(measured, "coverage", lambda study: results_file.coverage(study, some))
    assert "nothing yet on Tree-Grid" in texts(open_page("results", study="reasons"))
