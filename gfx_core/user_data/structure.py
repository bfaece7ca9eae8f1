"""Classes that come from the graph itself, where a file names none: its communities, or the roles of its nodes."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import networkx as nx
import numpy as np

from gfx_core.arrays import Floats, Ints

FROM_GRAPH = "These classes come from the graph itself, not from your data."
MAX_COMMUNITIES = 10
LEAST_MEMBERS = 3
"""Smaller communities are no class."""
LANDMARKS = 3
"""Nodes of each community that the GNN can recognise."""
MAX_LINKS = 30_000
"""Of a graph in which communities are looked for: more would take longer than people wait."""


class Structure(StrEnum):
    """What a GNN can learn of a graph without classes."""

    COMMUNITIES = "communities"
    ROLES = "roles"


@dataclass(frozen=True, eq=False)
class StructuralClasses:
    """Classes of the nodes of a graph.

    Attributes:
        y: The class of each node, -1 for none. [N]
        names: Of the classes; empty if the graph has no two such classes.
        words: A sentence for each thing that people should know of them.
        x: What the GNN reads besides, which differs between them. [N, d]
    """

    y: Ints
    names: tuple[str, ...]
    words: tuple[str, ...]
    x: Floats


def structural_classes(kind: str, edges: Ints, labels: Sequence[str]) -> StructuralClasses:
    """Classes of the nodes of one graph.

    Args:
        kind: A `Structure`.
        edges: Pairs of nodes, in any order and number. [E, 2]
        labels: What people call each node. [N]
    """
    graph: nx.Graph[int] = nx.empty_graph(len(labels))
    graph.add_edges_from(edges[edges[:, 0] != edges[:, 1]].tolist())
    return _roles(graph) if kind == Structure.ROLES else _communities(graph, labels)


def _communities(graph: "nx.Graph[int]", labels: Sequence[str]) -> StructuralClasses:
    """Communities by Louvain's method. All nodes look the same to a GNN but a few landmarks in each of them."""
    y = np.full(len(graph), -1, dtype=np.int64)
    few = graph.number_of_edges() <= MAX_LINKS
    communities = nx.community.louvain_communities(graph, seed=0) if few else []
    communities = [nodes for nodes in communities if len(nodes) >= LEAST_MEMBERS]
    communities = sorted(communities, key=lambda nodes: (-len(nodes), min(nodes)))[:MAX_COMMUNITIES]
    if len(communities) < 2:
        why = f"No two communities to learn were found; graphs of more than {MAX_LINKS:,} edges are not searched."
        return StructuralClasses(y, (), (why,), np.zeros((len(graph), 0), dtype=np.float32))
    landmarks = np.zeros((len(graph), len(communities)), dtype=np.float32)
    names: list[str] = []
    for number, nodes in enumerate(communities):
        y[list(nodes)] = number
        within = graph.subgraph(nodes).degree
        best = sorted(nodes, key=lambda node: (-within[node], node))[:LANDMARKS]
        landmarks[best, number] = 1
        name = f"community of {labels[best[0]]}"
        names.append(f"{name} ({number + 1})" if name in names else name)
    words = (
        f"Louvain’s method finds communities: parts with many links inside and few to others. {FROM_GRAPH}",
        f"The GNN recognises {LANDMARKS} landmarks of each community, its best linked nodes. It knows all other nodes "
        "by their links and features alone.",
    )
    return StructuralClasses(y, tuple(names), words, landmarks)


def _roles(graph: "nx.Graph[int]") -> StructuralClasses:
    """Core, between and end: a GNN that sees links alone can learn them."""
    core = nx.core_number(graph)
    most = max(core.values())
    roles = ["end" if graph.degree[node] <= 1 else "core" if core[node] == most else "between" for node in graph]
    names = tuple(name for name in ("core", "between", "end") if name in roles)
    x = np.zeros((len(graph), 0), dtype=np.float32)
    if len(names) < 2:
        why = f"All nodes have the same role here: {roles[0]}."
        return StructuralClasses(np.full(len(graph), -1), (), (why,), x)
    y = np.array([names.index(role) for role in roles], dtype=np.int64)
    words = (
        f"Core nodes form the part in which each has at least {most} links to others (the {most}-core).",
        f"An end has at most one link, and all other nodes are between. {FROM_GRAPH}",
    )
    return StructuralClasses(y, names, words, x)
