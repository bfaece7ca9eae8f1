"""InstanceBatch: several instances as one set of tensors, with a fast answer to "are these two joined?"."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from gfx_core.datasets.instance import Instance

DENSE_CELLS = 1 << 26
"""Adjacency is kept as one byte per node pair while all pairs together are no more than this (64 MiB)."""


class InstanceBatch:
    """The nodes of all instances in one row of ids: instance ``i`` owns ``offset[i] … offset[i] + size[i] - 1``.

    Attributes:
        x: Features of all nodes. [M, d]
        offset: First row of each instance. [I]
        size: Nodes of each instance. [I]
        target: Local id of the explained node, -1 in a graph task. [I]
    """

    def __init__(self, instances: Sequence[Instance], device: str | torch.device = "cpu") -> None:
        if not instances:
            raise ValueError("an InstanceBatch needs at least one instance")
        size = np.array([instance.num_nodes for instance in instances], dtype=np.int64)
        offset = np.cumsum(size) - size
        self.device = torch.device(device)
        self.x = self._tensor(np.concatenate([instance.x for instance in instances]))
        self.offset, self.size = self._tensor(offset), self._tensor(size)
        self.target = self._tensor(
            np.array([-1 if instance.target is None else instance.target for instance in instances])
        )
        source = np.concatenate([instance.edge_index[0] for instance in instances])
        target = np.concatenate([instance.edge_index[1] for instance in instances])
        owner = np.repeat(np.arange(len(size)), [instance.edge_index.shape[1] for instance in instances])
        block = np.cumsum(size**2) - size**2  # where each instance's [m, m] table starts
        keys = block[owner] + source * size[owner] + target
        self._block = self._tensor(block)
        self._cells = int((size**2).sum())
        self._table: Tensor | None = None
        self._keys: Tensor | None = None
        if self._cells <= DENSE_CELLS:
            self._table = torch.zeros(self._cells, dtype=torch.bool, device=self.device)
            self._table[self._tensor(keys)] = True
        else:
            self._keys = self._tensor(keys)  # sorted, because instances and their edges are

    def _tensor(self, array: np.ndarray) -> Tensor:
        return torch.from_numpy(array).to(self.device)

    def __len__(self) -> int:
        return len(self.size)

    def joined(self, instance: Tensor, source: Tensor, target: Tensor) -> Tensor:
        """Whether two local nodes of an instance share an edge; all three broadcast. Ids must be in range."""
        keys = self._block[instance] + source * self.size[instance] + target
        if self._table is not None:
            return self._table[keys]
        assert self._keys is not None
        if not len(self._keys):
            return torch.zeros_like(keys, dtype=torch.bool)
        at = torch.searchsorted(self._keys, keys).clamp(max=len(self._keys) - 1)
        return self._keys[at] == keys

    def rows(self, instance: Tensor, nodes: Tensor) -> Tensor:
        """Rows of ``x`` for local nodes; both broadcast."""
        return self.offset[instance] + nodes
