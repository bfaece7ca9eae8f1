"""A real instance, small enough to know every subgraph of it, so that rewards are re-weighed at once.

A worker asks the GNNs once about every state (`gfx_core.teaching.lesson_jobs`); all that is here is arithmetic on
their answers, without torch.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np

from gfx_core.arrays import Doubles
from gfx_core.config import FragmentModel
from gfx_core.datasets.graph import Ints
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.registry import load_dataset
from gfx_core.exact.enumeration import StateDag, enumerate_states
from gfx_core.gfn.settings import policy_config

DATASET = "tree_cycles"
GNNS = {
    "sum": ("sum", FragmentModel.AS_IS),
    "plain": ("sum-plain", FragmentModel.AS_IS),
    "student": ("sum-plain", FragmentModel.STUDENT),
    "gcn": ("gcn", FragmentModel.AS_IS),
}
"""What is compared, each with the GNN's name and what stands for it on fragments: a GNN that adds up its neighbours and
was trained on fragments too, the same trained on whole graphs only, that one's student, and a GNN that averages."""
CYCLE = 1
"""The class of a node on a cycle."""
CLASS_NAMES = ("tree", "cycle")
INDEX = 612
"""The node that lesson 6 explains, on a six-cycle that is wholly in view."""
MAX_NODES = 10
"""The largest K_M; up to it every subgraph is known."""
SAME = 1e-5
"""Costs and probabilities that differ by less are equal: the GNN adds up some hundred 32-bit numbers."""
SHIPPED = policy_config(DATASET).reward
"""The reward of the shipped policy."""


@dataclass(frozen=True, eq=False)
class SubgraphAnswers:
    """A GNN's predictions for all states of an instance.

    Attributes:
        whole: Class probabilities on the whole instance. [C]
        probabilities: Class probabilities on each subgraph. [S, C]
        agreement: Share of the whole nodes for which a student has its GNN's class.
    """

    whole: Doubles
    probabilities: Doubles
    agreement: float = 1.0

    @property
    def explained(self) -> int:
        """The class predicted on the whole: the one that is explained."""
        return int(self.whole.argmax())

    @property
    def cross_entropy(self) -> Doubles:
        """−log probability of the class predicted on the whole. [S]"""
        return -np.log(self.probabilities[:, self.explained])

    @property
    def cycle(self) -> Doubles:
        """Probability of the class “cycle”. [S]"""
        return self.probabilities[:, CYCLE]


@cache
def real_instance() -> Instance:
    """The instance."""
    return load_dataset(DATASET).instance(INDEX)


@cache
def real_states() -> StateDag:
    """All its states of at most `MAX_NODES` nodes."""
    return enumerate_states(real_instance(), max_nodes=MAX_NODES)


def growing_ring() -> list[int]:
    """The states on the way from the lone node to the true cycle, the nearest nodes first; the last is the cycle."""
    instance = real_instance()
    ring = np.flatnonzero(instance.own_nodes)
    ring = ring[np.lexsort((ring, instance.hops[ring]))]  # a near node is joined by nodes that are nearer still
    return [real_states().index_of(ring[:count].tolist()) for count in range(1, len(ring) + 1)]


def nodes_of(state: int) -> frozenset[int]:
    """The nodes of a state."""
    return frozenset(np.flatnonzero(real_states().members[state]).tolist())


def share_on_cycles() -> float:
    """How many of all nodes of the data set are on a cycle: all that one can know of a node with no neighbours."""
    return float((load_dataset(DATASET).y == CYCLE).mean())


def number_sharing(probability: Doubles) -> int:
    """How many of the likeliest states it takes to hold nine tenths of the probability."""
    held = np.cumsum(np.sort(probability)[::-1])
    return int(np.searchsorted(held, 0.9 - 1e-12)) + 1


@dataclass(frozen=True)
class Weighing:
    """How the subgraphs are weighed.

    Attributes:
        beta: β of the reward.
        price: That of a node.
        max_nodes: K_M.
    """

    beta: float = 1.0
    price: float = 0.0
    max_nodes: int = MAX_NODES

    @property
    def allowed(self) -> int:
        """How many states have at most K_M nodes."""
        return int((real_states().size <= self.max_nodes).sum())

    def log_rewards(self, table: SubgraphAnswers) -> Doubles:
        """log R = −β · (cross-entropy + price · nodes); −inf above K_M. [S]"""
        size = real_states().size
        return np.where(size <= self.max_nodes, -self.beta * (table.cross_entropy + self.price * size), -np.inf)

    def probabilities(self, table: SubgraphAnswers) -> Doubles:
        """P ∝ R. [S]"""
        log_reward = self.log_rewards(table)
        return np.exp(log_reward - np.logaddexp.reduce(log_reward))

    def best(self, table: SubgraphAnswers) -> Ints:
        """The states whose reward is the highest, but for rounding; the smallest first."""
        log_reward = self.log_rewards(table)
        best = np.flatnonzero(log_reward >= log_reward.max() - SAME * self.beta)
        return best[np.argsort(real_states().size[best], kind="stable")]

    def likeliest(self, table: SubgraphAnswers, count: int) -> Ints:
        """The likeliest states, the smaller first where they are equally likely."""
        order = np.lexsort((real_states().size, -np.round(self.probabilities(table), 6)))
        return order[: min(count, self.allowed)]
