"""A real instance, small enough to know every subgraph of it: rewards re-weighed at once, and what GNN layers gather.

A worker asks the GNN once about every state (`gfx_core.teaching.lesson_jobs`); all that is here is arithmetic on
its answers, without torch.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import networkx as nx
import numpy as np

from gfx_core.arrays import Doubles
from gfx_core.config import FragmentModel
from gfx_core.datasets.graph import Ints
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.registry import load_dataset
from gfx_core.exact.enumeration import StateDag, enumerate_states
from gfx_core.gfn.settings import RewardConfig, policy_config
from gfx_core.teaching.glossary import reward_in_words
from gfx_core.text.numbers import counted, power_of_ten, signed, solid_percent

DATASET = "tree_cycles"
GNNS = {
    "sum": ("sum", FragmentModel.AS_IS),
    "plain": ("sum-plain", FragmentModel.AS_IS),
    "student": ("sum-plain", FragmentModel.STUDENT),
    "gcn": ("gcn", FragmentModel.AS_IS),
}
"""Who is held against each other, each with the GNN's name and who is asked about fragments: a GNN that adds up its
neighbours and was trained on fragments too, the same trained on whole graphs only, that one's student, and a GNN that
averages."""
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
class SubgraphAnswers:
    """What a GNN says of B subgraphs of an instance.

    Attributes:
        whole: Class probabilities on the whole instance. [C]
        probabilities: Class probabilities on each subgraph. [B, C]
        cross_entropy: −log probability of the class predicted on the whole. [B]
        nodes: |s|. [B]
        edges: |E_s|. [B]
        distance: ‖z_s − z‖ / ‖z‖, how far the embedding is from that of the whole. [B]
        agreement: Share of the whole nodes for which a student has its GNN's class.
    """

    whole: Doubles
    probabilities: Doubles
    cross_entropy: Doubles
    nodes: Doubles
    edges: Doubles
    distance: Doubles
    agreement: float = 1.0

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


def log_rewards(answers: SubgraphAnswers, prices: RewardConfig) -> Doubles:
    """log R = −β · (cross-entropy + price · nodes + price · edges + price · distance) of each subgraph. [B]"""
    priced = {"nodes": answers.nodes, "size": answers.edges, "similarity": answers.distance}
    return -prices.beta * (answers.cross_entropy + sum(prices.price(name) * value for name, value in priced.items()))


def probabilities(log_reward: Doubles) -> Doubles:
    """P ∝ R. [S]"""
    return np.exp(log_reward - np.logaddexp.reduce(log_reward))


def number_sharing(probability: Doubles) -> int:
    """How many of the likeliest states it takes to hold nine tenths of the probability."""
    held = np.cumsum(np.sort(probability)[::-1])
    return int(np.searchsorted(held, 0.9 - 1e-12)) + 1


def best_states(dag: StateDag, log_reward: Doubles, beta: float) -> Ints:
    """All states whose reward is the highest, but for rounding; the smallest first."""
    best = np.flatnonzero(log_reward >= log_reward.max() - SAME * beta)
    return best[np.argsort(dag.size[best], kind="stable")]


def likeliest(dag: StateDag, probability: Doubles, count: int) -> Ints:
    """The likeliest states, the smaller first where they are equally likely."""
    possible = np.flatnonzero(probability > 0)
    order = np.lexsort((dag.size[possible], -np.round(probability[possible], 6)))
    return possible[order][:count]


def joined_nodes(instance: Instance, nodes: Collection[int]) -> frozenset[int]:
    """The nodes of a set that the explained node is joined to within the set, itself among them."""
    assert instance.target is not None
    graph: nx.Graph[int] = nx.Graph(instance.edge_index.T.tolist())
    return frozenset(nx.node_connected_component(graph.subgraph({*nodes, instance.target}), instance.target))


def layer_sum(instance: Instance, nodes: Collection[int], kind: str) -> float:
    """What one layer hands to the explained node if every node of the subgraph says 1.

    ``sum`` and ``sum-plain`` add the neighbours up. ``gcn`` counts the node itself too and weighs each by 1/√(d_i·d_j),
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

    def log_rewards(self, table: SubgraphAnswers) -> Doubles:
        """Of every state; larger ones than K_M have none. [S]"""
        return np.where(self.dag.size <= self.max_nodes, log_rewards(table, self.prices), -np.inf)

    def probabilities(self, table: SubgraphAnswers) -> Doubles:
        """P ∝ R. [S]"""
        return probabilities(self.log_rewards(table))

    def nodes(self, state: int) -> frozenset[int]:
        """The nodes of a state."""
        return frozenset(np.flatnonzero(self.dag.members[state]).tolist())

    def best_sets(self, table: SubgraphAnswers) -> list[frozenset[int]]:
        """The node sets with the highest reward, the smallest first."""
        return [self.nodes(int(s)) for s in best_states(self.dag, self.log_rewards(table), self.prices.beta)]

    def label(self, nodes: Collection[int]) -> str:
        """The names of nodes, one after the other."""
        return ", ".join(map(self.instance.node_label, sorted(nodes)))


