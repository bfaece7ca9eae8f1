"""What a reward is made of: each term with its name, its words, its usual price and how it is measured.

A new term is a function here and a row of `REWARD_TERMS`: configurations, training, traces and the player read the
rows. Pages do as well, so nothing here imports torch.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor

    from gfx_core.gnn.predict import Predictions, Predictor, Subgraphs


@dataclass(frozen=True)
class Candidates:
    """B subgraphs with all that a reward term may look at.

    Attributes:
        predictor: The GNN on the instances.
        subsets: Local node ids, the start node first, padded with -1. [B, K]
        instance: Which instance each belongs to. [B]
        explained_class: The class whose prediction is explained. [B]
        subgraphs: The induced subgraphs.
        predictions: Of the GNN on each alone.
    """

    predictor: "Predictor"
    subsets: "Tensor"
    instance: "Tensor"
    explained_class: "Tensor"
    subgraphs: "Subgraphs"
    predictions: "Predictions"


@dataclass(frozen=True)
class RewardTerm:
    """One term of log R(s) = −β · Σ price · value.

    Attributes:
        symbol: In a table of terms.
        title: What it means, in a sentence.
        measure: Its value for each candidate. Candidates → [B]
        price: Its price where a configuration names none.
        rooted: Whether it depends on which of its nodes a subgraph starts from; else each subgraph of a graph is
            measured once for all start nodes.
    """

    symbol: str
    title: str
    measure: "Callable[[Candidates], Tensor]"
    price: float = 0.0
    rooted: bool = True


def cross_entropy(candidates: Candidates) -> "Tensor":
    """−log probability of the explained class. [B]"""
    return -candidates.predictions.log_probabilities.gather(1, candidates.explained_class[:, None])[:, 0]


def edges(candidates: Candidates) -> "Tensor":
    """|E_s|. [B]"""
    return candidates.subgraphs.adjacency.sum((1, 2)) / 2


def nodes(candidates: Candidates) -> "Tensor":
    """|s|. [B]"""
    return candidates.subgraphs.mask.sum(1).to(candidates.predictions.logits.dtype)


def depth(candidates: Candidates) -> "Tensor":
    """Largest distance from the start node among the nodes that it reaches within the subgraph. [B]"""
    adjacency = candidates.subgraphs.adjacency  # bool [B, K, K]
    ball = adjacency.new_zeros(adjacency.shape[:2])
    ball[:, 0] = True
    depths = candidates.predictions.logits.new_zeros(len(adjacency))
    for _ in range(adjacency.shape[1] - 1):
        wider = ball | (adjacency & ball[:, None, :]).any(2)
        depths += (wider != ball).any(1)
        ball = wider
    return depths


def distance(candidates: Candidates) -> "Tensor":
    """‖z_s − z‖ / ‖z‖, how far the embedding is from that of the whole instance. [B]"""
    whole, instance = candidates.predictor.whole, candidates.instance
    return (candidates.predictions.embedding - whole.embedding[instance]).norm(dim=-1) / whole.embedding_norm[instance]


REWARD_TERMS: dict[str, RewardTerm] = {
    "cross_entropy": RewardTerm(
        "cross-entropy",
        "−log p: how far the GNN, seeing this set only, is from the explained class",
        cross_entropy,
        price=1.0,
        rooted=False,
    ),
    "nodes": RewardTerm(
        "λ₀ · nodes",
        "number of nodes |s|, times the price of a node λ₀",
        nodes,
        rooted=False,
    ),
    "size": RewardTerm("λ₁ · edges", "number of edges |E_s|, times its price λ₁", edges, rooted=False),
    "radius": RewardTerm("λ₂ · radius", "largest distance from the start node, times its price λ₂", depth),
    "similarity": RewardTerm(
        "λ₃ · distance",
        "‖z_s − z‖ / ‖z‖: how far the GNN's embedding of the set is from that of all, times its price λ₃",
        distance,
        rooted=False,
    ),
}
"""All terms, by the name that configurations and traces give them; those without a price cost nothing to have."""
