"""Data sets: pick a node or a graph, see what the GNN sees of it, what it answers and what it should have found."""

from contextlib import nullcontext

import streamlit as st

from gfx_core.config import Task
from pages.ui import jobs
from pages.ui.explorer import dataset_views, pickers, rule_views
from pages.ui.explorer.parameters import page_links, read_query
from pages.ui.explorer.traces import say_example
from pages.ui.text import plain

view = read_query()
info = view.info

st.title(plain(info.title), anchor=False)
hint = f"mark those {plain(info.vocabulary.motif)}s" if info.labelled else "are what an explanation should find"
known = f"The **thick green lines** {hint}." if info.knows_reasons else "No true reason is known here."
by_rules = rule_views.RULES.read()
about_rules = "Which kinds of subgraph explain the GNN’s predictions of a class? A card opens where it found them."
st.markdown(about_rules if by_rules else f"{plain(info.description)} {known}")
pickers.say_problems(view)
with st.container(horizontal=True, vertical_alignment="bottom", key="pickers"):
    with nullcontext() if by_rules else pickers.picker_popover(view):
        pickers.pick_dataset(view)
        subject = None if by_rules else pickers.pick_instance(view)
        kind = pickers.pick_gnn(view)
    rule_views.pick_view(view)
    predicted = rule_views.pick_class(view, kind) if by_rules else 0
pickers.say_how_read(subject)
say_example(subject, kind)

if by_rules:
    rule_views.show_rules(view, kind, predicted)
elif subject is None:
    with st.container(border=True):
        dataset_views.about(info, None)
else:
    dataset = subject.dataset
    left, right = st.columns([3, 2], gap="medium")
    with left.container(border=True):
        dataset_views.neighbourhood(subject)
    answer = right.container(border=True)
    with right.container(border=True):
        dataset_views.about(info, dataset)
    whole = st.container()
    if dataset is not None and dataset.task is Task.NODE:  # drawn before the GNN is loaded
        with whole.container(border=True):
            dataset_views.whole_graph(dataset, subject.instance.index, kind)
    with answer:
        dataset_views.prediction_card(subject, kind)
        page_links("datasets")
        dataset_views.fragments_link(info.name)
    if dataset is not None and dataset.task is Task.GRAPH:
        with whole.container(border=True):
            dataset_views.all_graphs(dataset, subject.instance.index, kind)
jobs.warm_up_soon()  # PyTorch is loaded in the background while the visitor looks
