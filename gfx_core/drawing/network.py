"""A graph that moves freely under the mouse: pyvis holds it, and its page contains all that it needs.

pyvis's own template loads scripts from other servers and puts texts into the page unescaped. So it is given ours:
vis-network, which pyvis brings along, is written into the page, texts are data, and nothing else may run or be fetched.
"""

import numpy as np

from gfx_core.drawing.colours import ELEMENTS, ROLES, text_on
from gfx_core.drawing.masks import trace_picture
from gfx_core.drawing.svg import WIDTHS, Picture
from gfx_core.drawing.templates import templates
from gfx_core.errors import UserError
from gfx_core.text.answers import trace_title
from gfx_core.trace.schema import Trace

try:
    from pyvis.network import Network
except ImportError as error:  # it is an optional extra of the library
    raise UserError("A network that moves freely needs pyvis: pip install pyvis.") from error

_SCALE = 90.0  # pixels between two nodes that are joined
_UNFOLD = (0.0, 0.35, -0.35)  # how far words begin above and below their line, in which nothing would push them aside
_NODES = ELEMENTS | {"start": ROLES["start"]} | dict.fromkeys(("held", "alone"), ROLES["action"])
_EDGES = {"motif": ROLES["motif"], "hit": ROLES["motif"], "extra": ROLES["extra"], "kept": ROLES["found"]}


def free_network(picture: Picture) -> Network:
    """The nodes and edges of a picture."""
    from jinja2 import ChoiceLoader

    network = Network(height="600px", width="100%", heading=picture.title, cdn_resources="in_line")
    for number, (look, (x, y)) in enumerate(zip(picture.looks, picture.points.tolist(), strict=True)):
        colour = next((_NODES[style] for style in reversed(look.styles) if style in _NODES), "#e3e7ee")
        network.add_node(
            number,
            label=look.label or " ",
            title=look.tip,
            x=_SCALE * x,
            y=-_SCALE * (y + picture.sentence * _UNFOLD[number % len(_UNFOLD)]),
            color=colour,
            shape="circle" if len(look.label) <= 3 else "box",
            font={"color": text_on(colour), "size": 15},
        )
    for (source, target), style in zip(picture.ends.T.tolist(), map(str, picture.styles), strict=True):
        network.add_edge(source, target, color=_EDGES.get(style, ROLES["plain"]), width=1.3 * WIDTHS.get(style, 1.3))
    loaders = [templates().loader, network.templateEnv.loader]
    network.templateEnv, network.path = templates().overlay(loader=ChoiceLoader(loaders)), "pages/network.html"
    network.template = network.templateEnv.get_template(network.path)
    return network


def trace_network(trace: Trace) -> Network:
    """What the GNN saw, with the answer marked."""
    answer = trace.final.edges if trace.answer is None else trace.answer.first.edges
    return free_network(trace_picture(trace, trace_title(trace), np.isin(np.arange(len(trace.edges)), [*answer])))
