"""Data sets: pick a node or a graph, see what the GNN sees of it, what it answers and what it should have found."""

from pages.ui.router import through_app

through_app()

import streamlit as st

from gfx_core.config import Task
from gfx_core.datasets.own.store import is_own
from pages.ui import jobs
from pages.ui.explorer import pickers, travel, views
from pages.ui.explorer.link import read_view
from pages.ui.explorer.prediction import prediction_card
from pages.ui.explorer.subject import find_subject, say_how_read
from pages.ui.text import plain

view = read_view()
info = view.info

st.title(plain(info.title), anchor=False)
hint = f"mark those {plain(info.vocabulary.motif)}s" if info.labelled else "are what an explanation should find"
unknown = "" if is_own(info.name) else " Nobody knows the true reasons here."
st.markdown(plain(info.description) + (f" The **thick green lines** {hint}." if info.knows_reasons else unknown))
pickers.say_problems(view)
with st.container(horizontal=True, vertical_alignment="bottom", key="pickers"):
    pickers.pick_dataset(view)
    subject = find_subject(view)
    kind = pickers.pick_gnn(view)
say_how_read(subject)

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
        travel.ways_on("datasets")
    if dataset is not None and dataset.task is Task.GRAPH:
        with whole.container(border=True):
            views.all_graphs(dataset, subject.instance.index, kind)
from pages.ui.explorer.fragments import fragment_section  # knows all studies: loaded when all else is on its way

fragment_section(info.name, kind)
jobs.warm_up_soon()  # PyTorch is loaded in the background while the visitor looks
