"""What a browser does for a student in a class: it has them look up when the class is frozen."""

import streamlit as st

from pages.ui.components.component_files import read, script, whole

_HTML = """
<dialog aria-labelledby="up"><p id="up">Look up, please</p><p>Your teacher has paused the class. It goes on in a
moment, and everything is still here.</p></dialog>
"""
_strip = st.components.v2.component("class_strip", html=_HTML, css=read("class_strip.css"), js=script("class_strip"))


def class_strip(*, frozen: bool) -> None:
    """Freeze the page, or let it go on.

    Args:
        frozen: Whether nothing on the page can be pressed.
    """
    _strip(key="class-pause", data=whole({"frozen": frozen}), height=1)
