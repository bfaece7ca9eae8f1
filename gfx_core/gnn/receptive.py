"""Many node sets of one instance at once: the graph is stored once, and a layer computes only what is heard in the end.

In a node task the last layer is needed at the explained node alone, the one before it at its neighbours, and so on.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import torch
from torch import Tensor

from gfx_core.datasets.instance import Instance
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
        everybody = self.adjacency.new_ones(len(self.adjacency), 1, 1)
        return torch.tensordot(self.adjacency, everybody if self.members is None else self.members, dims=1)


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
