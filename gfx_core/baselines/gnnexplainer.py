"""GNNExplainer: PyG's algorithm, on the disjoint union of many instances at once.

PyG's class knows one graph at a time and takes means over it. Here it sees a union of instances and its reductions are
taken instance by instance, so that the instances do not influence each other: the answers are those of one run for
each instance, at a fraction of the time. Small instances of the shipped kind of GNN are fitted without PyG and
autograd, see `gfx_core.gnn.receptive`: the answers are the same, faster still.

What is free (:class:`GNNExplainerConfig`) is chosen for a data set without its ground truth, by
`gfx_core.bench.choose_settings`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch_geometric.explain import ExplainerConfig, ModelConfig
from torch_geometric.explain.algorithm import GNNExplainer as PyGGNNExplainer
from torch_geometric.explain.algorithm import PGExplainer as PyGPGExplainer

from gfx_core.arrays import Doubles
from gfx_core.baselines.disjoint_union import AnyUnion, in_unions, private_copy, union_of
from gfx_core.baselines.edge_scores import Scores
from gfx_core.baselines.method import Explanation, Method
from gfx_core.datasets.instance import Instance
from gfx_core.errors import UserError
from gfx_core.gnn.models import GNN
from gfx_core.gnn.receptive import MaskedSums, fits

_MOMENTUM, _SQUARES, _EPS = 0.9, 0.999, 1e-8  # Adam's usual ones


@dataclass(frozen=True)
class GNNExplainerConfig:
    """How GNNExplainer fits a mask; by default as in PyG.

    Attributes:
        epochs: Steps of gradient descent.
        lr: Of Adam.
        size: Price of each edge of the mask.
        entropy: Price of the mean entropy of the mask's values.
    """

    epochs: int = 100
    lr: float = 0.01
    size: float = 0.005
    entropy: float = 1.0

    def __post_init__(self) -> None:
        if self.epochs < 1 or self.lr <= 0 or min(self.size, self.entropy) < 0:
            raise UserError("epochs must be at least 1, lr above 0, and prices not below 0.")


def fit_mask(gnn: MaskedSums, initial: Doubles, config: GNNExplainerConfig) -> Doubles:
    """The mask of one small instance as GNNExplainer fits it: PyG's steps, without autograd.

    The class that the GNN predicts is to survive; the mask is 0 where an edge has no influence. The prices have
    gradients that can be written down: with m = σ(w) that of the entropy of m is −w.

    Args:
        gnn: The GNN on the instance.
        initial: Where the mask starts, before the sigmoid. [e]
        config: How it is fitted.

    Returns:
        Values from 0 to 1. [e]
    """
    explained = int(gnn.ask(np.ones_like(initial))[0].argmax())
    mask, mean, squares = initial.copy(), np.zeros_like(initial), np.zeros_like(initial)
    heard, share = np.ones(len(initial), dtype=bool), 0.0  # edges with influence, and the weight of each in their mean
    for step in range(1, config.epochs + 1):
        m = 1 / (1 + np.exp(-mask))
        grad = gnn.gradient(m, explained)
        if step > 1:
            grad += heard * (config.size - config.entropy * share * mask)
        grad *= m * (1 - m)
        if step == 1:  # until then nothing is priced, as in PyG
            heard = grad != 0
            share = 1 / max(1, int(heard.sum()))
        mean += (1 - _MOMENTUM) * (grad - mean)
        squares += (1 - _SQUARES) * (grad * grad - squares)
        spread = np.sqrt(squares) / (1 - _SQUARES**step) ** 0.5 + _EPS
        mask -= config.lr / (1 - _MOMENTUM**step) * mean / spread
    found: Doubles = heard / (1 + np.exp(-mask))
    return found


FAINT = 0.01
"""A mask without a value as large as this is empty."""


def collapse_note(mask: Scores) -> str:
    """A sentence if a mask of values between 0 and 1 has collapsed, nothing otherwise. [e]

    A mask's loss charges for every edge. If that costs more than the prediction is worth, the best mask is the empty
    one. The ranking of a mask that keeps nothing is that of numerical dust, so it must be told.
    """
    if not len(mask) or mask.max() >= FAINT:
        return ""
    return f"The mask has collapsed: its largest value is {mask.max():.1e}, so the order of its edges means nothing."


def collapsed_share(found: Sequence[Explanation]) -> float:
    """Which part of some explanations says of itself that it has collapsed."""
    return sum(bool(each.note) for each in found) / max(1, len(found))


def connect(algorithm: PyGGNNExplainer | PyGPGExplainer) -> None:
    """Tell one of PyG's algorithms what is explained: the class that it is given, by a mask over the edges."""
    algorithm.connect(
        ExplainerConfig(explanation_type="phenomenon", edge_mask_type="object"),
        ModelConfig(mode="multiclass_classification", task_level="graph", return_type="raw"),
    )


