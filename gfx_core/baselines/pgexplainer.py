"""PGExplainer (Luo et al., NeurIPS 2020): PyG's algorithm, a network that predicts masks from the GNN's embeddings.

What is free: the prices of size and entropy, and how long it learns (:class:`PGConfig`). The price of size decides: the
loss charges it for every edge, so where a motif costs more than its prediction is worth the best mask is an empty one.
It is chosen for each data set without its ground truth, by `gfx_core.bench.explainers`.
"""

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.parameter import UninitializedParameter
from torch_geometric.explain import algorithm
from torch_geometric.explain.config import ModelTaskLevel
from torch_geometric.utils import get_embeddings

from gfx_core.baselines.method import Cancelled, CancelledError, Learner, Progress
from gfx_core.baselines.pyg_algorithm import SoftMaskMethod
from gfx_core.datasets.instance import Instance
from gfx_core.device import seeded
from gfx_core.errors import UserError
from gfx_core.gnn.models import GNN


@dataclass(frozen=True)
class PGConfig:
    """How PGExplainer learns.

    The usual price of entropy is 1, which drives masks to all or nothing before they have learnt which edges matter.
    Hence a tenth of it. The rate is PyG's: with one instance to a step, a larger one collapses where graphs are pooled.

    Attributes:
        size: Price of each edge of a mask.
        entropy: Price of the mean entropy of a mask's values.
        epochs: Passes over the instances, one step for each.
        lr: Of Adam.
    """

    size: float = 0.01
    entropy: float = 0.1
    epochs: int = 30
    lr: float = 0.003


class _Algorithm(algorithm.PGExplainer):
    """PyG's, with settings of its own; in node tasks it reads the embeddings of all layers, as a GNN's head does."""

    def __init__(self, config: PGConfig) -> None:
        super().__init__(config.epochs, config.lr)
        prices = {"edge_size": config.size, "edge_ent": config.entropy}
        self.coeffs: dict[str, Any] = {**prices, "temp": [5.0, 2.0], "bias": 0.01}  # PyG's belong to the whole class

    def _get_embeddings(self, model: nn.Module, x: Any, edge_index: Any, **kwargs: Any) -> Any:
        layers = get_embeddings(model, x, edge_index, **kwargs)
        if self.model_config.task_level is ModelTaskLevel.graph:
            return layers[-1].float()
        if isinstance(model.model, GNN):
            with torch.no_grad():
                return model.model.embed(x, edge_index)
        return torch.cat([layer.flatten(1).float() for layer in layers], dim=1)

    @staticmethod
    def _post_process_mask(mask: Tensor, hard_mask: Tensor | None = None, apply_sigmoid: bool = True) -> Any:
        # in single precision sure edges all round to 1, and their ranking is lost
        return algorithm.PGExplainer._post_process_mask(mask.double(), hard_mask, apply_sigmoid)


class PGExplainer(Learner, SoftMaskMethod):
    """A network that predicts an edge's mask from the GNN's embeddings of its ends, in node tasks of the target too."""

    config_type = PGConfig
    network: nn.Sequential

    def setup(self) -> None:
        with seeded(self.seed):
            self.network = _Algorithm(self.config).mlp  # as wide as the embeddings that it reads first, or as its file

    def new_algorithm(self) -> algorithm.PGExplainer:
        if isinstance(self.network[0].weight, UninitializedParameter):
            raise UserError("PGExplainer is not trained yet: call fit, or load trained weights.")
        trained = _Algorithm(self.config)
        trained.mlp = copy.deepcopy(self.network)
        trained._curr_epoch = trained.epochs  # PyG counts the epochs of this object, not those of its network
        return trained

    def _learn(self, instances: Sequence[Instance], progress: Progress, cancelled: Cancelled) -> None:
        with self.running(self.seed):
            learner, rng = _Algorithm(self.config), np.random.RandomState(self.seed)
            questions = [self.ask(instance, learner) for instance in instances if instance.edge_index.shape[1]]
            if not questions:
                raise UserError("PGExplainer learns from edges: give it at least one instance with edges.")
            epochs = self.config.epochs
            for epoch in range(epochs):
                loss = 0.0
                for number in rng.permutation(len(questions)):
                    if cancelled():
                        raise CancelledError
                    explainer, arguments = questions[number]
                    loss += learner.train(epoch, explainer.model, **arguments)
                mean = loss / len(questions)
                progress((epoch + 1) / epochs, f"epoch {epoch + 1} of {epochs}, loss {mean:.3f}")
        self.network = learner.mlp
