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
from gfx_core.drawing.export import OfflinePage
from gfx_core.errors import UserError
from gfx_core.layout import instance_layout
from gfx_core.trace.schema import Trace

try:
    from pyvis.network import Network
except ImportError as error:  # it is an optional extra of the library
    raise UserError("A network that moves freely needs pyvis: pip install pyvis.") from error

_SCALE = 90.0  # pixels between two nodes that are joined
_STILL = 600  # networks of more nodes than this do not swing into place by themselves

_PAPER = ":root { color-scheme: light dark; } html { background: light-dark(#ffffff, #12161f); }"
_UNFOLD = (0.0, 0.35, -0.35)  # words stand in a line, in which nothing would push them aside

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
    """

    def __init__(self, title: str) -> None:
        super().__init__(height="600px", width="100%", notebook=False, cdn_resources="in_line")
        self.title = title

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
        page = html.escape(self.generate_html(), quote=True)
        frame = f'<iframe sandbox="allow-scripts" srcdoc="{page}" title="{html.escape(self.title, quote=True)}" '
        return f'{frame}style="width:100%;height:{self.height};border:0"></iframe>'


def trace_network(trace: Trace) -> FreeNetwork:
    """What the GNN saw, with the answer marked."""
    made = FreeNetwork(f"{trace.dataset_title} {trace.index}")
    held = set(trace.final.nodes if trace.answer is None else trace.answer.first.nodes)
    answer = set(trace.final.edges if trace.answer is None else trace.answer.first.edges)
    for number, node in enumerate(trace.nodes):
        colour = colours.ELEMENTS.get(node.element or "", "#e3e7ee")
        if number in held:
            colour = colours.START.colour if number == trace.start else colours.ACTION.colour
        features = ", ".join(f"{name} {value}" for name, value in node.features)
        title = f"{node.label} ({features})"
        _add(made, number, node.label, _begin(node.position, number, trace.is_sentence), colour, title)
    scores = trace.edge_marginals or (0.0,) * len(trace.edges)
    for number, edge in enumerate(trace.edges):
        colour = colours.FOUND.colour if number in answer else colours.PLAIN.colour
        _join(made, edge.source, edge.target, colour, 6.0 if number in answer else 1.5 + 2 * scores[number])
    return made


def instance_network(instance: Instance, points: Floats | None = None) -> FreeNetwork:
    """What the GNN sees of one prediction, with the motif marked; points are where nodes begin. [m, 2]"""
    made = FreeNetwork(f"{instance.info.title} {instance.index}")
    for node, (x, y) in enumerate(instance_layout(instance) if points is None else points):
        label = instance.node_label(node)
        colour = colours.ELEMENTS.get(label if instance.node_names else "", "#e3e7ee")
        if node == instance.target:
            colour = colours.START.colour
        place = _begin((float(x), float(y)), node, instance.info.drawing is Drawing.SENTENCE)
        _add(made, node, label, place, colour, f"{instance.info.vocabulary.node} {instance.node_name(node)}")
    for edge in instance.undirected.tolist():
        source, target = instance.edge_index[:, edge].tolist()
        found = bool(instance.own_edges[edge])
        _join(made, source, target, colours.MOTIF.colour if found else colours.PLAIN.colour, 5.0 if found else 1.5)
    return made


def _begin(position: tuple[float, float], number: int, word: bool) -> tuple[float, float]:
    """Where a node begins to move."""
    return (position[0], position[1] + _UNFOLD[number % len(_UNFOLD)]) if word else position


def _add(made: FreeNetwork, number: int, label: str, position: tuple[float, float], colour: str, title: str) -> None:
    made.add_node(
        number,
        label=label or " ",
        title=title,
        x=_SCALE * position[0],
        y=-_SCALE * position[1],
        color=colour,
        shape="circle" if len(label) <= 3 else "box",
        font={"color": text_on(colour), "size": 15},
    )


def _join(made: FreeNetwork, source: int, target: int, colour: str, width: float) -> None:
    made.add_edge(source, target, color=colour, width=round(width, 3))


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
