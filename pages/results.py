"""Results: every explainer on every data set, as the benchmarks recorded it. Drawn without torch."""

from pages.ui.router import through_app

through_app()

import streamlit as st

from gfx_core.bench.results_file import command
from gfx_core.bench.tables import present
from gfx_core.datasets.registry import DATASETS
from pages.ui.components.copy_link import copy_link
from pages.ui.components.when_seen import when_seen
from pages.ui.fragment import stop
from pages.ui.results import measured, study_pickers
from pages.ui.text import plain, said

st.title("How well do the explainers do?", anchor=False)
st.markdown(
    "Every explainer explains the same predictions of the same GNNs and is scored on the same edges, beside controls "
    "that cannot know the GNN’s reasons. Good or bad, it is shown as it came out."
)
with st.container(horizontal=True, vertical_alignment="center", key="studies"):
    study = study_pickers.pick_study()
    copy_link()
st.subheader(study.question, anchor=False)
if problem := measured.problem(study):
    st.error(said(problem), icon=":material/broken_image:")
    stop()
records = measured.records(study)
if not records:
    st.info(
        f"To be measured: there are no numbers for the GNNs and policies of today. {command(study)} makes them.",
        icon=":material/hourglass_empty:",
    )
    stop()
verdicts = measured.verdicts(study)
measured.show_finding(study, verdicts)
if missing := measured.coverage(study):
    st.caption(said(missing))
table = study_pickers.pick_table(measured.tables(study))
measured.show_table(table)
measured.downloads(study, table)
measured.show_more(verdicts)
names = present(DATASETS, records, "dataset")
if study.draws and names:
    st.subheader("One data set in a picture", anchor=False)
    dataset = study_pickers.pick_dataset(names)
    when_seen(lambda: measured.show_figure(study, dataset), key="results-chart")
    st.page_link(
        "pages/compare.py",
        label=f"Compare the explainers on one prediction of {plain(DATASETS[dataset].title)}",
        icon=":material/compare:",
        query_params={"dataset": dataset},
    )
measured.show_made(study, records)
