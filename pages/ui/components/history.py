"""Keeps the browser's history in order: one thing that a visitor does is one entry, so Back goes where one was.

Streamlit adds an entry for every address that the server writes, and offers no way to replace the latest one.
"""

import streamlit as st

from pages.ui.address import SMALL
from pages.ui.components.component_files import script

_keeper = st.components.v2.component("history", html="<span hidden></span>", js=script("history"))


def keep_history() -> None:
    """Part of every page; there is nothing to see."""
    with st.container(key="history", width="content"):
        _keeper(key="history-keeper", data=list(SMALL), height=1)
