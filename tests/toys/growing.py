"""Random graphs, and subgraphs of them that grow node by node in a CutVertexTracker."""

import itertools
import random
from collections.abc import Callable, Iterator

import networkx as nx
import torch
from torch import Tensor

from gfx_core.gfn.cut_vertices import CutVertexTracker


def clique_chain(rng: random.Random) -> nx.Graph:
    """Cliques of 2 to 5 nodes, each sharing a node with an earlier one or hanging on it by a link."""
    graph = nx.complete_graph(3)
    while graph.number_of_nodes() < 30:
        anchor, first = rng.randrange(graph.number_of_nodes()), graph.number_of_nodes()
        clique = list(range(first, first + rng.randint(1, 4)))
        graph.add_edges_from(itertools.combinations([anchor, *clique], 2))
        if rng.random() < 0.3:
            graph.add_edge(first, graph.number_of_nodes())
    return graph


def connected_erdos_renyi(rng: random.Random) -> nx.Graph:
    graph = nx.gnp_random_graph(30, rng.choice([0.08, 0.12, 0.2, 0.4]), seed=rng.randrange(2**32))
    return graph.subgraph(max(nx.connected_components(graph), key=len)).copy()


def random_tree(rng: random.Random) -> nx.Graph:
    return nx.Graph([(i, rng.randrange(max(0, i - rng.choice([2, 30])), i)) for i in range(1, 30)])


FAMILIES: dict[str, Callable[[random.Random], nx.Graph]] = {
    "erdos_renyi": connected_erdos_renyi,
    "tree": random_tree,
    "grid": lambda rng: nx.convert_node_labels_to_integers(nx.grid_2d_graph(rng.randint(2, 6), 6)),
    "clique_chain": clique_chain,
    "barabasi_albert": lambda rng: nx.barabasi_albert_graph(30, rng.randint(1, 3), seed=rng.randrange(2**32)),
}


def random_order(graph: nx.Graph, rng: random.Random, length: int) -> list[int]:
    """A random start node, then random frontier nodes, up to `length` of them if there are as many."""
    order = [rng.choice(sorted(graph))]
    while len(order) < length:
        frontier = sorted({n for node in order for n in graph[node]} - set(order))
        if not frontier:
            break
        order.append(rng.choice(frontier))
    return order


def links_of(graph: nx.Graph, order: list[int], place: int) -> list[int]:
    """The earlier places that the node at `place` touches."""
    return [i for i in range(place) if graph.has_edge(order[i], order[place])]


def grow(
    tracker: CutVertexTracker,
    graphs: list[nx.Graph],
    orders: list[list[int]],
    rng: random.Random,
    pause: float,
) -> Iterator[Tensor]:
    """Feeds every order to its row of the tracker; rows pause at random and stop for good at their end.

    Yields `active` after each addition.
    """
    counts = [0] * len(orders)
    while any(count < len(order) for count, order in zip(counts, orders, strict=True)):
        links = torch.zeros(tracker.batch_size, tracker.max_nodes, dtype=torch.bool)
        active = torch.zeros(tracker.batch_size, dtype=torch.bool)
        for b, (graph, order) in enumerate(zip(graphs, orders, strict=True)):
            active[b] = counts[b] < len(order) and (counts[b] == 0 or rng.random() >= pause)
            if active[b]:
                links[b, links_of(graph, order, counts[b])] = True
                counts[b] += 1
            else:  # what an inactive row brings must not matter
                links[b] = torch.tensor([rng.random() < 0.5 for _ in range(tracker.max_nodes)])
        tracker.add(links, active)
        assert tracker.count.tolist() == counts
        yield active


def nodes(mask: Tensor) -> set[int]:
    return set(mask.nonzero().flatten().tolist())


def articulation_points_reference(graph: nx.Graph, order: list[int]) -> set[int]:
    """Cut vertices of the subgraph on `order`, named by their place in it."""
    return {order.index(node) for node in nx.articulation_points(graph.subgraph(order))}
