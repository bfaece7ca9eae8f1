"""Own data: bring a graph, see what was understood of it, give it a GNN, and have its predictions explained."""

import streamlit as st

from gfx_core.datasets import uploads
from gfx_core.datasets.graph import GraphDataset
from gfx_core.datasets.registry import dataset_info, load_dataset
from gfx_core.datasets.source import Numbered
from gfx_core.text import instance_words
from gfx_core.user_data import store
from gfx_core.user_data.draft import limits_in_words
from pages.ui import jobs, sessions
from pages.ui.address import pick_one
from pages.ui.components.browser import copy_link
from pages.ui.explorer.parameters import DATASET, prediction_link, remember_prediction
from pages.ui.own import OPENED, TEXTS, WAY, WAYS, offer_gnn, show_gnn, show_preview
from pages.ui.text import error_shown, plain
from pages.ui.widgets import in_row, page_link, widget


def show_datasets() -> None:
    """The data sets of this visit, one of which is open; nothing where there is none."""
    names = sessions.own_datasets()
    if not names:
        return
    with st.container(border=True, key="own-holdings"):
        titles = {name: plain(dataset_info(name).title) for name in names}
        opened = OPENED.read(names[0]) or names[0]
        if len(names) > 1:
            pick_one(**widget("own-opened"), parameter=OPENED, titles=titles, shown=opened)
        with error_shown("error"):
            show_dataset(load_dataset(opened))


def show_dataset(dataset: GraphDataset) -> None:
    """Its size, its GNN, what can be done with it, and what was understood of its files."""
    st.subheader(plain(dataset.info.title), anchor=False)
    size = instance_words.statistics_line(dataset.info, dataset.statistics)
    st.caption(plain(f"{size}. {dataset.info.description}"))
    ready, going = show_gnn(dataset)
    link = {"dataset": dataset.name, "index": str(dataset.example)}
    with in_row("own-ways-on" if ready else "own-ways"):
        for page in ("explain", "datasets", "compare", "train") if ready else ("datasets",):
            page_link(f"own-{page}", link)
    if ready and prediction_link().get(DATASET.name) != dataset.name:  # the navigation goes on with it too
        remember_prediction(dataset.name, Numbered.parameter, str(dataset.example))
    if not going:
        offer_gnn(dataset, another=ready)
    with st.expander(**widget("own-details")):
        about = uploads.about(dataset.name)
        lines = [f"- {plain(sentence)}" for sentence in (*about.understood, *about.dropped)]
        st.markdown("\n".join(lines) or "Everything was used.")

    def remove() -> None:
        store.forget(dataset.name)
        OPENED.write(None)

    with st.popover(**widget("own-remove-ask")):  # never by one click
        st.markdown(TEXTS["remove"])
        st.button(**widget("own-remove"), on_click=remove)


st.title("Your own data", anchor=False)
st.markdown(TEXTS["intro"])
if wrong := OPENED.problem:
    st.warning(plain(wrong), icon=":material/link_off:")
with in_row("own-head"):
    way = pick_one(**widget("own-way"), parameter=WAY, titles=TEXTS["ways"])
    copy_link()
with st.container(key="own-bring"):
    WAYS[way]()
show_preview()
show_datasets()
st.caption(limits_in_words())
jobs.warm_up()  # PyTorch is loaded in the background while the visitor looks for a file
