"""Explainers that never ask the GNN: what any other one has to beat."""

import numpy as np

from gfx_core.baselines.edge_scores import Scores, order_weights
from gfx_core.baselines.method import Method
from gfx_core.datasets.instance import Instance

MAX_NODES = 10
"""K_M, the most nodes of a set that grows."""


class Random(Method):
    """Chance: a random score for each undirected edge."""

    def scores(self, instance: Instance) -> Scores:
        return instance.both_directions(random_state(self.seed, instance).random_sample(len(instance.undirected)))


class MostLinks(Method):
    """Grows a connected set from the explained node, in a graph task from a random one.

    The next node is the one with most links into the set, among those the one of lowest degree, then a random one. An
    edge has its order weight.
    """

    def scores(self, instance: Instance) -> Scores:
        rng, (source, target) = random_state(self.seed, instance), instance.edge_index
        degree = np.bincount(source, minlength=instance.num_nodes)
        links, inside = np.zeros_like(degree), np.zeros(instance.num_nodes, dtype=bool)
        order = np.full(MAX_NODES, -1)
        node = rng.randint(instance.num_nodes) if instance.target is None else instance.target
        for position in range(MAX_NODES):
            order[position], inside[node] = node, True
            links[target[source == node]] += 1
            frontier = np.flatnonzero((links > 0) & ~inside)
            if not len(frontier):
                break
            node = frontier[np.lexsort((rng.random_sample(len(frontier)), degree[frontier], -links[frontier]))[0]]
        return order_weights(instance, order)


def random_state(seed: int, instance: Instance) -> np.random.RandomState:
    """A random state that belongs to a seed and an instance, whatever was explained before."""
    return np.random.RandomState([seed, instance.index])
