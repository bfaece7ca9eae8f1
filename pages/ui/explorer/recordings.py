"""Shipped recordings of trainings, read once, and how links name their states. Needs no torch."""

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from gfx_core.errors import UserError
from gfx_core.files import stamp
from gfx_core.training.recording import Recording, read
from gfx_core.training.stories import STORIES


def shipped_recording(story: str) -> Recording | None:
    """The recording of a story, if one is shipped and can be read."""
    path = STORIES[story].path
    return _recording(str(path), stamp(path)) if path.is_file() else None


@st.cache_resource(show_spinner=False, max_entries=16)
def _recording(path: str, version: tuple[int, int]) -> Recording | None:
    try:
        return read(Path(path))
    except UserError:
        return None


def pinned_key(nodes: Sequence[int]) -> str | None:
    """A pinned state as the views name it, from its nodes."""
    return ",".join(map(str, sorted(nodes))) or None


def pinned_nodes(key: str | None) -> tuple[int, ...] | None:
    """The nodes of a pinned state, as the views told it."""
    return tuple(int(node) for node in key.split(",") if node.isdecimal()) if key else None
