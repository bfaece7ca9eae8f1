"""Several predictions explained in the same way, as a table that can be sorted; a row opens its player."""

from dataclasses import asdict

import streamlit as st

from gfx_core import limits
from gfx_core.datasets.registry import sources_of
from gfx_core.datasets.source import Numbered
from gfx_core.explanation.many import NamedQuestions, Row
from gfx_core.explanation.question import Question, options
from gfx_core.jobs import requests
from gfx_core.jobs.job import Request
from gfx_core.text.numbers import counted
from pages.ui import jobs
from pages.ui.explorer.parameters import DATASET, EXPLORER, GNN, OPTIONS, go_to_number
from pages.ui.explorer.wording import WORDS
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
"""Which predictions are in the table: the number of the first, and how many; ``None`` before they are requested."""


def all_predictions(question: Question, index: int) -> None:
    """What to explain, and the table once it is there.

    Args:
        question: How the prediction above is explained: the others are in the same way.
        index: Its number, where it has one.
    """
    source, noun = sources_of(question.dataset)[Numbered.parameter], plain(question.info.vocabulary.instance)
    assert isinstance(source, Numbered)
    if not source.ready:
        st.caption(WORDS["datasets"]["not-here"])
        return
    last = source.dataset().num_instances - 1
    first, count = ROWS.read() or (index, COUNTS[0])

    def start() -> None:
        ROWS.write((int(st.session_state[_FIRST]), int(st.session_state[_COUNT])))

    with st.container(horizontal=True, vertical_alignment="bottom", key="predictions-pick"):
        st.number_input(f"From {noun}", 0, last, min(first, last), key=_FIRST, width=150)
        st.selectbox("How many", COUNTS, COUNTS.index(count) if count in COUNTS else 0, key=_COUNT, width=110)
        st.button("Explain them", key="predictions-start", icon=":material/table_rows:", on_click=start)
    if ROWS.read() is None:
        return
    indices = range(first, min(first + count, last + 1))
    title = f"Explaining {counted(len(indices), noun)} of {plain(question.info.title)}"
    how = {name: getattr(question, name) for name, option in options().items() if option.travels}
    about = {"questions": NamedQuestions(question.dataset, question.gnn, options=how), "indices": indices}
    files = requests.files_of(question.dataset, question.gnn, question.own)
    request = Request[list[Row]]("gfx_core.explanation.many:explain_all", about, files)
    rows = jobs.run_job(title, request, slot="predictions")
    if rows is None:
        return

    def picked() -> None:
        for at in st.session_state[_TABLE].selection.rows:
            go_to_number(question.dataset, rows[at].index)

    st.dataframe(
        [asdict(row) | {"sentence": row.sentence or row.error} for row in rows],
        column_config=WORDS["predictions"],
        column_order=list(WORDS["predictions"]),
        hide_index=True,
        key=_TABLE,
        on_select=picked,
        selection_mode="single-row",
    )
    st.caption("A click on a heading sorts; a tick at the beginning of a row opens its player above.")
