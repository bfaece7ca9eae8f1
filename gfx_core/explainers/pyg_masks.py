"""GNNExplainer and PGExplainer: PyG's algorithms, on the disjoint union of many instances at once.

PyG's classes know one graph at a time and take means over it. Here they see a union of instances and their
reductions are taken instance by instance, so that the instances do not influence each other: GNNExplainer's
answers are those of one run for each instance, at a fraction of the time.
"""

import copy
from collections.abc import Sequence
from math import sqrt
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch_geometric.explain import ExplainerConfig, ModelConfig
from torch_geometric.explain.algorithm import GNNExplainer as PyGGNNExplainer
from torch_geometric.explain.algorithm import PGExplainer as PyGPGExplainer

from gfx_core.config import Task
from gfx_core.datasets.instance import Instance
from gfx_core.errors import UserError
from gfx_core.explainers.edge_scores import Scores
from gfx_core.explainers.explanation import Explanation
from gfx_core.explainers.method import Cancelled, CancelledError, Learner, Method, Progress
from gfx_core.explainers.union import GNNUnion, in_unions, private_copy
from gfx_core.gnn.models import GNN
from gfx_core.seeding import seeded


def _connect(algorithm: PyGGNNExplainer | PyGPGExplainer) -> None:
    """Tell one of PyG's algorithms what is explained: the class that it is given, by a mask over the edges."""
    algorithm.connect(
        ExplainerConfig(explanation_type="phenomenon", edge_mask_type="object"),
        ModelConfig(mode="multiclass_classification", task_level="graph", return_type="raw"),
    )


class _UnionGNNExplainer(PyGGNNExplainer):
    """PyG's GNNExplainer with reductions by instance, and the masks it starts from given beforehand. [e]"""

    def __init__(self, union: GNNUnion, initial: Tensor, epochs: int, lr: float) -> None:
        super().__init__(epochs, lr)
        self._graphs = (union,)  # in a tuple: it is no part of this module
        self._initial = initial
        _connect(self)

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
        seed: Of the masks' first values.
        device: Where to compute.
        epochs: Steps of gradient descent.
        lr: Of Adam.
    """

    def __init__(
        self, model: GNN, *, seed: int = 0, device: str | torch.device = "cpu", epochs: int = 100, lr: float = 0.01
    ) -> None:
        super().__init__(model, seed=seed, device=device)
        self.epochs, self.lr = epochs, lr

    def explain(self, instance: Instance) -> Explanation:
        return self.explain_many([instance])[0]

    def explain_many(self, instances: Sequence[Instance]) -> list[Explanation]:
        gnn = private_copy(self.model)
        return in_unions(instances, lambda part: self._fit_masks(gnn, part))

    def _fit_masks(self, gnn: GNN, instances: list[Instance]) -> list[Scores]:
        union = GNNUnion(gnn, instances, self.device)
        initial = torch.cat([self._initial(instance) for instance in instances]).to(self.device)
        algorithm = _UnionGNNExplainer(union, initial, self.epochs, self.lr)
        with torch.enable_grad():
            explanation = algorithm(union, union.x, union.edge_index, target=union.predicted)
        return union.split(explanation.edge_mask)

    def _initial(self, instance: Instance) -> Tensor:
        """PyG's first values, from a random state of the instance's own. [e]"""
        generator = torch.Generator().manual_seed(mask_seed(self.seed, instance))
        spread = nn.init.calculate_gain("relu") * sqrt(1 / instance.num_nodes)
        return torch.randn(instance.edge_index.shape[1], generator=generator) * spread


def mask_seed(seed: int, instance: Instance) -> int:
    """One seed for each pair of a seed and an instance."""
    return int(np.random.SeedSequence([seed, instance.index]).generate_state(1)[0])


class _UnionPGExplainer(PyGPGExplainer):
    """PyG's PGExplainer with reductions by instance and with randomness and settings of its own."""

    def __init__(self, epochs: int, lr: float, gnn: GNN, seed: int, device: torch.device) -> None:
        reads_target = gnn.task is Task.NODE
        with seeded(seed):
            super().__init__(epochs, lr)
            self.mlp(torch.zeros(1, gnn.hidden * (3 if reads_target else 2)))  # PyG finds its width here
        # written out because PyG keeps them in an attribute of the class, which anybody may have changed
        self.coeffs: dict[str, Any] = {"edge_size": 0.05, "edge_ent": 1.0, "temp": [5.0, 2.0], "bias": 0.01}
        self._noise = torch.Generator(device).manual_seed(seed)
        self._graphs: tuple[GNNUnion, ...] = ()
        self._reads_target = reads_target
        _connect(self)
        self.mlp.to(device)
        self.mlp.register_load_state_dict_post_hook(lambda *_: self.mark_trained())

    def on(self, union: GNNUnion) -> "_UnionPGExplainer":
        """The same network and optimizer, turned to one union; nothing is changed here."""
        turned = copy.copy(self)
        turned._graphs = (union,)  # in a tuple: it is no part of this module
        return turned

    @property
    def is_trained(self) -> bool:
        return self._curr_epoch >= self.epochs - 1

    def mark_trained(self) -> None:
        """Pass PyG's check, which counts the epochs of this object and not of its network."""
        self._curr_epoch = self.epochs - 1

    def _get_inputs(self, embedding: Tensor, edge_index: Tensor, index: int | None = None) -> Tensor:
        inputs = super()._get_inputs(embedding, edge_index, index)  # [e, 2h]
        if not self._reads_target:
            return inputs
        (union,) = self._graphs
        assert union.explained is not None
        return torch.cat([inputs, embedding[union.explained[union.edge_owner]]], dim=-1)  # [e, 3h]

    def _concrete_sample(self, logits: Tensor, temperature: float = 1.0) -> Tensor:
        bias = self.coeffs["bias"]
        noise = torch.rand(logits.shape, generator=self._noise, device=logits.device)
        eps = (1 - 2 * bias) * noise + bias
        return (eps.log() - (1 - eps).log() + logits) / temperature

    @staticmethod
    def _post_process_mask(mask: Tensor, hard_mask: Tensor | None = None, apply_sigmoid: bool = True) -> Tensor:
        return mask.double().sigmoid()  # in single precision sure edges all round to 1, and their ranking is lost

    def _add_mask_regularization(self, loss: Tensor, mask: Tensor) -> Tensor:
        (union,) = self._graphs
        m = mask.sigmoid()
        size = union.sum_edges(m)  # [I]
        soft = 0.99 * m + 0.005
        entropy = -soft * soft.log() - (1 - soft) * (1 - soft).log()
        mean_entropy = union.sum_edges(entropy) / union.sum_edges(torch.ones_like(m))  # [I]
        return loss + (self.coeffs["edge_size"] * size + self.coeffs["edge_ent"] * mean_entropy).mean()


