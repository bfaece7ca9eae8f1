"""The lab's component: the growing set, 𝒵 beside it, and a bar to step with."""

from collections.abc import Callable
from typing import Any

from gfx_core.teaching.lab_graphs import LabGraph
from gfx_core.text.theorem import CASES
from pages.ui.components.component_files import component, read
from pages.ui.components.graph_view import graph_style

_view = component("lab_view", '<div class="kit player lab"></div>', graph_style() + read("lab_view.css"))


def lab_view(
    graph: LabGraph,
    order: list[int],
    result: dict[str, Any] | None,
    *,
    key: str,
    shape: str,
    step: int,
    edits: bool,
    on_take: Callable[[list[int]], None],
    on_flip: Callable[[int, int], None],
    on_step: Callable[[int], None],
) -> None:
    """Show a set that grows.

    Args:
        graph: Where it grows.
        order: Its nodes in the order in which they are added.
        result: What `gfx_core.teaching.lesson_jobs.grow_steps` found; ``None`` while it is being computed.
        key: Widget key.
        shape: Names the graph before any edits: as long as it stays, the reader's step stays too.
        step: Where to open another shape.
        edits: Whether clicks change edges instead of adding nodes.
        on_take: Called with the order up to a node that was clicked.
        on_flip: Called with the two ends of an edge that is to come or to go.
        on_step: Called with the step when stepping has paused.
    """

    def taken(nodes: Any) -> None:
        if isinstance(nodes, list) and all(isinstance(node, int) for node in nodes):
            on_take(nodes)

    def flipped(ends: Any) -> None:
        if isinstance(ends, list) and len(ends) == 2:
            on_flip(int(ends[0]), int(ends[1]))

    def stepped(frame: Any) -> None:
        if isinstance(frame, int):
            on_step(frame)

    nodes = [
        {"x": round(float(x), 3), "y": round(float(y), 3), "label": name}
        for (x, y), name in zip(graph.points, graph.names, strict=True)
    ]
    data = {
        "nodes": nodes,
        "edges": [list(edge) for edge in graph.edges],
        "order": order,
        "steps": result["steps"] if result else None,
        "agree": result["agree"] if result else 0,
        "cases": CASES,
        "shape": shape,
        "step": step,
        "edits": edits,
        "height": 380,
    }
    _view(key=key, data=data, heard={"take": taken, "edge": flipped, "step": stepped})
