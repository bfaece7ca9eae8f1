"""The benchmarks' records on a page: a table with the best set off, and a chart for each data set."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from gfx_core.bench.auc import TITLES
from gfx_core.bench.cells import Record
from gfx_core.bench.record import RESULTS
from gfx_core.bench.results import machines, read_records
from gfx_core.bench.studies import study_module
from gfx_core.bench.tables import Row, Table
from gfx_core.drawing.colours import PARENT
from gfx_core.files import stamp

if TYPE_CHECKING:
    import pandas as pd

STRONGEST = 0.42
"""How much of the colour is behind the best number of a column."""


def version(study: str) -> tuple[int, int]:
    """Size and time of a study's file: new records are read again."""
    return stamp(RESULTS / f"{study_module(study).BENCHMARK}.json")


def records(study: str) -> list[Record]:
    """The finished cells of a study."""
    return _records(study, version(study))


@st.cache_resource(show_spinner=False, max_entries=12)  # nobody changes them, and copies of thousands would be slow
def _records(study: str, at: tuple[int, int]) -> list[Record]:
    return read_records(study)


def tables(study: str) -> list[Table]:
    """What a study's records come to."""
    return _tables(study, version(study))


@st.cache_resource(show_spinner=False, max_entries=12)
def _tables(study: str, at: tuple[int, int]) -> list[Table]:
    return study_module(study).tables(records(study))


def places(table: Table, dataset: str) -> dict[str, float]:
    """How good each measured row is in a column: 1 the best, 0 the worst, by rank; equal numbers share a rank."""
    means = {row.label: row.entries[dataset].mean for row in table.rows if row.ours and dataset in row.entries}
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


def show_made(study: str, some: Sequence[Record]) -> None:
    """Which command made the records, and on what."""
    titles = getattr(study_module(study), "TITLES", TITLES)
    with st.expander("How this was measured", icon=":material/terminal:"):
        st.code(f"python -m gfx_core bench {study}", language="bash")
        st.markdown(machines(some, titles))


def downloads(study: str, table: Table) -> None:
    """The table that is shown, and everything."""
    with st.container(horizontal=True, key="downloads"):
        st.download_button(
            "Table as CSV",
            frame(table).to_csv().encode(),
            f"{study}.csv",
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


def has_figure(study: str) -> bool:
    """Whether a study's records can be drawn."""
    return hasattr(study_module(study), "figure")


def show_figure(study: str, dataset: str) -> None:
    """A study's chart of one data set."""
    st.plotly_chart(_figure(study, dataset, version(study)), key=f"{study}-{dataset}", config={"displayModeBar": False})
    if legend := getattr(study_module(study), "LEGEND", ""):
        st.caption(legend)


@st.cache_resource(show_spinner=False, max_entries=36)
def _figure(study: str, dataset: str, at: tuple[int, int]) -> Any:
    some = [record for record in records(study) if record["dataset"] == dataset]
    return study_module(study).figure({"cells": some}).update_layout(margin={"l": 10, "r": 10, "t": 30, "b": 10})
