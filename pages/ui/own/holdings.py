"""The data sets of this visit: which there are, the one that is opened, and the ways on."""

from collections.abc import Sequence

import streamlit as st

from gfx_core.datasets.graph import GraphDataset
from gfx_core.datasets.registry import dataset_info, load_dataset
from gfx_core.errors import UserError
from gfx_core.text import ground_truth
from gfx_core.user_data import store
from pages.ui import sessions
from pages.ui.address import bind
from pages.ui.own.gnn import offer_gnn, show_gnn
from pages.ui.own.link import OPENED
from pages.ui.text import plain

_KEPT = "own:kept"  # session state: what was said when something was kept
_WAYS = (
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
            opened = bind(
                st.segmented_control,
                "Your data sets",
                OPENED,
                names,
                shown=opened,
                key="own-opened",
                format_func=lambda name: plain(dataset_info(name).title),
                required=True,
                wrap=True,
            )
        try:
            dataset = load_dataset(opened)
        except UserError as error:
            st.error(plain(error), icon=":material/error:")
            return
        _one(dataset)


def _one(dataset: GraphDataset) -> None:
    st.subheader(plain(dataset.info.title), anchor=False)
    st.caption(plain(ground_truth.statistics_line(dataset.info, dataset.statistics)))
    ready, going = show_gnn(dataset)
    if ready:
        _ways(dataset, _WAYS)
    if not going:
        offer_gnn(dataset, another=ready)
    if not ready:
        _ways(dataset, [way for way in _WAYS if way[0] == "datasets"])
    with st.expander("What was understood, and what was dropped", icon=":material/fact_check:"):
        said = store.about(dataset.name)
        lines = [f"- {plain(sentence)}" for sentence in (*said.understood, *said.dropped)]
        st.markdown("\n".join(lines) or "Everything was used.")
    _keep_or_forget(dataset)


def _ways(dataset: GraphDataset, ways: Sequence[tuple[str, str, str]]) -> None:
    """Links to what can be done with it; where there is a GNN, the first is the one to go on with."""
    link = {"dataset": dataset.name, "index": str(dataset.example)}
    with st.container(horizontal=True, key="own-ways-on" if len(ways) > 1 else "own-ways"):
        for page, label, icon in ways:
            st.page_link(f"pages/{page}.py", label=label, icon=f":material/{icon}:", query_params=link)


def _keep_or_forget(dataset: GraphDataset) -> None:
    if not store.visit_of(dataset.name):
        st.caption("Kept on this server, for everybody who uses it.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom", key="own-end"):
        with st.popover("Remove it", icon=":material/delete:", key="own-remove-ask"):  # never by one click
            st.markdown("With its GNN and all that was learnt on it. It goes by itself when your visit ends.")
            st.button(
                "Yes, remove it", key="own-remove", icon=":material/delete:", on_click=_remove, args=(dataset.name,)
            )
        if store.may_keep():
            title = st.text_input("Keep it on this server as", key="own-keep-name", max_chars=40)
            st.button("Keep", key="own-keep", icon=":material/save:", on_click=_keep, args=(dataset.name, title))
    if said := st.session_state.pop(_KEPT, ""):
        st.info(plain(said), icon=":material/save:")


def _remove(name: str) -> None:
    store.forget(name)
    OPENED.write(None)


def _keep(name: str, title: str) -> None:
    try:
        kept = store.keep(name, title)
        st.session_state[_KEPT] = f"It is kept as {kept}, for everybody who uses this server."
    except UserError as error:
        st.session_state[_KEPT] = str(error)
