"""Ask a GNN about thousands of subgraphs at once.

What Φ sees for a node set s is the induced subgraph G[s] and nothing else: one function for rewards, fidelity
and display.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch_geometric.data import Batch

from gfx_core.config import Task
from gfx_core.datasets.batch import InstanceBatch
from gfx_core.datasets.graph import GraphDataset
from gfx_core.datasets.instance import Instance
from gfx_core.gnn.models import GNN

MAX_SUBSET = 64
_CHUNK_CELLS = 1 << 22  # node pairs evaluated in one go: keeps intermediate tensors within the CPU's cache reach


@dataclass(frozen=True)
class Predictions:
    """What a GNN says of B subgraphs: logits [B, C] and the embeddings its head read [B, D]."""

    logits: Tensor
    embedding: Tensor

    @property
    def log_probabilities(self) -> Tensor:
        return self.logits.log_softmax(-1)

    @property
    def probabilities(self) -> Tensor:
        return self.logits.softmax(-1)

    @property
    def predicted(self) -> Tensor:
        return self.logits.argmax(-1)


class SubgraphPredictor:
    """Predictions of many node subsets of some instances.

    Args:
        model: One of our GNNs.
        instances: The graphs the subsets are taken from.
        device: Where to compute; the model is moved there.
    """

    def __init__(self, model: GNN, instances: Sequence[Instance], device: str | torch.device = "cpu") -> None:
        self.model = model.to(device).eval()
        self.graphs = InstanceBatch(instances, device)
        self._sizes = [instance.num_nodes for instance in instances]

    @torch.no_grad()
    def __call__(self, subsets: Tensor, instance: Tensor | None = None) -> Predictions:
        """Predict the induced subgraph of every subset.

        Args:
            subsets: Local node ids, padded with -1, at most 64 to a subset. In a node task each must hold the
                explained node. [B, K]
            instance: Which instance each subset belongs to; the first by default. [B]
        """
        device = self.graphs.device
        subsets = subsets.to(device)
        instance = (
            torch.zeros(len(subsets), dtype=torch.long, device=device) if instance is None else instance.to(device)
        )
        self._check(subsets, instance)
        rows = max(1, _CHUNK_CELLS // max(1, subsets.shape[1] ** 2))
        parts = [
            self._predict(subsets[start : start + rows], instance[start : start + rows])
            for start in range(0, max(1, len(subsets)), rows)
        ]
        return Predictions(torch.cat([p.logits for p in parts]), torch.cat([p.embedding for p in parts]))

    def _check(self, subsets: Tensor, instance: Tensor) -> None:
        if subsets.ndim != 2 or subsets.shape[1] > MAX_SUBSET:
            raise ValueError(f"subsets must be [B, K] with K ≤ {MAX_SUBSET} (got {tuple(subsets.shape)})")
        if instance.shape != subsets.shape[:1]:
            raise ValueError(f"instance must be [{len(subsets)}] (got {tuple(instance.shape)})")
        if len(instance) and not 0 <= int(instance.min()) <= int(instance.max()) < len(self.graphs):
            raise ValueError(f"instance must name one of the {len(self.graphs)} instances")
        if bool((subsets >= self.graphs.size[instance, None]).any() | (subsets < -1).any()):
            raise ValueError("a subset names a node that its instance does not have")
        if self.model.task is Task.NODE:
            holds_target = (subsets == self.graphs.target[instance, None]).any(1)
            if not bool(holds_target.all()):
                raise ValueError("in a node task every subset must hold the explained node")
        elif not bool((subsets >= 0).any(1).all()):
            raise ValueError("a subset must hold at least one node")

    def _predict(self, subsets: Tensor, instance: Tensor) -> Predictions:
        mask = subsets >= 0  # [B, K]
        nodes = subsets.clamp(min=0)
        x = self.graphs.x[self.graphs.rows(instance[:, None], nodes)] * mask[..., None]  # [B, K, d]
        adjacency = self.graphs.joined(instance[:, None, None], nodes[:, :, None], nodes[:, None, :])
        adjacency = adjacency & mask[:, :, None] & mask[:, None, :]  # [B, K, K]
        target = None
        if self.model.task is Task.NODE:
            target = (subsets == self.graphs.target[instance, None]).to(torch.uint8).argmax(1)  # [B]
        return Predictions(*self.model.dense(x, adjacency.to(x.dtype), mask, target))


@dataclass(frozen=True)
class InstancePrediction:
    """What a GNN says of one whole instance."""

    predicted: int
    probabilities: NDArray[np.float32]  # [C]


@torch.no_grad()
def predict_instance(model: GNN, instance: Instance) -> InstancePrediction:
    """The GNN's prediction on the whole of one instance."""
    device = next(model.parameters()).device
    x, edge_index = torch.from_numpy(instance.x).to(device), torch.from_numpy(instance.edge_index).to(device)
    logits = model(x, edge_index)[0 if instance.target is None else instance.target]
    probabilities = logits.softmax(-1).cpu().numpy()
    return InstancePrediction(int(probabilities.argmax()), probabilities)


@torch.no_grad()
def predict_all(model: GNN, dataset: GraphDataset) -> NDArray[np.float32]:
    """Class probabilities of every node (node task) or graph (graph task). [num_instances, C]"""
    device = next(model.parameters()).device
    data = dataset.to_pyg()
    batch = data if dataset.task is Task.NODE else Batch.from_data_list(data)
    logits = model(batch.x.to(device), batch.edge_index.to(device), *_batch_vector(batch, device))
    return logits.softmax(-1).cpu().numpy()


def _batch_vector(batch: Batch, device: torch.device) -> tuple[Tensor, ...]:
    return () if getattr(batch, "batch", None) is None else (batch.batch.to(device),)
