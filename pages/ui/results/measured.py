"""The benchmarks' records on a page: the finding, a table with the best set off, a chart for each data set."""

import logging
from collections.abc import Sequence
from typing import Any

import streamlit as st

from gfx_core.bench import results_file
from gfx_core.bench.cells import Record
from gfx_core.bench.journal import RESULTS
from gfx_core.bench.registry import STUDIES
from gfx_core.bench.results_file import machines, read_records
from gfx_core.bench.study import Study
from gfx_core.bench.tables import Row, Table
from gfx_core.bench.verdicts import Verdict
from gfx_core.errors import UserError
from gfx_core.files import stamp
from pages.ui.components.number_table import BEST, Head, Line, Place, as_csv, number_table
from pages.ui.text import said

_log = logging.getLogger(__name__)

STRONGEST = 0.42
"""How much of the colour is behind the best number of a column."""
_DAMAGED = "The records in {}.json are damaged: put the file back from git, or run `python -m gfx_core bench {}` again."


def version(study: Study) -> tuple[int, int]:
    """Size and time of a study's file: new records are read again."""
    return stamp(RESULTS / f"{study.benchmark}.json")


def records(study: Study) -> list[Record]:
    """The finished cells of a study."""
    return _records(study.name, study, version(study))


@st.cache_resource(show_spinner=False, max_entries=12)  # nobody changes them, and copies of thousands would be slow
def _records(name: str, _study: Study, at: tuple[int, int]) -> list[Record]:
    return read_records(_study, RESULTS)


def problem(study: Study) -> str:
    """What is wrong with a study's records, a sentence; empty if nothing is. A file may be damaged in any way."""
    try:
        verdicts(study), coverage(study), machines(records(study), study.titles)
        for table in tables(study):
            lines(table)
    except UserError as error:
        return str(error)
    except Exception:
        _log.exception("the records of %s are damaged", study.name)
        return _DAMAGED.format(study.benchmark, study.benchmark)
    return ""


def tables(study: Study) -> list[Table]:
    """What a study's records come to."""
    return _tables(study.name, study, version(study))


@st.cache_resource(show_spinner=False, max_entries=12)
def _tables(name: str, _study: Study, at: tuple[int, int]) -> list[Table]:
    return _study.tables(records(_study))


def verdicts(study: Study) -> list[Verdict]:
    """What a study's records say."""
    return _verdicts(study.name, study, version(study))


@st.cache_resource(show_spinner=False, max_entries=12)
def _verdicts(name: str, _study: Study, at: tuple[int, int]) -> list[Verdict]:
    return _study.verdicts(records(_study))


def coverage(study: Study) -> str:
    """Which share of the study its records are, if they are not all."""
    return _coverage(study.name, study, version(study))


@st.cache_resource(show_spinner=False, max_entries=12)
def _coverage(name: str, _study: Study, at: tuple[int, int]) -> str:
    return results_file.coverage(_study, records(_study))


def places(table: Table, dataset: str) -> dict[str, float]:
    """How good each measured row is in a column: 1 the best, 0 the worst, by rank; equal numbers share a rank."""
    known = table.means(dataset)
    shown = sorted({round(mean, table.digits) for mean in known.values()}, reverse=table.best == "low")
    if not table.best or len(shown) < 2:
        return {}
    return {label: shown.index(round(mean, table.digits)) / (len(shown) - 1) for label, mean in known.items()}


def lines(table: Table) -> list[Line]:
    """A table as it is shown: the better a number, the more colour behind it; the best is marked, the paper's faint."""
    ranks = {dataset: places(table, dataset) for dataset in table.columns}
    best = {dataset: table.best_of(dataset) for dataset in table.columns}

    def place(row: Row, dataset: str) -> Place:
        shade = STRONGEST * ranks[dataset].get(row.label, 0.0)
        return Place(table.text(row, dataset), row.label in best[dataset], shade)

    return [Line(row.label, [place(row, name) for name in table.columns], faint=not row.ours) for row in table.rows]


