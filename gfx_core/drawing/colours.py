"""Colours of roles and of atoms, from ``assets/content/colours.toml``, and shapes of classes."""

from gfx_core.config import read_content

_TABLE = read_content("colours")
ROLES: dict[str, str] = _TABLE["roles"]
"""The colour of what a node or an edge is in a picture."""
ELEMENTS: dict[str, str] = _TABLE["elements"]

CLASS_SYMBOLS = ("circle", "square", "diamond", "pentagon")
"""The shape of a node is its class; from the fifth class on the shapes come again, hollow."""


def class_symbol(label: int) -> tuple[str, bool]:
    """Shape of a class, and whether it is drawn hollow; one that is not known is a hollow circle."""
    if label < 0:
        return CLASS_SYMBOLS[0], True
    return CLASS_SYMBOLS[label % len(CLASS_SYMBOLS)], label >= len(CLASS_SYMBOLS)


def text_on(colour: str) -> str:
    """Black or white, whichever reads better on a ``#rrggbb`` colour."""
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (red, green, blue)]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "#10141c" if luminance > 0.26 else "#ffffff"
