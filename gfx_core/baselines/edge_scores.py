"""Edge scores from generated subgraphs: four rules, all on the directed edges of the instance; scores on other edges.

Subgraphs are orders of nodes, [N, K], padded with -1.
"""

from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from gfx_core.datasets.graph import Ints
from gfx_core.datasets.instance import Instance

Scores = NDArray[np.float64]


def later_positions(instance: Instance, orders: Ints) -> Ints:
    """The position of each edge's later end in each order, K where an end is not in it. [N, e]"""
    matches = orders[:, :, None] == np.arange(instance.num_nodes)  # [N, K, m]
    position = np.where(matches.any(1), matches.argmax(1), orders.shape[1])  # [N, m]
    source, target = instance.edge_index
    return np.maximum(position[:, source], position[:, target])


def edge_marginals(instance: Instance, orders: Ints) -> Scores:
    """Share of the subgraphs in which an edge lies (both its ends do). [e]"""
    return (later_positions(instance, orders) < orders.shape[1]).mean(0)


def expected_marginals(instance: Instance, grown: Ints, reach: NDArray[np.floating]) -> Scores:
    """The edge marginals that are to be expected, with STOP not drawn but averaged over (Rao and Blackwell). [e]

    A trajectory that never stops gives the order of nodes, and each prefix the chance that one which may stop comes so
    far. So an edge scores the mean chance that both its ends are reached: what `edge_marginals` estimates, without the
    noise of stopping. What is reached once in a million times still scores more than what is never reached.

    Args:
        instance: The instance.
        grown: Nodes in order of addition. [N, K]
        reach: The chance of coming as far as each prefix. [N, K]
    """
    later = later_positions(instance, grown)
    return np.take_along_axis(np.pad(reach, ((0, 0), (0, 1))), later, axis=1).mean(0)


def order_weights(instance: Instance, order: Ints) -> Scores:
    """The paper's rule: (K − i) / (K − 1), with i the later end's position in one trajectory; 0 outside it. [e]"""
    K = len(order)
    return np.clip((K - later_positions(instance, order[None])[0]) / (K - 1), 0.0, 1.0)


def on_edges(edge_index: Ints, scored: Ints, scores: Scores) -> Scores:
    """Scores on other edges: of several the highest, of none in this direction that of the other, else 0.

    Args:
        edge_index: The other edges. [2, e]
        scored: Those that have scores. [2, s]
        scores: Of each of these. [s]
    """
    pairs = zip(map(tuple, scored.T.tolist()), scores.tolist(), strict=True)
    highest = dict(sorted(pairs, key=itemgetter(1)))  # the last of several stays
    return np.array([highest.get((u, v), highest.get((v, u), 0.0)) for u, v in edge_index.T.tolist()])
