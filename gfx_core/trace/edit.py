"""A trajectory that was built by hand, or that ends in another reason, as a Trace that plays like any other."""

import math
from collections.abc import Collection, Sequence

from msgspec.structs import replace

from gfx_core.trace.derive import derive, links_of
from gfx_core.trace.schema import FinalSubgraph, Step, Trace
from gfx_core.trace.serialize import checked


def trace_by_hand(base: Trace, steps: Sequence[Step]) -> Trace:
    """Put single steps, from the start node on, into a trace of the instance.

    The last step takes STOP. Samples, their answer and exact probabilities stay as long as the start node does.

    Args:
        base: Any trace of the same instance, GNN and policy.
        steps: One for each size of the set.

    Raises:
        UserError: The steps do not fit the trace, whose file may come from anyone.
    """
    if steps[0].members[0] != base.start:
        base = replace(
            base,
            samples=(),
            answer=None,
            edge_marginals=(),
            log_z_exact=None,
            num_states_exact=None,
            total_variation=None,
        )
    probabilities = {frozenset(sample.nodes): sample.log_probability for sample in base.samples}
    final = FinalSubgraph(log_probability=probabilities.get(frozenset(steps[-1].members)))
    whole = replace(base, steps=tuple(steps), final=final, made={**base.made, "choice": "by hand"})
    return checked(whole, "trajectory")


def way_to(trace: Trace, nodes: Collection[int]) -> list[int]:
    """An order in which a connected set can be built, along the trajectory as far as that goes."""
    links, order = links_of(trace), trace.steps[-1].members
    rank = {node: at for at, node in enumerate(order)}
    way, left = [trace.start], set(nodes) - {trace.start}
    while near := {end for node in way for end in links[node] if end in left}:
        way.append(min(near, key=lambda node: (rank.get(node, len(rank)), node)))
        left.remove(way[-1])
    return way


def shown_reason(trace: Trace) -> int | None:
    """The number of the reason in which the trajectory of a trace ends, 1 for the first, if it is one."""
    ends = [reason.nodes for reason in trace.reasons]
    return ends.index(trace.steps[-1].members) + 1 if trace.steps[-1].members in ends else None


def along_reason(trace: Trace, number: int) -> Trace:
    """The trace with the trajectory that ends in one of its reasons, 1 for the first; itself where it shows that."""
    answer = trace.answer
    if answer is None or not 1 <= number <= len(answer.reasons) or not answer.reasons[number - 1].steps:
        return trace
    reasons, reason = list(answer.reasons), answer.reasons[number - 1]
    reasons[number - 1] = replace(reason, steps=())
    if (former := shown_reason(trace)) is not None:
        reasons[former - 1] = replace(reasons[former - 1], steps=trace.steps)
    final = FinalSubgraph(log_probability=math.log(reason.probability) if reason.probability else None)
    answer = replace(answer, reasons=tuple(reasons))
    return derive(replace(trace, steps=reason.steps, final=final, answer=answer))
