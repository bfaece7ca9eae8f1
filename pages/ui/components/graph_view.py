"""A small graph on a fixed layout whose nodes are buttons; it looks like the player's graph."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from gfx_core.datasets.instance import Instance
from gfx_core.drawing.export import player_css
from gfx_core.layout.instances import instance_layout
from pages.ui.components.component_files import component, read, sheet


def graph_style() -> str:
    """The looks that belong to it."""
    return sheet(player_css) + read("graph_view.css")


_view = component("graph_view", '<div class="kit player graph-view"></div>', graph_style())


@dataclass(frozen=True)
class GraphNode:
    """A node of the picture.

    Attributes:
        id: Its number in the list, and what `on_node` is called with.
        x: Where it is drawn; an edge is about 1 long.
        y: Likewise, upwards.
        label: What is written on it.
        roles: What it is: some of start, member, added, frontier, outside, cut, parent, right, wrong and picked, e.g. a
            member that is a cut vertex.
        tip: What is said when it is pointed at or focused; by default its roles.
    """

    id: int
    x: float
    y: float
    label: str
    roles: tuple[str, ...] = ()
    tip: str = ""


def nodes_of(instance: Instance, **roles: Collection[int]) -> list[GraphNode]:
    """The nodes of an instance, e.g. ``nodes_of(toy, start=[0], member=[0, 1], frontier=[2])``.

    Args:
        instance: The graph.
        roles: For each role the local nodes that have it.
    """
    points = instance_layout(instance)
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


def graph_view(
    nodes: Sequence[GraphNode],
    edges: Sequence[tuple[int, int]],
    *,
    key: str,
    hulls: Mapping[str, Collection[int]] | None = None,
    highlighted: Collection[tuple[int, int]] = (),
    description: str = "",
    on_node: Callable[[int], None] | None = None,
    clickable: Collection[int] = (),
    height: int = 320,
    bare: bool = False,
) -> None:
    """Show a graph.

    Args:
        nodes: Where and what they are.
        edges: Pairs of nodes.
        key: Widget key. What does not change between runs keeps its place on the page.
        hulls: Groups of nodes to be coloured, by name; their numbers are written on the nodes.
        highlighted: Edges to be drawn strongly.
        description: The same for those who cannot see it.
        on_node: Called with a node that is clicked, or chosen with Tab or the arrow keys and Enter.
        clickable: The nodes for which that works.
        height: Of the picture, in pixels.
        bare: Whether it has neither a frame nor a legend.
    """
    open_nodes = sorted(() if on_node is None else clickable)

    def node_chosen(chosen: Any) -> None:
        if on_node is not None and chosen in open_nodes:
            on_node(chosen)

    data = {
        "nodes": [asdict(node) | {"x": round(node.x, 3), "y": round(node.y, 3)} for node in nodes],
        "edges": edges,
        "hulls": {name: sorted(members) for name, members in (hulls or {}).items()},  # everything in a fixed order
        "highlighted": sorted(highlighted),
        "description": description,
        "clickable": open_nodes,
        "edits": False,
        "bare": bare,
        "height": height,
    }
    _view(key=key, data=data, heard={"node": node_chosen})
