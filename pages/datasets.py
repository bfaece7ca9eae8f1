"""Data sets: pick a node or a graph, see what the GNN sees of it, what it answers and what it should have found."""

import streamlit as st

from gfx_core.config import Task
from gfx_core.datasets.registry import DATASETS
from pages.ui import pickers, views
from pages.ui.chrome import through_app
from pages.ui.prediction import prediction_card
from pages.ui.selection import MUTAGENICITY, read_selection
from pages.ui.subject import find_subject

through_app()
selection = read_selection()
info = DATASETS[selection.dataset]

st.title(info.title, anchor=False)
hint = "mark those groups" if selection.dataset == MUTAGENICITY else "are what an explanation should find"
st.markdown(f"{info.description} The **thick green lines** {hint}.")
for problem in selection.problems:
    st.warning(problem, icon=":material/link_off:")
with st.container(horizontal=True, vertical_alignment="bottom", key="pickers"):
    pickers.pick_dataset(selection)
    subject = find_subject(selection)
    kind = pickers.pick_gnn(selection)

if subject is None:
    with st.container(border=True):
        views.about(info, None)
else:
    dataset = subject.dataset
    left, right = st.columns([3, 2], gap="medium")
    with left.container(border=True):
        views.neighbourhood(subject)
    answer = right.container(border=True)
    with right.container(border=True):
        views.about(info, dataset)
    whole = st.container()
    if dataset is not None and dataset.task is Task.NODE:  # drawn before the GNN is loaded
        with whole.container(border=True):
            views.whole_graph(dataset, subject.instance.index, kind)
    with answer:
        prediction_card(subject, kind)
        st.page_link(
            "pages/explain.py",
            label="Explain this prediction",
            icon=":material/play_circle:",
            query_params=st.query_params.to_dict()
            | {"dataset": selection.dataset, "index": str(subject.instance.index)}
            if dataset is not None
            else st.query_params.to_dict(),
        )
    if dataset is not None and dataset.task is Task.GRAPH:
        with whole.container(border=True):
            views.all_graphs(dataset, subject.instance.index, kind)
