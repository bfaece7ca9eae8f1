"""Results: every explainer on every data set, as the benchmarks recorded it. Drawn without torch."""

from collections.abc import Mapping

import streamlit as st

from gfx_core.bench.registry import STUDIES
from gfx_core.bench.tables import Table, present
from gfx_core.datasets.registry import DATASETS
from pages.ui import measured
from pages.ui.components.copy_link import copy_link
from pages.ui.router import through_app
from pages.ui.selection import choose


def pick(label: str, name: str, options: Mapping[str, str], **dropped: None) -> str:
    """The option that the URL names, or the first; picking another drops some parts of the URL."""
    named, key = st.query_params.get(name, ""), f"results-{name}"
    st.session_state[key] = named if named in options else next(iter(options))
    st.segmented_control(
        label,
        list(options),
        key=key,
        format_func=options.__getitem__,
        required=True,
        on_change=lambda: choose(**{name: st.session_state[key]}, **dropped),
        label_visibility="collapsed",
    )
    return st.session_state[key]


def pick_table(tables: list[Table]) -> Table:
    """One of a study's quantities; the URL tells its number."""
    if len(tables) == 1:
        return tables[0]
    named = st.query_params.get("table", "")
    number = int(named) if named.isdecimal() and len(named) < 3 else 1
    st.session_state["table"] = min(len(tables), max(1, number))
    st.selectbox(
        "Shown",
        range(1, len(tables) + 1),
        key="table",
        format_func=lambda number: tables[number - 1].title,
        on_change=lambda: choose(table=st.session_state["table"] if st.session_state["table"] > 1 else None),
        width=560,
    )
    return tables[st.session_state["table"] - 1]


through_app()
st.title("How well do the explainers do?", anchor=False)
st.markdown(
    "Every explainer explains the same predictions of the same GNNs and is scored on the same edges. All numbers come "
    "from the benchmarks that ship with this explorer, and are shown as they came out."
)
with st.container(horizontal=True, vertical_alignment="center", key="studies"):
    shown = {name: each.short for name, each in STUDIES.items() if each.short}
    study = STUDIES[pick("Study", "study", shown, table=None)]
    copy_link()
records = measured.records(study)
if not records:
    st.info(
        f"This was not measured yet: run `python -m gfx_core bench {study.name}`.", icon=":material/hourglass_empty:"
    )
    st.stop()
st.subheader(study.question, anchor=False)
verdicts = study.verdicts(records)
for verdict in verdicts:
    st.markdown(f"**{verdict.about}.** {verdict.short}")
if any(verdict.detail for verdict in verdicts):
    with st.expander("The numbers behind it"):
        for verdict in verdicts:
            st.markdown(verdict.detail)
table = pick_table(measured.tables(study))
measured.show_table(table, key=f"{study.name}-table")
measured.show_made(study, records)
measured.downloads(study, table)
if study.draws:
    st.subheader("One data set in a picture", anchor=False)
    names = present(DATASETS, records, "dataset")
    dataset = pick("Data set", "dataset", {name: DATASETS[name].title for name in names})
    measured.show_figure(study, dataset)
    st.page_link(
        "pages/compare.py",
        label=f"Compare the explainers on one prediction of {DATASETS[dataset].title}",
        icon=":material/compare:",
        query_params={"dataset": dataset},
    )
