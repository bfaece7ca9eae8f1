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
        sizes: The same where no device has to be asked. [I]
        target: Local id of the explained node, -1 in a graph task. [I]
        edge_index: Edges of all instances between rows of ``x``. [2, e]
        owner: The instance of each row of ``x``. [M]
        block: Every instance has a table with a cell for each pair of its nodes; where each table starts. [I]
        edge_cells: The cell of every edge, sorted. [e]
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
        self.sizes = size
        source, target = np.concatenate([instance.edge_index for instance in instances], axis=1)
        owner = np.repeat(np.arange(len(size)), [instance.edge_index.shape[1] for instance in instances])
        self.edge_index = self._tensor(np.stack([source, target]) + offset[owner])  # [2, e], rows of x
        self.edge_owner = owner  # [e], the instance of each edge, where no device has to be asked
        self.owner = self._tensor(np.repeat(np.arange(len(size)), size))  # [M], the instance of each row
        block = np.cumsum(size**2) - size**2  # where each instance's [m, m] table starts
        keys = block[owner] + source * size[owner] + target
        self.block, self.edge_cells = self._tensor(block), self._tensor(keys)
        self.num_cells = int((size**2).sum())
        self._table: Tensor | None = None
        if self.num_cells <= DENSE_CELLS:
            self._table = torch.zeros(self.num_cells, dtype=torch.bool, device=self.device)
            self._table[self.edge_cells] = True

    def _tensor(self, array: np.ndarray) -> Tensor:
        return torch.from_numpy(array).to(self.device)

    def __len__(self) -> int:
        return len(self.size)

    def joined(self, instance: Tensor, source: Tensor, target: Tensor) -> Tensor:
        """Whether two local nodes of an instance share an edge; all three broadcast. Ids must be in range."""
        cells = self.block[instance] + source * self.size[instance] + target
        if self._table is not None:
            return self._table[cells]
        if not len(self.edge_cells):
            return torch.zeros_like(cells, dtype=torch.bool)
        # sorted, because the instances and the edges of each are
        at = torch.searchsorted(self.edge_cells, cells).clamp(max=len(self.edge_cells) - 1)
        return self.edge_cells[at] == cells

    def rows(self, instance: Tensor, nodes: Tensor) -> Tensor:
        """Rows of ``x`` for local nodes; both broadcast."""
        return self.offset[instance] + nodes
