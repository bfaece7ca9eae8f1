"""Pairs of a state and a node: the rows that a policy computes.

How many nodes the frontiers of some states have is known only on the device, and to ask is to wait. Where the most that
any state has is known, the pairs are a table of that width instead, some of whose entries count for nothing.
"""

from dataclasses import dataclass

import torch
from torch import Tensor


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
    def of(cls, mask: Tensor) -> "Pairs":
        """The pairs at which a mask is true, state by state. bool [N, m]"""
        state, node = mask.nonzero(as_tuple=True)
        return cls(state, node, None, (mask.shape[0], mask.shape[1]))

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