class _UnionGNNExplainer(PyGGNNExplainer):
    """PyG's GNNExplainer with reductions by instance, and the masks it starts from given beforehand. [e]"""

    def __init__(self, union: AnyUnion, initial: Tensor, config: GNNExplainerConfig) -> None:
        super().__init__(config.epochs, config.lr, edge_size=config.size, edge_ent=config.entropy)
        self._graphs = (union,)  # in a tuple: it is no part of this module
        self._initial = initial
        connect(self)

    def _initialize_masks(self, x: Tensor, edge_index: Tensor) -> None:
        self.node_mask, self.edge_mask = None, nn.Parameter(self._initial)

    def _calculate_base_loss(self, y_hat: Tensor, y: Tensor) -> Tensor:
        return functional.cross_entropy(y_hat, y, reduction="sum")

    def _add_mask_regularization(
        self, loss: Tensor, mask: Tensor, hard_mask: Tensor, size_coeff: float, reduction_name: str, ent_coeff: float
    ) -> Tensor:
        (union,), eps = self._graphs, self.coeffs["EPS"]
        m, counts = mask.sigmoid(), hard_mask.to(mask.dtype)
        entropy = -m * torch.log(m + eps) - (1 - m) * torch.log(1 - m + eps)
        share = counts / union.sum_edges(counts).clamp(min=1)[union.edge_owner]  # of the mean over its instance
        return loss + size_coeff * (m * counts).sum() + ent_coeff * (entropy * share).sum()


class GNNExplainer(Method):
    """A soft mask over the edges of each instance, fitted so that the prediction survives (Ying et al., 2019).

    The masks start from numbers that depend on the seed and the instance's index alone.

    Args:
        model: The GNN.
        config: How they are fitted.
        seed: Of the masks' first values.
        device: Where to compute.
    """

    config_type = GNNExplainerConfig
    any_model = True

    def explain_many(self, instances: Sequence[Instance]) -> list[Explanation]:
        """All of them: together through PyG, or one by one where that is faster."""
        small = [isinstance(self.model, GNN) and fits(self.model, instance) for instance in instances]
        others = [instance for instance, alone in zip(instances, small, strict=True) if not alone]
        gnn = private_copy(self.model) if others else self.model
        together = iter(in_unions(others, lambda part: self._fit_masks(gnn, part)))
        pairs = zip(instances, small, strict=True)
        return with_notes([self._fit_one(instance) if alone else next(together) for instance, alone in pairs])

    def _fit_one(self, instance: Instance) -> Explanation:
        initial = self._initial(instance, instance.edge_index.shape[1]).double().numpy()
        return Explanation(fit_mask(MaskedSums(self.model, instance), initial, self.config))

    def _fit_masks(self, gnn: nn.Module, instances: list[Instance]) -> list[Scores]:
        union = union_of(gnn, instances, self.device)
        sizes = union.edge_owner.bincount(minlength=len(instances)).tolist()
        started = [self._initial(instance, size) for instance, size in zip(instances, sizes, strict=True)]
        initial = torch.cat(started).to(self.device)
        algorithm = _UnionGNNExplainer(union, initial, self.config)
        with torch.enable_grad():
            explanation = algorithm(union, union.x, union.edge_index, target=union.predicted)
        return union.split(explanation.edge_mask)

    def _initial(self, instance: Instance, edges: int) -> Tensor:
        """PyG's first values, from a random state of the instance's own. [e]"""
        generator = torch.Generator().manual_seed(mask_seed(self.seed, instance))
        spread = nn.init.calculate_gain("relu") * sqrt(1 / instance.num_nodes)
        return torch.randn(edges, generator=generator) * spread


def mask_seed(seed: int, instance: Instance) -> int:
    """One seed for each pair of a seed and an instance."""
    return int(np.random.SeedSequence([seed, instance.index]).generate_state(1)[0])


def with_notes(found: Sequence[Explanation]) -> list[Explanation]:
    """Soft masks, with a sentence on those that have collapsed."""
    return [replace(each, note=collapse_note(each.edge_mask)) for each in found]
