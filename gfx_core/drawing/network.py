"""A graph that moves freely under the mouse: pyvis builds it, and its page holds all that it needs.

pyvis's own template loads its scripts from other servers and puts texts into the page unescaped. So the page around its
nodes and edges is ours: the library that draws them (vis-network, which pyvis brings along) is written into it, texts
are data and never markup, and nothing else may run or be fetched.
"""

from pathlib import Path
from typing import Any

import numpy as np

from gfx_core.drawing.colours import ACTION, ELEMENTS, FOUND, MISTAKE, MOTIF, PLAIN, START, text_on
from gfx_core.drawing.export import framed
from gfx_core.drawing.masks import trace_picture
from gfx_core.drawing.svg import Picture
from gfx_core.drawing.templates import asset, render
from gfx_core.errors import UserError
from gfx_core.text.answers import trace_title
from gfx_core.trace.schema import Trace

try:
    import pyvis
    from pyvis.network import Network
except ImportError as error:  # it is an optional extra of the library
    raise UserError("A network that moves freely needs pyvis: pip install pyvis.") from error

_SCALE = 90.0  # pixels between two nodes that are joined
_STILL = 600  # networks of more nodes than this do not swing into place by themselves
_HEIGHT = "600px"
_UNFOLD = (0.0, 0.35, -0.35)  # how far words begin above and below their line, in which nothing would push them aside
_NODES = {"start": START.colour, "held": ACTION.colour, "alone": ACTION.colour}
_EDGES = {"motif": MOTIF.colour, "hit": MOTIF.colour, "extra": MISTAKE.colour, "kept": FOUND.colour}
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
    """A network of pyvis's whose page needs nothing from outside."""

    def __init__(self, picture: Picture) -> None:
        super().__init__(height=_HEIGHT, width="100%", notebook=False, cdn_resources="in_line")
        self.title = picture.title
        for number, (look, (x, y)) in enumerate(zip(picture.looks, picture.points.tolist(), strict=True)):
            assert look is not None  # nothing is folded
            colours = [(ELEMENTS | _NODES)[style] for style in look.styles if style in ELEMENTS | _NODES]
            colour = (colours or ["#e3e7ee"])[-1]
            self.add_node(
                number,
                label=look.label or " ",
                title=look.tip,
                x=_SCALE * x,
                y=-_SCALE * (y + picture.sentence * _UNFOLD[number % len(_UNFOLD)]),
                color=colour,
                shape="circle" if len(look.label) <= 3 else "box",
                font={"color": text_on(colour), "size": 15},
            )
        for lines in picture.lines:
            for source, target in picture.ends[:, lines.edges].T.tolist():
                self.add_edge(source, target, color=_EDGES.get(lines.style, PLAIN.colour), width=1.3 * lines.width)

    def generate_html(self, *_: Any, **__: Any) -> str:
        """The page; what pyvis's own may be called with changes nothing."""
        library = _vis()
        physics = {
            "enabled": len(self.nodes) <= _STILL,
            "solver": "forceAtlas2Based",
            "forceAtlas2Based": {"avoidOverlap": 0.5},
            "stabilization": {"iterations": 80, "fit": True},
        }
        options = {"physics": physics, "interaction": {"hover": True, "tooltipDelay": 80}, "edges": {"smooth": False}}
        return render(
            "pages/network.html",
            title=self.title,
            style=library.with_name("vis-network.css").read_text(encoding="utf-8") + asset("pages/network.css"),
            data={"nodes": self.nodes, "edges": self.edges, "options": options},
            scripts=[library.read_text(encoding="utf-8").strip(), _SCRIPT],
        )

    def write_html(self, name: str, *_: Any, **__: Any) -> None:
        """Write the page to a file, as pyvis's own ways to save and show it do too."""
        Path(name).write_text(self.generate_html(), encoding="utf-8")

    def _repr_html_(self) -> str:
        return framed(self.generate_html(), self.title, "allow-scripts", _HEIGHT)


def trace_network(trace: Trace) -> FreeNetwork:
    """What the GNN saw, with the answer marked."""
    answer = set(trace.final.edges if trace.answer is None else trace.answer.first.edges)
    kept = np.isin(np.arange(len(trace.edges)), [*answer])
    return FreeNetwork(trace_picture(trace, trace_title(trace), kept, scores=trace.edge_marginals or kept))


def _vis() -> Path:
    """The script of vis-network in pyvis's package; its style sheet is beside it."""
    scripts = sorted(Path(pyvis.__file__).parent.glob("**/lib/vis-*/vis-network.min.js"))
    if not scripts:
        raise UserError("This pyvis does not contain vis-network: install pyvis 0.3.2 or later.")
    return scripts[-1]
