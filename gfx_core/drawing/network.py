"""A graph that moves freely under the mouse: pyvis builds it, and its page holds all that it needs.

pyvis's own template asks other servers for its scripts and puts texts into the page unescaped. So the page around its
nodes and edges is ours: the library that draws them (vis-network, which pyvis brings along) is written into it, texts
are data and never markup, and nothing else may run or be fetched.
"""

import html
from functools import cache
from pathlib import Path
from typing import Any

from gfx_core.arrays import Floats
from gfx_core.config import Drawing
from gfx_core.datasets.instance import Instance
from gfx_core.drawing import colours
from gfx_core.drawing.colours import text_on
from gfx_core.drawing.export import OfflinePage, framed
from gfx_core.errors import UserError
from gfx_core.text.answers import trace_title
from gfx_core.trace.schema import Trace

try:
    from pyvis.network import Network
except ImportError as error:  # it is an optional extra of the library
    raise UserError("A network that moves freely needs pyvis: pip install pyvis.") from error

_SCALE = 90.0  # pixels between two nodes that are joined
_STILL = 600  # networks of more nodes than this do not swing into place by themselves

_PAPER = ":root { color-scheme: light dark; } html { background: light-dark(#ffffff, #12161f); }"
_UNFOLD = (0.0, 0.35, -0.35)  # how far words begin above and below their line
_GREY = "#e3e7ee"

_SCRIPT = """
const graph = JSON.parse(document.getElementById("data").textContent);
const drawn = new vis.Network(
  document.getElementById("drawing"),
  { nodes: new vis.DataSet(graph.nodes), edges: new vis.DataSet(graph.edges) },
  graph.options,
);
drawn.once("stabilized", () => drawn.fit());
"""


class FreeNetwork(Network):
    """A network of pyvis's whose page needs nothing from outside.

    Args:
        title: What the page is called.
        sentence: Whether its nodes are words: they stand in a line, in which nothing would push them aside.
    """

    def __init__(self, title: str, sentence: bool) -> None:
        super().__init__(height="600px", width="100%", notebook=False, cdn_resources="in_line")
        self.title, self.unfolds = title, _UNFOLD if sentence else (0.0,)

    def place(self, label: str, position: tuple[float, float], colour: str, tip: str) -> None:
        """Add the next node where it begins to move."""
        number = len(self.nodes)
        self.add_node(
            number,
            label=label or " ",
            title=tip,
            x=_SCALE * position[0],
            y=-_SCALE * (position[1] + self.unfolds[number % len(self.unfolds)]),
            color=colour,
            shape="circle" if len(label) <= 3 else "box",
            font={"color": text_on(colour), "size": 15},
        )

    def generate_html(self, name: str = "network.html", local: bool = True, notebook: bool = False) -> str:
        """The page; the arguments are pyvis's and change nothing."""
        return str(
            OfflinePage(
                title=self.title,
                style=f"{_vis()[1]}\nhtml, body {{ margin: 0; height: 100%; }} {_PAPER} "
                f"#drawing {{ width: 100%; height: {self.height}; }}",
                body=f'<div id="drawing" role="img" aria-label="{html.escape(self.title, quote=True)}"></div>',
                data={"nodes": self.nodes, "edges": self.edges, "options": _options(len(self.nodes))},
                scripts=(_vis()[0], _SCRIPT),
                images="data: blob:",
            )
        )

    def write_html(self, name: str, local: bool = True, notebook: bool = False, open_browser: bool = False) -> None:
        """Write the page to a file, as pyvis's own ways to save and show it do too."""
        Path(name).write_text(self.generate_html(), encoding="utf-8")

    def _repr_html_(self) -> str:
        return framed(self.generate_html(), self.title, "allow-scripts", self.height)


def trace_network(trace: Trace) -> FreeNetwork:
    """What the GNN saw, with the answer marked."""
    held = set(trace.final.nodes if trace.answer is None else trace.answer.first.nodes)
    answer = set(trace.final.edges if trace.answer is None else trace.answer.first.edges)
    made = FreeNetwork(trace_title(trace), trace.is_sentence)
    for number, node in enumerate(trace.nodes):
        colour = colours.ELEMENTS.get(node.element or "", _GREY)
        if number in held:
            colour = colours.START.colour if number == trace.start else colours.ACTION.colour
        features = ", ".join(f"{name} {value}" for name, value in node.features)
        made.place(node.label, node.position, colour, f"{node.label} ({features})")
    scores = trace.edge_marginals or (0.0,) * len(trace.edges)
    for number, edge in enumerate(trace.edges):
        colour = colours.FOUND.colour if number in answer else colours.PLAIN.colour
        width = 6.0 if number in answer else round(1.5 + 2 * scores[number], 3)
        made.add_edge(edge.source, edge.target, color=colour, width=width)
    return made


def instance_network(instance: Instance, points: Floats) -> FreeNetwork:
    """What the GNN sees of one prediction, with the motif marked; points are where nodes begin. [m, 2]"""
    info = instance.info
    made = FreeNetwork(f"{info.title} {instance.index}", info.drawing is Drawing.SENTENCE)
    for node, (x, y) in enumerate(points.tolist()):
        label = instance.node_label(node)
        colour = colours.ELEMENTS.get(label if instance.node_names else "", _GREY)
        if node == instance.target:
            colour = colours.START.colour
        made.place(label, (x, y), colour, f"{info.vocabulary.node} {instance.node_name(node)}")
    for edge in instance.undirected.tolist():
        source, target = instance.edge_index[:, edge].tolist()
        found = bool(instance.own_edges[edge])
        colour = colours.MOTIF.colour if found else colours.PLAIN.colour
        made.add_edge(source, target, color=colour, width=5.0 if found else 1.5)
    return made


def _options(count: int) -> dict[str, Any]:
    moving = count <= _STILL
    physics = {
        "enabled": moving,
        "solver": "forceAtlas2Based",
        "forceAtlas2Based": {"avoidOverlap": 0.5},
        "stabilization": {"iterations": 80, "fit": True},
    }
    return {"physics": physics, "interaction": {"hover": True, "tooltipDelay": 80}, "edges": {"smooth": False}}


@cache
def _vis() -> tuple[str, str]:
    """The script and the looks of vis-network, out of pyvis's package."""
    import pyvis

    folder = Path(pyvis.__file__).parent
    found = sorted((folder / "templates" / "lib").glob("vis-*/vis-network.min.js")) or sorted(
        (folder / "lib").glob("vis-*/vis-network.min.js")
    )
    if not found:
        raise UserError("This pyvis does not contain vis-network: install pyvis 0.3.2 or later.")
    script = found[-1].read_text(encoding="utf-8").replace("</script", "<\\/script").strip()
    style = found[-1].with_name("vis-network.css").read_text(encoding="utf-8")
    return script, style.replace("</", "<\\/")