# What lesson 6 says about subgraphs and their rewards, in their own numbers.


Tables = Mapping[str, SubgraphAnswers]
"""What each says, by its name in `GNNS`."""


def prediction_words(weighing: Weighing, table: SubgraphAnswers) -> str:
    """What a GNN takes the node for."""
    sure = solid_percent(float(table.whole[table.explained]))
    name = CLASS_NAMES[table.explained]
    return f"From its whole neighbourhood, the GNN predicts **{name}** ({sure}) for node {weighing.index}."


def reward_formula(weighing: Weighing, mine: SubgraphAnswers) -> str:
    """log R with one subgraph's numbers in it."""
    digits = 4 if weighing.prices.beta > 10 else 3  # so that one can check the product
    words, terms = ["cross-entropy"], [f"{mine.cross_entropy[0]:.{digits}f}"]
    for name, word, value in (
        ("nodes", "nodes", f"{mine.nodes[0]:.0f}"),
        ("size", "edges", f"{mine.edges[0]:.0f}"),
        ("similarity", "distance", f"{mine.distance[0]:.{digits}f}"),
    ):
        if price := weighing.prices.price(name):
            words.append(f"price · {word}")
            terms.append(f"{price:g} · {value}")
    total = signed(float(log_rewards(mine, weighing.prices)[0]))
    rule, numbers = f"log R = −β · ({' + '.join(words)})", f"−{weighing.prices.beta:g} · ({' + '.join(terms)})"
    return f"{rule}; β sets how sharply R favours better sets  \n= {numbers} = **{total}**"


def size_words(weighing: Weighing, mine: SubgraphAnswers) -> str:
    """How large one subgraph is, and how far from the whole, where that has a price."""
    sizes = [counted(round(float(size[0])), word) for size, word in ((mine.nodes, "node"), (mine.edges, "edge"))]
    if weighing.prices.price("similarity"):
        sizes.append(f"distance {mine.distance[0]:.2f}")
    return f"{', '.join(sizes)}."


def loose_words(weighing: Weighing, chosen: frozenset[int]) -> str | None:
    """Which nodes hang in the air, if some do."""
    apart = chosen - joined_nodes(weighing.instance, chosen)
    if not apart:
        return None
    return (
        f"Not joined to the pink node: {weighing.label(apart)}. No message travels from there to "
        f"{weighing.index}, so the GNN predicts the same without, and no GFlowNet builds such a set."
    )


def best_words(weighing: Weighing, mine: SubgraphAnswers, table: SubgraphAnswers) -> tuple[str, str | None]:
    """How far one subgraph is from the best, and how many others are as good, if some are."""
    own, highest = float(log_rewards(mine, weighing.prices)[0]), float(weighing.log_rewards(table).max())
    sets = weighing.best_sets(table)
    whole = ", the whole cycle" if sets[0] == weighing.nodes(weighing.cycle) else ""
    others = len(sets) - 1
    also = (
        f"{others} {'other subgraph has' if others == 1 else 'other subgraphs have'} the same reward: the GNN "
        "sees only three steps far, so they look alike to it."
    )
    verdict = f"**Yours {signed(own)}, best {signed(highest)}.**"
    return f"{verdict} The best: {weighing.label(sets[0])}{whole}.", also if others else None