def lead(study: Study, found: Sequence[Verdict]) -> tuple[str, str]:
    """What a study finds first, and why it is so as far as the records know; both may be empty."""
    if not found:
        return "", ""
    reason, other = found[0].reason, STUDIES.get(study.because)
    if not reason and other is not None and not problem(other) and records(other):
        reason = next((verdict.short for verdict in verdicts(other)), "")
    return found[0].short, reason


def show_finding(study: Study, found: Sequence[Verdict]) -> None:
    """The finding and its reason, which can be read at a glance."""
    finding, reason = lead(study, found)
    if finding:
        with st.container(border=True, key="findings"):
            st.markdown(said(finding))
            if reason:
                st.markdown(f"**Why?** {said(reason)}")


def show_more(found: Sequence[Verdict]) -> None:
    """What else the numbers say; the numbers behind it stay folded."""
    if found[1:]:
        st.subheader("What else they say", anchor=False)
        for verdict in found[1:]:
            st.markdown(f"**{said(verdict.about)}.** {said(verdict.short)}")
    details = [verdict for verdict in found if verdict.detail]
    if details:
        with st.expander("The numbers behind these findings", icon=":material/unfold_more:"):
            for verdict in details:
                st.markdown(f"**{said(verdict.about)}.** {said(verdict.detail)}")


def show_table(table: Table) -> None:
    """A table that a screen reader can read, with what its marks mean."""
    number_table("", [Head(title) for title in table.columns.values()], lines(table), label=table.heading)
    marks = ["Mean ± standard deviation over seeds (their number)"] if table.counts else []
    if table.best:
        near = f", or within {table.close:g} of it" if table.close else ""
        low = "low" if table.best == "low" else "high"
        marks.append(f"{BEST} the best of a column{near} ({low} is good); the better, the bluer")
    if any(not row.ours for row in table.rows):
        marks.append("the paper’s figures, in italics, are for other GNNs and another ground truth")
    if any(entry.mixed for row in table.rows for entry in row.entries.values()):
        marks.append("†: seeds with different options")
    if marks:
        st.caption(f"{'; '.join(marks)}.")
    for note in table.notes:
        st.caption(said(note))


def show_made(study: Study, some: Sequence[Record]) -> None:
    """Which command made the records, and on what."""
    with st.expander("How this was measured", icon=":material/terminal:"):
        # as text: a block of code would fetch a highlighter of 1.5 MB for one line
        st.markdown(f"`python -m gfx_core bench {study.name}`")
        st.markdown(said(machines(some, study.titles)))


def downloads(study: Study, table: Table) -> None:
    """The table that is shown, and everything."""
    with st.container(horizontal=True, key="downloads"):
        st.download_button(
            "Table as CSV",
            as_csv(
                "",
                list(table.columns.values()),
                [(row.label, [table.text(row, name) for name in table.columns]) for row in table.rows],
            ),
            f"{study.name}.csv",
            "text/csv",
            icon=":material/download:",
            on_click="ignore",
        )
        path = RESULTS / "RESULTS.md"
        if path.is_file():
            st.download_button(
                "All results as text",
                path.read_bytes(),
                path.name,
                "text/markdown",
                icon=":material/download:",
                on_click="ignore",
            )


def show_figure(study: Study, dataset: str) -> None:
    """A study's chart of one data set."""
    try:
        figure = _figure(study.name, dataset, study, version(study))
    except Exception:
        _log.exception("the records of %s cannot be drawn", study.name)
        st.error(said(_DAMAGED.format(study.benchmark, study.benchmark)), icon=":material/broken_image:")
        return
    st.plotly_chart(figure, key=f"{study.name}-{dataset}", config={"displayModeBar": False})
    if study.legend:
        st.caption(study.legend)


@st.cache_resource(show_spinner=False, max_entries=36)
def _figure(name: str, dataset: str, _study: Study, at: tuple[int, int]) -> Any:
    some = [record for record in records(_study) if record["dataset"] == dataset]
    return _study.figure(some).update_layout(margin={"l": 10, "r": 10, "t": 30, "b": 10})
