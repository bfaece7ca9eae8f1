"""Many instances as one disjoint union, for explainers that ask the GNN itself about edges."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch_geometric.nn import MessagePassing
from torch_geometric.utils import get_embeddings

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
        self.edge_owner = self.graphs.owner[self.edge_index[0]]  # [e]
        self.explained: Tensor | None = None
        if self._adapter.task is Task.NODE:
            self.explained = self.graphs.offset + self.graphs.target
        with torch.no_grad():
            self._whole = self._raw()
            self.predicted = self(self.x, self.edge_index).argmax(-1)  # [I], the class that is explained

    def _raw(self) -> Tensor:
        raw = self._adapter.raw(self._inputs, self.graphs.owner, len(self.graphs))
        return raw if self.explained is None else raw[self.explained]

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        """Logits of every instance, whatever is written into the layers by now. [I, C]"""
        return self._output.predictions(self._raw(), self._whole).logits

    def embeddings(self, all_layers: bool) -> Tensor:
        """What comes out for each node of PyG's last layer, or of each of them. [n, D]"""
        if all_layers and isinstance(self.gnn, GNN):  # as its own head reads them
            with torch.no_grad():
                return self.gnn.embed(self.x, self.edge_index)
        found = get_embeddings(self, self.x, self.edge_index)
        of_nodes = [values.flatten(1) for values in found if values.ndim > 1 and len(values) == len(self.x)]
        if not of_nodes:
            raise UserError(
                f"PGExplainer reads embeddings of nodes, and no layer of {self._adapter.name} has one for each."
            )
        return (torch.cat(of_nodes, dim=1) if all_layers else of_nodes[-1]).float()

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