def share_words(weighing: Weighing, table: SubgraphAnswers) -> str:
    """How the probability is shared among all subgraphs."""
    probability, dag, cycle = weighing.probabilities(table), weighing.dag, weighing.cycle
    allowed = int((dag.size <= weighing.max_nodes).sum())
    count = number_sharing(probability)
    have = "subgraphs alone has" if count == 1 else "subgraphs together have"
    return f"**{count} of {allowed}** {have} 90 % of the probability. " + (
        f"The whole cycle has **{solid_percent(float(probability[cycle]))}**."
        if dag.size[cycle] <= weighing.max_nodes
        else f"The whole cycle has {dag.size[cycle]} nodes: more than the {weighing.max_nodes} that are allowed."
    )


def both_gnns_table(weighing: Weighing, mine: Tables, tables: Tables, gnn: str) -> str:
    """A table: how sure a GNN that adds up and the GCN are of a cycle, shown this and that."""
    names = (gnn, "gcn")
    rows = [
        ("The pink node alone", [tables[name].cycle[0] for name in names]),
        ("**The whole cycle**", [tables[name].cycle[weighing.cycle] for name in names]),
        ("Your subgraph", [mine[name].cycle[0] for name in names]),
        ("All it can see", [tables[name].whole[CYCLE] for name in names]),
    ]
    return cycle_table(("GNN that adds up", "normalised GCN"), rows)


def cycle_table(titles: Sequence[str], rows: Sequence[tuple[str, Sequence[float]]]) -> str:
    """A table of probabilities: what is shown to GNNs, and how sure each is of a cycle."""
    cells = ((name.replace(" ", "\u00a0"), *map(solid_percent, map(float, shares))) for name, shares in rows)
    lines = (f"| {' | '.join(row)} |" for row in cells)
    return (
        "How sure is each GNN of a **cycle**? Keep clicking: your subgraph is in the table.\n\n"
        f"| It is shown … | {' | '.join(titles)} |\n|---|{'--:|' * len(titles)}\n" + "\n".join(lines)
    )


def blindness_words(weighing: Weighing, table: SubgraphAnswers) -> str | None:
    """That a GNN takes the cycle for a lone node, if it does."""
    alone, on_cycle = table.cycle[0], table.cycle[weighing.cycle]
    apart = abs(float(on_cycle - alone))
    if apart >= SAME:
        return None
    return (
        f"**The GCN cannot tell the cycle from a lone node**: {solid_percent(float(on_cycle))} for both "
        f"(apart by {power_of_ten(apart)}: rounding)."
    )


def blindness_reason(weighing: Weighing, accuracies: Sequence[float]) -> str:
    """Why a GCN cannot see the cycle; with how often each kind of GNN is right on the test nodes."""
    sets = ({weighing.start}, weighing.nodes(weighing.cycle))
    adds, means = ([layer_sum(weighing.instance, nodes, kind) for nodes in sets] for kind in ("sum", "gcn"))
    return (
        "Why? Every node has the same features. The first GNN adds its neighbours up: a layer gets "
        f"**{adds[0]:g}** alone and **{adds[1]:g}** on the cycle. The GCN averages: it gets **{means[0]:.3g}** and "
        f"**{means[1]:.3g}**. So no honest explainer of it can prefer the cycle. (Right on the test nodes: "
        f"{100 * accuracies[0]:.0f} % and {100 * accuracies[1]:.0f} %.)"
    )


# What lesson 6 says of a GNN that was trained on fragments too, and of one that never saw any, in numbers.


TRAINING_SETS: Mapping[str, str] = {"plain": "whole graphs only", "sum": "fragments too"}
"""What each of the two GNNs was trained on, by its name in `GNNS`."""
COLUMNS: Mapping[str, str] = {"plain": "whole graphs only", "student": "through a student", "sum": "fragments too"}
"""Both, and between them the first one explained through its student."""
_WHO = {
    "plain": "The GNN trained on whole graphs only",
    "student": "Its student",
    "sum": "The GNN trained on fragments too",
}
SURE = 0.9
"""A GNN that says this much or more is called sure."""
NEAR = 0.1
"""An answer this near to how many nodes are on a cycle says that nothing can be known."""
SHIPPED = policy_config(DATASET).reward
"""The reward of the shipped policy."""


