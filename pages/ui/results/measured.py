"""The benchmarks' records on a page: a table with the best set off, and a chart for each data set."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from gfx_core.bench import results_file
from gfx_core.bench.cells import Record
from gfx_core.bench.journal import RESULTS
from gfx_core.bench.results_file import machines, read_records
from gfx_core.bench.study import Study
from gfx_core.bench.tables import Row, Table
from gfx_core.bench.verdicts import Verdict
from gfx_core.drawing.colours import PARENT
from gfx_core.files import stamp

if TYPE_CHECKING:
    import pandas as pd

STRONGEST = 0.42
"""How much of the colour is behind the best number of a column."""


def version(study: Study) -> tuple[int, int]:
    """Size and time of a study's file: new records are read again."""
    return stamp(RESULTS / f"{study.benchmark}.json")


def records(study: Study) -> list[Record]:
    """The finished cells of a study."""
    return _records(study.name, study, version(study))


@st.cache_resource(show_spinner=False, max_entries=12)  # nobody changes them, and copies of thousands would be slow
def _records(name: str, _study: Study, at: tuple[int, int]) -> list[Record]:
    return read_records(_study)


def tables(study: Study) -> list[Table]:
    """What a study's records come to."""
    return _tables(study.name, study, version(study))


@st.cache_resource(show_spinner=False, max_entries=12)
def _tables(name: str, _study: Study, at: tuple[int, int]) -> list[Table]:
    return _study.tables(records(_study))


def coverage(study: Study) -> str:
    """Which share of the study its records are, if they are not all."""
    return _coverage(study.name, study, version(study))


@st.cache_resource(show_spinner=False, max_entries=12)
def _coverage(name: str, _study: Study, at: tuple[int, int]) -> str:
    return results_file.coverage(_study, records(_study))


def places(table: Table, dataset: str) -> dict[str, float]:
    """How good each measured row is in a column: 1 the best, 0 the worst, by rank; equal numbers share a rank."""
    compared = [row for row in table.rows if row.ours and row.compared and dataset in row.entries]
    means = {row.label: row.entries[dataset].mean for row in compared}
    known = {label: mean for label, mean in means.items() if mean is not None}
    shown = sorted({round(mean, table.digits) for mean in known.values()}, reverse=table.best == "low")
    if not table.best or len(shown) < 2:
        return {}
    return {label: shown.index(round(mean, table.digits)) / (len(shown) - 1) for label, mean in known.items()}


def styles(table: Table) -> "pd.DataFrame":
    """CSS for each place: the better, the more colour; the best is bold, the paper's figures are faint."""
    import pandas as pd  # slow, and what is above the table does not need it

    red, green, blue = (int(PARENT.colour[i : i + 2], 16) for i in (1, 3, 5))
    found = pd.DataFrame("", index=[row.label for row in table.rows], columns=list(table.columns.values()))
    for dataset, title in table.columns.items():
        for label, place in places(table, dataset).items():
            bold = "; font-weight: 700" if place == 1 else ""
            found.loc[label, title] = f"background-color: rgba({red}, {green}, {blue}, {STRONGEST * place:.2f}){bold}"
    for row in table.rows:
        if not row.ours:
            found.loc[row.label] = "opacity: 0.65; font-style: italic"
    return found


def frame(table: Table) -> "pd.DataFrame":
    """A table as text."""
    import pandas as pd

    def line(row: Row) -> dict[str, str]:
        return {title: table.text(row, name) for name, title in table.columns.items()}

    return pd.DataFrame([line(row) for row in table.rows], index=[row.label for row in table.rows])


def show_findings(verdicts: Sequence[Verdict]) -> None:
    """What the numbers say, each in a sentence that can be read at a glance; the numbers behind it stay folded."""
    with st.container(border=True, key="findings"):
        for verdict in verdicts:
            st.markdown(f"**{verdict.about}.** {verdict.short}")
    details = [verdict.detail for verdict in verdicts if verdict.detail]
    if details:
        with st.expander("More about these findings", icon=":material/unfold_more:"):
            for detail in details:
                st.markdown(detail)


def show_table(table: Table, *, key: str) -> None:
    """A table that a screen reader can read, with what its marks mean."""
    with st.container(key=f"measured-{key}"):
        st.table(frame(table).style.apply(lambda _: styles(table), axis=None), width="content")
    said = ["Mean ± standard deviation over seeds (their number)"] if table.counts else []
    if table.best:
        said.append("the best of a column is bold, the better the bluer")
    if any(not row.ours for row in table.rows):
        said.append("the paper’s figures are for other GNNs and another ground truth")
    if any(entry.mixed for row in table.rows for entry in row.entries.values()):
        said.append("†: seeds with different options")
    if said:
        st.caption(f"{'; '.join(said)}.")
    for note in table.notes:
        st.caption(note)


def show_made(study: Study, some: Sequence[Record]) -> None:
    """Which command made the records, and on what."""
    with st.expander("How this was measured", icon=":material/terminal:"):
        st.code(f"python -m gfx_core bench {study.name}", language="bash")
        st.markdown(machines(some, study.titles))


def downloads(study: Study, table: Table) -> None:
    """The table that is shown, and everything."""
    with st.container(horizontal=True, key="downloads"):
        st.download_button(
            "Table as CSV",
            frame(table).to_csv().encode(),
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
    figure = _figure(study.name, dataset, study, version(study))
    st.plotly_chart(figure, key=f"{study.name}-{dataset}", config={"displayModeBar": False})
    if study.legend:
        st.caption(study.legend)


@st.cache_resource(show_spinner=False, max_entries=36)
def _figure(name: str, dataset: str, _study: Study, at: tuple[int, int]) -> Any:
    some = [record for record in records(_study) if record["dataset"] == dataset]
    return _study.figure(some).update_layout(margin={"l": 10, "r": 10, "t": 30, "b": 10})
