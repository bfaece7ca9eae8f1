"""Take a trace along: as a page that plays offline, a GIF, or JSON; and bring one back."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

from gfx_core.trace import io
from gfx_core.trace.schema import Trace
from pages.ui.text import file_name
from pages.ui.uploads import Brought, bring, brought

if TYPE_CHECKING:
    from gfx_core.drawing.export import States

_UPLOAD = "upload"
MAX_UPLOAD_MB = 20


def export_buttons(trace: Trace, states: "Callable[[], States | None]" = lambda: None) -> None:
    """Download buttons; a file is made when its button is pressed.

    Args:
        trace: What is taken along.
        states: Gets its state space for the page that plays offline, where that can be had.
    """
    name = file_name("gflowexplainer", trace.dataset, trace.index)

    def page() -> bytes:
        from gfx_core.drawing.export import player_html

        return player_html(trace, states()).encode()

    def animation() -> bytes:
        from gfx_core.drawing.gif import gif

        return gif(trace)

    with st.container(horizontal=True, key="exports"):
        st.download_button(
            "Page that plays offline",
            page,
            f"{name}.html",
            "text/html",
            icon=":material/web:",
            on_click="ignore",
            help="One HTML file with the whole player in it, and all states where they can be listed: open it "
            "anywhere, without a network.",
        )
        st.download_button("GIF", animation, f"{name}.gif", "image/gif", icon=":material/gif_box:", on_click="ignore")
        st.download_button(
            "JSON",
            lambda: io.to_json(trace).encode(),
            f"{name}.json",
            "application/json",
            icon=":material/data_object:",
            on_click="ignore",
            help="The trace itself, with all numbers and how it was made. It can be loaded again below.",
        )
    st.caption("A picture of the current step, as PNG or SVG, is in the player’s own menu.")


def load_trace() -> None:
    """Bring a trace back from a JSON file."""
    bring(
        "Load a trace (JSON)",
        io.from_json,
        types=["json"],
        key=_UPLOAD,
        most_mb=MAX_UPLOAD_MB,
        help_text="A file saved here.",
    )


def loaded_trace() -> Trace | None:
    """The trace that was brought back, as long as its file is there."""
    found: Brought[Trace] | None = brought(_UPLOAD)
    return None if found is None else found.value
