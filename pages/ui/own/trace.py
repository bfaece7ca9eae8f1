"""A trace that was made anywhere: drop its file, and it plays."""

import streamlit as st

from gfx_core import limits
from gfx_core.trace import serialize
from gfx_core.trace.schema import Trace
from pages.ui.components.player import PlayerView, alone, player
from pages.ui.explain import trace_views
from pages.ui.text import plain
from pages.ui.uploads import Upload, find_upload, upload_field

_TRACE = "own-trace"


def show_trace() -> None:
    """An uploader, and the player."""
    st.markdown(
        "A trace is one explanation, step by step, as Explain, the command line and notebooks save it (JSON). "
        "It plays without its GNN or data."
    )
    upload_field(
        "Drop a trace",
        serialize.from_json,
        types=["json"],
        key=_TRACE,
        most_mb=limits.TRACE_MB,
        help_text="Nothing in it is run.",
    )
    found: Upload[Trace] | None = find_upload(_TRACE)
    if found is None or found.value is None:
        return
    trace = found.value
    st.markdown(f"**{plain(trace.dataset_title)} {trace.index}**")
    trace_views.prediction_line(trace)
    trace_views.flows_line(trace)
    player(alone(trace), key="own-player", view=PlayerView(at_answer=True))
    trace_views.export_buttons(trace)
