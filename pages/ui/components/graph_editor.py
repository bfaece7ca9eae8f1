"""A sheet on which a graph is drawn by hand."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gfx_core.user_data.examples import MOST
from pages.ui.components.component_files import component, style

CLASSES = ("A", "B", "C")
"""What a node can be; the shapes are those that classes have everywhere."""

_view = component("graph_editor", '<div class="kit editor"></div>', style("graph_editor.css"))


@dataclass(frozen=True)
class Sketch:
    """What was drawn.

    Attributes:
        points: Where each node is, from 0 to 1.
        classes: What each node is.
        edges: Pairs of nodes.
    """

    points: tuple[tuple[float, float], ...] = ()
    classes: tuple[int, ...] = ()
    edges: tuple[tuple[int, int], ...] = ()

    @classmethod
    def read(cls, values: Any) -> "Sketch | None":
        """What the browser told, if it makes sense."""
        try:
            nodes, links = values["nodes"][:MOST], values["edges"]
            points = tuple((min(1.0, max(0.0, float(x))), min(1.0, max(0.0, float(y)))) for x, y, _ in nodes)
            classes = tuple(int(label) % len(CLASSES) for _, _, label in nodes)
            edges = tuple((int(one), int(other)) for one, other in links[: MOST * MOST])
        except (TypeError, ValueError, KeyError):
            return None
        fits = all(0 <= one < len(points) and 0 <= other < len(points) and one != other for one, other in edges)
        return cls(points, classes, edges) if fits else None


def graph_editor(sketch: Sketch, *, key: str, on_change: Callable[[Sketch], None]) -> None:
    """Show the sheet.

    Args:
        sketch: What is on it.
        key: Widget key.
        on_change: Called with what was drawn, after each change.
    """

    def changed(values: Any) -> None:
        found = Sketch.read(values)
        if found is not None:
            on_change(found)

    nodes = [[x, y, label] for (x, y), label in zip(sketch.points, sketch.classes, strict=True)]
    data = {"nodes": nodes, "edges": [list(edge) for edge in sketch.edges], "classes": list(CLASSES), "most": MOST}
    _view(key=key, data=data, heard={"sketch": changed})
