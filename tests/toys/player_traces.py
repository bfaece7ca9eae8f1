"""Traces for the player: shipped ones, and larger ones made from them."""

import dataclasses
import math

from gfx_core.config import ASSETS
from gfx_core.trace.schema import FrontierAction, Step, Trace, TraceEdge, TraceNode
from gfx_core.trace.serialize import load


def shipped(name: str) -> Trace:
    return load(ASSETS / "traces" / f"{name}.json")


def enlarged(trace: Trace, count: int) -> Trace:
    """The trace with leaves hung on its start node until it has so many nodes; all of them are frontier."""
    old, extra = len(trace.nodes), count - len(trace.nodes)
    centre = trace.nodes[trace.start].position
    nodes, edges = [*trace.nodes], [*trace.edges]
    for leaf in range(extra):
        reach, turn = 3.5 + 0.45 * math.sqrt(leaf), 2.4 * leaf
        place = (centre[0] + reach * math.cos(turn), centre[1] + reach * math.sin(turn))
        nodes.append(TraceNode(id=100_000 + leaf, label=f"+{leaf}", position=place))
        edges.append(TraceEdge(trace.start, old + leaf, in_motif=False, in_any_motif=False))

    def wider(step: Step) -> Step:
        if step.stop.forced:
            return step
        share = 0.5 / extra  # of the former out-flow, for each leaf
        leaves = [FrontierAction(old + i, step.log_out_flow + math.log(share), share / 1.5) for i in range(extra)]
        return dataclasses.replace(
            step,
            frontier=(
                *(dataclasses.replace(action, probability=action.probability / 1.5) for action in step.frontier),
                *leaves,
            ),
            stop=dataclasses.replace(step.stop, probability=step.stop.probability / 1.5),
            log_out_flow=step.log_out_flow + math.log(1.5),
            residual=None if step.residual is None else step.residual - math.log(1.5),
            other=None,
        )

    return dataclasses.replace(
        trace,
        nodes=tuple(nodes),
        edges=tuple(edges),
        steps=tuple(wider(step) for step in trace.steps),
        edge_marginals=(),
        masks=(),
    )
