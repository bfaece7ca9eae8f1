"""What a browser does for a student in a class: it keeps their seat, and has them look up when the class is frozen."""

from collections.abc import Callable

import streamlit as st

from pages.ui.components.component_files import read, script, whole

_HTML = """
<dialog aria-labelledby="up"><p id="up">Look up, please</p><p>Your teacher has paused the class. It goes on in a
moment, and everything is still here.</p></dialog>
"""
_strip = st.components.v2.component("class_strip", html=_HTML, css=read("class_strip.css"), js=script("class_strip.js"))
_KEY = "class-seat"


def class_strip(code: str, seat: str, *, frozen: bool, on_seat: Callable[[object], None]) -> None:
    """Keep a seat, and freeze the page.

    Args:
        code: Of the class.
        seat: To be kept by the browser, where it has none yet.
        frozen: Whether nothing on the page can be pressed.
        on_seat: Is told the seat that the browser has kept from before.
    """

    def told() -> None:
        state = st.session_state.get(_KEY)
        on_seat(None if state is None else state.get("seat"))

    _strip(key=_KEY, data=whole({"code": code, "seat": seat, "frozen": frozen}), on_seat_change=told, height=1)
