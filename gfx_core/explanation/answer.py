"""The consensus: the one subgraph that draws agree on, by a rule that knows no ground truth.

It is made of the edges that at least half of the draws hold, as far as they hang together with the start node. Where
states are listed, "half of the draws" is meant exactly: the edge's marginal under what is drawn from. If the GNN does
not keep its class on that subgraph, it grows, always by the neighbour that most draws hold, until the GNN does.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from gfx_core.arrays import Doubles, Ints, first_best
from gfx_core.baselines.edge_scores import edge_marginals, memberships
from gfx_core.datasets.instance import Instance
from gfx_core.exact import exact_flows as exact
from gfx_core.exact.state_dag import StateDag
from gfx_core.gnn.predict import MAX_SUBSET, Predictor
from gfx_core.text.answers import answer_sentence
from gfx_core.text.names import subgraph_name
from gfx_core.trace.schema import Answer, Trace
from gfx_core.user_models.student import StudentPredictor

THRESHOLD = 0.5
"""An edge belongs to the consensus from this marginal on."""
_ROUNDING = 1e-9  # exact marginals are sums
_MAX_NAME = 200


@dataclass(frozen=True, eq=False)
class Marginals:
    """How likely each edge and each node is to be in what is drawn.

    Attributes:
        edges: Of the undirected edges. [E]
        nodes: [m]
        exact: Whether they were computed from all states, or counted from draws.
    """

    edges: Doubles
    nodes: Doubles
    exact: bool


def exact_marginals(instance: Instance, dag: StateDag, log_probability: Doubles) -> Marginals:
    """Those of a distribution over all states of an instance. log_probability [S]"""
    probability = np.exp(log_probability)
    edges = exact.edge_marginals(dag, instance, probability)[instance.undirected]
    return Marginals(edges.clip(0, 1), exact.node_marginals(dag, probability).clip(0, 1), exact=True)


def counted_marginals(instance: Instance, orders: Ints) -> Marginals:
    """The shares of some draws, padded with -1. [N, K]"""
    edges = edge_marginals(instance, orders)[instance.undirected]
    return Marginals(edges, memberships(instance, orders).mean(0), exact=False)


@dataclass(frozen=True)
class Consensus:
    """What the rule gives.

    Attributes:
        nodes: The start node, then the others, ascending.
        grown: How many of them the draws do not agree on, but the GNN needs.
        exact: Whether the marginals behind it are exact.
        alone: The GNN's class probabilities for this subgraph and nothing else.
    """

    nodes: tuple[int, ...]
    grown: int
    exact: bool
    alone: tuple[float, ...]


def consensus(predictor: Predictor, instance: Instance, start: int, marginals: Marginals, max_nodes: int) -> Consensus:
    """The subgraph that draws agree on.

    Where the GNN keeps its class on nothing that the rule can grow to, it is the one of those on which the GNN gives
    that class the highest probability; of equals the smallest.

    Args:
        predictor: The GNN, on this instance alone.
        instance: The instance.
        start: The start node.
        marginals: Of what is drawn from that node.
        max_nodes: K_M: beyond so many nodes nothing is ever drawn, so that nothing grows beyond them.
    """
    order, agreed = growth(instance, start, marginals, max_nodes)
    sizes = np.arange(agreed, len(order) + 1)
    subsets = np.where(np.arange(len(order)) < sizes[:, None], order, -1)  # [P, K]
    predictions = predictor(torch.from_numpy(subsets))
    probabilities = predictions.probabilities.double().cpu().numpy()  # [P, C]
    explained = int(predictor.whole.predicted[0])
    keeps = predictions.predicted.cpu().numpy() == explained
    at = int(keeps.argmax()) if keeps.any() else first_best(probabilities[:, explained])
    others = sorted(order[1 : sizes[at]].tolist())
    return Consensus((start, *others), at, marginals.exact, tuple(probabilities[at].tolist()))


def growth(instance: Instance, start: int, marginals: Marginals, max_nodes: int) -> tuple[Ints, int]:
    """The nodes in the order in which they join, and how many of them are there by the rule alone. [n]

    The GNN's answers do not change that order, so that it can be asked about all its stages at once.
    """
    sure = marginals.edges >= THRESHOLD - _ROUNDING
    ends = instance.edge_index[:, instance.undirected[sure]]
    agreed = _reached(np.concatenate([ends, ends[::-1]], axis=1), start, instance.num_nodes)
    first = _joining(instance, np.array([start]), np.where(agreed, marginals.nodes, 0.0), MAX_SUBSET)
    most = min(max_nodes, MAX_SUBSET)
    return _joining(instance, first, marginals.nodes, most), len(first)


def _reached(edges: Ints, start: int, num_nodes: int) -> np.ndarray:
    """Which nodes hang together with the start node along some edges, given in both directions. bool [m]"""
    held = np.zeros(num_nodes, dtype=bool)
    held[start] = True
    known = 0
    while known < held.sum():
        known = int(held.sum())
        held[edges[1][held[edges[0]]]] = True
    return held


def _joining(instance: Instance, nodes: Ints, weight: Doubles, most: int) -> Ints:
    """Add the neighbour of greatest weight, if that is above 0, until there are so many nodes."""
    source, target = instance.edge_index
    order, held = nodes.tolist(), np.zeros(instance.num_nodes, dtype=bool)
    held[nodes] = True
    near = np.zeros_like(held)
    near[target[held[source]]] = True
    while len(order) < most:
        possible = near & ~held & (weight > 0)
        if not possible.any():
            break
        node = first_best(np.where(possible, weight, -np.inf))
        order.append(node)
        held[node] = True
        near[target[source == node]] = True
    return np.array(order, dtype=np.int64)


def inside(instance: Instance, nodes: Sequence[int]) -> NDArray[np.bool_]:
    """Which undirected edges are among some nodes. [E]"""
    held = np.zeros(instance.num_nodes, dtype=bool)
    held[list(nodes)] = True
    source, target = instance.edge_index[:, instance.undirected]
    return held[source] & held[target]


def student_words(predictor: StudentPredictor, instance: Instance, agreed: Consensus) -> dict[str, Any]:
    """What a trace tells of a student, and what the given GNN says of the answer alone and without it."""
    taught, given = predictor.taught, predictor.given
    alone = given(torch.tensor([agreed.nodes])).probabilities[0]
    without = given.with_edges(instance, ~inside(instance, agreed.nodes)[None]).probabilities[0]
    known = {name: getattr(taught, name) for name in ("agreement", "divergence", "as_is")}
    return {**known, "made": taught.made, "given_alone": alone.tolist(), "given_without": without.tolist()}


def make_answer(
    predictor: Predictor, instance: Instance, trace: Trace, agreed: Consensus, probability: float | None
) -> Answer:
    """The consensus as it stands in a trace: with what the GNN says of it and without it, its name and its sentence.

    Args:
        predictor: The GNN, on this instance alone.
        instance: The instance.
        trace: What is known of it otherwise.
        agreed: What the draws agree on.
        probability: The exact probability to end exactly there, ``None`` if unknown.
    """
    edges = inside(instance, agreed.nodes)  # [E]
    without = predictor.with_edges(instance, ~edges[None]).probabilities[0].double().cpu()
    name = subgraph_name(instance, agreed.nodes)
    answer = Answer(
        nodes=agreed.nodes,
        edges=tuple(np.flatnonzero(edges).tolist()),
        threshold=THRESHOLD,
        grown=agreed.grown,
        exact=agreed.exact,
        drawn=sum(sample.count for sample in trace.samples if set(sample.nodes) == set(agreed.nodes)),
        probability=probability,
        alone=agreed.alone,
        without=tuple(without.tolist()),
        whole=len(agreed.nodes) == instance.num_nodes and not instance.left_out,
        name=name.text[:_MAX_NAME],
        sentence="",
    )
    return replace(answer, sentence=answer_sentence(trace, answer, name.several))
