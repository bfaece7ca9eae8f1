"""Predictions of a user's model on instances, their subgraphs and choices of their edges."""

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch_geometric.data import Batch, Data

from gfx_core.config import Task
from gfx_core.datasets.instance import Instance
from gfx_core.errors import UserError
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import Predictions, Predictor, SubgraphPredictor, Subgraphs, disjoint_parts
from gfx_core.user_models.adapter import ModelAdapter
from gfx_core.user_models.inputs import select


@dataclass(frozen=True, eq=False, kw_only=True)
class ModelInstance(Instance):
    """An instance of a user's graph. Its own edges are simple and undirected; the model reads those of ``inputs``.

    Attributes:
        inputs: What the model reads of it, under the instance's local ids.
        answer: The model's output for the whole graph. [1, C]
        adapter: The model that it was cut out for.
        labels: What to write on each node, where the user has given that.
        notes: What to know about an explanation of it.
    """

    inputs: Data
    answer: Tensor
    adapter: ModelAdapter
    labels: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def node_label(self, node: int) -> str:
        return self.labels[node] if self.labels else super().node_label(node)


def inputs_of(instance: Instance) -> Data:
    """What a model reads of an instance; of one of ours its plain graph."""
    if isinstance(instance, ModelInstance):
        return instance.inputs
    return Data(x=torch.from_numpy(instance.x), edge_index=torch.from_numpy(instance.edge_index))


_PAIRS = 1 << 21  # of a subgraph and an edge, in one pass
_WIDEST = 64  # features of a node that a policy reads; more are folded by a random projection


