"""What the lab shows, kept in the link: graph, edits, order and step; and its view of the growing set and 𝒵."""

from collections.abc import Collection
from typing import Any

from gfx_core.teaching import lab_graphs
from gfx_core.teaching.lab_graphs import Edge, GraphKind, LabGraph
from gfx_core.teaching.lesson_views import graph_data
from gfx_core.text.theorem import CASES
from pages.ui.address import Address, Parameter, nodes, spell_nodes, whole
from pages.ui.components.mount import component, graph_style

FIRST_SIZE, FIRST_STEP = 11, 5
MOST_SEED = 9999
_view = component("components/lab_view", '<div class="kit player lab"></div>', graph_style("lab_view"))


def read_flips(text: str) -> tuple[Edge, ...]:
    """Edges from ``0-3.4-7``."""
    return tuple(lab_graphs.edge(*map(int, part.split("-"))) for part in text.split(".") if part)[:200]


def spell_flips(flips: Collection[Edge]) -> str:
    return ".".join(f"{a}-{b}" for a, b in sorted(flips))


LAB = Address()
KIND = LAB.parameter("graph", GraphKind.RANDOM, GraphKind)
SIZE = LAB.parameter("size", FIRST_SIZE, whole(lab_graphs.LEAST, lab_graphs.MOST))
SEED = LAB.parameter("seed", 0, whole(0, MOST_SEED))
_GRAPH: tuple[Parameter, ...] = (KIND, SIZE, SEED)
FLIPS = LAB.parameter("edit", (), read_flips, spell=spell_flips, under=_GRAPH)
ORDER = LAB.parameter("order", (), lambda text: nodes(text)[: lab_graphs.MOST_GROWN], spell=spell_nodes, under=_GRAPH)
STEP = LAB.parameter("step", FIRST_STEP, whole(0, 99), under=(*_GRAPH, ORDER))


def graph() -> LabGraph:
    """The graph that the link describes, with the edges that were added or removed by hand."""
    return lab_graphs.flip_edges(lab_graphs.lab_graph(KIND.read(), SIZE.read(), SEED.read()), FLIPS.read())


def lab_view(graph: LabGraph, order: list[int], steps: list[dict[str, Any]] | None, *, edits: bool) -> None:
    """Show a set that grows.

    Args:
        graph: Where it grows.
        order: Its nodes in the order in which they are added.
        steps: Those of `gfx_core.teaching.lesson_jobs.grow_steps`; ``None`` while they are being computed.
        edits: Whether clicks change edges instead of adding nodes.
    """
    shape = repr([parameter.read() for parameter in _GRAPH])
    step = STEP.read(len(ORDER.read()) - 1 if ORDER.read() else FIRST_STEP)

    def flip(ends: list[int]) -> None:
        FLIPS.write(tuple({*FLIPS.read()} ^ {lab_graphs.edge(*ends)}))

    def take(chosen: list[int]) -> None:
        LAB.change({ORDER: chosen, STEP: len(chosen) - 1})

    data = {
        **graph_data(graph),
        "order": order,
        "steps": steps,
        "cases": CASES,
        "shape": shape,
        "step": step,
        "edits": edits,
        "height": 380,
    }
    _view(key="lab-growth", data=data, heard={"take": take, "edge": flip, "step": STEP.write})
