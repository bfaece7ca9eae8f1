"""Several predictions explained in the same way, as a table that can be sorted; a row opens its player."""

import streamlit as st

from gfx_core import limits
from gfx_core.datasets.registry import sources_of
from gfx_core.datasets.source import Numbered
from gfx_core.explanation.many import Row
from gfx_core.explanation.question import Question, options
from gfx_core.jobs.requests import ExplainMany
from gfx_core.text.numbers import counted
from pages.ui import jobs
from pages.ui.explorer.parameters import DATASET, EXPLORER, GNN, OPTIONS, go_to_number
from pages.ui.text import plain

COUNTS = (10, 25, 50, limits.MAX_ROWS)
_FIRST, _COUNT, _TABLE = "predictions-first", "predictions-count", "predictions"  # session state: of these widgets


def _parse(text: str) -> tuple[int, int]:
    first, count = (int(part) if len(part) < 12 else -1 for part in text.split("-"))
    if first < 0 or not 0 < count <= limits.MAX_ROWS:
        raise ValueError
    return first, count


ROWS = EXPLORER.parameter(
    "rows",
    None,
    _parse,
    spell=lambda rows: f"{rows[0]}-{rows[1]}",
    under=(DATASET, GNN, *(OPTIONS[name] for name, option in options().items() if option.travels)),
)
"""Which predictions are in the table: the number of the first, and how many; ``None`` while nobody has asked."""


def all_predictions(question: Question, index: int) -> None:
    """What to explain, and the table once it is there.

    Args:
        question: How the prediction above is explained: the others are in the same way.
        index: Its number, where it has one.
    """
    source, noun = sources_of(question.dataset)[Numbered.parameter], plain(question.info.vocabulary.instance)
    assert isinstance(source, Numbered)
    if not source.ready:
        st.caption(f"The {noun}s of {plain(question.info.title)} are not on this computer yet: load them above.")
        return
    total = source.dataset().num_instances
    first, count = ROWS.read() or (min(index, total - 1), COUNTS[0])

    def start() -> None:
        ROWS.write((int(st.session_state[_FIRST]), int(st.session_state[_COUNT])))

    with st.container(horizontal=True, vertical_alignment="bottom", key="predictions-pick"):
        st.number_input(f"From {noun}", 0, total - 1, min(first, total - 1), key=_FIRST, width=150)
        st.selectbox("How many", COUNTS, COUNTS.index(count) if count in COUNTS else 0, key=_COUNT, width=110)
        st.button("Explain them", key="predictions-start", icon=":material/table_rows:", on_click=start)
    if ROWS.read() is None:
        st.caption(
            f"The GNN’s answer for each {noun}, why, and how sure that is: one row each. A row opens its player."
        )
        return
    title = f"Explaining {counted(min(count, total - first), noun)} of {plain(question.info.title)}"
    rows = jobs.run_job(title, ExplainMany(question, first, count), slot="predictions")
    if rows is not None:
        _table(rows, question)


def _table(rows: tuple[Row, ...], question: Question) -> None:
    def picked() -> None:
        for at in st.session_state[_TABLE].selection.rows:
            go_to_number(question.dataset, rows[at].index)

    def share(label: str, about: str) -> object:
        return st.column_config.NumberColumn(label, format="percent", help=about)

    noun = question.info.vocabulary.instance
    st.dataframe(
        {
            noun: [row.index for row in rows],
            "predicted": [row.prediction for row in rows],
            "probability": [row.probability for row in rows],
            "size": [len(row.nodes) if row.nodes else None for row in rows],
            "alone": [row.alone for row in rows],
            "without": [row.without for row in rows],
            "share": [row.share for row in rows],
            "answer": [row.sentence or row.error for row in rows],
        },
        column_config={
            "probability": share("probability", "What the GNN gives the predicted class."),
            "size": st.column_config.NumberColumn("nodes", help="Nodes of the answer."),
            "alone": share("alone", "The probability of that class for the answer and nothing else."),
            "without": share("without", "The probability of that class for all but the answer’s edges."),
            "share": share("samples", "Share of the samples that overlap the answer."),
            "answer": st.column_config.TextColumn("answer", width="large"),
        },
        hide_index=True,
        key=_TABLE,
        on_select=picked,
        selection_mode="single-row",
    )
    failed = sum(bool(row.error) for row in rows)
    st.caption(
        "A click on a heading sorts; a tick at the beginning of a row opens its player above."
        + (f" {counted(failed, 'prediction')} could not be explained: the row says why." if failed else "")
    )
