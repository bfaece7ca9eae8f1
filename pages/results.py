"""Results: every explainer on every data set, as the benchmarks recorded it. Drawn without torch."""

from pages.ui.router import through_app

through_app()

import logging
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import streamlit as st

from gfx_core.bench import report
from gfx_core.bench.report import STUDIES
from gfx_core.bench.study import Study
from gfx_core.bench.tables import Record, ResultRow, ResultTable, present
from gfx_core.datasets.registry import DATASETS, dataset_info
from gfx_core.errors import UserError
from gfx_core.files import stamp
from pages.ui.address import Address, Parameter, bind, one_of, pick_one, whole
from pages.ui.components.browser import copy_link, save_button, when_visible
from pages.ui.components.html_blocks import BEST, Head, Line, Place, as_csv, number_table
from pages.ui.fragment import stop
from pages.ui.text import plain, plain_sentence

_log = logging.getLogger(__name__)

ADDRESS = Address()
SHOWN = [name for name, study in STUDIES.items() if study.short]
STUDY = ADDRESS.parameter("study", SHOWN[0], one_of(SHOWN))
TABLE = ADDRESS.parameter("table", 1, whole(1, 99), under=(STUDY,))
DATASET = ADDRESS.parameter("dataset", None, str)

STRONGEST = 0.42  # how much of the colour is behind the best number of a column


class View(NamedTuple):
    """What there is to show of a study: its records, what they say and come to, and where they were made."""

    records: list[Record]
    finding: str
    missing: str
    tables: list[tuple[ResultTable, list[Line]]]
    machines: str


@st.cache_resource(show_spinner=False, max_entries=12)  # nobody changes it, and copies of thousands would be slow
def view(_study: Study, name: str, version: tuple[int, int]) -> View:
    """Everything of a study; files that have changed are read again."""
    found = report.read_records(_study, report.RESULTS)
    tables = [(table, lines(table)) for table in _study.tables(found)]
    missing, machines = report.coverage(_study, found), report.machines(found, _study.titles)
    return View(found, _study.finding(found), missing, tables, machines)


@st.cache_resource(show_spinner=False, max_entries=36)
def figure(_study: Study, name: str, dataset: str, version: tuple[int, int]) -> Any:
    """A study's chart of one data set."""
    found = [record for record in view(_study, name, version).records if record["dataset"] == dataset]
    return _study.figure(found).update_layout(margin={"l": 10, "r": 10, "t": 30, "b": 10})


def shades(table: ResultTable, dataset: str) -> dict[str, float]:
    """How much colour is behind each measured row of a column: the better, the more; equal numbers have the same."""
    known = table.means(dataset)
    shown = sorted({round(mean, table.digits) for mean in known.values()}, reverse=table.best == "low")
    if not table.best or len(shown) < 2:
        return {}
    place = {number: STRONGEST * rank / (len(shown) - 1) for rank, number in enumerate(shown)}
    return {label: place[round(mean, table.digits)] for label, mean in known.items()}


def lines(table: ResultTable) -> list[Line]:
    """A table as it is shown: the better a number, the more colour behind it; the best is marked, the paper's faint."""
    shade = {dataset: shades(table, dataset) for dataset in table.columns}
    best = {dataset: table.best_of(dataset) for dataset in table.columns}

    def place(row: ResultRow, dataset: str) -> Place:
        return Place(table.text(row, dataset), row.label in best[dataset], shade[dataset].get(row.label, 0.0))

    return [Line(row.label, [place(row, name) for name in table.columns], faint=not row.ours) for row in table.rows]


def pick(label: str, parameter: Parameter[Any], titles: Mapping[str, str]) -> str:
    """One of several, which the link names."""
    named = parameter.read()
    shown = named if named in titles else next(iter(titles))
    return pick_one(label, parameter, titles, shown=shown, key=f"results-{parameter.name}", unlabelled=True)


def pick_table(tables: Sequence[tuple[ResultTable, list[Line]]]) -> tuple[ResultTable, list[Line]]:
    """One of a study's quantities; the link tells its number."""
    if len(tables) == 1:
        return tables[0]
    number = bind(
        st.selectbox,
        "Shown",
        TABLE,
        range(1, len(tables) + 1),
        shown=min(len(tables), TABLE.read()),
        own=1,
        format_func=lambda number: tables[number - 1][0].heading,
        width=560,
    )
    return tables[number - 1]


