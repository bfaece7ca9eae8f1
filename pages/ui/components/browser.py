"""What the browser does for a page: its history, copying the link, saving files, what is seen, pauses."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from gfx_core.drawing.templates import asset
from pages.ui.address import SMALL
from pages.ui.components.mount import component

_LEAVE_HTML = '<button type="button">Leave (Esc)</button>'
_LEAVE_CSS = """
button { display: var(--leave, none); position: fixed; inset: var(--leave-at, auto 0.7rem 0.5rem auto); z-index: 9; }
button { background: var(--page); }
@media (hover: hover) { button:not(:hover, :focus-visible) { opacity: 0.3; } } /* it covers nothing */
"""
_keeper = component("components/history", _LEAVE_HTML, asset("components/copy_link.css") + _LEAVE_CSS)


def keep_history(present: Callable[[bool], object] | None) -> None:
    """Keep the browser's history in order: one thing that a visitor does is one entry, so Back goes where one was.

    Streamlit adds an entry for every address that the server writes, and offers no way to replace the latest one. This
    is part of every page; there is nothing to see but a button that leaves present mode.

    Args:
        present: Enters and leaves present mode: the key P does both, Escape leaves. ``None`` where that cannot be.
    """
    data = {"small": SMALL, "presents": present is not None}
    with st.container(key="history", width="content"):
        _keeper(key="history-keeper", data=data, heard={"present": present}, height=1)


_BUTTON_HTML = """
<button type="button" aria-live="polite"><svg viewBox="0 0 24 24" aria-hidden="true">
<path class="link" d="M10 7H7a5 5 0 0 0 0 10h3m4-10h3a5 5 0 0 1 0 10h-3M8 12h8"/><path class="done" d="m5 12 5 5 9-10"/>
</svg><span>Copy link</span></button>
"""
_button = component("components/copy_link", _BUTTON_HTML, asset("components/copy_link.css"))


def copy_link(key: str = "copy-link") -> None:
    """A button that copies the address of the view: the whole view is in it."""
    _button(key=key, width="content")


def save_button(
    label: str, data: bytes | str | Callable[[], bytes], name: str, icon: str = "download", **more: Any
) -> None:
    """A button that saves a file; the page does not run again for it.

    Args:
        label: Of the button.
        data: What is in the file, or what makes it once the button is pressed.
        name: Of the file.
        icon: Its icon.
        more: Further arguments of `st.download_button`.
    """
    st.download_button(label, data, name, icon=f":material/{icon}:", on_click="ignore", **more)


_reveal = component("components/reveal")


def reveal(key: str, shown: int | None, selector: str, *, focus: bool = False) -> None:
    """Have a part of the page seen, or give it the focus, once something else is shown in it than before.

    Args:
        key: Widget key.
        shown: What is shown; nothing happens for ``None``, and when the page opens.
        selector: Of the part.
        focus: Whether it gets the focus, unless a button has it. Else it is scrolled into view, where it is not.
    """
    with st.container(key=f"reveal-{key}", width="content"):
        _reveal(key=key, data={"shown": shown, "selector": selector, "focus": focus}, height=1)


_PAUSE_HTML = """
<dialog aria-labelledby="up"><p id="up">Look up, please</p><p>Your teacher has paused the class. It goes on in a
moment, and everything is still here.</p></dialog>
"""
_pause = component("components/class_pause", _PAUSE_HTML, asset("components/class_pause.css"))


def class_pause(*, frozen: bool) -> None:
    """Freeze the page of a student, who is to look up, or let it go on.

    Args:
        frozen: Whether nothing on the page can be pressed.
    """
    _pause(key="class-pause", data={"frozen": frozen}, height=1)
