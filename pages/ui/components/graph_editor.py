"""A sheet to draw a graph on: a click or a button adds a node, two clicks link two nodes, or take the link away."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pages.ui.components.mount import component, style

_editor = component("components/graph_editor", '<div class="kit editor"></div>', style("graph_editor"))


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
    def read(cls, values: Any, most: int, kinds: int = 1) -> "Sketch | None":
        """What the browser told, if it makes sense: at most so many nodes, of so many classes."""
        try:
            nodes, links = values["nodes"][:most], values["edges"]
            points = tuple((min(1.0, max(0.0, float(x))), min(1.0, max(0.0, float(y)))) for x, y, _ in nodes)
            classes = tuple(int(label) % kinds for _, _, label in nodes)
            edges = tuple((int(one), int(other)) for one, other in links[: most * most])
        except (TypeError, ValueError, KeyError):
            return None
        fits = all(0 <= one < len(points) and 0 <= other < len(points) and one != other for one, other in edges)
        return cls(points, classes, edges) if fits else None


def graph_editor(
    drawn: Sketch, *, key: str, most: int, on_change: Callable[[Sketch], None], classes: Sequence[str] = ("",)
) -> None:
    """Show the sheet.

    Args:
        drawn: What is on it at first; from then on the browser knows better.
        key: Widget key; another one is another sheet.
        most: The most nodes.
        on_change: Called with what is drawn, whenever that changes.
        classes: What a node can be; the choice is shown where there are several.
    """

    def changed(values: Any) -> None:
        if (sketch := Sketch.read(values, most, len(classes))) is not None:
            on_change(sketch)

    nodes = [(x, y, label) for (x, y), label in zip(drawn.points, drawn.classes, strict=True)]
    data = {"nodes": nodes, "edges": drawn.edges, "classes": classes, "most": most}
    _editor(key=key, data=data, heard={"sketch": changed})
