"""A real instance, small enough to know every subgraph of it: rewards re-weighed at once, and what GNN layers gather.

A worker asks the GNN once about every state (`gfx_core.teaching.subgraph_answers`); all that is here is arithmetic on
its answers, without torch.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from gfx_core.datasets.graph import Ints
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.registry import load_dataset
from gfx_core.gfn import exact
from gfx_core.gfn.exact import Doubles
from gfx_core.gfn.settings import RewardConfig
from gfx_core.gfn.state_dag import StateDag, enumerate_states
from gfx_core.gnn.model_file import PLAIN

DATASET = "tree_cycles"
GNNS = {"sum": ("sum", ""), "plain": ("sum", PLAIN), "gcn": ("gcn", "")}
"""The GNNs that are held against each other, each with its kind and variant: one that adds up its neighbours and was
trained on fragments too, the same trained on whole graphs only, and one that averages."""
CYCLE = 1
"""The class of a node on a cycle."""
CLASS_NAMES = ("tree", "cycle")
INDICES = (612, 518, 511, 589, 559)
"""Nodes to choose from: each on a six-cycle that is wholly in view."""
MAX_NODES = 10
"""The largest K_M; up to it every subgraph is known."""
SAME = 1e-5
"""Costs and probabilities that differ by less are equal: the GNN adds up some hundred 32-bit numbers."""


@dataclass(frozen=True, eq=False)
class Answers:
    """What a GNN says of B subgraphs of an instance.

    Attributes:
        whole: Class probabilities on the whole instance. [C]
        probabilities: Class probabilities on each subgraph. [B, C]
        cross_entropy: −log probability of the class predicted on the whole. [B]
        nodes: |s|. [B]
        edges: |E_s|. [B]
        distance: ‖z_s − z‖ / ‖z‖, how far the embedding is from that of the whole. [B]
    """

    whole: Doubles
    probabilities: Doubles
    cross_entropy: Doubles
    nodes: Doubles
    edges: Doubles
    distance: Doubles

    @property
    def explained(self) -> int:
        """The class predicted on the whole: the one that is explained."""
        return int(self.whole.argmax())

    @property
    def cycle(self) -> Doubles:
        """Probability of the class “cycle”. [B]"""
        return self.probabilities[:, CYCLE]


@lru_cache(maxsize=8)
def real_instance(index: int) -> Instance:
    """One of the instances."""
    return load_dataset(DATASET).instance(index)


@lru_cache(maxsize=8)
def real_states(index: int) -> StateDag:
    """All its states of at most `MAX_NODES` nodes."""
    return enumerate_states(real_instance(index), max_nodes=MAX_NODES)


def cycle_state(index: int) -> int:
    """The state that is the true cycle."""
    return real_states(index).index_of(np.flatnonzero(real_instance(index).own_nodes).tolist())


def growing_ring(index: int) -> list[int]:
    """The states on the way from the lone node to the true cycle, the nearest nodes first; the last is the cycle."""
    instance = real_instance(index)
    ring = np.flatnonzero(instance.own_nodes)
    ring = ring[np.lexsort((ring, instance.hops[ring]))]  # whoever is near is joined by nodes that are nearer still
    return [real_states(index).index_of(ring[:count].tolist()) for count in range(1, len(ring) + 1)]


def share_on_cycles() -> float:
    """How many of all nodes of the data set are on a cycle: all that one can know of a node with no neighbours."""
    return float((load_dataset(DATASET).y == CYCLE).mean())


def log_rewards(answers: Answers, prices: RewardConfig) -> Doubles:
    """log R = −β · (cross-entropy + price · nodes + price · edges + price · distance) of each subgraph. [B]"""
    priced = {"nodes": answers.nodes, "size": answers.edges, "similarity": answers.distance}
    return -prices.beta * (answers.cross_entropy + sum(prices.price(name) * value for name, value in priced.items()))


def up_to(dag: StateDag, log_reward: Doubles, max_nodes: int) -> Doubles:
    """The same rewards under a smaller K_M: larger states have none. [S]"""
    return np.where(dag.size <= max_nodes, log_reward, -np.inf)


def probabilities(log_reward: Doubles) -> Doubles:
    """P ∝ R. [S]"""
    return np.exp(exact.target_distribution(log_reward))


def number_sharing(probability: Doubles, share: float = 0.9) -> int:
    """How many of the likeliest states it takes to hold this share of the probability."""
    held = np.cumsum(np.sort(probability)[::-1])
    return int(np.searchsorted(held, share - 1e-12)) + 1


def best_states(dag: StateDag, log_reward: Doubles, beta: float) -> Ints:
    """All states whose reward is the highest, but for rounding; the smallest first."""
    best = np.flatnonzero(log_reward >= log_reward.max() - SAME * beta)
    return best[np.argsort(dag.size[best], kind="stable")]


def likeliest(dag: StateDag, probability: Doubles, count: int) -> Ints:
    """The likeliest states, the smaller first where they are equally likely."""
    possible = np.flatnonzero(probability > 0)
    order = np.lexsort((dag.size[possible], -np.round(probability[possible], 6)))
    return possible[order][:count]


def reached(instance: Instance, nodes: Collection[int]) -> frozenset[int]:
    """The nodes of a set that the explained node is joined to within the set, itself among them."""
    assert instance.target is not None
    inside, found = set(nodes) | {instance.target}, {instance.target}
    while True:
        more = {int(b) for a, b in instance.edge_index.T if int(a) in found and int(b) in inside} - found
        if not more:
            return frozenset(found)
        found |= more


def gathered(instance: Instance, nodes: Collection[int], kind: str) -> float:
    """What one layer hands to the explained node if every node of the subgraph says 1.

    ``sum`` and ``plain`` add the neighbours up. ``gcn`` counts the node itself too and weighs each by 1/√(d_i·d_j),
    the numbers of neighbours, each node its own neighbour.
    """
    assert instance.target is not None
    members = sorted(nodes)
    a = np.zeros((instance.num_nodes,) * 2)
    a[instance.edge_index[0], instance.edge_index[1]] = 1.0
    a = a[np.ix_(members, members)]
    if kind == "gcn":
        a += np.eye(len(members))
        degree = a.sum(1)
        a /= np.sqrt(degree[:, None] * degree[None, :])
    return float(a[members.index(instance.target)].sum())


@dataclass(frozen=True)
class Weighing:
    """An instance, and how its subgraphs are weighed.

    Attributes:
        index: The explained node, by its id in the data set.
        prices: Of the reward.
        max_nodes: K_M.
    """

    index: int
    prices: RewardConfig = field(default_factory=RewardConfig)
    max_nodes: int = MAX_NODES

    @property
    def instance(self) -> Instance:
        return real_instance(self.index)

    @property
    def dag(self) -> StateDag:
        return real_states(self.index)

    @property
    def start(self) -> int:
        """The explained node in the instance."""
        assert self.instance.target is not None
        return self.instance.target

    @property
    def cycle(self) -> int:
        """The state that is the true cycle."""
        return cycle_state(self.index)

    def log_rewards(self, table: Answers) -> Doubles:
        """Of every state; larger ones than K_M have none. [S]"""
        return up_to(self.dag, log_rewards(table, self.prices), self.max_nodes)

    def probabilities(self, table: Answers) -> Doubles:
        """P ∝ R. [S]"""
        return probabilities(self.log_rewards(table))

    def nodes(self, state: int) -> frozenset[int]:
        """The nodes of a state."""
        return frozenset(np.flatnonzero(self.dag.members[state]).tolist())

    def best_sets(self, table: Answers) -> list[frozenset[int]]:
        """The node sets with the highest reward, the smallest first."""
        return [self.nodes(int(s)) for s in best_states(self.dag, self.log_rewards(table), self.prices.beta)]

    def label(self, nodes: Collection[int]) -> str:
        """The names of nodes, one after the other."""
        return ", ".join(map(self.instance.node_label, sorted(nodes)))
