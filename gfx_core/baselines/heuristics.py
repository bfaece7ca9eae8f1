"""Explainers that never ask the GNN: what any other one has to beat."""

from abc import ABC, abstractmethod

import numpy as np

from gfx_core.baselines.edge_scores import order_weights
from gfx_core.baselines.method import Explanation, Method
from gfx_core.datasets.graph import Ints
from gfx_core.datasets.instance import Instance

MAX_NODES = 10
"""K_M, the most nodes of a set that grows."""


class Random(Method):
    """Chance: a random score for each undirected edge."""

    any_model = True

    def explain(self, instance: Instance) -> Explanation:
        scores = _rng(self.seed, instance).random_sample(len(instance.undirected))
        return Explanation(instance.both_directions(scores))


class _Growth(Method, ABC):
    """Grows a connected set from the explained node, in a graph task from a random one.

    Each instance has a random state of its own.
    """

    any_model = True

    def explain(self, instance: Instance) -> Explanation:
        rng = _rng(self.seed, instance)
        start = rng.randint(instance.num_nodes) if instance.target is None else instance.target
        order = self._grow(instance, start, rng)
        padded = np.full(MAX_NODES, -1, dtype=np.int64)
        padded[: len(order)] = order
        return Explanation(order_weights(instance, padded), order)

    @abstractmethod
    def _grow(self, instance: Instance, start: int, rng: np.random.RandomState) -> Ints:
        """At most K_M nodes in the order of their addition, the start node first."""


class BreadthFirst(_Growth):
    """The nodes nearest to the start, those at one distance in random order."""

    def _grow(self, instance: Instance, start: int, rng: np.random.RandomState) -> Ints:
        source, target = instance.edge_index
        visited = np.zeros(instance.num_nodes, dtype=bool)
        shell = np.zeros_like(visited)
        visited[start] = shell[start] = True
        layers, room = [np.array([start], dtype=np.int64)], MAX_NODES - 1
        while room and shell.any():
            reached = np.zeros_like(visited)
            reached[target[shell[source]]] = True
            shell = reached & ~visited
            visited |= shell
            layers.append(rng.permutation(np.flatnonzero(shell))[:room])
            room -= len(layers[-1])
        return np.concatenate(layers)


class MostLinks(_Growth):
    """The node with most links into the set, among those the one of lowest degree, then a random one."""

    def _grow(self, instance: Instance, start: int, rng: np.random.RandomState) -> Ints:
        source, target = instance.edge_index
        degree = np.bincount(source, minlength=instance.num_nodes)
        links, inside = np.zeros_like(degree), np.zeros(instance.num_nodes, dtype=bool)
        order = [start]
        while True:
            inside[order[-1]] = True
            first, last = np.searchsorted(source, [order[-1], order[-1] + 1])  # edges are sorted by source
            links[target[first:last]] += 1
            frontier = np.flatnonzero((links > 0) & ~inside)
            if len(order) == MAX_NODES or not len(frontier):
                return np.array(order, dtype=np.int64)
            best = np.lexsort((rng.random_sample(len(frontier)), degree[frontier], -links[frontier]))[0]
            order.append(int(frontier[best]))


def _rng(seed: int, instance: Instance) -> np.random.RandomState:
    """A random state that belongs to a seed and an instance, whatever was explained before."""
    return np.random.RandomState([seed, instance.index])
