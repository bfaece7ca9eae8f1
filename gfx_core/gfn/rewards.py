"""The reward R(s): how well a subgraph alone makes the GNN predict what it predicts on the whole."""

from collections.abc import Collection
from dataclasses import dataclass

import torch
from torch import Tensor

from gfx_core.gfn.reward_terms import REWARD_TERMS, Candidates
from gfx_core.gfn.settings import RewardConfig
from gfx_core.gnn.predict import Predictor


@dataclass(frozen=True)
class Rewarded:
    """The reward of B subgraphs and what it is made of.

    Attributes:
        log_reward: log R(s). [B]
        values: What was measured for each term, by name, before any price. [B] each
    """

    log_reward: Tensor
    values: dict[str, Tensor]


class Reward:
    """log R of subsets of some instances: −β · Σ price · value over the `REWARD_TERMS`.

    Args:
        predictor: The GNN on those instances.
        config: The prices of the terms.
        explained_class: The class whose prediction is explained, for all instances; by default the GNN's own answer
            for each.

    Attributes:
        rooted: Whether the reward of a subgraph depends on the node that it starts from.
    """

    def __init__(self, predictor: Predictor, config: RewardConfig, explained_class: int | None = None) -> None:
        self.predictor, self.config = predictor, config
        predicted = predictor.whole.predicted
        self.explained_class = predicted if explained_class is None else torch.full_like(predicted, explained_class)
        self._prices = {name: config.price(name) for name in REWARD_TERMS}
        self.rooted = any(price and REWARD_TERMS[name].rooted for name, price in self._prices.items())

    @torch.no_grad()
    def measure(self, subsets: Tensor, instance: Tensor, terms: Collection[str] | None = None) -> Rewarded:
        """Evaluate subsets whose first node is the start node.

        Args:
            subsets: Local node ids in any order but for the start node, padded with -1 at the end. [B, K]
            instance: Which instance each belongs to. [B]
            terms: The terms to measure even if they have no price; by default all.
        """
        subgraphs = self.predictor.induced(subsets, instance)
        predictions = self.predictor.evaluate(subgraphs)
        explained = self.explained_class[instance]
        candidates = Candidates(self.predictor, subsets, instance, explained, subgraphs, predictions)
        cost, values = predictions.logits.new_zeros(len(subsets)), {}
        for name, price in self._prices.items():
            if price or terms is None or name in terms:
                values[name] = REWARD_TERMS[name].measure(candidates)
            if price:
                cost = cost + price * values[name]
        return Rewarded(-self.config.beta * cost, values)

    def __call__(self, subsets: Tensor, instance: Tensor) -> Tensor:
        """log R alone. [B]"""
        return self.measure(subsets, instance, terms=()).log_reward
