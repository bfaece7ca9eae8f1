"""Class probabilities as labelled bars."""

from collections.abc import Sequence

import streamlit as st

from gfx_core.text.numbers import percent
from pages.ui.components.component_files import script, style

_bars = st.components.v2.component(
    "probability_bars",
    html='<div class="kit bars"></div>',
    css=style("probability_bars.css"),
    js=script("probability_bars"),
)


def probability_bars(probabilities: Sequence[float], names: Sequence[str], true: int | None, *, key: str) -> None:
    """One bar for each class; the likeliest is emphasised, the true one named."""
    likeliest = max(range(len(probabilities)), key=lambda label: probabilities[label])
    _bars(
        key=key,
        data=[
            {
                "name": name,
                "share": float(share),
                "percent": percent(float(share)),
                "note": " · ".join(
                    word
                    for word, holds in (("GNN’s answer", label == likeliest), ("true class", label == true))
                    if holds
                ),
                "predicted": label == likeliest,
            }
            for label, (name, share) in enumerate(zip(names, probabilities, strict=True))
        ],
    )
