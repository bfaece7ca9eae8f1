"""Own data: bring a graph, see what was understood of it, give it a GNN, and have its predictions explained."""

from collections.abc import Sequence

import streamlit as st

from gfx_core.datasets import uploads
from gfx_core.datasets.graph import GraphDataset
from gfx_core.datasets.registry import dataset_info, load_dataset
from gfx_core.datasets.source import Numbered
from gfx_core.errors import UserError
from gfx_core.text import instance_words
from gfx_core.user_data import store
from gfx_core.user_data.draft import limits_in_words
from pages.ui import jobs, sessions
from pages.ui.address import pick_one
from pages.ui.components.browser import copy_link, reveal
from pages.ui.explorer.parameters import DATASET, prediction_link, remember_prediction
from pages.ui.own import upload
from pages.ui.own.gnn import offer_gnn, show_gnn
from pages.ui.own.upload import OPENED, show_preview
from pages.ui.text import plain

_LINKS = (
    ("explain", "Explain a prediction", "play_circle"),
    ("datasets", "See the data set", "hub"),
    ("compare", "Compare explainers", "compare"),
    ("train", "Watch a policy learn", "model_training"),
)


def show_holdings() -> None:
    """All of it; nothing where nothing was taken."""
    names = sessions.own_datasets()
    if not names:
        return
    opened = OPENED.read(names[0]) or names[0]
    with st.container(border=True, key="own-holdings"):
        if len(names) > 1:
            titles = {name: plain(dataset_info(name).title) for name in names}
            opened = pick_one("Your data sets", OPENED, titles, shown=opened, key="own-opened", wrap=True)
        try:
            dataset = load_dataset(opened)
        except UserError as error:
            st.error(plain(error), icon=":material/error:")
            return
        _show_dataset(dataset)


def _show_dataset(dataset: GraphDataset) -> None:
    st.subheader(plain(dataset.info.title), anchor=False)
    size = instance_words.statistics_line(dataset.info, dataset.statistics)
    st.caption(plain(f"{size}. {dataset.info.description}"))
    ready, going = show_gnn(dataset)
    if ready:
        _links(dataset, _LINKS)
        if prediction_link().get(DATASET.name) != dataset.name:  # the navigation goes on with it too
            remember_prediction(dataset.name, Numbered.parameter, str(dataset.example))
    if not going:
        offer_gnn(dataset, another=ready)
    if not ready:
        _links(dataset, [link for link in _LINKS if link[0] == "datasets"])
    with st.expander("What was understood, and what was dropped", icon=":material/fact_check:"):
        known = uploads.about(dataset.name)
        lines = [f"- {plain(sentence)}" for sentence in (*known.understood, *known.dropped)]
        st.markdown("\n".join(lines) or "Everything was used.")
    _offer_removal(dataset)


def _links(dataset: GraphDataset, links: Sequence[tuple[str, str, str]]) -> None:
    """Links to what can be done with it; where there is a GNN, the first is the one to go on with."""
    link = {"dataset": dataset.name, "index": str(dataset.example)}
    with st.container(horizontal=True, key="own-ways-on" if len(links) > 1 else "own-ways"):
        for page, label, icon in links:
            st.page_link(f"pages/{page}.py", label=label, icon=f":material/{icon}:", query_params=link)


def _offer_removal(dataset: GraphDataset) -> None:
    with st.popover("Remove it", icon=":material/delete:", key="own-remove-ask"):  # never by one click
        st.markdown(
            "This also removes its GNN and everything trained on it. Otherwise it is deleted when your visit ends."
        )
        st.button("Yes, remove it", key="own-remove", icon=":material/delete:", on_click=_remove, args=(dataset.name,))


def _remove(name: str) -> None:
    store.forget(name)
    OPENED.write(None)


st.title("Your own data", anchor=False)
st.markdown(
    "Upload a graph, train or upload a GNN for it, and explain any of its predictions. Only you can see your data. "
    "Nothing in it is executed, and it is deleted when your visit ends."
)
if wrong := OPENED.problem:
    st.warning(plain(wrong), icon=":material/link_off:")
with st.container(horizontal=True, vertical_alignment="center", key="own-head"):
    way = pick_one("Bring", upload.WAY, upload.TITLES, key="own-way", wrap=True, unlabelled=True)
    copy_link()
with st.container(key="own-bring"):
    upload.WAYS[way]()
if wrong := upload.upload_problem():
    st.error(plain(wrong), icon=":material/upload_file:")
current = upload.current_upload()
if current is not None:
    show_preview(current)
reveal("own-understood", None if current is None else hash(current.paths) % 10**6, ".st-key-own-preview")
show_holdings()
st.caption(limits_in_words())
jobs.warm_up_soon()  # PyTorch is loaded in the background while the visitor looks for a file
