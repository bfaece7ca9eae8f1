"""How long it takes to know the cut vertices after every added node: Theorem 1 against searching anew.

The paper's appendix ("Computational Analysis of Theorem 1") grows a subgraph node by node and plots the time
accumulated on the way against the size reached. This is the same experiment with three contestants, on one
subgraph and on a whole batch:

* `tracker`: `CutVertexTracker`, all subgraphs of the batch in one update;
* `tarjan`: a depth-first search in plain Python on integer lists, from scratch for every state;
* `networkx`: `networkx.articulation_points`, from scratch for every state.

The time of growing each method's own structure (matrix, neighbour lists, graph) is included, as in the paper,
and each gets the new node's links in the form it likes best. All methods must agree on every state.
"""

import platform
import random
import time
from collections.abc import Callable, Sequence
from typing import Any

import networkx as nx
import torch
from torch import Tensor

from gfx_core.gfn.cut_vertices import CutVertexTracker

METHODS = ("tracker", "tarjan", "networkx")
LABELS = {
    "tracker": "Theorem 1, the batch at once",
    "tarjan": "Tarjan on each state, plain Python",
    "networkx": "networkx on each state",
}
COLOURS = {"tracker": "#d1495b", "tarjan": "#30638e", "networkx": "#8d96a3"}
DASHES = ("dot", "solid", "dash", "dashdot")
LINKS_PER_NODE = 2

Growth = list[list[int]]  # for each added node the earlier nodes it touches, by order of addition
Cuts = list[list[set[int]]]  # the cut vertices after each step, for each subgraph


def run(
    sizes: Sequence[int] = (5, 10, 20, 40, 80, 160),
    batch_sizes: Sequence[int] = (1, 256),
    seed: int = 0,
    progress: Callable[[float, str], None] | None = None,
    device: torch.device | str = "cpu",
    repeats: int = 3,
    seconds_per_case: float = 2.0,
) -> dict[str, Any]:
    """Times every method for every number of subgraphs and every size they grow to.

    Args:
        sizes: numbers of nodes to grow to.
        batch_sizes: how many subgraphs grow at a time.
        seed: seeds the graphs and the order in which nodes are added.
        progress: called with the share that is done (0 to 1) and what is timed next.
        device: where the tracker runs; the two searches always run on the CPU.
        repeats: growths per case at most; the fastest one counts.
        seconds_per_case: no further repeat is begun after this time.

    Returns:
        A record that can be written as JSON: the setting, and per method, batch size and subgraph size the
        seconds that the whole batch took from the start node to that size.

    Raises:
        RuntimeError: if two methods name different cut vertices for a state.
    """
    if not sizes or min(sizes) < 2:
        raise ValueError(f"sizes must hold numbers of at least 2 (got {list(sizes)})")
    if not batch_sizes or min(batch_sizes) < 1:
        raise ValueError(f"batch_sizes must hold numbers of at least 1 (got {list(batch_sizes)})")
    if repeats < 1:
        raise ValueError(f"repeats must be at least 1 (got {repeats})")
    sizes, batch_sizes = sorted(set(sizes)), sorted(set(batch_sizes))
    device = torch.device(device)
    rng = random.Random(seed)
    growths = [_random_growth(sizes[-1], rng) for _ in range(batch_sizes[-1])]
    time_tracker(growths[:1], device)  # the first operations of a process are slow

    results: list[dict[str, Any]] = []
    cases = [(batch_size, size) for batch_size in batch_sizes for size in sizes]
    for i, (batch_size, size) in enumerate(cases):
        if progress is not None:
            progress(i / len(cases), f"{batch_size} at a time, {size} nodes")
        batch = [growth[:size] for growth in growths[:batch_size]]
        expected: Cuts | None = None
        for method in METHODS:
            seconds, cuts, done = fastest(method, batch, device, repeats, seconds_per_case)
            if expected is not None and cuts != expected:
                raise RuntimeError(f"{METHODS[0]} and {method} disagree about cut vertices")
            expected = cuts
            case = {"method": method, "batch_size": batch_size, "size": size}
            results.append({**case, "seconds": seconds, "repeats": done})
    if progress is not None:
        progress(1.0, "done")
    return {
        "name": "cut_vertices",
        "graph": f"random connected growth in Barabási–Albert graphs, {LINKS_PER_NODE} links per node",
        "seed": seed,
        "sizes": sizes,
        "batch_sizes": batch_sizes,
        "device": torch.cuda.get_device_name(device) if device.type == "cuda" else device.type,
        "threads": torch.get_num_threads(),
        "versions": {
            "python": platform.python_version(),
            "torch": torch.__version__,
            "networkx": nx.__version__,
        },
        "states_compared": sum(batch_size * size for batch_size, size in cases),
        "results": results,
    }


