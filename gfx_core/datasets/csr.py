"""Neighbourhoods in a graph that is stored by rows (CSR), at a cost that depends on their own size only."""

import numpy as np

from gfx_core.arrays import Ints


def entries(indptr: Ints, rows: Ints) -> tuple[Ints, Ints]:
    """The entries of some rows: their positions, and which of ``rows`` each belongs to."""
    starts = indptr[rows]
    degree = indptr[rows + 1] - starts
    owner = np.repeat(np.arange(len(rows)), degree)
    ends = np.cumsum(degree)
    return np.arange(int(degree.sum())) - (ends - degree)[owner] + starts[owner], owner


def neighbourhood(indptr: Ints, neighbours: Ints, node: int, hops: int, max_nodes: int) -> tuple[Ints, Ints, int]:
    """Nodes within some hops, nearest first, their distances, and how many known ones were left out."""
    found = np.array([node], dtype=np.int64)  # sorted, for membership tests
    shell, layers, distances, left_out = found, [found], [np.zeros(1, np.int64)], 0
    for hop in range(1, hops + 1):
        reached = np.unique(neighbours[entries(indptr, shell)[0]])
        at = np.minimum(np.searchsorted(found, reached), len(found) - 1)
        shell = reached[found[at] != reached]
        room = max_nodes - len(found)
        left_out += max(0, len(shell) - room)
        shell = shell[:room]
        if not shell.size:
            break
        layers.append(shell)
        distances.append(np.full(len(shell), hop, np.int64))
        found = np.union1d(found, shell)
        if left_out:
            break
    return np.concatenate(layers), np.concatenate(distances), left_out


def induced(indptr: Ints, neighbours: Ints, nodes: Ints) -> tuple[Ints, Ints]:
    """The edges among some nodes, under local ids, sorted: their positions in the graph, and ``edge_index``. [2, e]"""
    edges, source = entries(indptr, nodes)
    order = np.argsort(nodes)
    reached = neighbours[edges]
    at = order[np.minimum(np.searchsorted(nodes, reached, sorter=order), len(nodes) - 1)]
    inside = nodes[at] == reached
    edges, edge_index = edges[inside], np.stack([source[inside], at[inside]])
    in_order = np.lexsort(edge_index[::-1])
    return edges[in_order], edge_index[:, in_order]
