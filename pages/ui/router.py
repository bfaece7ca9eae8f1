"""The way to a page: what every page wears, and which one is run."""

import os

import streamlit as st

from gfx_core.config import ASSETS
from gfx_core.device import SMALL, gpu_name
from gfx_core.text.numbers import counted
from pages.ui import presenting
from pages.ui.address import arrive
from pages.ui.components.browser import keep_history
from pages.ui.shell import ASIDE, PAGES, TITLE


def route() -> None:
    """Set the page up, find out which one is wanted, and run it."""
    logo = str(ASSETS / "logo.svg")
    st.set_page_config(page_title=TITLE, page_icon=logo, layout="wide")
    st.logo(logo, size="large")
    pages = [
        st.Page(
            f"pages/{file}.py",
            title=title,
            icon=f":material/{icon}:",
            default=number == 0,
            visibility="hidden" if file in ASIDE else "visible",
        )
        for number, (file, title, icon) in enumerate(PAGES)
    ]
    page = st.navigation(pages, position="top")
    name = page.url_path or PAGES[0][0]
    gpu = gpu_name()
    with st.container(key="device", width="content"):
        st.badge(
            f"GPU · {gpu}" if gpu else f"CPU · {counted(os.cpu_count() or 1, 'core')}",
            icon=":material/memory:",
            color="green" if gpu else "gray",
            help="Where GNNs and explainers run on this computer. They use a GPU if torch can. Instances of up to "
            f"{SMALL} nodes always run on the CPU, which is faster for them.",
        )
    keep_history(presenting.present if name in presenting.PRESENTED else None)
    from pages.ui.explorer import parameters  # loads the data sets: the browser draws the above meanwhile

    arrive(page.url_path, parameters.opening_link)
    presenting.show(name)
    if "class" in st.query_params or any(str(key).startswith("class:") for key in st.session_state):
        from pages.ui import classes  # only for those in a class, who are counted and led on every page

        if name != "classroom":
            classes.join_by_link()
        classes.strip(name)
    page.run()
