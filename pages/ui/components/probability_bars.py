"""Class probabilities as labelled bars."""

from collections.abc import Sequence

from gfx_core.text.numbers import percent
from pages.ui.components.component_files import component, style

_bars = component("probability_bars", '<div class="kit bars"></div>', style("probability_bars.css"))


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
