"""One instance, asked about again and again: a layer computes only what is heard in the end.

In a node task the last layer is needed at the explained node alone, the one before it at its neighbours, and so on.
`ReceptiveField` asks about many node sets at once, and stores the graph once. `MaskedSums` weighs the messages of a GNN
of `SumConv` layers, and gives the gradient of what it says. An explainer that fits a mask asks for this hundreds of
times. Through autograd a step on a dozen of nodes is nearly all bookkeeping; the same few matrix products, written down
in numpy, take a fifteenth of the time. It computes in double precision: hundreds of steps in single precision carry its
rounding into the third digit of a mask. `dot` is the same as `@` here, at a third of its price.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from gfx_core.arrays import Doubles, Ints
from gfx_core.config import Task
from gfx_core.datasets.instance import Instance
from gfx_core.gnn.convolutions import SumConv
from gfx_core.gnn.models import GNN


def adjacency_matrix(instance: Instance, device: torch.device) -> Tensor:
    """Zeros and ones, float. [m, m]"""
    source, target = torch.from_numpy(instance.edge_index).to(device)
    adjacency = torch.zeros(instance.num_nodes, instance.num_nodes, device=device)
    adjacency[source, target] = 1.0
    return adjacency


@dataclass(frozen=True, eq=False)
class _Rows:
    """What one layer reads and computes."""

    reads: Tensor  # [Q]
    own: Tensor  # [R], where among them the computed ones are
    adjacency: Tensor  # [R, Q]


@dataclass(frozen=True, eq=False)
class _NodeSets:
    """B node sets of one graph, or the graph itself."""

    adjacency: Tensor  # [m, m]
    members: Tensor | None  # floats [m, B, 1]; None for all nodes

    @cached_property
    def degree(self) -> Tensor:
        """Neighbours within the set. [m, B, 1]"""
        ones = self.adjacency.new_ones(len(self.adjacency), 1, 1)
        return torch.tensordot(self.adjacency, ones if self.members is None else self.members, dims=1)


@dataclass(frozen=True, eq=False)
class _Layer:
    """One layer's `Neighbours`: z is [Q, B, d], or [Q, 1, d] where it is the same in all sets."""

    rows: _Rows
    sets: _NodeSets

    @property
    def degree(self) -> Tensor:
        return self.sets.degree[self.rows.reads]

    def sum(self, z: Tensor) -> Tensor:
        if self.sets.members is not None:
            z = z * self.sets.members[self.rows.reads]
        return torch.tensordot(self.rows.adjacency, z, dims=1)

    def own(self, z: Tensor) -> Tensor:
        return z[self.rows.own]


class ReceptiveField:
    """What of an instance each layer of a GNN needs.

    Args:
        model: The GNN.
        instance: The instance.
        device: Where to compute.
    """

    def __init__(self, model: GNN, instance: Instance, device: torch.device) -> None:
        instance.check_reach(model.hops)
        self.adjacency = adjacency_matrix(instance, device)  # [m, m]
        hops = torch.from_numpy(instance.hops).to(device)
        rows = [(hops <= reach).nonzero()[:, 0] for reach in range(model.num_layers, -1, -1)]
        self._rows = [
            _Rows(reads, torch.searchsorted(reads, computes), self.adjacency[computes[:, None], reads])
            for reads, computes in pairwise(rows)
        ]
        self.first = rows[0]  # the nodes whose features are read. [Q]
        self.x = torch.from_numpy(instance.x).to(device)[self.first][:, None]  # [Q, 1, d]
        self._target = [int((computes == (instance.target or 0)).long().argmax()) for computes in rows[1:]]

    def graphs(self, members: Tensor | None = None) -> list[_Layer]:
        """The graph as each layer sees it in each of B node sets. bool [B, m]; by default all nodes, and B is 1"""
        floats = None if members is None else members.T.to(self.x.dtype).contiguous().unsqueeze(-1)  # [m, B, 1]
        sets = _NodeSets(self.adjacency, floats)
        return [_Layer(rows, sets) for rows in self._rows]

    def at_target(self, outputs: Sequence[Tensor]) -> Tensor:
        """The explained node's embedding from every layer's output. [R, B, h] each → [B, layers · h]"""
        return torch.cat([output[at] for output, at in zip(outputs, self._target, strict=True)], dim=-1)


# Weighed messages, in numpy


MOST_CELLS = 1 << 17
"""Cells of all matrices together; with more, what is no edge costs more than the bookkeeping that is saved."""
_SHORTEST = 1e-12  # a row that is shorter is not scaled up any more, as in torch's `normalize`