def show_table(table: ResultTable, shown: Sequence[Line]) -> None:
    """A table that a screen reader can read, with what its marks mean."""
    number_table("", [Head(title) for title in table.columns.values()], shown, label=table.heading)
    marks = ["Mean ± standard deviation over seeds (their number)"] if table.counts else []
    if table.best:
        near = f", or within {table.close:g} of it" if table.close else ""
        low = "low" if table.best == "low" else "high"
        marks.append(f"{BEST} the best of a column{near} ({low} is good); the better, the bluer")
    if any(not row.ours for row in table.rows):
        marks.append("the paper’s figures, in italics, are for other GNNs and another ground truth")
    if marks:
        st.caption(f"{'; '.join(marks)}.")
    for note in table.notes:
        st.caption(plain_sentence(note))


def downloads(study: Study, table: ResultTable, shown: Sequence[Line]) -> None:
    """The table that is shown, and everything."""
    rows = [(line.title, [place.text for place in line.places]) for line in shown]
    path = report.RESULTS / "RESULTS.md"
    with st.container(horizontal=True, key="downloads"):
        save_button("Table as CSV", as_csv("", list(table.columns.values()), rows), f"{study.name}.csv")
        if path.is_file():
            save_button("All results as text", path.read_bytes(), path.name)


st.title("How well do the explainers do?", anchor=False)
st.markdown(
    "Every explainer explains the same predictions of the same GNNs and is scored on the same edges, beside controls "
    "that cannot know the GNN’s reasons. Good or bad, it is shown as it came out."
)
with st.container(horizontal=True, vertical_alignment="center", key="studies"):
    study = STUDIES[pick("Study", STUDY, {name: STUDIES[name].short for name in SHOWN})]
    copy_link()
st.subheader(study.question, anchor=False)
version = stamp(report.RESULTS / f"{study.benchmark}.json")
damaged = (
    f"The records in {study.benchmark}.json are damaged: put the file back from git, or run "
    f"`python -m gfx_core bench {study.benchmark}` again."
)
try:
    found = view(study, study.name, version)
except UserError as error:
    st.error(plain_sentence(str(error)), icon=":material/broken_image:")
    stop()
except Exception:  # a file may be damaged in any way
    _log.exception("the records of %s are damaged", study.name)
    st.error(plain_sentence(damaged), icon=":material/broken_image:")
    stop()
if not found.records:
    st.info(
        f"To be measured: there are no numbers for the GNNs and policies of today. {report.command(study)} makes them.",
        icon=":material/hourglass_empty:",
    )
    stop()
if found.finding:
    with st.container(border=True, key="findings"):
        st.markdown(plain_sentence(found.finding))
if found.missing:
    st.caption(plain_sentence(found.missing))
table, shown = pick_table(found.tables)
show_table(table, shown)
downloads(study, table, shown)


def show_figure(dataset: str) -> None:
    """The chart, or that the records cannot be drawn."""
    try:
        chart = figure(study, study.name, dataset, version)
    except Exception:
        _log.exception("the records of %s cannot be drawn", study.name)
        st.error(plain_sentence(damaged), icon=":material/broken_image:")
        return
    st.plotly_chart(chart, key=f"{study.name}-{dataset}", config={"displayModeBar": False})
    if study.legend:
        st.caption(study.legend)


names = present(DATASETS, found.records, "dataset")
if study.draws and names:
    st.subheader("One data set in a picture", anchor=False)
    dataset = pick("Data set", DATASET, {name: plain(dataset_info(name).title) for name in names})
    when_visible(lambda: show_figure(dataset), key="results-chart")
    st.page_link(
        "pages/compare.py",
        label=f"Compare the explainers on one prediction of {plain(DATASETS[dataset].title)}",
        icon=":material/compare:",
        query_params={"dataset": dataset},
    )
with st.expander("How this was measured", icon=":material/terminal:"):
    # as text: a block of code would fetch a highlighter of 1.5 MB for one line
    st.markdown(f"`python -m gfx_core bench {study.name}`")
    st.markdown(plain_sentence(found.machines))
