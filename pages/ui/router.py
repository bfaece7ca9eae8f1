"""Which pages there are, and the way to them."""

import os
from pathlib import Path

import streamlit as st
from streamlit import delta_generator, runtime

from gfx_core.config import ASSETS
from gfx_core.device import SMALL, detect_device
from pages.ui.address import arrive
from pages.ui.components.browser import keep_history
from pages.ui.fragment import flush, stop

PAGES = (
    ("home", "Home", "home"),
    ("explain", "Explain", "play_circle"),
    ("compare", "Compare", "compare"),
    ("train", "Train", "model_training"),
    ("results", "Results", "leaderboard"),
    ("datasets", "Data sets", "hub"),
    ("own", "Own data", "upload_file"),
    ("learn", "Learn", "school"),
    ("lab", "Cut-vertex lab", "content_cut"),
    ("glossary", "Glossary", "dictionary"),
    ("classroom", "Class", "groups"),
    ("plans", "Lesson plans", "assignment"),
)
"""File, title and icon of each page, the first one for those who ask for none."""
ASIDE = ("classroom", "plans")
"""Pages that other pages and links lead to, and the navigation does not."""

LOGO = ASSETS / "logo.svg"
_ROUTED = "routed"  # session state: the router has run in this session


def route() -> None:
    """Set the page up, find out which one is asked for, and run it."""
    if runtime.exists():  # else Streamlit reads the source of all that runs, to tell whether it is run without a server
        delta_generator._use_warning_has_been_displayed = True
    logo = LOGO.is_file()  # nobody need go without pages for lack of a picture
    icon = str(LOGO) if logo else ":material/hub:"
    st.set_page_config(page_title="GFlowExplainer explorer", page_icon=icon, layout="wide")
    if logo:
        st.logo(str(LOGO), size="large")
    st.html(Path(__file__).with_name("style.css"))
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
    keep_history()
    from pages.ui.explorer import parameters  # knows the data sets: the browser draws the above meanwhile

    name = page.url_path or PAGES[0][0]
    arrive(page.url_path, parameters.opening_link)
    _class(name)
    st.session_state[_ROUTED] = True
    page.run()
    flush()


def _device_badge() -> None:
    """Say what computes here, at the top of every page."""
    device = detect_device()
    cores = os.cpu_count() or 1
    label = f"GPU · {device.name}" if device.is_gpu else f"CPU · {cores} core{'s' if cores > 1 else ''}"
    with st.container(key="device", width="content"):
        st.badge(
            label,
            icon=":material/memory:",
            color="green" if device.is_gpu else "gray",
            help="Where GNNs and explainers run on this computer. A GPU is used when torch can use one; instances of "
            f"up to {SMALL} nodes are explained on the CPU also then, which is faster for them.",
        )


def _class(name: str) -> None:
    """Those who are in a class are counted and led on every page; nothing is loaded for anybody else."""
    by_link = "class" in st.query_params and name != "classroom"
    if by_link or any(str(key).startswith("class:") for key in st.session_state):
        from pages.ui import membership

        if by_link:
            membership.join_by_link()
        membership.strip(name)


def through_app() -> None:
    """Every page calls this first: a link that opens a fresh server would else miss the navigation and the style.

    A server that has not run app.py yet takes each file in pages/ for a page of its own. A page that loads much calls
    it before that: so the browser has something to draw meanwhile.
    """
    if not st.session_state.get(_ROUTED):
        route()
        stop()
