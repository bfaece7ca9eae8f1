"""A few files to try with one click, made here: they show what can be brought, and how it looks in a file."""

import io
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import networkx as nx
import numpy as np

from gfx_core.user_data.read import DataFile


@dataclass(frozen=True)
class ExampleFiles:
    """Files to try.

    Attributes:
        title: For people.
        about: A sentence.
        make: Makes the files.
    """

    title: str
    about: str
    make: Callable[[], tuple[DataFile, ...]]


@lru_cache(maxsize=8)
def files_of(name: str) -> tuple[DataFile, ...]:
    """The files of an example."""
    return EXAMPLES[name].make()


def _table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> bytes:
    return "\n".join(",".join(map(str, row)) for row in [head, *rows]).encode()


def _novel() -> tuple[DataFile, ...]:
    edges = nx.les_miserables_graph().edges
    return (DataFile("les miserables.csv", _table(("source", "target"), list(edges))),)


def _karate() -> tuple[DataFile, ...]:
    graph = nx.karate_club_graph()
    names = {node: {0: "Mr. Hi", 33: "John A."}.get(node, f"no. {node + 1}") for node in graph}  # as Zachary has them
    nodes = [(names[node], about["club"], graph.degree(node)) for node, about in graph.nodes(data=True)]
    edges = [(names[one], names[other]) for one, other in graph.edges]
    return (
        DataFile("karate edges.csv", _table(("source", "target"), edges)),
        DataFile("karate members.csv", _table(("id", "club", "friends"), nodes)),
    )


def _rings() -> tuple[DataFile, ...]:
    """A tree with rings of five hung on it, in GraphML, with the rings marked."""
    rng = np.random.RandomState(7)
    graph: nx.Graph[int] = nx.Graph()
    for node in range(120):
        graph.add_node(node, **{"class": "branch", "motif": -1})
        if node:
            graph.add_edge(node, int(rng.randint(max(0, node - 12), node)))
    for ring in range(24):
        first = len(graph)
        members = range(first, first + 5)
        graph.add_nodes_from(members, **{"class": "ring", "motif": ring})
        graph.add_edges_from((at, first + (at + 1 - first) % 5) for at in members)
        graph.add_edge(first, int(rng.randint(0, 120)))
    text = io.BytesIO()
    nx.write_graphml(graph, text)
    return (DataFile("rings on a tree.graphml", text.getvalue()),)


def _stars() -> tuple[DataFile, ...]:
    """Small graphs with a star or a ring in them, as a zip of TU text files."""
    rng = np.random.RandomState(3)
    edges: list[tuple[int, int]] = []
    indicator: list[int] = []
    labels: list[int] = []
    first = 1
    for number in range(80):
        size = int(rng.randint(7, 12))
        graph = nx.random_labeled_tree(size, seed=int(rng.randint(1 << 30)))
        shape = nx.cycle_graph(5) if number % 2 else nx.star_graph(4)
        whole = nx.disjoint_union(graph, shape)
        whole.add_edge(0, size)
        edges += [(first + one, first + other) for one, other in whole.to_directed().edges]
        indicator += [number + 1] * len(whole)
        labels.append(number % 2)
        first += len(whole)
    made = io.BytesIO()
    texts = {
        "A": "\n".join(f"{one}, {other}" for one, other in edges),
        "graph_indicator": "\n".join(map(str, indicator)),
        "graph_labels": "\n".join(map(str, labels)),
    }
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for part, text in texts.items():
            archive.writestr(zipfile.ZipInfo(f"SHAPES/SHAPES_{part}.txt"), text)
    return (DataFile("star or ring.zip", made.getvalue()),)


EXAMPLES = {
    "novel": ExampleFiles("Les Misérables", "Who meets whom in the novel: a plain edge list, no classes.", _novel),
    "karate": ExampleFiles("Karate club", "34 people who split into two clubs: an edge list and a table.", _karate),
    "rings": ExampleFiles("Rings on a tree", "A tree with rings of five, which are marked: one GraphML file.", _rings),
    "shapes": ExampleFiles("Star or ring", "80 small graphs with a class each: a zip of TU text files.", _stars),
}
"""By what links call them."""


MOST = 200
"""Nodes that can be drawn."""


def edge_list(classes: Sequence[int], edges: Sequence[tuple[int, int]]) -> tuple[DataFile, DataFile]:
    """A table of edges and one of nodes.

    Args:
        classes: Of each node; -1 for none. [N]
        edges: Pairs of nodes.
    """
    nodes = [(node, "" if label < 0 else "ABCD"[label % 4]) for node, label in enumerate(classes)]
    return (
        DataFile("drawn edges.csv", _table(("source", "target"), edges)),
        DataFile("drawn nodes.csv", _table(("id", "class"), nodes)),
    )
