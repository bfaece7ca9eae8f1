"""PGExplainer: PyG's algorithm, on the disjoint union of many instances at once, with reductions by instance.

What is free: the prices of size and entropy, how long it learns and from how many instances at a time, and which
layers' embeddings it reads (:class:`PGConfig`). The price of size decides: the loss charges it for every edge, so
where a motif costs more than its prediction is worth the best mask is an empty one. It is chosen for each data set
without its ground truth, by `gfx_core.bench.choose_settings`, and a mask that has collapsed says so in its explanation.

A masked graph looks like none that the GNN was trained on. Two variants learn the same network on graphs that are
complete: one puts a random part of the other edges back, one puts the other edges of another instance in their place.
"""

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch_geometric.explain.algorithm import PGExplainer as PyGPGExplainer
from torch_geometric.explain.algorithm.utils import set_masks
from torch_geometric.nn import MessagePassing

from gfx_core.baselines.disjoint_union import Union, allows_unions, in_unions
from gfx_core.baselines.edge_scores import Scores
from gfx_core.baselines.gnnexplainer import connect, with_notes
from gfx_core.baselines.method import Cancelled, CancelledError, Explanation, Learner, Progress
from gfx_core.config import Task
from gfx_core.datasets.instance import Instance
from gfx_core.device import seeded
from gfx_core.errors import UserError
from gfx_core.gnn.models import GNN


@dataclass(frozen=True)
class PGConfig:
    """How PGExplainer learns.

    The usual price of entropy is 1, which drives masks to all or nothing before they have learnt which edges matter; so
    do few steps. Hence a tenth of it, and few instances to a step (its authors take one).

    Attributes:
        size: Price of each edge of a mask.
        entropy: Price of the mean entropy of a mask's values.
        epochs: Passes over the instances.
        lr: Of Adam.
        batch_size: Instances whose mean loss makes one step.
        all_layers: Whether it reads the embeddings of all layers, or those of the last; None: all in node tasks.
    """

    size: float = 0.01
    entropy: float = 0.1
    epochs: int = 30
    lr: float = 0.01
    batch_size: int = 4
    all_layers: bool | None = None

    def __post_init__(self) -> None:
        if min(self.epochs, self.batch_size) < 1 or self.lr <= 0 or min(self.size, self.entropy) < 0:
            raise UserError("epochs and batch_size must be at least 1, lr above 0, and prices not below 0.")


