"""A soft mask that keeps nothing: its ranking is that of numerical dust, so it must be told.

A mask's loss charges for every edge. If that costs more than the prediction is worth, the best mask is the empty one.
"""

from collections.abc import Sequence

from gfx_core.explainers.edge_scores import Scores
from gfx_core.explainers.explanation import Explanation

FAINT = 0.01
"""A mask without a value as large as this is empty."""


def collapse_note(mask: Scores) -> str:
    """A sentence if a mask of values between 0 and 1 has collapsed, nothing otherwise. [e]"""
    if not len(mask) or mask.max() >= FAINT:
        return ""
    return f"The mask has collapsed: its largest value is {mask.max():.1e}, so the order of its edges means nothing."


def collapsed_share(found: Sequence[Explanation]) -> float:
    """Which part of some explanations says of itself that it has collapsed."""
    return sum(bool(each.note) for each in found) / max(1, len(found))
