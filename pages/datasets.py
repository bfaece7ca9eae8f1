"""Data sets: pick a node or a graph, see what the GNN sees of it, what it predicts and which parts are expected."""

import streamlit as st

from gfx_core.config import Task
from pages.ui import jobs
from pages.ui.address import pick_one
from pages.ui.explorer import dataset_views
from pages.ui.explorer.parameters import page_links, read_query
from pages.ui.explorer.pickers import pick_prediction
from pages.ui.text import plain
from pages.ui.widgets import WORDS, widget

view = read_query()
info, by_rules, words = view.info, dataset_views.RULES.read(), WORDS["datasets"]

st.title(plain(info.title), anchor=False)
truth = "labelled" if info.labelled else "known" if info.knows_reasons else "unknown"
lede = f"{plain(info.description)} {words[truth].format(motif=plain(info.vocabulary.motif))}"
st.markdown(words["about-rules"] if by_rules else lede)
row, subject, kind = pick_prediction(view, instances=not by_rules)
with row:
    titles = {False: f"One {plain(info.vocabulary.instance)}", True: words["rule"]}
    pick_one(**widget("rules"), parameter=dataset_views.RULES, titles=titles, own=False)
    predicted = dataset_views.pick_class(view, kind) if by_rules else None

if predicted is not None and kind is not None:
    dataset_views.show_rules(view, kind, *predicted)
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
    if dataset is not None and dataset.task is Task.GRAPH:
        with whole.container(border=True):
            dataset_views.all_graphs(dataset, subject.instance.index, kind)
jobs.warm_up()  # PyTorch is loaded in the background while the visitor looks
