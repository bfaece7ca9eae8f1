"""Present mode: the page for a room, with the player and nothing else."""

from pathlib import Path

import streamlit as st


def fold_away() -> None:
    """Hide the pickers and all that stands below the player, and make the navigation slim."""
    st.html(Path(__file__).with_name("present.css"))