class _UnionPGExplainer(PyGPGExplainer):
    """PyG's PGExplainer with reductions by instance and with randomness and settings of its own.

    Args:
        config: How it learns.
        width: Numbers that it reads of each edge; None: as many as there are in the weights that it is given.
        seed: Of its weights and its noise.
        device: Where to compute.
    """

    def __init__(self, config: PGConfig, width: int | None, seed: int, device: torch.device) -> None:
        with seeded(seed):
            super().__init__(config.epochs, config.lr)
            if width is not None:
                self.mlp(torch.zeros(1, width))  # PyG finds its width here
        # written out because PyG keeps them in an attribute of the class, which anybody may have changed
        prices = {"edge_size": config.size, "edge_ent": config.entropy}
        self.coeffs: dict[str, Any] = {**prices, "temp": [5.0, 2.0], "bias": 0.01}
        self.noise = torch.Generator(device).manual_seed(seed)
        self._graphs: tuple[Union, ...] = ()
        self._all_layers = config.all_layers
        connect(self)
        self.mlp.to(device)
        self.mlp.register_load_state_dict_post_hook(lambda *_: self.mark_trained())

    def on(self, union: Union) -> "_UnionPGExplainer":
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

    def _get_embeddings(self, model: nn.Module, x: Any, edge_index: Any, **kwargs: Any) -> Any:
        (union,) = self._graphs
        return union.embeddings((union.explained is not None) if self._all_layers is None else self._all_layers)

    def _get_inputs(self, embedding: Tensor, edge_index: Tensor, index: int | None = None) -> Tensor:
        inputs = super()._get_inputs(embedding, edge_index, index)  # [e, 2D]
        (union,) = self._graphs
        if union.explained is None:
            return inputs
        return torch.cat([inputs, embedding[union.explained[union.edge_owner]]], dim=-1)  # [e, 3D]

    def width_on(self, union: Union) -> int:
        """Numbers that it reads of each edge of a union."""
        turned = self.on(union)
        return turned._get_inputs(turned._get_embeddings(union, union.x, union.edge_index), union.edge_index).shape[1]

    def _concrete_sample(self, logits: Tensor, temperature: float = 1.0) -> Tensor:
        bias = self.coeffs["bias"]
        noise = torch.rand(logits.shape, generator=self.noise, device=logits.device)
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

    In a node task it reads the explained node's embedding too, and embeddings are those of all layers side by side:
    that is what the GNN's own head reads.

    Args:
        model: The GNN.
        config: How it learns.
        seed: Of the network's first weights, the order of the instances and the noise.
        device: Where to compute.
        epochs: Another length of training.
    """

    config_type = PGConfig
    any_model = True

    def __init__(
        self,
        model: nn.Module,
        config: PGConfig | None = None,
        *,
        seed: int = 0,
        device: str | torch.device = "cpu",
        epochs: int | None = None,
    ) -> None:
        super().__init__(model, config, seed=seed, device=device, epochs=epochs)
        self._start_anew(self._own_width() if isinstance(model, GNN) else None)

    def _own_width(self) -> int:
        """Numbers that are read of each edge for a GNN of ours; for any other they are known once it is asked."""
        node_task = self.model.task is Task.NODE
        all_layers = node_task if self.config.all_layers is None else self.config.all_layers
        return self.model.hidden * (self.model.num_layers if all_layers else 1) * (3 if node_task else 2)

    def _start_anew(self, width: int | None) -> None:
        self._algorithm = _UnionPGExplainer(self.config, width, self.seed, self.device)
        self.network = self._algorithm.mlp

    def _learn(self, instances: Sequence[Instance], progress: Progress, cancelled: Cancelled) -> None:
        with_edges = [instance for instance in instances if instance.edge_index.shape[1]]
        if not with_edges:
            raise UserError("PGExplainer learns from edges: give it at least one instance with edges.")
        rng = np.random.RandomState(self.seed)
        self._start_anew(self._algorithm.width_on(Union(self.model, with_edges[:1], self.device)))
        epochs, batch_size = self.config.epochs, self.config.batch_size if allows_unions(with_edges) else 1
        for epoch in range(epochs):
            order, losses = rng.permutation(len(with_edges)), []
            for first in range(0, len(order), batch_size):
                if cancelled():
                    raise CancelledError
                part = order[first : first + batch_size]
                union = Union(self.model, [with_edges[at] for at in part], self.device)
                with torch.enable_grad():
                    turned = self._algorithm.on(union)
                    completed = self.completed(union)
                    loss = turned.train(epoch, completed, union.x, union.edge_index, target=union.predicted)
                losses.append(loss * len(part))
            mean = sum(losses) / len(order)
            progress((epoch + 1) / epochs, f"epoch {epoch + 1} of {epochs}, loss {mean:.3f}")
        self._algorithm.mark_trained()

    def completed(self, union: Union) -> nn.Module:
        """Who is asked about the masks of a union while it learns: the GNN, about nothing but what they keep."""
        return union

    def explain_many(self, instances: Sequence[Instance]) -> list[Explanation]:
        if not self._algorithm.is_trained:
            raise UserError("PGExplainer is not trained yet: call fit, or load trained weights into its network.")
        return with_notes(in_unions(instances, self._read_masks))

    @torch.no_grad()
    def _read_masks(self, instances: list[Instance]) -> list[Scores]:
        union = Union(self.model, instances, self.device)
        explanation = self._algorithm.on(union)(union, union.x, union.edge_index, target=union.predicted)
        return union.split(explanation.edge_mask)


class _Completed(nn.Module):
    """A GNN that is asked about what the masks of a union keep, together with something else.

    Args:
        union: The union; PyG writes the masks into its layers before it asks.
        complete: Makes, of the share of each edge that is kept [e], the union to ask about and its edges' weights.
    """

    def __init__(self, union: Union, complete: Callable[[Tensor], tuple[Union, Tensor]]) -> None:
        super().__init__()
        self.union, self._complete = union, complete

    def forward(self, _x: Tensor, _edge_index: Tensor) -> Tensor:
        """Logits of every instance. [I, C]"""
        layer = next(each for each in self.modules() if isinstance(each, MessagePassing))
        completed, weight = self._complete(layer._edge_mask.sigmoid())
        set_masks(completed, weight, completed.edge_index, apply_sigmoid=False)
        return completed(completed.x, completed.edge_index)


PUT_BACK = 0.5
"""The probability of each edge to be put back as a whole, whatever the mask keeps of it."""


class EdgeDropPGExplainer(PGExplainer):
    """PGExplainer whose masked graphs are completed by a random half of the instance's edges, another one each step.

    The complement of an explanation is dropped at random and not as a whole, as robust fidelity does when it measures
    explanations (Zheng et al., ICLR 2024).
    """

    def completed(self, union: Union) -> nn.Module:
        n = len(union.x)
        source, target = union.edge_index
        pairs, pair = (source.minimum(target) * n + source.maximum(target)).unique(return_inverse=True)
        drawn = torch.rand(len(pairs), generator=self._algorithm.noise, device=pairs.device)
        back = (drawn < PUT_BACK)[pair]  # [e], both directions together
        return _Completed(union, lambda kept: (union, torch.where(back, 1.0, kept)))


@dataclass(frozen=True)
class MixupConfig(PGConfig):
    """How MixUp-PGExplainer learns.

    Attributes:
        links: Random edges that join an instance with the one that it is mixed with.
    """

    links: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.links < 1:
            raise UserError(f"links must be at least 1 (got {self.links}).")


class MixupPGExplainer(PGExplainer):
    """PGExplainer whose masked graphs are mixed with what the masks leave out of another instance (Zhang et al., 2023).

    The other is one of the same step; an instance that is alone in its step is not mixed, as with PGExplainer itself.
    Random edges join the two, without which a node's prediction would not notice.
    """

    config_type = MixupConfig

    def completed(self, union: Union) -> nn.Module:
        sizes, offset = union.graphs.size, union.graphs.offset
        count = len(sizes)
        if count == 1:
            return union
        partner = torch.arange(count, device=sizes.device).roll(-1)  # steps are of instances in random order
        instance = torch.arange(count, device=sizes.device).repeat_interleave(self.config.links)
        drawn = torch.rand(2, len(instance), generator=self._algorithm.noise, device=sizes.device)
        ends = torch.stack([instance, partner[instance]])
        mixed = union.mixed(partner, offset[ends] + (drawn * sizes[ends]).long())

        def complete(kept: Tensor) -> tuple[Union, Tensor]:
            return mixed, torch.cat([kept, 1 - kept, kept.new_ones(2 * len(instance))])

        return _Completed(union, complete)
