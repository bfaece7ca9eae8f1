"""What the lines of the pictures mean. Each sample is drawn as in the pictures, and no two differ by colour alone."""

import streamlit as st

from gfx_core.drawing.colours import FOUND, MISTAKE, MOTIF

WITH_TRUTH = {
    "hit": "found: an edge of the true motif",
    "missed": "missed: in the motif, but not in the explanation",
    "extra": "extra: in the explanation, but not in the motif",
}
WITHOUT_TRUTH = {"kept": "in the explanation; what should be found is not known here, so nothing is right or wrong"}


def line_legend(truth: bool) -> None:
    """The legend of pictures over a known motif, or over none."""
    samples = "".join(
        f'<li><i class="{look}"></i>{words}</li>' for look, words in (WITH_TRUTH if truth else WITHOUT_TRUTH).items()
    )
    colours = f"--motif: {MOTIF.colour}; --mistake: {MISTAKE.colour}; --found: {FOUND.colour}"
    st.html(f'<ul class="line-legend" style="{colours}">{samples}</ul>')
