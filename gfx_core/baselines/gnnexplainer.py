"""GNNExplainer: PyG's algorithm, on the disjoint union of many instances at once.

PyG's class knows one graph at a time and takes means over it. Here it sees a union of instances and its reductions are
taken instance by instance, so that the instances do not influence each other: the answers are those of one run for
each instance, at a fraction of the time.

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

from gfx_core.baselines.disjoint_union import Union, in_unions
from gfx_core.baselines.edge_scores import Scores
from gfx_core.baselines.method import Explanation, Method
from gfx_core.datasets.instance import Instance
from gfx_core.errors import UserError
from gfx_core.user_models.adapter import private_copy


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


FAINT = 0.01
"""A mask without a value as large as this is empty."""


def collapse_note(mask: Scores) -> str:
    """A sentence if a mask of values between 0 and 1 has collapsed, nothing otherwise. [e]

    A mask's loss charges for every edge. If that costs more than the prediction is worth, the best mask is the empty
    one. The ranking of a mask that keeps nothing is that of numerical dust, so it must be told.
    """
    if not len(mask) or mask.max() >= FAINT:
        return ""
    return f"The mask has collapsed: its largest value is {mask.max():.1e}, so the ranking of its edges is meaningless."


def connect(algorithm: PyGGNNExplainer | PyGPGExplainer) -> None:
    """Tell one of PyG's algorithms what is explained: the class that it is given, by a mask over the edges."""
    algorithm.connect(
        ExplainerConfig(explanation_type="phenomenon", edge_mask_type="object"),
        ModelConfig(mode="multiclass_classification", task_level="graph", return_type="raw"),
    )


class _UnionGNNExplainer(PyGGNNExplainer):
    """PyG's GNNExplainer with reductions by instance, and the masks it starts from given beforehand. [e]"""

    def __init__(self, union: Union, initial: Tensor, config: GNNExplainerConfig) -> None:
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
        gnn = private_copy(self.model).double()  # the rounding of hundreds of steps would be in a mask's third digit
        return with_notes(in_unions(instances, lambda part: self._fit_masks(gnn, part)))

    def _fit_masks(self, gnn: nn.Module, instances: list[Instance]) -> list[Scores]:
        union = Union(gnn, instances, self.device)
        sizes = union.edge_owner.bincount(minlength=len(instances)).tolist()
        started = [self._initial(instance, size) for instance, size in zip(instances, sizes, strict=True)]
        initial = torch.cat(started).to(self.device, torch.float64)
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
