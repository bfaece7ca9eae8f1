"""The one table of colours: each role has one, everywhere, and a mark that works without it.

The hues are Okabe and Ito's colour-blind safe ones or near them, in mid-tones that read on white and on black.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Role:
    """What a node or an edge is in a picture.

    Attributes:
        colour: Its colour in every picture, chart and legend.
        mark: What distinguishes it without colour.
    """

    colour: str
    mark: str


START = Role("#e0528f", "a second ring around the node")
ACTION = Role("#1d2433", "a solid dark node with a light rim")
MOTIF = Role("#009e73", "thick edges and a thick rim")
OTHER_MOTIF = Role("#009e73", "dashed edges and a dashed rim")
FRONTIER = Role("#e69f00", "a dashed rim")
CUT_VERTEX = Role("#b0179b", "a double ring")
PARENT = Role("#2f7fc1", "a dotted rim")
MISTAKE = Role("#d55e00", "a cross")
FOUND = Role("#4a55c8", "thick edges")
"""What an explanation holds where nothing is known to be true: neither right nor wrong."""
PLAIN = Role("#8792a6", "a thin rim")

ROLES = {
    "start": START,
    "action": ACTION,
    "motif": MOTIF,
    "frontier": FRONTIER,
    "cut": CUT_VERTEX,
    "parent": PARENT,
    "extra": MISTAKE,
    "found": FOUND,
    "plain": PLAIN,
    "water": PARENT,
    "drawn": PARENT,
    "stop": MOTIF,
    "good": MOTIF,
    "off": MISTAKE,
    "wrong": MISTAKE,
}
"""By the names that style sheets know them by."""

CLASS_SYMBOLS = ("circle", "square", "diamond", "pentagon")
"""The shape of a node is its class; from the fifth class on the shapes come again, hollow."""

CLASS_COLOURS = ("#cc8a00", "#3f6fc4")
"""The two classes of a graph task, where no role colour is in play; their shapes differ as well."""

GROUPS = (CLASS_COLOURS[1], CLASS_COLOURS[0], "#2aa6a6", "#9a6bd1")
"""The pieces that a cut vertex holds together; each is numbered as well."""

ELEMENTS = {
    "C": "#6b7280",
    "H": "#c3cad6",
    "N": "#4a7fe0",
    "O": "#e0554f",
    "F": "#3fb68b",
    "Cl": "#3fa34d",
    "Br": "#a6522f",
    "I": "#7a4fb5",
    "S": "#d6b11e",
    "P": "#e08a2c",
    "Na": "#8d6bd1",
    "K": "#8d6bd1",
    "Li": "#8d6bd1",
    "Ca": "#5d8f5a",
}
"""Chemists' usual colours, softened. The symbol is always written on the atom."""


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


def role_css(scope: str) -> str:
    """All colours of roles, of atoms and of a cut vertex's pieces as variables of a class."""
    variables = {name: role.colour for name, role in ROLES.items()} | {
        "on-start": text_on(START.colour),
        "one": CLASS_COLOURS[1],
        "other": CLASS_COLOURS[0],  # the lines of two lanes differ in dashes as well
    }
    for name in ("frontier", "parent", "cut"):
        variables[f"{name}-ink"] = f"color-mix(in srgb, var(--{name}) 72%, var(--ink))"
    rules = [f".{scope} {{ {' '.join(f'--{name}: {value};' for name, value in variables.items())} }}"]
    for element, colour in ELEMENTS.items():
        rules.append(f".{scope} .element-{element} {{ --element: {colour}; --on-element: {text_on(colour)}; }}")
    for number, colour in enumerate(GROUPS):
        rules.append(f".{scope} .group-{number} {{ --group: {colour}; --on-group: {text_on(colour)}; }}")
    return "\n".join([*rules, ""])
