"""A policy that knows the exact flows of instances whose states are listed: what training should come to."""

from itertools import pairwise

import numpy as np
import torch

from gfx_core.exact.enumeration import StateDag, list_all
from gfx_core.gfn.exact_targets import ExactTargets, rewarded, shapes
from gfx_core.gfn.instances import Episodes
from gfx_core.gfn.policy import Flows
from gfx_core.gfn.states import Pairs, Subsets
from gfx_core.gfn.trainer import Trainer


def targets_of(trained: Trainer, starts: list[int], max_nodes: int, cap: int) -> tuple[ExactTargets, list[StateDag]]:
    """The exact flows of those instances of a training that have at most ``cap`` states, and their states."""
    dags = list_all(shapes(trained.graphs, range(len(starts))), starts, max_nodes, cap)
    found = list(dags.values())
    which = np.array(list(dags))
    return ExactTargets(trained.graphs, rewarded(trained.reward, found, which), trained.config, which), found


class ExactPolicy:
    """Looks every state up, one after the other.

    Args:
        targets: Whose rewards are to be met.
        dags: The listed states of each episode of the targets, in their order.
        shift: Added to every log-flow to a child.
    """

    def __init__(self, targets: ExactTargets, dags: list[StateDag], shift: float = 0.0) -> None:
        self.shift = shift
        ends = np.cumsum([0, *(dag.num_edges for dag in dags)])
        keys = zip(targets.episodes.instance.tolist(), targets.episodes.start.tolist(), strict=True)
        flows = [targets.space.log_edge[a:b] for a, b in pairwise(ends)]
        edges = [
            dict(zip(zip(dag.parent, dag.node, strict=True), flow, strict=True))
            for dag, flow in zip(dags, flows, strict=True)
        ]
        self.known = dict(zip(keys, zip(dags, edges, strict=True), strict=True))

    has_stop_head = False

    def encode(self, episodes: Episodes) -> None:
        return None

    def at_pairs(self, encoded: None, states: Subsets, out: Pairs, into: None, inside: Pairs) -> Flows:
        """As of a policy; of the pairs only the table's shape is read."""
        log_out = torch.full(out.shape, -torch.inf)
        for row, (episode, nodes) in enumerate(zip(states.episode.tolist(), states.nodes.tolist(), strict=True)):
            episodes = states.episodes
            dag, flow = self.known[int(episodes.instance[episode]), int(episodes.start[episode])]
            here = dag.index_of({node for node in nodes if node >= 0})
            for node in dag.node[dag.out_ptr[here] : dag.out_ptr[here + 1]]:
                log_out[row, node] = flow[here, node] + self.shift
        return Flows(log_out, None, None)
