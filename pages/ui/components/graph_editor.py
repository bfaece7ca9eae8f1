"""A sheet to draw a graph on: a click or a button adds a node, two clicks link two nodes, or take the link away."""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from pages.ui.components.mount import component, style

_editor = component("components/graph_editor", '<div class="kit editor"></div>', style("graph_editor"))


class Sketch(msgspec.Struct, frozen=True):
    """A graph that was drawn.

    Attributes:
        points: Where each node is, from 0 to 1.
        classes: The class of each node.
        edges: Pairs of nodes.
    """

    points: tuple[tuple[float, float], ...] = ()
    classes: tuple[int, ...] = ()
    edges: tuple[tuple[int, int], ...] = ()


def graph_editor(
    drawn: Sketch, *, key: str, most: int, on_change: Callable[[Sketch], None], classes: Sequence[str] = ("",)
) -> None:
    """Show the sheet.

    Args:
        drawn: What is on it at first; from then on the browser knows better.
        key: Widget key; another one is another sheet.
        most: The most nodes.
        on_change: Called with the drawing, whenever that changes.
        classes: What a node can be; the choice is shown where there are several.
    """

    def changed(values: Any) -> None:
        if (sketch := read_sketch(values, most, len(classes))) is not None:
            on_change(sketch)

    data = {**msgspec.to_builtins(drawn), "kinds": classes, "most": most}
    _editor(key=key, data=data, heard={"sketch": changed})


def read_sketch(values: Any, most: int, kinds: int) -> Sketch | None:
    """A drawing from the browser, unless it makes no sense: at most so many nodes, of so many classes."""
    try:
        sketch = msgspec.convert(values, Sketch)
    except msgspec.ValidationError:
        return None
    nodes = range(len(sketch.points))
    fits = len(nodes) == len(sketch.classes) <= most and all(label in range(kinds) for label in sketch.classes)
    return sketch if fits and all(node in nodes for edge in sketch.edges for node in edge) else None
