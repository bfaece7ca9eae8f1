"""Small pictures of an instance: one node set, or the probability of each edge, on the instance's own layout."""

from collections.abc import Collection
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from gfx_core.datasets.instance import Instance
from gfx_core.drawing.svg import EdgeGroup, Network, NodeMark, network_svg
from gfx_core.exact.exact_flows import Doubles
from gfx_core.layout import Points

_PLATE = "fill: var(--st-background-color, #fff)"


def subset_svg(instance: Instance, points: Points, nodes: Collection[int], title: str) -> str:
    """A node set and the edges between its nodes, over the true motif."""
    once, held = instance.undirected, set(nodes)
    ends = instance.edge_index[:, once]
    inside = np.array([int(a) in held and int(b) in held for a, b in ends.T], dtype=bool)
    motif = instance.own_edges[once]
    groups = [
        EdgeGroup(ends[:, ~inside & ~motif], "", 1.0),
        EdgeGroup(ends[:, ~inside & motif], "missed", 2.2, "5 4"),
        EdgeGroup(ends[:, inside & ~motif], "extra", 4.2),
        EdgeGroup(ends[:, inside & motif], "hit", 4.2),
    ]
    marks = [
        NodeMark(node, f"Node {instance.node_label(node)}", "", "circle", _styles(instance, node, held))
        for node in range(instance.num_nodes)
    ]
    return network_svg(Network(title, points, marks, groups, size=(300.0, 220.0), focusable=False))


def _styles(instance: Instance, node: int, held: Collection[int]) -> tuple[str, ...]:
    if node == instance.target:
        return ("start",)
    return ("held",) if node in held else ("away",)


def marginals_svg(instance: Instance, points: Points, marginals: Doubles, title: str) -> str:
    """Every edge as wide as it is likely to be in the subgraph, with the probability in percent written on it.

    Args:
        instance: The graph.
        points: Its layout. [m, 2]
        marginals: Probability of each directed edge. [e]
        title: What a screen reader says.
    """
    unit, radius, pad = 78.0, 15.0, 24.0
    low, high = points.min(0), points.max(0)
    x = (points[:, 0] - low[0]) * unit + pad
    y = (high[1] - points[:, 1]) * unit + pad
    width, height = (high - low) * unit + 2 * pad
    lines, words, circles = [], [], []
    for edge in instance.undirected:
        a, b = (int(node) for node in instance.edge_index[:, edge])
        share = float(np.clip(marginals[edge], 0.0, 1.0))
        style = "hit" if instance.own_edges[edge] else "extra"
        lines.append(
            f'<path class="edge {style}" stroke-width="{0.8 + 13 * share:.1f}"'
            f' d="M{x[a]:.1f} {y[a]:.1f}L{x[b]:.1f} {y[b]:.1f}"/>'
        )
        middle_x, middle_y = (x[a] + x[b]) / 2, (y[a] + y[b]) / 2
        words.append(
            f'<rect style="{_PLATE}" x="{middle_x - 16:.1f}" y="{middle_y - 8.5:.1f}" width="32" height="17" rx="8"/>'
            f'<text x="{middle_x:.1f}" y="{middle_y:.1f}" font-size="11.5">{_percent(share)}</text>'
        )
    for node in range(instance.num_nodes):
        start = "start" if node == instance.target else ""
        circles.append(
            f'<circle class="node {start}" cx="{x[node]:.1f}" cy="{y[node]:.1f}" r="{radius}" stroke-width="1.3"/>'
            + (f'<circle class="ring" cx="{x[node]:.1f}" cy="{y[node]:.1f}" r="20" stroke-width="2"/>' * bool(start))
            + f'<text class="{start}" x="{x[node]:.1f}" y="{y[node]:.1f}" font-size="11">'
            f"{escape(instance.node_label(node))}</text>"
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="network" viewBox="0 0 {width:.1f} {height:.1f}" role="img"'
        f" aria-label={quoteattr(title)}>" + "".join([*lines, *words, *circles]) + "</svg>"
    )


def _percent(share: float) -> str:
    """A probability in few letters, never a rounded 0 or 100 %."""
    if 0.995 <= share < 0.999999:
        return "&gt;99 %"
    if 1e-9 < share < 0.005:
        return "&lt;1 %"
    return f"{100 * share:.0f} %"
