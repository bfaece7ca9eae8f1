"""The reward R(s): how well a subgraph alone makes the GNN predict what it predicts on the whole."""

from dataclasses import dataclass

import torch
from torch import Tensor

from gfx_core.gfn.config import RewardConfig
from gfx_core.gnn.predict import Predictor


@dataclass(frozen=True)
class RewardTerms:
    """The reward of B subgraphs and what it is made of; the raw terms, before any price. All [B].

    Attributes:
        log_reward: log R(s).
        cross_entropy: −log probability of the class predicted on the whole instance.
        edges: |E_s|.
        depth: Largest distance from the start node within the subgraph.
        distance: ‖z_s − z‖ / ‖z‖, how far the embedding is from that of the whole instance.
    """

    log_reward: Tensor
    cross_entropy: Tensor
    edges: Tensor
    depth: Tensor
    distance: Tensor


class Reward:
    """log R of subsets of some instances.

    Args:
        predictor: The GNN on those instances.
        config: The prices of the terms.
    """

    def __init__(self, predictor: Predictor, config: RewardConfig) -> None:
        self.predictor, self.config = predictor, config
        self.explained_class = predictor.whole.predicted  # [I]
        self._embedding = predictor.whole.embedding  # [I, D]
        self._norm = self._embedding.norm(dim=-1).clamp(min=1e-12)  # [I]

    @torch.no_grad()
    def terms(self, subsets: Tensor, instance: Tensor, with_depth: bool = True) -> RewardTerms:
        """Evaluate subsets whose first node is the start node.

        Args:
            subsets: Local node ids in any order but for the start node, padded with -1 at the end. [B, K]
            instance: Which instance each belongs to. [B]
            with_depth: Whether to measure the depth even if it has no price.
        """
        config = self.config
        subgraphs = self.predictor.induced(subsets, instance)
        predictions = self.predictor.evaluate(subgraphs)
        wanted = self.explained_class[instance, None]
        cross_entropy = -predictions.log_probabilities.gather(1, wanted)[:, 0]
        edges = subgraphs.adjacency.sum((1, 2)) / 2
        distance = (predictions.embedding - self._embedding[instance]).norm(dim=-1) / self._norm[instance]
        depth = _depth(subgraphs.adjacency) if with_depth or config.radius else torch.zeros_like(edges)
        cost = cross_entropy + config.size * edges + config.radius * depth + config.similarity * distance
        return RewardTerms(-config.beta * cost, cross_entropy, edges, depth, distance)

    def __call__(self, subsets: Tensor, instance: Tensor) -> Tensor:
        """log R alone. [B]"""
        return self.terms(subsets, instance, with_depth=False).log_reward


def _depth(adjacency: Tensor) -> Tensor:
    """Largest distance from node 0 among the nodes that it reaches. bool [B, K, K] → [B]"""
    reached = torch.zeros_like(adjacency[:, :, 0])
    reached[:, 0] = True
    depth = torch.zeros(len(adjacency), device=adjacency.device)
    for _ in range(adjacency.shape[1] - 1):
        wider = reached | (adjacency & reached[:, None, :]).any(2)
        depth += (wider != reached).any(1)
        reached = wider
    return depth