def table(record: dict[str, Any]) -> str:
    """The record as a Markdown table: accumulated milliseconds of the whole batch, and how they compare.

    A ratio above 1 means that the tracker is that many times faster, one below 1 that it is slower.
    """
    head = ["at a time", "nodes", *(f"{method} ms" for method in METHODS)]
    head += [f"{method} / tracker" for method in METHODS[1:]] + ["fastest"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---:|" * (len(head) - 1) + "---|"]
    for batch_size in record["batch_sizes"]:
        for size in record["sizes"]:
            ms = _milliseconds(record, batch_size, size)
            cells = [str(batch_size), str(size), *(f"{ms[method]:.2f}" for method in METHODS)]
            cells += [f"{ms[method] / ms['tracker']:.2f}" for method in METHODS[1:]]
            lines.append("| " + " | ".join([*cells, _fastest_of(ms)]) + " |")
    return "\n".join(lines)


def verdict(record: dict[str, Any]) -> str:
    """Says in words which method is fastest at which sizes, for each batch size."""
    sentences = []
    for batch_size in record["batch_sizes"]:
        wins: dict[str, list[str]] = {}
        for size in record["sizes"]:
            wins.setdefault(_fastest_of(_milliseconds(record, batch_size, size)), []).append(str(size))
        who = "; ".join(f"{method} at {', '.join(won)} nodes" for method, won in wins.items())
        sentences.append(f"Fastest with {batch_size} at a time: {who}.")
    return " ".join(sentences)


def figure(record: dict[str, Any]) -> Any:
    """The paper's time comparison as a plotly figure: a line per method and batch size, axes logarithmic.

    Times are divided by the number of subgraphs, so that batches of different sizes can share an axis.
    """
    import plotly.graph_objects as go

    drawing = go.Figure()
    for i, batch_size in enumerate(record["batch_sizes"]):
        times = [_milliseconds(record, batch_size, size) for size in record["sizes"]]
        for method in METHODS:
            drawing.add_scatter(
                x=record["sizes"],
                y=[ms[method] / batch_size for ms in times],
                customdata=[ms[method] for ms in times],
                name=f"{LABELS[method]}, {batch_size} at a time",
                mode="lines+markers",
                line={"color": COLOURS[method], "dash": DASHES[i % len(DASHES)]},
                hovertemplate="%{x} nodes: %{y:.3g} ms a subgraph (%{customdata:.3g} ms in all)",
            )
    drawing.update_layout(
        title={
            "text": "Knowing the cut vertices after every added node",
            "subtitle": {"text": verdict(record).replace(". ", ".<br>")},
        },
        xaxis={"type": "log", "title": {"text": "nodes in the subgraph"}, "tickvals": record["sizes"]},
        yaxis={"type": "log", "title": {"text": "accumulated time per subgraph (ms)"}},
        legend={"title": {"text": f"Theorem 1 on {record['device']}, {record['threads']} thread(s)"}},
        margin={"t": 120},
    )
    return drawing


def tarjan_cut_vertices(neighbours: Sequence[Sequence[int]]) -> set[int]:
    """Cut vertices of a connected graph by one depth-first search without recursion (Hopcroft and Tarjan).

    Args:
        neighbours: for each node the nodes it is linked to.
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


def main() -> None:
    """Runs the benchmark as it stands and prints its table."""
    record = run(progress=lambda share, text: print(f"{share:4.0%} {text}"))
    print(table(record))
    print(verdict(record))


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


def fastest(
    method: str, growths: Sequence[Growth], device: torch.device, repeats: int, seconds_per_case: float
) -> tuple[float, Cuts, int]:
    """Seconds of the fastest of up to `repeats` growths, the cut vertices, and the number of growths."""
    times: list[float] = []
    while not times or (len(times) < repeats and sum(times) < seconds_per_case):
        if method == "tracker":
            seconds, cuts = time_tracker(growths, device)
        else:
            seconds, cuts = (_time_tarjan if method == "tarjan" else _time_networkx)(growths)
        times.append(seconds)
    return min(times), cuts, len(times)


def time_tracker(growths: Sequence[Growth], device: torch.device) -> tuple[float, Cuts]:
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


def _time_tarjan(growths: Sequence[Growth]) -> tuple[float, Cuts]:
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


def _time_networkx(growths: Sequence[Growth]) -> tuple[float, Cuts]:
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


def _milliseconds(record: dict[str, Any], batch_size: int, size: int) -> dict[str, float]:
    """Accumulated time of each method for the whole batch."""
    return {
        row["method"]: 1e3 * row["seconds"]
        for row in record["results"]
        if (row["batch_size"], row["size"]) == (batch_size, size)
    }


def _fastest_of(times: dict[str, float]) -> str:
    return min(METHODS, key=times.__getitem__)


if __name__ == "__main__":
    main()
