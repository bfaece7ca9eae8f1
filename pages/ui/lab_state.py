"""What the lab shows, kept in the link: graph, edits, order and step; and its view of the growing set and 𝒵."""

from collections.abc import Collection
from functools import lru_cache
from typing import Any

from gfx_core.teaching import lab_graphs
from gfx_core.teaching.lab_graphs import Edge, GraphKind, LabGraph
from gfx_core.text.theorem import CASES
from pages.ui.address import Address, Parameter, nodes, one_of, spell_nodes, whole
from pages.ui.components.mount import component, graph_style

FIRST_SIZE, FIRST_STEP = 11, 5
FIRST_INSTANCES = {"tree_cycles": 612, "tree_grid": 700, "ba_2motifs": 0}
MOST_SEED = 9999
_view = component("components/lab_view", '<div class="kit player lab"></div>', graph_style("lab_view"))


def read_flips(text: str) -> tuple[Edge, ...]:
    """Edges from ``0-3.4-7``."""
    return tuple(lab_graphs.edge(*map(int, part.split("-"))) for part in text.split(".") if part)[:200]


def spell_flips(flips: Collection[Edge]) -> str | None:
    return ".".join(f"{a}-{b}" for a, b in sorted(flips)) or None


def _instance_number(text: str) -> int:
    _base(GraphKind.INSTANCE, 0, 0, DATASET.read(), int(text))
    return int(text)


LAB = Address()
KIND = LAB.parameter("graph", GraphKind.RANDOM, GraphKind)
SIZE = LAB.parameter("size", FIRST_SIZE, whole(lab_graphs.LEAST, lab_graphs.MOST))
SEED = LAB.parameter("seed", 0, whole(0, MOST_SEED))
DATASET = LAB.parameter("dataset", "tree_cycles", one_of(lab_graphs.DATASETS))
INDEX = LAB.parameter("index", 0, _instance_number, under=(DATASET,))
_GRAPH: tuple[Parameter, ...] = (KIND, SIZE, SEED, DATASET, INDEX)
FLIPS = LAB.parameter("edit", (), read_flips, spell=spell_flips, under=_GRAPH)
ORDER = LAB.parameter("order", (), lambda text: nodes(text)[: lab_graphs.MOST_GROWN], spell=spell_nodes, under=_GRAPH)
STEP = LAB.parameter("step", FIRST_STEP, whole(0, 99), under=(*_GRAPH, ORDER))


def index() -> int:
    """Which instance of the data set is shown."""
    return INDEX.read(FIRST_INSTANCES[DATASET.read()])


def shape() -> str:
    """Names the graph before any edits, and the order that it starts with."""
    where = f"{DATASET.read()}-{index()}" if KIND.read() is GraphKind.INSTANCE else str(SIZE.read())
    return f"{KIND.read()}-{where}-{SEED.read()}"


def graph() -> LabGraph:
    """The graph that the link describes, with the edges that were added or removed by hand."""
    base = _base(KIND.read(), SIZE.read(), SEED.read(), DATASET.read(), index())
    return lab_graphs.flip_edges(base, FLIPS.read())


def step() -> int:
    """How many nodes were added to the start node: all that were chosen, where the link does not say."""
    return STEP.read(len(ORDER.read()) - 1 if ORDER.read() else FIRST_STEP)


def flip(ends: Any) -> None:
    """Add an edge, or remove it."""
    if isinstance(ends, list) and len(ends) == 2:
        FLIPS.write(tuple(set(FLIPS.read()) ^ {lab_graphs.edge(int(ends[0]), int(ends[1]))}))


def take(order: Any) -> None:
    """Add the last node of an order to the set of the others."""
    if isinstance(order, list) and all(isinstance(node, int) for node in order):
        LAB.change({ORDER: order, STEP: len(order) - 1})


def write_step(frame: Any) -> None:
    """Where stepping has paused."""
    if isinstance(frame, int):
        STEP.write(frame)


def lab_view(
    graph: LabGraph, order: list[int], steps: list[dict[str, Any]] | None, *, shape: str, step: int, edits: bool
) -> None:
    """Show a set that grows.

    Args:
        graph: Where it grows.
        order: Its nodes in the order in which they are added.
        steps: Those of `gfx_core.teaching.lesson_jobs.grow_steps`; ``None`` while they are being computed.
        shape: Names the graph before any edits: as long as it stays, the reader's step stays too.
        step: Where to open another shape.
        edits: Whether clicks change edges instead of adding nodes.
    """
    data = {
        "nodes": [
            {"x": round(float(x), 3), "y": round(float(y), 3), "label": name}
            for (x, y), name in zip(graph.points, graph.names, strict=True)
        ],
        "edges": graph.edges,
        "order": order,
        "steps": steps,
        "cases": CASES,
        "shape": shape,
        "step": step,
        "edits": edits,
        "height": 380,
    }
    _view(key="lab-growth", data=data, heard={"take": take, "edge": flip, "step": write_step})


@lru_cache(maxsize=64)
def _base(kind: GraphKind, size: int, seed: int, dataset: str, index: int) -> LabGraph:
    if kind is GraphKind.INSTANCE:
        return lab_graphs.instance_graph(dataset, index)
    return lab_graphs.lab_graph(kind, size, seed)
