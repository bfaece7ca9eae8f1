"""What follows from a trace's other fields: filled in alike where one is recorded and where one is read.

Files contain these fields too, for what draws them; those of a file that is read are replaced.
"""

import math
from collections.abc import Collection, Iterable, Sequence
from functools import reduce

from msgspec.structs import replace

from gfx_core.config import Task
from gfx_core.trace.schema import ChildGroups, Step, Trace

Links = list[dict[int, int]]
"""Of each node: its neighbours, with the edge to each."""


def links_of(trace: Trace) -> Links:
    """The graph of a trace."""
    links: Links = [{} for _ in trace.nodes]
    for index, edge in enumerate(trace.edges):
        links[edge.source][edge.target] = links[edge.target][edge.source] = index
    return links


def derive(trace: Trace) -> Trace:
    """Fill in all that follows from a sample's `order`, a reason's `nodes`, and from each step as in `derive_steps`."""
    links, order, answer = links_of(trace), trace.steps[-1].members, trace.answer
    steps = derive_steps(trace.steps, order)

    def edges(nodes: Collection[int]) -> tuple[int, ...]:
        return tuple(sorted({edge for node in nodes for end, edge in links[node].items() if end in nodes}))

    samples = tuple(
        replace(sample, nodes=tuple(sorted(sample.order)), edges=edges(sample.order)) for sample in trace.samples
    )
    if answer is not None:
        reasons = tuple(
            replace(
                reason,
                edges=edges(reason.nodes),
                drawn=sum(sample.count for sample in samples if set(sample.nodes) == set(reason.nodes)),
                steps=derive_steps(reason.steps, reason.nodes),
            )
            for reason in answer.reasons
        )
        answer = replace(answer, reasons=reasons)
    final = replace(
        trace.final,
        nodes=tuple(sorted(order)),
        edges=edges(order),
        log_reward=steps[-1].reward.log_reward,
        log_trajectory_probability=min(0.0, sum(step.action.log_flow - step.log_out_flow for step in steps)),
    )
    return replace(
        trace,
        start=order[0],
        target=order[0] if trace.task is Task.NODE else None,
        steps=steps,
        final=final,
        samples=samples,
        answer=answer,
    )


def derive_steps(steps: Iterable[Step], order: Sequence[int]) -> tuple[Step, ...]:
    """Fill in the steps of the trajectory that adds nodes in this order, and stops.

    Args:
        steps: With what cannot be derived: log-flows, 𝒵, the values and prices of the reward's terms, `other`.
        order: The nodes.
    """
    return tuple(_derived(step, tuple(order[:size]), [*order, None][size]) for size, step in enumerate(steps, 1))


def _derived(step: Step, members: tuple[int, ...], chosen: int | None) -> Step:
    log_stop, reward = step.stop.log_flow, step.reward
    log_out = reduce(_log_add, [*(action.log_flow for action in step.frontier), log_stop])
    log_in = reduce(_log_add, [parent.log_flow for parent in step.parents]) if step.parents else None
    terms = tuple(replace(term, contribution=term.price * term.value) for term in reward.terms)
    groups = []
    for cut_vertex, row in zip(members, step.matrix, strict=True):
        labels = sorted(set(row) - {0})
        pieces = (tuple(node for node, at in zip(members, row, strict=True) if at == label) for label in labels)
        groups += [ChildGroups(cut_vertex, tuple(pieces))] if labels else []
    hangs = any(row[-1] and row.count(row[-1]) == 1 for row in step.matrix)  # the added node is a group of its own
    return replace(
        step,
        members=members,
        added=members[-1] if len(members) > 1 else None,
        frontier=tuple(replace(action, probability=_share(action.log_flow, log_out)) for action in step.frontier),
        stop=replace(
            step.stop,
            probability=_share(log_stop, log_out),
            forced=all(action.log_flow == -math.inf for action in step.frontier),
        ),
        cut_vertices=tuple(group.cut_vertex for group in groups),
        child_groups=tuple(groups),
        theorem_case=0 if len(members) < 3 else 1 if hangs else 2,
        log_in_flow=log_in,
        log_out_flow=log_out,
        residual=None if log_in is None or -math.inf in (log_in, log_out) else log_in - log_out,
        reward=replace(reward, terms=terms, log_reward=-reward.beta * sum(term.contribution for term in terms)),
        chosen=chosen,
    )


def _share(log_flow: float, log_total: float) -> float:
    return min(1.0, math.exp(log_flow - log_total))


def _log_add(first: float, second: float) -> float:
    low, high = sorted((first, second))
    return high if low == -math.inf else high + math.log1p(math.exp(low - high))
