"""The way to a page: what every page wears, and which one is run."""

import os

import streamlit as st
from streamlit import delta_generator, runtime

from gfx_core.device import SMALL, gpu_name
from gfx_core.text.numbers import counted
from pages.ui import presenting
from pages.ui.address import arrive
from pages.ui.components.browser import keep_history
from pages.ui.shell import ASIDE, LOGO, PAGES, TITLE


def route() -> None:
    """Set the page up, find out which one is asked for, and run it."""
    if runtime.exists():  # else Streamlit reads the source of all that runs, to tell whether it is run without a server
        delta_generator._use_warning_has_been_displayed = True
    logo = LOGO.is_file()  # pages do not depend on a picture
    icon = str(LOGO) if logo else ":material/hub:"
    st.set_page_config(page_title=TITLE, page_icon=icon, layout="wide")
    if logo:
        st.logo(str(LOGO), size="large")
    pages = [
        st.Page(
            f"pages/{file}.py",
            title=title,
            icon=f":material/{icon}:",
            default=at == 0,
            visibility="hidden" if file in ASIDE else "visible",
        )
        for at, (file, title, icon) in enumerate(PAGES)
    ]
    page = st.navigation(pages, position="top")
    _device_badge()
    name = page.url_path or PAGES[0][0]
    keep_history(presenting.present if name in presenting.PRESENTED else None)
    from pages.ui.explorer import parameters  # knows the data sets: the browser draws the above meanwhile

    arrive(page.url_path, parameters.opening_link)
    presenting.show(name)
    _class(name)
    page.run()


def _device_badge() -> None:
    """Say what computes here, at the top of every page."""
    cores = os.cpu_count() or 1
    gpu = gpu_name()
    label = f"GPU · {gpu}" if gpu else f"CPU · {counted(cores, 'core')}"
    with st.container(key="device", width="content"):
        st.badge(
            label,
            icon=":material/memory:",
            color="green" if gpu else "gray",
            help="Where GNNs and explainers run on this computer. They use a GPU if torch can. Instances of up to "
            f"{SMALL} nodes always run on the CPU, which is faster for them.",
        )


def _class(name: str) -> None:
    """Those who are in a class are counted and led on every page; nothing is loaded for anybody else."""
    by_link = "class" in st.query_params and name != "classroom"
    if by_link or any(str(key).startswith("class:") for key in st.session_state):
        from pages.ui import membership

        if by_link:
            membership.join_by_link()
        membership.strip(name)
