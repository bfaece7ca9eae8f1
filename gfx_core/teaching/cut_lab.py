"""What the cut-vertex lab has workers compute: every step of a growth with 𝒵, and how long 𝒵 takes against Tarjan."""

from collections.abc import Sequence
from typing import Any

import networkx as nx
import torch

from gfx_core.errors import UserError
from gfx_core.gfn import cut_vertex_race
from gfx_core.gfn.cut_vertices import CutVertexTracker
from gfx_core.job_context import JobContext
from gfx_core.teaching import lab_graphs
from gfx_core.text.theorem import case_words, row_words

RACE_SIZES = {1: (10, 20, 40, 80, 160, 320), 256: (10, 20, 40, 80, 160)}
"""Up to how many nodes the set grows in the race, by how many sets grow at a time."""

_REPEATS, _SECONDS_PER_CASE = 3, 0.8


def grow_steps(job: JobContext, *, names: list[str], edges: list[list[int]], order: list[int]) -> dict[str, Any]:
    """𝒵 and all that follows from it, after each node of a growth.

    Args:
        job: Of this job.
        names: What the nodes are called.
        edges: Of the graph.
        order: Its nodes in the order in which they are added.

    Returns:
        ``steps``, one for each node of the order, in which nodes are numbered by their place in it: ``z`` (the
        connectivity vector), ``case`` of Theorem 1, ``matrix``, ``changed`` cells, ``cut`` vertices, ``groups`` (a
        cut vertex and its child groups), ``removable`` nodes, ``searched`` (cut vertices by networkx), ``agrees``,
        ``words`` about the case and ``rows``, a sentence about each row. And ``agree``, in how many steps both agree.
    """
    neighbours = lab_graphs.neighbour_lists(len(names), [(a, b) for a, b in edges])
    links = lab_graphs.links_of(neighbours, order)
    if any(not touched for touched in links[1:]) or len(set(order)) != len(order) or not order:
        raise UserError("Each node of a growth must be new and touch the set: start again from the start node.")
    called = [names[node] for node in order]
    tracker = CutVertexTracker(1, max(2, len(order)))
    subgraph: nx.Graph[int] = nx.Graph()
    steps: list[dict[str, Any]] = []
    before: list[list[int]] = []
    for t, touched in enumerate(links):
        job.report(t / len(links), "growing")
        tracker.add(_row(touched, tracker.max_nodes))
        subgraph.add_node(t)
        subgraph.add_edges_from((t, other) for other in touched)
        matrix = [row[: t + 1] for row in tracker.matrix[0, : t + 1].tolist()]
        cut = tracker.cut[0].nonzero()[:, 0].tolist()
        searched = sorted(nx.articulation_points(subgraph))
        case = int(tracker.cases[0])
        steps.append(
            {
                "z": [int(i in touched) for i in range(t)],
                "case": case,
                "matrix": matrix,
                "changed": changed_cells(before, matrix),
                "cut": cut,
                "groups": [[i, [sorted(group) for group in groups]] for i, groups in tracker.child_groups(0).items()],
                "removable": tracker.removable[0].nonzero()[:, 0].tolist(),
                "searched": searched,
                "agrees": searched == cut,
                "words": case_words(case, called, t, touched, _cuts_of(before), cut),
                "rows": [row_words(m, before, matrix, touched, called[: t + 1]) for m in range(t)],
            }
        )
        before = matrix
    return {"steps": steps, "agree": sum(step["agrees"] for step in steps)}


def changed_cells(before: Sequence[Sequence[int]], after: Sequence[Sequence[int]]) -> list[list[int]]:
    """The cells of 𝒵 whose value is another than before; cells that were not there count as zero."""
    old = len(before)
    return [
        [i, j]
        for i, row in enumerate(after)
        for j, value in enumerate(row)
        if value != (before[i][j] if i < old and j < old else 0)
    ]


def race(
    job: JobContext,
    *,
    kind: str,
    seed: int = 0,
    dataset: str = "",
    index: int = 0,
    sizes: dict[str, list[int]] | None = None,
) -> dict[str, Any]:
    """Accumulated time of 𝒵 and of Tarjan's search, for one set and for many at a time, in graphs of one family.

    Args:
        job: Of this job.
        kind: A `growth.GraphKind`.
        seed: Of the graph and of the orders.
        dataset: Where an instance comes from.
        index: Which one.
        sizes: Other sizes than `RACE_SIZES`, by how many sets grow at a time.

    Returns:
        ``results`` (sets at a time, size, seconds of ``tracker`` and ``tarjan`` for all of them), ``states`` (how many
        were compared; both methods must name the same cut vertices), ``threads`` and ``largest``.
    """
    wanted = {int(sets): tuple(each) for sets, each in (sizes or RACE_SIZES).items()}
    most = max(max(each) for each in wanted.values())
    job.report(0.0, "growing sets")
    growths = _race_growths(lab_graphs.GraphKind(kind), seed, dataset, index, most, max(wanted))
    largest = len(growths[0])
    cases = sorted({(sets, min(size, largest)) for sets, each in wanted.items() for size in each})
    results, states = [], 0
    for number, (sets, size) in enumerate(cases):
        job.report(number / len(cases), f"{sets} at a time, {size} nodes")
        batch = [each[:size] for each in growths[:sets]]
        seconds = cut_vertex_race.race(batch, ("tracker", "tarjan"), repeats=_REPEATS, seconds=_SECONDS_PER_CASE)
        states += sets * size
        results.append({"sets": sets, "size": size, **seconds})
    return {"results": results, "states": states, "threads": torch.get_num_threads(), "largest": largest}


def _race_growths(
    kind: lab_graphs.GraphKind, seed: int, dataset: str, index: int, size: int, sets: int
) -> list[list[list[int]]]:
    if kind is lab_graphs.GraphKind.INSTANCE:
        return lab_graphs.dataset_growths(dataset, index, size, seed, sets)
    return lab_graphs.family_growths(kind, size, seed, sets)


def _row(touched: Sequence[int], width: int) -> torch.Tensor:
    links = torch.zeros(1, width, dtype=torch.bool)
    links[0, list(touched)] = True
    return links


def _cuts_of(matrix: Sequence[Sequence[int]]) -> list[int]:
    return [i for i, row in enumerate(matrix) if any(row)]