def ring_table(weighing: Weighing, mine: Tables, tables: Tables) -> str:
    """A table: how sure each is of a cycle while the ring grows around the node until it closes."""
    states = growing_ring(weighing.index)
    names = ["The pink node alone", *(f"{count} nodes of its ring" for count in range(2, len(states)))]
    shown = [(name, [tables[gnn].cycle[state] for gnn in COLUMNS]) for name, state in zip(names, states, strict=False)]
    rows = [
        *shown,
        ("**The whole cycle**", [tables[gnn].cycle[states[-1]] for gnn in COLUMNS]),
        ("Your subgraph", [mine[gnn].cycle[0] for gnn in COLUMNS]),
        ("All it can see", [tables[gnn].whole[CYCLE] for gnn in COLUMNS]),
    ]
    titles = {gnn: f"trained on {words}" for gnn, words in TRAINING_SETS.items()}
    return cycle_table([titles.get(gnn, f"the same, {words}") for gnn, words in COLUMNS.items()], rows)


def student_words(tables: Tables) -> str:
    """Where the middle column comes from, and how well the student knows its GNN."""
    agreement = solid_percent(tables["student"].agreement)
    return (
        "Many GNNs never saw a fragment and cannot be trained again. Then we train a **student**: shown a fragment, "
        f"it predicts what that GNN predicts for the whole. It agrees with the GNN on **{agreement}** of the whole "
        "nodes."
    )


def lone_node_words(tables: Tables) -> str:
    """What can be known of a lone node, and what each says of it."""
    share = share_on_cycles()
    words = [
        "**What can be known of a lone node?** All nodes have the same features, so it could be any of them, and "
        f"**{solid_percent(share)}** of all are on a cycle."
    ]
    for gnn, who in _WHO.items():
        sure = float(tables[gnn].cycle[0])
        verdict = f", off by {100 * abs(sure - share):.0f} points."
        if abs(sure - share) <= NEAR:
            verdict = ": “I cannot know”."
        elif max(sure, 1 - sure) >= SURE:
            verdict = ": sure of what it cannot know, because its training set had no fragment."
        words.append(f"{who} predicts **{solid_percent(sure)}**{verdict}")
    return " ".join(words)


def open_ring_words(weighing: Weighing, tables: Tables) -> str:
    """Who takes a ring for a cycle that is not closed yet: it could as well be a path of the tree."""
    states = growing_ring(weighing.index)

    def open_ring_of(gnn: str, who: str) -> str:
        early = [at for at, state in enumerate(states[:-1]) if tables[gnn].cycle[state] >= SURE]
        if not early:
            return f"{who} is not sure of ring nodes alone while the ring is open."
        sure = solid_percent(float(tables[gnn].cycle[states[early[0]]]))
        nodes = counted(int(weighing.dag.size[states[early[0]]]), "node")
        return f"{who} is sure from {nodes} on ({sure}), with the ring still open."

    return "**And of an open ring?** It could also be a path of the tree. " + " ".join(
        open_ring_of(gnn, who) for gnn, who in _WHO.items()
    )


def consequence_tables(weighing: Weighing, tables: Tables) -> list[str]:
    """Tables: what becomes of R and P ∝ R with the reward that is set, and with that of the shipped policies."""
    shipped = Weighing(weighing.index, SHIPPED, weighing.max_nodes)
    found = []
    for each in [weighing] if weighing.prices == SHIPPED else [weighing, shipped]:
        own = [tables[gnn] for gnn in COLUMNS]
        shares, allowed = [each.probabilities(table) for table in own], int((each.dag.size <= each.max_nodes).sum())
        rows = {
            reward_in_words(each.prices): COLUMNS.values(),
            "---": ("--:",) * len(COLUMNS),
            "log R, node alone": [signed(float(each.log_rewards(table)[0])) for table in own],
            "log R, whole cycle": [signed(float(log_rewards(table, each.prices)[each.cycle])) for table in own],
            "P(whole cycle)": [f"**{solid_percent(float(share[each.cycle]))}**" for share in shares],
            "sets that share 90\u00a0%": [f"{number_sharing(share)} of {allowed}" for share in shares],
        }
        found.append("\n".join(f"| {name} | {' | '.join(cells)} |" for name, cells in rows.items()))
    return found