class ModelPredictor(Predictor):
    """Predictions of a user's model, in one pass over the disjoint union of the subgraphs.

    The model sees the edges as they were given (directed, doubled, looping) with their rows of all arguments. Its
    output replaces the embedding of a subgraph, and that of a node (node tasks; in graph tasks its features do).

    Args:
        adapter: The model.
        instances: Those that were cut out for it.
    """

    def __init__(self, adapter: ModelAdapter, instances: Sequence[Instance]) -> None:
        super().__init__(adapter.task, instances, adapter.device)
        self.adapter = adapter
        graphs, given = self.graphs, cast(Sequence[ModelInstance], instances)
        self._whole_raw = torch.cat([instance.answer for instance in given]).to(self.device).float()  # [I, C]
        self._inputs = adapter.ready(Batch.from_data_list([instance.inputs for instance in given]))
        self._owner = graphs.owner[self._inputs.edge_index[0]]  # [e], ascending
        self._local = self._inputs.edge_index - graphs.offset[self._owner]  # [2, e]

    def evaluate(self, subgraphs: Subgraphs) -> Predictions:
        count = max(1, _PAIRS // max(1, int(self._owner.bincount(minlength=1).max())))
        parts = (tensor.split(count) for tensor in (subgraphs.mask, subgraphs.rows, subgraphs.instance))
        return Predictions.join(list(map(self._evaluate, *parts)))

    def _evaluate(self, mask: Tensor, rows: Tensor, instance: Tensor) -> Predictions:
        graphs, device = self.graphs, self.device
        owner, slot = mask.nonzero(as_tuple=True)  # [n]
        nodes = rows[owner, slot]
        number = torch.full((len(mask), int(graphs.sizes.max())), -1, device=device)  # [B, m], in the union
        number[owner, nodes - graphs.offset[instance[owner]]] = torch.arange(len(nodes), device=device)
        # each subgraph with each given edge of its instance
        all_counts = self._owner.bincount(minlength=len(graphs))  # [I]
        count, first = all_counts[instance], (all_counts.cumsum(0) - all_counts)[instance]
        row = torch.arange(len(mask), device=device).repeat_interleave(count)  # [p]
        edge = torch.arange(len(row), device=device) + (first - (count.cumsum(0) - count))[row]
        ends = number[row, self._local[:, edge]]  # [2, p]
        inside = (ends >= 0).all(0)
        explained = None if graphs.explained is None else number.gather(1, graphs.target[instance, None])[:, 0]
        return self._predict(nodes, (ends[:, inside], edge[inside]), owner, explained, instance)

    def union(self, nodes: Tensor, edges: Tensor) -> Predictions:
        return self._predict(*disjoint_parts(self, nodes, edges), torch.zeros_like(nodes[:, 0], dtype=torch.long))

    def _predict(
        self, nodes: Tensor, edges: tuple[Tensor, Tensor], owner: Tensor, explained: Tensor | None, instance: Tensor
    ) -> Predictions:
        """Predict for a union.

        Args:
            nodes: The given row of each of its nodes. [n]
            edges: Its edges between them, and the given row of each. [2, e], [e]
            owner: Which of the B graphs each node is in, ascending. [n]
            explained: The explained node of each (node tasks). [B]
            instance: What each is a part of. [B]
        """
        index = {"nodes": nodes, "edges": edges[1], "graphs": instance}
        tensors = select(self._inputs, self.adapter.rows, edges[0], **index)
        ptr = functional.pad(owner.bincount(minlength=len(instance)).cumsum(0), (1, 0))
        raw = self.adapter.raw(Batch(batch=owner, ptr=ptr, **tensors)).float()
        if explained is not None:
            raw = raw[explained]
        if not bool(raw.isfinite().all()):
            raise UserError(
                f"{self.adapter.name} outputs NaN or infinity for a part of the graph: let it take graphs of any "
                "size, down to one node without edges."
            )
        return self.adapter.output.predictions(raw, self._whole_raw[instance])

    @cached_property
    def whole(self) -> Predictions:
        return self.adapter.output.predictions(self._whole_raw, self._whole_raw)

    @cached_property
    @torch.no_grad()
    def node_embedding(self) -> Tensor:
        return self.features if self.task is Task.GRAPH else policy_features(self.adapter.raw(self._inputs).float())

    @cached_property
    def features(self) -> Tensor:
        return policy_features(self.graphs.x)

    @property
    def first_edges(self) -> Tensor:
        return self._local[:, self._owner == 0]

    def sets(self, members: Tensor) -> Predictions:
        """No model predicts for an empty graph: all classes are then as likely."""
        filled = members.any(1, keepdim=True)
        predictions = super().sets(members | ~filled)
        return Predictions(predictions.logits * filled, predictions.embedding * filled)


def weights_of(*values: nn.Module | Tensor | None) -> list[np.ndarray]:
    """All numbers of some models and tensors, to name them by."""
    states = [value.state_dict().values() if isinstance(value, nn.Module) else [value] for value in values]
    return [tensor.float().numpy(force=True) for state in states for tensor in state if tensor is not None]


def policy_features(x: Tensor) -> Tensor:
    """Features as a policy reads them: large numbers made small, many folded into few. [M, d] → [M, ≤ 64]"""
    x = x.asinh()
    if x.shape[1] <= _WIDEST:
        return x
    generator = torch.Generator().manual_seed(0)
    folded = torch.randn(x.shape[1], _WIDEST, generator=generator) / np.sqrt(x.shape[1])
    return x @ folded.to(x.device, x.dtype)


# Predictors of instances that are cut out already


def predictor_on(
    model: nn.Module, instances: Sequence[Instance], device: str | torch.device | None = None
) -> Predictor:
    """A model on some instances; of one of our GNNs that is being trained a copy predicts.

    Args:
        model: Ours or any other.
        instances: What it predicts for.
        device: Where to compute; by default where one of our GNNs is, and any other on the CPU.
    """
    if isinstance(model, GNN) and not isinstance(instances[0], ModelInstance):
        device = device or next(model.parameters()).device
        return SubgraphPredictor(copy.deepcopy(model) if model.training else model, instances, device)
    return ModelPredictor(adapt(model, instances, device or "cpu"), instances)


def adapt(model: nn.Module, instances: Sequence[Instance], device: str | torch.device = "cpu") -> ModelAdapter:
    """A new private copy of a model, for some instances: a user's, or those of our data sets for one of our GNNs."""
    first = instances[0]
    if isinstance(first, ModelInstance):
        return first.adapter.renewed(model, device)
    if not isinstance(model, GNN):
        raise UserError("A model of your own needs instances of its own: ModelInstances(model, data).instance(index).")
    for instance in instances:
        instance.check_reach(model.hops)
    return ModelAdapter(model, first.task, device)
