"""Three ways to know the cut vertices after every added node, raced: Theorem 1 against searching anew.

The paper's appendix ("Computational Analysis of Theorem 1") grows a subgraph node by node and looks at the time
accumulated on the way. The contestants:

* ``tracker``: `CutVertexTracker`, all subgraphs of the batch in one update;
* ``tarjan``: a depth-first search in plain Python on integer lists, from scratch for every state;
* ``networkx``: its `articulation_points`, the same search on its graphs.

The time of growing each method's own structure (matrix, neighbour lists, graph) is included, as in the paper, and each
gets the new node's links in the form it likes best. All methods must agree on every state.
"""

import time
from collections.abc import Sequence

import torch
from torch import Tensor

from gfx_core.exact.articulation import Additions, Cuts, searched, searched_by_networkx
from gfx_core.gfn.cut_vertices import CutVertexTracker

_SEARCHES = {"tarjan": searched, "networkx": searched_by_networkx}


def race(
    growths: Sequence[Additions], repeats: int, seconds: float, methods: Sequence[str] = ("tracker", "tarjan")
) -> dict[str, float]:
    """Seconds that each method takes to grow all subgraphs on the CPU, the fastest of several times.

    Args:
        growths: The subgraphs, all of one size.
        repeats: Growths at most.
        seconds: No further repeat is begun after this time.
        methods: What takes part.

    Raises:
        RuntimeError: If the methods name different cut vertices for a state.
    """
    _track([growth[:10] for growth in growths[:1]])  # the first operations of a process are slow
    fastest: dict[str, float] = {}
    cuts: dict[str, Cuts] = {}
    for method in methods:
        times: list[float] = []
        while not times or (len(times) < repeats and sum(times) < seconds):
            began = time.perf_counter()
            took, cuts[method] = _track(growths) if method == "tracker" else (None, _SEARCHES[method](growths))
            times.append(time.perf_counter() - began if took is None else took)
        fastest[method] = min(times)
    if any(named != cuts[methods[0]] for named in cuts.values()):
        raise RuntimeError(f"{' and '.join(methods)} disagree about cut vertices")
    return fastest


def _track(growths: Sequence[Additions]) -> tuple[float, Cuts]:
    """The seconds of the tracker alone, and its cut vertices."""
    size = len(growths[0])
    links = torch.zeros(size, len(growths), size, dtype=torch.bool)  # [K, B, K]
    for b, growth in enumerate(growths):
        for step, touched in enumerate(growth):
            links[step, b, touched] = True
    cuts: list[Tensor] = []
    began = time.perf_counter()
    tracker = CutVertexTracker(len(growths), size)
    for new_node in links:
        tracker.add(new_node)
        cuts.append(tracker.cut)
    seconds = time.perf_counter() - began
    return seconds, [[{k for k, is_cut in enumerate(row) if is_cut} for row in cut.tolist()] for cut in cuts]
