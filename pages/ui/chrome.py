"""What every page wears: the style sheet and the device badge."""

import os
from pathlib import Path

import streamlit as st

from gfx_core import storage
from gfx_core.device import SMALL, detect_device


def style() -> None:
    """Load the app's own style sheet."""
    st.html(Path(__file__).parent / "style.css")


def device_badge() -> None:
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


def say_storage() -> None:
    """Say, on a page whose work is kept, where it cannot be."""
    if problem := storage.problem():
        st.caption(f":material/save: {problem}")
