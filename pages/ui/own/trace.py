"""A trace that was made anywhere: drop its file, and it plays."""

from dataclasses import replace

import streamlit as st

from gfx_core.errors import UserError
from gfx_core.trace import io
from gfx_core.trace.schema import Trace
from pages.ui.components.player import PlayerView, player
from pages.ui.explain import exports, watching
from pages.ui.text import plain

_TRACE = "own:trace"  # session state: the file's id and what is in it


def show_trace() -> None:
    """An uploader, and the player."""
    st.markdown(
        "A trace is one explanation, step by step, as Explain, the command line and notebooks save it (JSON). "
        "It plays without its GNN or data."
    )
    file = st.file_uploader(
        "Drop a trace",
        type=["json"],
        key="own-trace",
        max_upload_size=exports.MAX_UPLOAD_MB,
        help="Nothing in it is run.",
    )
    if file is None:
        st.session_state.pop(_TRACE, None)
        return
    if st.session_state.get(_TRACE, (None, None))[0] != file.file_id:
        try:
            found = io.from_json(file.getvalue().decode("utf-8", errors="replace"), file.name[:60])
        except UserError as error:
            st.error(plain(error), icon=":material/upload_file:")
            return
        st.session_state[_TRACE] = (file.file_id, found)
    trace: Trace = st.session_state[_TRACE][1]
    st.markdown(f"**{plain(trace.dataset_title)} {trace.index}**")
    watching.prediction_line(trace)
    watching.flows_line(trace)
    player(replace(trace, masks=()), key="own-player", view=PlayerView(at_answer=True))
    exports.export_buttons(trace)
