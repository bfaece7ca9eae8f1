"""A button that copies the address of the view: the whole view is in it."""

import streamlit as st

from pages.ui.components.component_files import read, script

_HTML = '<button type="button" aria-live="polite"><span>Copy link</span></button>'
_button = st.components.v2.component("copy_link", html=_HTML, css=read("copy_link.css"), js=script("copy_link"))


def copy_link(key: str = "copy-link") -> None:
    """Show the button."""
    _button(key=key, width="content")
