"""DEGREE: split every activation of the GNN into the part that a group of nodes causes and the rest.

At the input the relevant part of a node's features is all of them if the node is in the group and none of them
otherwise. Each layer passes both parts on so that their sum stays the activation itself:

* a linear map acts on both; its bias is shared by |rel| / (|rel| + |irr|), neuron by neuron (0 / 0 counts as 0: what
  nobody caused is irrelevant);
* ReLU: rel' = relu(rel), irr' = relu(rel + irr) − relu(rel);
* L2 normalisation divides both by ‖rel + irr‖;
* maximum pooling takes both parts at the node where rel + irr is largest, their mean if several nodes are.

The sum is the same for every group, so only the relevant part is carried along: irr = activation − rel.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from gfx_core.config import NUM_LAYERS, GNNKind, Task
from gfx_core.datasets.graph import Ints
from gfx_core.datasets.instance import Instance
from gfx_core.errors import UserError
from gfx_core.explainers.method import Found, Method
from gfx_core.gnn.models import GNN

_CHUNK_FLOATS = 1 << 22  # numbers in the largest tensor of one pass: bounds the memory


def receptive_rows(instance: Instance, device: torch.device) -> list[Tensor]:
    """The nodes whose activations matter, after 0, 1, … layers: in a node task those near enough to the target."""
    reach = [NUM_LAYERS - layer for layer in range(NUM_LAYERS + 1)]
    rows = [np.flatnonzero(instance.hops <= hops) for hops in reach]
    return [torch.from_numpy(part).to(device) for part in rows]


def adjacency_matrix(instance: Instance, device: torch.device) -> Tensor:
    """Zeros and ones, float. [m, m]"""
    source, target = torch.from_numpy(instance.edge_index).to(device)
    adjacency = torch.zeros(instance.num_nodes, instance.num_nodes, device=device)
    adjacency[source, target] = 1.0
    return adjacency


@dataclass(frozen=True)
class _Layer:
    """One convolution on one instance: h = (P z) Wᵀ + b, then L2 norm (sum kind), then ReLU (but for the last).

    R are the rows that this layer computes, Q those that it reads.
    """

    propagation: Tensor  # [R, Q]
    weight: Tensor  # [out, in]
    bias: Tensor  # [out]
    before: Tensor  # (P z) Wᵀ for the activations themselves. [R, out]
    norm: Tensor | None  # of before + bias. [R, 1]
    relu: bool

    @property
    def output(self) -> Tensor:
        """The activations. [R, out]"""
        out = self.before + self.bias
        out = out if self.norm is None else out / self.norm
        return out.relu() if self.relu else out

    def relevant(self, rel: Tensor) -> Tensor:
        """The relevant part of the output for B groups. [Q, B, in] → [R, B, out]"""
        gathered = (self.propagation @ rel.flatten(1)).view(-1, *rel.shape[1:])
        out = _share_bias(gathered @ self.weight.T, self.before[:, None], self.bias)
        out = out if self.norm is None else out / self.norm[:, None]
        return out.relu() if self.relu else out


def _share_bias(rel: Tensor, total: Tensor, bias: Tensor) -> Tensor:
    """rel and its share of the bias; both parts together are ``total``."""
    size = rel.abs()
    return rel + bias * (size / (size + (total - rel).abs()).clamp(min=torch.finfo(rel.dtype).tiny))


def _share_of_maximum(output: Tensor, tolerance: float = 1e-6) -> Tensor:
    """How much each node counts in the maximum: all of it, or equal parts where nodes are equal. [m, h] → [m, h]"""
    highest = output >= output.amax(0) - tolerance
    return highest / highest.sum(0)


class Decomposition:
    """The relevant part of a GNN's logits on one instance, for any groups of its nodes.

    Args:
        model: The GNN.
        instance: The instance.
        device: Where the GNN is.
    """

    @torch.no_grad()
    def __init__(self, model: GNN, instance: Instance, device: torch.device) -> None:
        self.task, self.num_nodes, self.device = model.task, instance.num_nodes, device
        self._x = torch.from_numpy(instance.x).to(device)  # [m, d]
        propagation = adjacency_matrix(instance, device)
        if model.kind is GNNKind.GCN:
            propagation = propagation + torch.eye(self.num_nodes, device=device)
            scale = propagation.sum(1).rsqrt()
            propagation = scale[:, None] * propagation * scale
        self._rows = receptive_rows(instance, device)
        self._layers: list[_Layer] = []
        activation, outputs = self._x, []
        for number, conv in enumerate(model.convs, start=1):
            reads, computes = self._rows[number - 1], self._rows[number]
            bias: Tensor = conv.lin.bias if model.kind is GNNKind.SUM else conv.bias  # type: ignore[union-attr, assignment]
            weight: Tensor = conv.lin.weight  # type: ignore[union-attr, assignment]
            part = propagation[computes[:, None], reads]
            before = part @ activation @ weight.T
            norm = None
            if model.kind is GNNKind.SUM:
                norm = (before + bias).norm(dim=-1, keepdim=True).clamp(min=1e-12)
            layer = _Layer(part, weight, bias, before, norm, relu=number < NUM_LAYERS)
            self._layers.append(layer)
            activation = layer.output
            outputs.append(activation)
        self._target = [(rows == (instance.target or 0)).long().argmax() for rows in self._rows[1:]]  # node tasks
        self._highest = [_share_of_maximum(output) for output in outputs]  # graph tasks, [m, h] for each layer
        embedding = self._read([output[:, None] for output in outputs])[0]  # [D]
        self._head = model.head
        self._before_head = model.head.weight @ embedding  # [C]
        self.logits = self._before_head + model.head.bias  # [C], of the whole instance

    def _read(self, outputs: list[Tensor]) -> Tensor:
        """What the head reads of the layers' outputs, or of parts of them. [R, B, h] each → [B, D]"""
        if self.task is Task.NODE:
            return torch.cat([output[at] for output, at in zip(outputs, self._target, strict=True)], dim=-1)
        largest = [(output * share[:, None]).sum(0) for output, share in zip(outputs, self._highest, strict=True)]
        return torch.cat([*largest, *(output.mean(0) for output in outputs)], dim=-1)

    @torch.no_grad()
    def relevant(self, groups: Tensor) -> Tensor:
        """The relevant part of the logits for every group of nodes. bool [B, m] → [B, C]"""
        width = max(self._x.shape[1], self._head.in_features // len(self._layers))
        parts = groups.split(max(1, _CHUNK_FLOATS // (self.num_nodes * width)))
        return torch.cat([self._relevant(part) for part in parts])

    def _relevant(self, groups: Tensor) -> Tensor:
        rel = groups.T[:, :, None] * self._x[:, None]  # [m, B, d]
        outputs = []
        for layer in self._layers:
            rel = layer.relevant(rel)
            outputs.append(rel)
        return _share_bias(self._read(outputs) @ self._head.weight.T, self._before_head, self._head.bias)


class Degree(Method):
    """DEGREE (Feng et al., ICLR 2022).

    The score of an edge is the relevant part of the explained class's logit for the group of its two end nodes, sign
    and all: that is how the paper defines a group's contribution, and since both parts add up to the logit it needs no
    reference point.

    The order of nodes comes from greedy growth: from the explained node, in a graph task from the better end of the
    best edge, always by the frontier node that raises the relevant part of the whole group most.

    Args:
        model: The GNN.
        seed: Not used: nothing is drawn.
        device: Where to compute.
        max_nodes: The most nodes of the grown group.
    """

    def __init__(self, model: GNN, *, seed: int = 0, device: str | torch.device = "cpu", max_nodes: int = 10) -> None:
        if max_nodes < 1:
            raise UserError(f"max_nodes must be at least 1 (got {max_nodes}).")
        super().__init__(model, seed=seed, device=device)
        self.max_nodes = max_nodes

    def explain(self, instance: Instance) -> Found:
        decomposition = Decomposition(self.model, instance, self.device)
        explained = int(decomposition.logits.argmax())
        ends = torch.from_numpy(instance.edge_index[:, instance.undirected]).to(self.device)  # [2, e / 2]
        count = ends.shape[1]
        groups = torch.zeros(count, instance.num_nodes, dtype=torch.bool, device=self.device)
        groups[torch.arange(count, device=self.device), ends] = True
        score = torch.zeros(0, device=self.device)
        if count:
            score = decomposition.relevant(groups)[:, explained]
        by_pair = torch.zeros(instance.num_nodes, instance.num_nodes, device=self.device)
        by_pair[ends[0], ends[1]] = by_pair[ends[1], ends[0]] = score
        source, target = torch.from_numpy(instance.edge_index).to(self.device)
        start = self._start(decomposition, instance, ends, score, explained)
        return Found(
            by_pair[source, target].double().cpu().numpy(), self._grow(decomposition, instance, start, explained)
        )

    def _start(
        self, decomposition: Decomposition, instance: Instance, ends: Tensor, score: Tensor, explained: int
    ) -> int:
        """The explained node, or the end of the best edge that counts for more on its own."""
        if instance.target is not None:
            return instance.target
        if not len(score):
            return 0
        best = ends[:, score.argmax()]  # [2]
        alone = torch.zeros(2, instance.num_nodes, dtype=torch.bool, device=self.device)
        alone[torch.arange(2, device=self.device), best] = True
        return int(best[decomposition.relevant(alone)[:, explained].argmax()])

    def _grow(self, decomposition: Decomposition, instance: Instance, start: int, explained: int) -> Ints:
        linked = adjacency_matrix(instance, self.device) > 0
        group = torch.zeros(instance.num_nodes, dtype=torch.bool, device=self.device)
        group[start] = True
        order = [start]
        while len(order) < self.max_nodes:
            frontier = (linked[group].any(0) & ~group).nonzero()[:, 0]  # [F]
            if not len(frontier):
                break
            groups = group.repeat(len(frontier), 1)
            groups[torch.arange(len(frontier), device=self.device), frontier] = True
            best = frontier[decomposition.relevant(groups)[:, explained].argmax()]
            group[best] = True
            order.append(int(best))
        return np.array(order, dtype=np.int64)
