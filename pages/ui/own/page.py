"""The page Own data from top to bottom."""

import streamlit as st

from gfx_core import limits
from pages.ui import jobs
from pages.ui.components.browser import copy_link
from pages.ui.own import bring
from pages.ui.own.brought import problem, reading
from pages.ui.own.holdings import show_holdings
from pages.ui.own.link import OPENED
from pages.ui.own.preview import show_preview
from pages.ui.own.trace import show_trace
from pages.ui.text import plain

_WAYS = {
    "file": bring.by_file,
    "paste": bring.by_pasting,
    "draw": bring.by_drawing,
    "example": bring.by_example,
    "trace": show_trace,
}


def show() -> None:
    """All of it."""
    st.title("Your own data", anchor=False)
    st.markdown(
        "Bring a graph, give it a GNN, and have any of its predictions explained. What you bring belongs to your "
        "visit: nobody else sees it, nothing in it is run, and it is gone when you leave."
    )
    if wrong := OPENED.problem:
        st.warning(plain(wrong), icon=":material/link_off:")
    with st.container(horizontal=True, vertical_alignment="center", key="own-head"):
        way = bring.pick_way()
        copy_link()
    with st.container(key="own-bring"):
        _WAYS[way]()
    if said := problem():
        st.error(plain(said), icon=":material/upload_file:")
    found = reading()
    if found is not None and way != "trace":
        show_preview(found)
    show_holdings()
    st.caption(limits.in_words())
    jobs.warm_up_soon()  # PyTorch is loaded in the background while the visitor looks for a file
