"""A trajectory that was built by hand, or that ends in another reason, as a Trace that plays like any other."""

import math
from collections.abc import Collection, Sequence
from dataclasses import replace

from gfx_core.trace.schema import FinalSubgraph, Step, Trace


def trace_by_hand(base: Trace, steps: Sequence[Step]) -> Trace:
    """Put steps that were told one by one, from the start node on, into a trace of the instance.

    The last step takes STOP. What the base trace knows of samples, their answer and exact probabilities is kept as long
    as the start node is the same.

    Args:
        base: Any trace of the same instance, GNN and policy.
        steps: One for each size of the set.

    Raises:
        UserError: The steps do not follow from each other.
    """
    from gfx_core.trace.serialize import from_json, to_json  # only here: nothing is read where policies are trained

    followers = [*(step.added for step in steps[1:]), None]
    walked = tuple(replace(step, chosen=node) for step, node in zip(steps, followers, strict=True))
    start, nodes = steps[0].members[0], tuple(sorted(steps[-1].members))
    known = None
    if start == base.start:
        known = next((sample.log_probability for sample in base.samples if sample.nodes == nodes), None)
    else:
        base = replace(base, start=start, samples=(), answer=None, edge_marginals=())
        base = replace(base, log_z_exact=None, num_states_exact=None, total_variation=None)
    held = set(nodes)
    final = FinalSubgraph(
        nodes=nodes,
        edges=tuple(at for at, edge in enumerate(base.edges) if edge.source in held and edge.target in held),
        log_reward=steps[-1].reward.log_reward,
        log_trajectory_probability=log_trajectory_probability(walked),
        log_probability=known,
    )
    made = {**base.made, "choice": "by hand"}
    whole = replace(base, steps=walked, final=final, made=made)
    return from_json(to_json(whole, check=False), "trajectory")


def log_trajectory_probability(steps: Sequence[Step]) -> float:
    """Of exactly these actions in this order."""
    return min(0.0, sum(map(_log_probability, steps)))


def _log_probability(step: Step) -> float:
    """log π of the action taken; not the log of the printed π, which may be 0 for a rare one."""
    taken = next((action.log_flow for action in step.frontier if action.node == step.chosen), step.stop.log_flow)
    return taken - step.log_out_flow


def way_to(trace: Trace, nodes: Collection[int]) -> list[int]:
    """An order in which a connected set can be built, along the trajectory as far as that goes."""
    adjacent: dict[int, set[int]] = {}
    for edge in trace.edges:
        adjacent.setdefault(edge.source, set()).add(edge.target)
        adjacent.setdefault(edge.target, set()).add(edge.source)
    rank = {node: k for k, node in enumerate(trace.steps[-1].members)}
    way, left = [trace.start], set(nodes) - {trace.start}
    while left:
        near = [node for node in left if adjacent.get(node, set()) & set(way)]
        if not near:
            break
        way.append(min(near, key=lambda node: (rank.get(node, len(rank)), node)))
        left.discard(way[-1])
    return way


def shown_reason(trace: Trace) -> int | None:
    """The number of the reason in which the trajectory of a trace ends, 1 for the first, if it is one."""
    ends = [reason.nodes for reason in trace.answer.reasons] if trace.answer else []
    return ends.index(trace.steps[-1].members) + 1 if trace.steps[-1].members in ends else None


def along_reason(trace: Trace, number: int) -> Trace:
    """The trace with the trajectory that ends in one of its reasons, 1 for the first; itself where it shows that."""
    answer = trace.answer
    if answer is None or not 1 <= number <= len(answer.reasons) or not answer.reasons[number - 1].steps:
        return trace
    reason = answer.reasons[number - 1]
    shown = trace.steps[-1].members
    reasons = tuple(
        replace(each, steps=() if each is reason else trace.steps if each.nodes == shown else each.steps)
        for each in answer.reasons
    )
    final = FinalSubgraph(
        nodes=tuple(sorted(reason.nodes)),
        edges=reason.edges,
        log_reward=reason.steps[-1].reward.log_reward,
        log_trajectory_probability=log_trajectory_probability(reason.steps),
        log_probability=None if not reason.probability else math.log(reason.probability),
    )
    return replace(
        trace, start=reason.nodes[0], steps=reason.steps, final=final, answer=replace(answer, reasons=reasons)
    )
