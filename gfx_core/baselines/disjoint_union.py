"""Many instances as one disjoint union, for explainers that ask the GNN itself about edges."""

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch_geometric.nn import MessagePassing

from gfx_core.baselines.edge_scores import Scores
from gfx_core.baselines.method import Explanation
from gfx_core.config import Task
from gfx_core.datasets.instance import Instance
from gfx_core.errors import UserError
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import InstanceBatch
from gfx_core.user_models.inputs import disjoint_union
from gfx_core.user_models.predictor import ModelInstance, adapt, inputs_of

UNION_EDGES = 1 << 15
"""Directed edges that are explained together: bounds the memory of one pass."""


class Union(nn.Module):
    """A GNN, ours or somebody else's, on the disjoint union of some instances: one row of logits for each.

    Node tasks look like graph tasks to who calls it. The edges are as they were given. Masks may be written into PyG's
    layers: the GNN inside is a copy.

    Args:
        gnn: The GNN.
        instances: The instances, each with at least one edge.
        device: Where to compute.
    """

    def __init__(self, gnn: nn.Module, instances: Sequence[Instance], device: torch.device) -> None:
        super().__init__()
        if not any(isinstance(module, MessagePassing) for module in gnn.modules()):
            raise UserError(
                f"This explainer writes masks into PyG's message-passing layers, and {type(gnn).__name__} has none."
            )
        self._adapter, self._output = adapt(gnn, instances, device)
        self.gnn = self._adapter.model  # its layers are found here
        self.graphs, self._instances = InstanceBatch(instances, device), list(instances)
        self._inputs = self._adapter.ready(disjoint_union([inputs_of(instance) for instance in instances]))
        self.x, self.edge_index = self._inputs.x, self._inputs.edge_index
        self._owner = self.graphs.owner  # [n]
        self.edge_owner = self._owner[self.edge_index[0]]  # [e]
        self.explained: Tensor | None = None
        if self._adapter.task is Task.NODE:
            self.explained = self.graphs.offset + self.graphs.target
        with torch.no_grad():
            self._whole = self._raw()
            self.predicted = self(self.x, self.edge_index).argmax(-1)  # [I], the class that is explained

    def _raw(self) -> Tensor:
        raw = self._adapter.raw(self._inputs, self._owner, len(self.graphs))
        return raw if self.explained is None else raw[self.explained]

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        """Logits of every instance, whatever is written into the layers by now. [I, C]"""
        return self._output.predictions(self._raw(), self._whole).logits

    def embeddings(self, all_layers: bool) -> Tensor:
        """What comes out for each node of PyG's last layer, or of each of them. [n, D]"""
        with torch.no_grad():
            if all_layers and isinstance(self.gnn, GNN):  # as its own head reads them
                return self.gnn.embed(self.x, self.edge_index)
            of_nodes = [values.flatten(1) for values, _ in self.by_layer()[1]]
        return (torch.cat(of_nodes, dim=1) if all_layers else of_nodes[-1]).float()

    def by_layer(self) -> tuple[Tensor, list[tuple[Tensor, Tensor]]]:
        """The logits [I, C], and what comes out for each node of each of PyG's layers, in their order. [n, …]

        With each come zeros that were added to it: the logits can be differentiated by them even if nothing of the GNN
        learns. [n, …]
        """
        found: list[tuple[Tensor, Tensor]] = []

        def note(_layer: nn.Module, _inputs: object, out: Any) -> Any:
            values, *others = out if isinstance(out, tuple) else (out,)
            if not isinstance(values, Tensor) or values.ndim < 2 or len(values) != len(self.x):
                return None
            found.append((values, torch.zeros_like(values, requires_grad=True)))
            return (values + found[-1][1], *others) if isinstance(out, tuple) else values + found[-1][1]

        hooks = [each.register_forward_hook(note) for each in self.modules() if isinstance(each, MessagePassing)]
        try:
            logits = self(self.x, self.edge_index)
        finally:
            for hook in hooks:
                hook.remove()
        if not found:
            raise UserError(
                f"This explainer reads embeddings of nodes, and no layer of {self._adapter.name} has one for each."
            )
        return logits, found

    def mixed(self, partner: Tensor, links: Tensor) -> "Union":
        """Each instance beside a copy of another, joined by some edges: its prediction is then asked of both together.

        The edges are those of this union, then the same as edges of the copies, then the links in both directions, with
        what the model is told of the first edge of their instance.

        Args:
            partner: The other instance of each. [I]
            links: A node of the instance and one of its partner, as rows of this union. [2, L]
        """
        n, e = len(self.x), self.edge_index.shape[1]
        owner, edge = self.graphs.owner, torch.arange(e, device=self.x.device)
        whole = torch.cat([owner, partner.argsort()[owner]])  # [2n], whom each node and each copy stands beside
        order = whole.argsort(stable=True)
        place = order.argsort()
        joined = torch.stack([links[0], links[1] + n])
        ends = torch.cat([self.edge_index, self.edge_index + n, joined, joined.flip(0)], dim=1)
        first = torch.searchsorted(self.edge_owner, owner[links[0]])  # edges come instance by instance
        mixed = copy.copy(self)
        mixed._inputs = replace(self._inputs, edge_index=place[ends]).rows(
            order % n, torch.cat([edge, edge, first, first])
        )
        mixed.x, mixed.edge_index, mixed._owner = mixed._inputs.x, mixed._inputs.edge_index, whole[order]
        mixed.explained = None if self.explained is None else place[self.explained]
        return mixed

    def sum_edges(self, values: Tensor) -> Tensor:
        """Sums over the given edges of each instance. [e] → [I]"""
        return values.new_zeros(len(self.graphs)).index_add(0, self.edge_owner, values)

    def split(self, scores: Tensor) -> list[Scores]:
        """The scores of each instance's own edges: of several given ones the highest, of none in this direction that of
        the other. [e] → I times [e_i]"""
        values, owner = scores.detach().double().cpu().numpy(), self.edge_owner.cpu().numpy()
        ends = (self.edge_index - self.graphs.offset[self.edge_owner]).cpu().numpy()
        return [
            on_own_edges(instance, ends[:, owner == number], values[owner == number])
            for number, instance in enumerate(self._instances)
        ]