class PGExplainer(Learner):
    """A network that tells an edge's mask from the GNN's embeddings of its ends (Luo et al., 2020).

    In a node task it reads the explained node's embedding too.

    Args:
        model: The GNN.
        seed: Of the network's first weights, the order of the instances and the noise.
        device: Where to compute.
        epochs: Passes over the instances.
        lr: Of Adam.
        batch_size: Instances whose mean loss makes one step.
    """

    def __init__(
        self,
        model: GNN,
        *,
        seed: int = 0,
        device: str | torch.device = "cpu",
        epochs: int = 30,
        lr: float = 0.01,
        batch_size: int = 16,
    ) -> None:
        super().__init__(model, seed=seed, device=device)
        self.epochs, self.lr, self.batch_size = epochs, lr, batch_size
        self._start_anew()

    def _start_anew(self) -> None:
        self._algorithm = _UnionPGExplainer(self.epochs, self.lr, self.model, self.seed, self.device)
        self.network = self._algorithm.mlp

    def _learn(self, instances: Sequence[Instance], progress: Progress, cancelled: Cancelled) -> None:
        with_edges = [instance for instance in instances if instance.edge_index.shape[1]]
        if not with_edges:
            raise UserError("PGExplainer learns from edges: give it at least one instance that has some.")
        self._start_anew()
        gnn, rng = private_copy(self.model), np.random.RandomState(self.seed)
        for epoch in range(self.epochs):
            order, losses = rng.permutation(len(with_edges)), []
            for first in range(0, len(order), self.batch_size):
                if cancelled():
                    raise CancelledError
                part = order[first : first + self.batch_size]
                union = GNNUnion(gnn, [with_edges[at] for at in part], self.device)
                losses.append(self._step(epoch, union) * len(part))
            mean = sum(losses) / len(order)
            progress((epoch + 1) / self.epochs, f"epoch {epoch + 1} of {self.epochs}, loss {mean:.3f}")
        self._algorithm.mark_trained()

    def _step(self, epoch: int, union: GNNUnion) -> float:
        with torch.enable_grad():
            return self._algorithm.on(union).train(epoch, union, union.x, union.edge_index, target=union.predicted)

    def explain(self, instance: Instance) -> Explanation:
        return self.explain_many([instance])[0]

    def explain_many(self, instances: Sequence[Instance]) -> list[Explanation]:
        if not self._algorithm.is_trained:
            raise UserError("PGExplainer has learnt nothing yet: call fit, or load what it learnt into its network.")
        gnn = private_copy(self.model)
        return in_unions(instances, lambda part: self._read_masks(gnn, part))

    @torch.no_grad()
    def _read_masks(self, gnn: GNN, instances: list[Instance]) -> list[Scores]:
        union = GNNUnion(gnn, instances, self.device)
        explanation = self._algorithm.on(union)(union, union.x, union.edge_index, target=union.predicted)
        return union.split(explanation.edge_mask)
