"""What the lab shows, kept in the URL: graph, edits, order and step; what makes no sense is left at its default."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

import streamlit as st

from gfx_core.errors import UserError
from gfx_core.teaching import growth
from gfx_core.teaching.growth import Edge, GraphKind, LabGraph
from pages.ui.selection import choose

T = TypeVar("T")

FIRST_SIZE, FIRST_STEP = 11, 5
FIRST_INSTANCES = {"tree_cycles": 612, "tree_grid": 700, "ba_2motifs": 0}
MOST_SEED = 9999


@dataclass(frozen=True)
class LabState:
    """A graph of the lab and how far a set has grown in it.

    Attributes:
        kind: The family.
        size: How many nodes a graph of a family has.
        seed: Of a random graph and of the order.
        dataset: Where an instance comes from.
        index: Which one.
        flips: Edges that somebody added or removed.
        chosen: Nodes that somebody chose, in their order.
        step: How many nodes were added to the start node.
    """

    kind: GraphKind
    size: int
    seed: int
    dataset: str
    index: int
    flips: tuple[Edge, ...] = ()
    chosen: tuple[int, ...] = ()
    step: int = FIRST_STEP

    @property
    def shape(self) -> str:
        """Names the graph before any edits, and the order that it starts with."""
        where = f"{self.dataset}-{self.index}" if self.kind is GraphKind.INSTANCE else str(self.size)
        return f"{self.kind}-{where}-{self.seed}"

    @property
    def graph(self) -> LabGraph:
        return growth.edited(_base(self.kind, self.size, self.seed, self.dataset, self.index), self.flips)


def read_state() -> LabState:
    """The state that the URL describes."""
    dataset = _read("dataset", "tree_cycles", lambda text: growth.DATASETS[growth.DATASETS.index(text)])
    chosen = _read("order", (), read_order)
    return LabState(
        kind=_read("graph", GraphKind.RANDOM, GraphKind),
        size=_read("size", FIRST_SIZE, lambda text: _within(int(text), growth.LEAST, growth.MOST)),
        seed=_read("seed", 0, lambda text: _within(int(text), 0, MOST_SEED)),
        dataset=dataset,
        index=_read("index", FIRST_INSTANCES[dataset], lambda text: _instance_number(dataset, int(text))),
        flips=_read("edit", (), read_flips),
        chosen=chosen,
        step=_read("step", len(chosen) - 1 if chosen else FIRST_STEP, lambda text: _within(int(text), 0, 99)),
    )


def read_flips(text: str) -> tuple[Edge, ...]:
    """Edges from ``0-3.4-7``."""
    return tuple(growth.edge(*map(int, part.split("-"))) for part in text.split(".") if part)[:200]


def write_flips(flips: Iterable[Edge]) -> str | None:
    """Edges for the URL; ``None`` if there are none."""
    return ".".join(f"{a}-{b}" for a, b in sorted(flips)) or None


def read_order(text: str) -> tuple[int, ...]:
    """Nodes from ``0.4.2``."""
    return tuple(int(part) for part in text.split("."))[: growth.MOST_GROWN]


def write_order(order: Iterable[int]) -> str | None:
    """Nodes for the URL; ``None`` if there are none."""
    return ".".join(map(str, order)) or None


def flip(state: LabState, a: int, b: int) -> None:
    """Add an edge, or remove it."""
    choose(edit=write_flips(set(state.flips) ^ {growth.edge(a, b)}))


def take(order: list[int]) -> None:
    """Add the last node of an order to the set of the others."""
    choose(order=write_order(order), step=len(order) - 1)


def another_graph(**changes: str | int | None) -> None:
    """Look at another graph: what was done to the one before is forgotten."""
    choose(**{"edit": None, "order": None, "step": None, **changes})


def _read(name: str, default: T, parse: Callable[[str], T]) -> T:
    try:
        return parse(st.query_params[name]) if name in st.query_params else default
    except (ValueError, TypeError, UserError):
        return default


def _within(value: int, low: int, high: int) -> int:
    if not low <= value <= high:
        raise ValueError
    return value


def _instance_number(dataset: str, index: int) -> int:
    _base(GraphKind.INSTANCE, 0, 0, dataset, index)
    return index


@lru_cache(maxsize=64)
def _base(kind: GraphKind, size: int, seed: int, dataset: str, index: int) -> LabGraph:
    if kind is GraphKind.INSTANCE:
        return growth.instance_graph(dataset, index)
    return growth.lab_graph(kind, size, seed)