def on_own_edges(instance: Instance, ends: np.ndarray, values: Scores) -> Scores:
    """Scores of given edges on the edges of an instance. [2, e], [e] → [e_i]"""
    m = instance.num_nodes
    keys = instance.edge_index[0] * m + instance.edge_index[1]  # sorted
    between = ends[0] != ends[1]
    source, target = ends[:, between]
    found = np.full(len(keys), -np.inf)
    np.maximum.at(found, np.searchsorted(keys, source * m + target), values[between])
    return np.where(np.isfinite(found), found, found[instance.reverse])


def allows_unions(instances: Sequence[Instance]) -> bool:
    """Whether a model may be asked about a union of instances: some that others wrote mix up two graphs in one call."""
    adapters = [instance.adapter for instance in instances if isinstance(instance, ModelInstance)]
    return all(adapter.together for adapter in adapters if adapter is not None)


def in_unions(
    instances: Sequence[Instance], score: Callable[[list[Instance]], list[Scores]], edges: int = UNION_EDGES
) -> list[Explanation]:
    """Score many instances, union by union of about so many edges; one without edges gets no scores."""
    edges = edges if allows_unions(instances) else 1
    found: list[Explanation] = [Explanation(np.zeros(0))] * len(instances)
    for part in _parts(instances, edges):
        for at, scores in zip(part, score([instances[at] for at in part]), strict=True):
            found[at] = Explanation(scores)
    return found


def _parts(instances: Sequence[Instance], edges: int) -> Iterator[list[int]]:
    """Numbers of the instances that have edges, in groups of no more than so many edges (or of one instance)."""
    part: list[int] = []
    total = 0
    for at, instance in enumerate(instances):
        count = instance.edge_index.shape[1]
        if part and total + count > edges:
            yield part
            part, total = [], 0
        if count:
            part.append(at)
            total += count
    if part:
        yield part
