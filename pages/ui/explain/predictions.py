"""Several predictions explained in the same way, as a table that can be sorted; a row opens its player."""

from dataclasses import asdict

import streamlit as st

from gfx_core.datasets.registry import sources_of
from gfx_core.datasets.source import Numbered
from gfx_core.explanation.many import NamedQuestions, Row
from gfx_core.explanation.question import Question, options
from gfx_core.jobs import requests
from gfx_core.jobs.job import Request
from gfx_core.text.numbers import counted
from pages.ui import jobs
from pages.ui.address import whole
from pages.ui.explorer.parameters import DATASET, EXPLORER, GNN, OPTIONS, go_to_number
from pages.ui.text import plain
from pages.ui.wording import WORDS, widget

COUNT = 25
"""Rows of the table."""
_HOW = [name for name, option in options().items() if option.travels]
_FIRST, _TABLE = "predictions-first", "predictions"  # session state: of these widgets
ROWS = EXPLORER.parameter(
    "rows",
    None,
    whole(0, 10**9),
    under=(DATASET, GNN, *(OPTIONS[name] for name in _HOW)),
)
"""The number of the first prediction in the table; ``None`` before it is requested."""


def all_predictions(question: Question, index: int) -> None:
    """From where on to explain, and the table once it is there.

    Args:
        question: How the prediction above is explained: the others are in the same way.
        index: Its number, where it has one.
    """
    source, noun = sources_of(question.dataset)[Numbered.parameter], plain(question.info.vocabulary.instance)
    if not source.ready:
        st.caption(WORDS["datasets"]["not-here"])
        return
    last, first = source.dataset().num_instances - 1, ROWS.read()
    with st.container(horizontal=True, vertical_alignment="bottom", key="predictions-pick"):
        st.number_input(f"From {noun}", 0, last, min(first or index, last), key=_FIRST, width=150)
        texts = widget("predictions-start", count=COUNT, noun=noun)
        st.button(**texts, on_click=lambda: ROWS.write(int(st.session_state[_FIRST])))
    if first is None:
        return
    how = {name: getattr(question, name) for name in _HOW}
    named, indices = NamedQuestions(question.dataset, question.gnn, options=how), range(last + 1)[first : first + COUNT]
    files = requests.files_of(question.dataset, question.gnn, question.own)
    about = {"questions": named, "indices": indices}
    request = Request[list[Row]]("gfx_core.explanation.many:explain_all", about, files)
    title = f"Explaining {counted(len(indices), noun)} of {plain(question.info.title)}"
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