@dataclass(eq=False)
class _WeighedLayer:
    """One layer, and what its last run has left for its gradient."""

    count: int  # f, the edges that end at a computed node: the first of all
    cells: Ints  # [f], where they stand in the matrix
    matrix: Doubles  # [R, Q], weights of the messages from the nodes that are read to those that are computed
    map: Doubles  # [h, d]
    bias: Doubles  # [h]
    last: bool
    sent: Doubles | None = None  # [Q, h], what the nodes send: of the first layer it is always the same
    scale: Doubles | None = None  # [R, 1]
    out: Doubles | None = None  # [R, h], before the ReLU

    def send(self, z: Doubles) -> None:
        """Work out what nodes send. [Q, d]"""
        self.sent = z.dot(self.map.T)

    def run(self, weight: Doubles) -> Doubles:
        """[e] → [R, h]"""
        assert self.sent is not None
        self.matrix.ravel()[self.cells] = weight[: self.count]
        mapped = self.matrix.dot(self.sent)
        mapped += self.bias
        length = np.sqrt(np.vecdot(mapped, mapped))
        self.scale = (1 / np.maximum(length, _SHORTEST))[:, None]
        self.out = mapped * self.scale
        return self.out if self.last else np.maximum(self.out, 0)

    def back(self, grad: Doubles, of_weight: Doubles, further: bool) -> Doubles | None:
        """Adds what it makes of a gradient to that of the weights, and passes the rest on. [R, h], [e] → [Q, d]"""
        assert self.sent is not None
        assert self.scale is not None
        assert self.out is not None
        if not self.last:
            grad = grad * (self.out > 0)
        along = np.vecdot(self.out, grad)[:, None]  # a mere change of length changes nothing
        if self.scale.max() == 1 / _SHORTEST:
            along[self.scale == 1 / _SHORTEST] = 0
        of_sum = (grad - self.out * along) * self.scale  # [R, h]
        of_weight[: self.count] += of_sum.dot(self.sent.T).ravel()[self.cells]
        return self.matrix.T.dot(of_sum).dot(self.map) if further else None


def fits(gnn: GNN, instance: Instance) -> bool:
    """Whether this is the way to ask: the layers are of the one kind, on a CPU, and the instance is small enough."""
    if any(type(conv) is not SumConv for conv in gnn.convs) or gnn.head.weight.device.type != "cpu":
        return False
    counts = [int(reads.sum()) for reads in _computed(gnn, instance)]
    return sum(before * after for before, after in pairwise(counts)) <= MOST_CELLS


def _computed(gnn: GNN, instance: Instance) -> list[NDArray[np.bool_]]:
    """The nodes whose features are read, then those that each layer computes. bool [m] each"""
    everything = np.ones(instance.num_nodes, dtype=bool)
    if gnn.task is Task.GRAPH:
        return [everything] * (gnn.num_layers + 1)
    return [everything] + [instance.hops <= left for left in range(gnn.num_layers - 1, -1, -1)]


def _weights(linear: nn.Linear) -> tuple[Doubles, Doubles]:
    return linear.weight.detach().double().numpy(), linear.bias.detach().double().numpy()


class MaskedSums:
    """A GNN on one instance, with a weight on every message.

    Args:
        gnn: The GNN, one that `fits`.
        instance: The instance.
    """

    def __init__(self, gnn: GNN, instance: Instance) -> None:
        instance.check_reach(gnn.hops)
        self._head, self._head_bias = _weights(gnn.head)
        self._target = instance.target
        computed = _computed(gnn, instance)
        heard = np.sum(computed, axis=0)[instance.edge_index[1]]  # [e], in how many layers
        self._order = np.argsort(-heard, kind="stable")  # so that the edges of each layer are the first ones
        source, target = instance.edge_index[:, self._order]
        self._layers: list[_WeighedLayer] = []
        self._at: list[int] = []  # where the explained node is among those that each layer computes
        for number, (reads, computes) in enumerate(pairwise(computed)):
            at_read, at_computed = np.cumsum(reads) - 1, np.cumsum(computes) - 1
            count = int(computes[target].sum())
            matrix = np.zeros((computes.sum(), reads.sum()))
            cells = at_computed[target[:count]] * matrix.shape[1] + at_read[source[:count]]
            linear = cast(SumConv, gnn.convs[number]).lin
            self._layers.append(
                _WeighedLayer(count, cells, matrix, *_weights(linear), last=number == gnn.num_layers - 1)
            )
            self._at.append(0 if instance.target is None else int(at_computed[instance.target]))
        self._layers[0].send(instance.x.astype(np.float64))

    def ask(self, weight: Doubles) -> tuple[Doubles, list[Doubles]]:
        """Logits by the weight of every edge, and what each layer computed. [e] → [C], [R, h] each"""
        return self._ask(weight[self._order])

    def _ask(self, weight: Doubles) -> tuple[Doubles, list[Doubles]]:
        outputs: list[Doubles] = []
        for layer in self._layers:
            if outputs:
                layer.send(outputs[-1])
            outputs.append(layer.run(weight))
        if self._target is not None:
            read = [output[at] for output, at in zip(outputs, self._at, strict=True)]
        else:
            read = [output.max(0) for output in outputs] + [output.mean(0) for output in outputs]
        return self._head @ np.concatenate(read) + self._head_bias, outputs

    def gradient(self, weight: Doubles, explained: int) -> Doubles:
        """Of the cross entropy of a class, with respect to the weights. [e]"""
        logits, outputs = self._ask(weight[self._order])
        of_logits = np.exp(logits - logits.max())
        of_logits /= of_logits.sum()
        of_logits[explained] -= 1
        of_read = of_logits @ self._head  # [D]
        by_order, above = np.zeros(len(weight)), None
        for number in range(len(self._layers) - 1, -1, -1):
            grad = self._of_output(number, outputs[number], of_read)
            above = self._layers[number].back(grad if above is None else grad + above, by_order, further=number > 0)
        found = np.empty_like(weight)
        found[self._order] = by_order
        return found

    def _of_output(self, number: int, output: Doubles, of_read: Doubles) -> Doubles:
        """What the head makes of one layer's output. [R, h]; equal maxima share, as in PyTorch"""
        width = output.shape[1]
        part = of_read[number * width : (number + 1) * width]
        if self._target is not None:
            grad = np.zeros(output.shape)
            grad[self._at[number]] = part
            return grad
        largest = (output == output.max(0)).astype(output.dtype)
        mean = of_read[(len(self._layers) + number) * width :][:width]
        return largest * (part / largest.sum(0)) + mean / len(output)
