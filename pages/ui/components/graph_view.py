"""A small graph on a fixed layout whose nodes are buttons; it looks like the player's graph."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from gfx_core.datasets.graph import Floats
from gfx_core.datasets.instance import Instance
from gfx_core.drawing.standalone import player_css
from gfx_core.layout import instance_layout
from pages.ui.components.component_files import read, script, whole


def graph_style() -> str:
    """The looks that belong to it."""
    return player_css() + read("graph_view.css")


_view = st.components.v2.component(
    "graph_view",
    html='<div class="kit player graph-view"></div>',
    css=graph_style(),
    js=script("graph_view.js"),
)


@dataclass(frozen=True)
class GraphNode:
    """A node of the picture.

    Attributes:
        id: What `on_node` is told.
        x: Where it is drawn; an edge is about 1 long.
        y: Likewise, upwards.
        label: What is written on it.
        roles: What it is: some of start, member, added, frontier, outside, cut, parent, right, wrong and picked, e.g. a
            member that is a cut vertex.
        group: Number of the piece it belongs to: a colour and a small badge.
        tip: What is said when it is pointed at or focused; by default its roles.
    """

    id: int
    x: float
    y: float
    label: str
    roles: tuple[str, ...] = ()
    group: int | None = None
    tip: str = ""


def nodes_of(instance: Instance, positions: Floats | None = None, **roles: Collection[int]) -> list[GraphNode]:
    """The nodes of an instance, e.g. ``nodes_of(toy, start=[0], member=[0, 1], frontier=[2])``.

    Args:
        instance: The graph.
        positions: Where to draw them; the instance's own layout by default. [m, 2]
        roles: For each role the local nodes that have it.
    """
    points = instance_layout(instance) if positions is None else positions
    return [
        GraphNode(
            id=node,
            x=float(points[node][0]),
            y=float(points[node][1]),
            label=instance.node_label(node),
            roles=tuple(role for role, nodes in roles.items() if node in nodes),
        )
        for node in range(instance.num_nodes)
    ]


def edges_of(instance: Instance) -> list[tuple[int, int]]:
    """The undirected edges of an instance, each once."""
    return [(int(a), int(b)) for a, b in instance.edge_index[:, instance.undirected].T]


def graph_data(
    nodes: Sequence[GraphNode],
    edges: Sequence[tuple[int, int]],
    *,
    clickable: Collection[int] = (),
    edits: bool = False,
    hulls: Mapping[str, Collection[int]] | None = None,
    height: int = 320,
    description: str = "",
    highlighted: Collection[tuple[int, int]] = (),
    legend: bool = True,
) -> dict[str, Any]:
    """What the browser is given: nodes by their place in the list, everything in a fixed order."""
    place = {node.id: index for index, node in enumerate(nodes)}
    return {
        "nodes": [
            {
                "id": node.id,
                "x": round(node.x, 3),
                "y": round(node.y, 3),
                "label": node.label,
                "roles": list(node.roles),
                "group": node.group,
                "tip": node.tip,
            }
            for node in nodes
        ],
        "edges": [[place[a], place[b]] for a, b in edges if a in place and b in place],
        "clickable": sorted(place[node] for node in clickable if node in place),
        "edits": edits,
        "hulls": {name: sorted(place[n] for n in members if n in place) for name, members in (hulls or {}).items()},
        "height": height,
        "description": description,
        "highlighted": sorted([place[a], place[b]] for a, b in highlighted if a in place and b in place),
        "legend": legend,
    }


def graph_view(
    nodes: Sequence[GraphNode],
    edges: Sequence[tuple[int, int]],
    *,
    key: str,
    on_node: Callable[[int], None] | None = None,
    clickable: Collection[int] | None = None,
    on_edge: Callable[[int, int], None] | None = None,
    hulls: Mapping[str, Collection[int]] | None = None,
    height: int = 320,
    description: str = "",
    highlighted: Collection[tuple[int, int]] = (),
    legend: bool = True,
) -> None:
    """Show a graph.

    Args:
        nodes: Where and what they are.
        edges: Pairs of node ids.
        key: Widget key. What does not change between runs keeps its place on the page.
        on_node: Called with the id of a node that is clicked, or chosen with Tab or the arrow keys and Enter.
        clickable: The nodes for which that works; all by default.
        on_edge: Turns editing on: called with two ids whose edge is to come or, where there is one, to go.
        hulls: Groups of nodes to be coloured, by name; a name that is a number is written on the nodes.
        height: Of the picture, in pixels.
        description: What is to be seen, for those who cannot see it.
        highlighted: Edges to be drawn strongly.
        legend: Whether the roles that occur are explained below.
    """
    known = {node.id for node in nodes}
    active = on_node is not None or on_edge is not None
    open_nodes = (known if clickable is None else known & set(clickable)) if active else set()

    def node_chosen() -> None:
        chosen = st.session_state[key].get("node")
        if on_node is not None and isinstance(chosen, int) and chosen in open_nodes:
            on_node(chosen)

    def edge_chosen() -> None:
        ends = st.session_state[key].get("edge")
        if on_edge is not None and isinstance(ends, list) and len(ends) == 2 and known.issuperset(ends):
            on_edge(int(ends[0]), int(ends[1]))

    _view(
        key=key,
        data=whole(
            graph_data(
                nodes,
                edges,
                clickable=open_nodes,
                edits=on_edge is not None,
                hulls=hulls,
                height=height,
                description=description,
                highlighted=highlighted,
                legend=legend,
            )
        ),
        on_node_change=node_chosen,
        on_edge_change=edge_chosen,
    )
