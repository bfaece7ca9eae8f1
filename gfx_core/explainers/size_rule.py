"""How large an answer may be: one rule for all methods whose answer is a subgraph.

A subgraph scores 1 on its edges and 0 elsewhere, so its size alone decides much of its AUC: the same rule must hold for
all. **An answer has at most as many nodes as the largest motif of the data set, and may always have five.** Five is
what SubgraphX's own configuration uses, and all there is where no motif is known. The rule knows how large motifs are,
as top-k accuracy does, and nothing of where they lie.

It holds for SubgraphX's subgraph, the group that DEGREE grows, and the best of what a generator drew. Whoever *ranks*
edges (masks, gradients, marginals, order weights) needs no such rule: generators and heuristics may then add up to K_M
nodes, the same number for all.
"""

from gfx_core.datasets.info import DatasetInfo

SMALLEST = 5
"""Nodes that an answer may always have."""


def answer_nodes(info: DatasetInfo) -> int:
    """The most nodes of a subgraph that is an answer."""
    return max([SMALLEST, *(motif.num_nodes for motif in info.motifs)])
