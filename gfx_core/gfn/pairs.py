"""Pairs of a state and a node: the rows that a policy computes, either as many as there are or in a fixed room.

How many nodes the frontiers of some states have is known only on the device. To ask is to wait, and what waits cannot
be recorded in a CUDA graph. So there is a second way: the pairs are put into a room of fixed size, which is larger than
they need, and the rest of it is filled up with pairs that count for nothing.
"""

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Room:
    """How many pairs of each kind there is room for.

    Attributes:
        frontier: Pairs of a state and a node that can be added.
        parents: Pairs of a state and a node that can be taken out.
        members: Pairs of a state and a node of it.
    """

    frontier: int
    parents: int
    members: int

    @classmethod
    def for_counts(cls, counts: list[int], spare: float = 1.5) -> "Room":
        """Room for such counts of each kind and some more."""
        return cls(*(256 * (int(count * spare) // 256 + 1) for count in counts))

    def holds(self, counts: list[int]) -> bool:
        """Whether there is room for such counts of each kind."""
        return all(a <= b for a, b in zip(counts, (self.frontier, self.parents, self.members), strict=True))


@dataclass(frozen=True)
class Pairs:
    """n pairs of one of N states and one of its m nodes.

    Attributes:
        state: [n]
        node: [n]
        real: Which of them count; None if all do. bool [n]
        shape: N and m.
    """

    state: Tensor
    node: Tensor
    real: Tensor | None
    shape: tuple[int, int]

    @classmethod
    def of(cls, mask: Tensor, room: int | None = None) -> "Pairs":
        """The pairs at which a mask is true, state by state.

        Args:
            mask: bool [N, m]
            room: How many pairs there is room for; without it there are as many as the mask has. Pairs beyond are lost:
                whoever gives room must look whether it sufficed.
        """
        shape = mask.shape[0], mask.shape[1]
        if room is None:
            state, node = mask.nonzero(as_tuple=True)
            return cls(state, node, None, shape)
        flat = mask.flatten()
        upto = flat.cumsum(0)
        each = torch.arange(room, device=mask.device)
        place = (upto - 1).where(flat & (upto <= room), room)  # what has no place goes to a spare one at the end
        # fillers belong to all states in turn: gradients that meet in one row would have to queue there
        at = torch.cat([each % shape[0] * shape[1], each[:1]])
        at = at.scatter(0, place, torch.arange(len(flat), device=mask.device))[:room]
        return cls(at // shape[1], at % shape[1], each < upto[-1], shape)

    @classmethod
    def listed(cls, node: Tensor, real: Tensor, width: int) -> "Pairs":
        """The same number of pairs for each state, given as a table. [N, A], bool [N, A]"""
        state = torch.arange(len(node), device=node.device).repeat_interleave(node.shape[1])
        return cls(state, node.where(real, 0).flatten(), real.flatten(), (len(node), width))

    def __len__(self) -> int:
        return len(self.state)

    def table(self, values: Tensor) -> Tensor:
        """Put one value per pair into a table that is −inf elsewhere. [n] → [N, m]"""
        states, width = self.shape
        if self.real is None:
            table = torch.full(self.shape, -torch.inf, device=values.device, dtype=values.dtype)
            return table.index_put((self.state, self.node), values)
        flat = torch.full((states * width + 1,), -torch.inf, device=values.device, dtype=values.dtype)
        at = (self.state * width + self.node).where(self.real, states * width)
        return flat.index_put((at,), values)[:-1].view(states, width)

    def summed(self, rows: Tensor) -> Tensor:
        """The sum of each state's rows. [n, h] → [N, h]"""
        if self.real is not None:
            rows = rows * self.real[:, None]
        return torch.zeros(self.shape[0], rows.shape[1], device=rows.device).index_add(0, self.state, rows)

    def joined(self, other: "Pairs") -> "Pairs":
        """These and the other pairs of the same states."""
        real = None
        if self.real is not None and other.real is not None:
            real = torch.cat([self.real, other.real])
        return Pairs(torch.cat([self.state, other.state]), torch.cat([self.node, other.node]), real, self.shape)
