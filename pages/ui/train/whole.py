"""Train a whole data set."""

import streamlit as st


def show_whole() -> None:
    """How to do it."""
    st.info(
        "A policy for a whole data set is trained by `python -m gfx_core train policy --dataset NAME`.",
        icon=":material/model_training:",
    )
