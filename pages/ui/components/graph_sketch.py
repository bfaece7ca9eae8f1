"""A small graph drawn once, with its nodes' names: what a lesson speaks about. Nothing in it can be clicked."""

from collections.abc import Collection

import streamlit as st

from gfx_core.datasets.instance import Instance
from gfx_core.drawing import colours
from gfx_core.layout import instance_layout
from pages.ui.components.component_files import script, style, whole

_COLOURS = f".sketch {{ --start: {colours.START.colour}; --plain: {colours.PLAIN.colour}; }}\n"
_view = st.components.v2.component(
    "graph_sketch",
    html='<figure class="kit sketch"></figure>',
    css=_COLOURS + style("graph_sketch.css"),
    js=script("graph_sketch"),
)


def graph_sketch(
    instance: Instance, *, key: str, caption: str = "", marked: Collection[int] = (), height: int = 110
) -> None:
    """Draw a graph.

    Args:
        instance: The graph; its start node is pink.
        key: Widget key.
        caption: What stands below it.
        marked: Nodes drawn as those of a state.
        height: Of the picture, in pixels.
    """
    points = instance_layout(instance)
    ends = instance.edge_index[:, instance.undirected].T
    nodes = [
        {
            "label": instance.node_label(node),
            "x": round(float(x), 3),
            "y": round(-float(y), 3),
            "role": "start" if node == instance.target else "in" if node in marked else "",
        }
        for node, (x, y) in enumerate(points)
    ]
    edges = [[int(a), int(b)] for a, b in ends]
    _view(key=key, data=whole({"nodes": nodes, "edges": edges, "caption": caption, "height": height}))
