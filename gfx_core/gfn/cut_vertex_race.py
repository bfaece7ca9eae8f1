"""Three ways to know the cut vertices after every added node, raced: Theorem 1 against searching anew.

The paper's appendix ("Computational Analysis of Theorem 1") grows a subgraph node by node and looks at the time
accumulated on the way. The contestants:

* ``tracker``: `CutVertexTracker`, all subgraphs of the batch in one update;
* ``tarjan``: a depth-first search in plain Python on integer lists, from scratch for every state;
* ``networkx``: `networkx.articulation_points`, from scratch for every state.

The time of growing each method's own structure (matrix, neighbour lists, graph) is included, as in the paper, and each
gets the new node's links in the form it likes best. All methods must agree on every state.
"""

import random
import time
from collections.abc import Sequence

import networkx as nx
import torch
from torch import Tensor

from gfx_core.gfn.cut_vertices import CutVertexTracker

LINKS_PER_NODE = 2

Growth = list[list[int]]  # for each added node the earlier nodes it touches, by order of addition
Cuts = list[list[set[int]]]  # the cut vertices after each step, for each subgraph


def race(
    growths: Sequence[Growth],
    methods: Sequence[str] = ("tracker", "tarjan", "networkx"),
    device: str = "cpu",
    repeats: int = 3,
    seconds: float = 2.0,
) -> dict[str, float]:
    """Seconds that each method takes to grow all subgraphs, the fastest of several times.

    Args:
        growths: The subgraphs, all of one size.
        methods: Who runs.
        device: Where the tracker runs; the two searches always run on the CPU.
        repeats: Growths at most.
        seconds: No further repeat is begun after this time.

    Raises:
        RuntimeError: If two methods name different cut vertices for a state.
    """
    ways = {"tracker": lambda: _tracker(growths, torch.device(device)), "tarjan": lambda: _tarjan(growths)}
    ways["networkx"] = lambda: _networkx(growths)
    _tracker([each[:10] for each in growths[:1]], torch.device(device))  # the first operations of a process are slow
    fastest: dict[str, float] = {}
    expected: Cuts | None = None
    for method in methods:
        times: list[float] = []
        while not times or (len(times) < repeats and sum(times) < seconds):
            took, cuts = ways[method]()
            times.append(took)
        if expected is not None and cuts != expected:
            raise RuntimeError(f"{methods[0]} and {method} disagree about cut vertices")
        expected, fastest[method] = cuts, min(times)
    return fastest


def random_growths(size: int, count: int, seed: int) -> list[Growth]:
    """Connected subgraphs that grow in random order, each inside a larger Barabási–Albert graph."""
    rng = random.Random(seed)
    return [_random_growth(size, rng) for _ in range(count)]


def tarjan_cut_vertices(neighbours: Sequence[Sequence[int]]) -> set[int]:
    """Cut vertices of a connected graph by one depth-first search without recursion (Hopcroft and Tarjan).

    Args:
        neighbours: For each node the nodes it is linked to.
    """
    found = [-1] * len(neighbours)  # when the search came to a node
    low = [0] * len(neighbours)  # the earliest node that its branch reaches by a link outside the search tree
    cut = set()
    found[0] = 0
    clock, root_branches = 1, 0
    path = [(0, -1, iter(neighbours[0]))]
    while path:
        node, parent, rest = path[-1]
        for other in rest:
            if found[other] < 0:
                found[other] = low[other] = clock
                clock += 1
                path.append((other, node, iter(neighbours[other])))
                break
            if other != parent and found[other] < low[node]:
                low[node] = found[other]
        else:
            path.pop()
            if parent == 0:
                root_branches += 1
            elif parent > 0:
                if low[node] >= found[parent]:
                    cut.add(parent)
                if low[node] < low[parent]:
                    low[parent] = low[node]
    if root_branches > 1:
        cut.add(0)
    return cut


def _random_growth(size: int, rng: random.Random) -> Growth:
    """A connected subgraph that grows to `size` nodes inside a larger random graph, in random order."""
    around = max(2 * size, LINKS_PER_NODE + 1)
    graph = nx.barabasi_albert_graph(around, LINKS_PER_NODE, seed=rng.randrange(2**32))
    start = rng.randrange(around)
    position = {start: 0}
    frontier = set(graph[start])
    growth: Growth = [[]]
    while len(position) < size:
        node = rng.choice(sorted(frontier))
        growth.append([position[other] for other in graph[node] if other in position])
        position[node] = len(position)
        frontier |= set(graph[node])
        frontier -= position.keys()
    return growth


def _tracker(growths: Sequence[Growth], device: torch.device) -> tuple[float, Cuts]:
    size = len(growths[0])
    links = torch.zeros(size, len(growths), size, dtype=torch.bool)  # [K, B, K]
    for b, growth in enumerate(growths):
        for step, touched in enumerate(growth):
            links[step, b, touched] = True
    links = links.to(device)
    found: list[Tensor] = []

    begin = _now(device)
    tracker = CutVertexTracker(len(growths), size, device=device)
    for new_node in links:
        tracker.add(new_node)
        found.append(tracker.cut)
    seconds = _now(device) - begin

    cuts = [[{k for k, is_cut in enumerate(row) if is_cut} for row in cut.tolist()] for cut in found]
    return seconds, cuts


def _tarjan(growths: Sequence[Growth]) -> tuple[float, Cuts]:
    cuts: Cuts = []
    begin = time.perf_counter()
    graphs: list[list[list[int]]] = [[] for _ in growths]
    for step in range(len(growths[0])):
        cuts.append([])
        for growth, neighbours in zip(growths, graphs, strict=True):
            neighbours.append(list(growth[step]))
            for other in growth[step]:
                neighbours[other].append(step)
            cuts[-1].append(tarjan_cut_vertices(neighbours))
    return time.perf_counter() - begin, cuts


def _networkx(growths: Sequence[Growth]) -> tuple[float, Cuts]:
    cuts: Cuts = []
    begin = time.perf_counter()
    graphs: list[nx.Graph] = [nx.Graph() for _ in growths]
    for step in range(len(growths[0])):
        cuts.append([])
        for growth, graph in zip(growths, graphs, strict=True):
            graph.add_node(step)
            graph.add_edges_from((other, step) for other in growth[step])
            cuts[-1].append(set(nx.articulation_points(graph)))
    return time.perf_counter() - begin, cuts


def _now(device: torch.device) -> float:
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    return time.perf_counter()
