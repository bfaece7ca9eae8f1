"""Random connected induced subgraphs, thousands at a time: what a GNN is to know besides whole graphs.

A fragment starts at a node and grows by one node at a time, chosen uniformly among those that touch it. All
fragments grow in lockstep; a step costs as much as the neighbours of the nodes that are added, whatever the graph's
size.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from gfx_core.config import Task
from gfx_core.datasets.graph import GraphDataset, Ints
from gfx_core.gnn.models import GNN

_UNSEEN, _TOUCHING = -2, -1  # what the table of a fragment says of a node that is not in it; a member has its place
_CELLS = 1 << 26  # entries of the tables that are held at once: bounds the memory on large graphs


@dataclass(frozen=True)
class Fragments:
    """B connected subgraphs, in the order in which they grew.

    Attributes:
        nodes: Global node ids, where it started first, padded with -1. [B, K]
        adjacency: Which of its nodes are joined. bool [B, K, K]
    """

    nodes: Tensor
    adjacency: Tensor

    @property
    def mask(self) -> Tensor:
        """Which nodes are real. bool [B, K]"""
        return self.nodes >= 0


class FragmentSource:
    """Grows fragments in the graphs of a data set.

    Args:
        dataset: Whose graphs.
        device: Where to compute.
    """

    def __init__(self, dataset: GraphDataset, device: str | torch.device = "cpu") -> None:
        self.dataset, self.device = dataset, torch.device(device)
        counts = np.bincount(dataset.edge_index[0], minlength=len(dataset.x))
        first = np.repeat(dataset.ptr[:-1], np.diff(dataset.ptr))  # of each node's graph
        self._x = torch.from_numpy(dataset.x).to(device)
        self._begin = torch.from_numpy(np.cumsum(counts) - counts).to(device)  # [n], where a node's neighbours begin
        self._degree = torch.from_numpy(counts).to(device)  # [n]
        self._neighbours = torch.from_numpy(dataset.edge_index[1]).to(device)  # [E]
        self._first = torch.from_numpy(first).to(device)  # [n]
        self._widest = max(1, int(counts.max(initial=0)))
        self._width = int(np.diff(dataset.ptr).max())

    def grow(self, starts: Tensor, sizes: Tensor, generator: torch.Generator | None = None) -> Fragments:
        """One fragment from each start node.

        Args:
            starts: Global node ids. [B]
            sizes: The nodes that each is to have; one whose graph has no more stays smaller. [B]
            generator: Of the choices.
        """
        most, rows = int(sizes.max()), max(1, _CELLS // (self._width + self._widest))
        pairs = zip(starts.split(rows), sizes.split(rows), strict=True)
        parts = [self._grow(some, wanted, most, generator) for some, wanted in pairs]
        return Fragments(torch.cat([part.nodes for part in parts]), torch.cat([part.adjacency for part in parts]))

    def _grow(self, starts: Tensor, sizes: Tensor, most: int, generator: torch.Generator | None) -> Fragments:
        count, device = len(starts), self.device
        row, slot = torch.arange(count, device=device), torch.arange(self._widest, device=device)
        # each has one cell more than it needs: what is not to be written goes there
        said = torch.full((count, self._width + 1), _UNSEEN, dtype=torch.int16, device=device)
        room = min(self._width, most * self._widest)
        touching = torch.zeros(count, room + 1, dtype=torch.int64, device=device)  # a list of each
        waiting = torch.zeros(count, dtype=torch.int64, device=device)  # its length
        nodes = torch.full((count, most), -1, dtype=torch.int64, device=device)
        adjacency = torch.zeros(count, most, most + 1, dtype=torch.bool, device=device)
        chance = torch.rand(most, count, device=device, generator=generator)
        added, grows = starts, torch.ones(count, dtype=torch.bool, device=device)
        for place in range(most):
            nodes[:, place] = added.where(grows, -1)
            own = (added - self._first[added]).where(grows, self._width)
            said.scatter_(1, own[:, None], place)
            real = (slot < self._degree[added][:, None]) & grows[:, None]  # [B, D]
            at = (self._begin[added][:, None] + slot).where(real, 0)
            local = (self._neighbours[at] - self._first[added][:, None]).where(real, self._width)
            before = said.gather(1, local)
            member = (before >= 0) & real
            joined = before.long().where(member, most)
            adjacency[:, place].scatter_(1, joined, True)
            fresh = (before == _UNSEEN) & real
            said.scatter_(1, local.where(fresh, self._width), _TOUCHING)
            position = (waiting[:, None] + fresh.cumsum(1) - 1).where(fresh, room)
            touching.scatter_(1, position, local)
            waiting = waiting + fresh.sum(1)
            if place + 1 == most:
                break
            grows = (sizes > place + 1) & (waiting > 0)
            last = (waiting - 1).clamp(min=0)
            drawn = (chance[place] * waiting).long().minimum(last)
            added = (touching[row, drawn] + self._first[starts]).where(grows, starts)
            touching[row, drawn.where(grows, room)] = touching[row, last]  # takes the place of the one that was drawn
            waiting = waiting - grows.long()
        adjacency = adjacency[:, :, :most]
        return Fragments(nodes, adjacency | adjacency.transpose(1, 2))

    def around(self, indices: Ints, most: int, generator: torch.Generator | None = None) -> Fragments:
        """A fragment of each of some nodes (around it) or graphs (from a random node of it), of a random size.

        Args:
            indices: Nodes or graphs; they may repeat. [B]
            most: The most nodes; sizes are uniform in 1 … the smaller of this and the graph's size.
            generator: Of starts, sizes and choices.
        """
        which = torch.from_numpy(indices).to(self.device)
        ptr = torch.from_numpy(self.dataset.ptr).to(self.device)
        share = torch.rand(2, len(which), device=self.device, generator=generator)
        if self.dataset.task is Task.NODE:
            starts, size = which, torch.full_like(which, int(self.dataset.ptr[-1]))
        else:
            size = ptr[which + 1] - ptr[which]
            starts = ptr[which] + (share[0] * size).long().minimum(size - 1)
        limit = size.clamp(max=most)
        return self.grow(starts, 1 + (share[1] * limit).long().minimum(limit - 1), generator)

    def logits(self, model: GNN, fragments: Fragments) -> Tensor:
        """What a GNN says of each fragment, seeing nothing else: of its first node, or of the whole of it. [B, C]"""
        by_lists = self.device.type == "cpu"  # where many small matrices are slow; a GPU is not asked how many edges
        return self._by_lists(model, fragments) if by_lists else self._by_matrices(model, fragments)

    def _by_matrices(self, model: GNN, fragments: Fragments) -> Tensor:
        mask = fragments.mask
        x = self._x[fragments.nodes.clamp(min=0)] * mask[..., None]  # [B, K, d]
        first = torch.zeros_like(fragments.nodes[:, 0]) if self.dataset.task is Task.NODE else None
        return model.dense(x, fragments.adjacency.to(x.dtype), mask, first)[0]

    def _by_lists(self, model: GNN, fragments: Fragments) -> Tensor:
        mask = fragments.mask
        owner, _ = mask.nonzero(as_tuple=True)
        place = (mask.flatten().cumsum(0) - 1).view_as(mask)  # of each node among all
        which, one, other = fragments.adjacency.nonzero(as_tuple=True)
        nodes = model.embed(self._x[fragments.nodes[mask]], torch.stack([place[which, one], place[which, other]]))
        explained = place[:, 0] if self.dataset.task is Task.NODE else None
        return model.read(nodes, explained, owner, len(mask))[0]
