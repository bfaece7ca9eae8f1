"""The lab's component: the growing set, 𝒵 beside it, and a bar to step with."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from gfx_core.teaching.lab_graphs import LabGraph
from gfx_core.text.theorem import CASES
from pages.ui.components.component_files import read, script, whole
from pages.ui.components.graph_view import graph_style

_view = st.components.v2.component(
    "lab_view",
    html='<div class="kit player lab"></div>',
    css=graph_style() + read("lab_view.css"),
    js=script("lab_view"),
)


@dataclass(frozen=True)
class LabGrowth:
    """A set that grows.

    Attributes:
        graph: Where it grows.
        shape: Names the graph before any edits: as long as it stays, the reader's step stays too.
        order: Its nodes in the order in which they are added.
        result: What `gfx_core.teaching.lesson_jobs.grow_steps` found; ``None`` while it is being computed.
    """

    graph: LabGraph
    shape: str
    order: list[int]
    result: dict[str, Any] | None


@dataclass(frozen=True)
class LabActions:
    """What the reader can do.

    Attributes:
        take: Called with the order up to a node that was clicked.
        flip: Called with the two ends of an edge that is to come or to go.
        step: Called with the step when stepping has paused.
    """

    take: Callable[[list[int]], None]
    flip: Callable[[int, int], None]
    step: Callable[[int], None]


def lab_view(growth: LabGrowth, actions: LabActions, *, key: str, step: int, edits: bool) -> None:
    """Show a growth.

    Args:
        growth: The set.
        actions: What the reader can do.
        key: Widget key.
        step: Where to open another shape.
        edits: Whether clicks change edges instead of adding nodes.
    """
    graph, result = growth.graph, growth.result

    def reported(name: str) -> Any:
        return st.session_state[key].get(name)

    def taken() -> None:
        nodes = reported("take")
        if isinstance(nodes, list) and all(isinstance(node, int) for node in nodes):
            actions.take(nodes)

    def flipped() -> None:
        ends = reported("edge")
        if isinstance(ends, list) and len(ends) == 2:
            actions.flip(int(ends[0]), int(ends[1]))

    def stepped() -> None:
        frame = reported("step")
        if isinstance(frame, int):
            actions.step(frame)

    nodes = [
        {"x": round(float(x), 3), "y": round(float(y), 3), "label": name}
        for (x, y), name in zip(graph.points, graph.names, strict=True)
    ]
    data = {
        "nodes": nodes,
        "edges": [list(edge) for edge in graph.edges],
        "order": growth.order,
        "steps": result["steps"] if result else None,
        "agree": result["agree"] if result else 0,
        "cases": CASES,
        "shape": growth.shape,
        "step": step,
        "edits": edits,
        "height": 380,
    }
    _view(key=key, data=whole(data), on_take_change=taken, on_edge_change=flipped, on_step_change=stepped)
