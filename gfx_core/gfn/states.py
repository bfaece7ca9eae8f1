"""States: N connected node sets, each a row of node ids, with what its nodes send to all others."""

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor
from torch.nn import functional

from gfx_core.gfn.instances import LINKS, SPREAD, Episodes

# Sets, actions and parents are tables of node ids, padded with -1. A policy computes a row for each entry.


@dataclass(frozen=True)
class Entries:
    """The n entries of a table of node ids. [N, A]

    Attributes:
        state: The row of each. [n]
        column: [n]
        node: [n]
        shape: N and A.
    """

    state: Tensor
    column: Tensor
    node: Tensor
    shape: torch.Size

    @classmethod
    def of(cls, nodes: Tensor) -> "Entries":
        """The entries of a table. [N, A]"""
        state, column = (nodes >= 0).nonzero(as_tuple=True)
        return cls(state, column, nodes[state, column], nodes.shape)

    def __len__(self) -> int:
        return len(self.state)

    def table(self, values: Tensor) -> Tensor:
        """One value for each entry as a table that is −∞ elsewhere. [n] → [N, A]"""
        table = torch.full(self.shape, -torch.inf, device=values.device, dtype=values.dtype)
        return table.index_put((self.state, self.column), values)

    def sum(self, rows: Tensor) -> Tensor:
        """The sum of each state's rows. [n, h] → [N, h]"""
        return torch.zeros(self.shape[0], rows.shape[1], device=rows.device).index_add(0, self.state, rows)


def prefixes(order: Tensor) -> Tensor:
    """Every state of trajectories as a padded row of nodes. [B, K] → [B, K, K]"""
    K = order.shape[1]
    up_to = torch.ones(K, K, dtype=torch.bool, device=order.device).tril()
    return order[:, None, :].where(up_to, -1)


@dataclass(frozen=True)
class States:
    """N states of some episodes.

    Attributes:
        episodes: Instances and start nodes.
        episode: Episode of each state. [N]
        nodes: The node set, the start node first, padded with -1. [N, K]
        sums: What every node receives from the set, where that is summed already: links into it, and S·1_s. [N, m, 2]
    """

    episodes: Episodes
    episode: Tensor
    nodes: Tensor
    sums: Tensor | None = None

    @classmethod
    def along(cls, episodes: Episodes, episode: Tensor, order: Tensor) -> "States":
        """Every state of trajectories, the prefixes of their orders: row b·K + t has at most t + 1 nodes.

        Args:
            episodes: Instances and start nodes.
            episode: Episode of each trajectory. [B]
            order: Nodes in the order of addition, padded with -1. [B, K]
        """
        B, K = order.shape
        episode = episode.repeat_interleave(K)
        sums = episodes.columns(episode, order.flatten()).view(B, K, -1, 2).cumsum(1)
        return cls(episodes, episode, prefixes(order).flatten(0, 1), sums.flatten(0, 1))

    def add(self, at: Tensor, node: Tensor) -> "States":
        """Some of the states with one more node each, nothing where it is -1. [n], [n]"""
        episode, nodes = self.episode[at], torch.cat([self.nodes[at], node[:, None]], dim=1)
        return States(self.episodes, episode, nodes, self.episodes.columns(episode, node) + self.received[at])

    def __len__(self) -> int:
        return len(self.episode)

    def __getitem__(self, at: Tensor) -> "States":
        return States(self.episodes, self.episode[at], self.nodes[at], None if self.sums is None else self.sums[at])

    @cached_property
    def size(self) -> Tensor:
        """|s|. [N]"""
        return (self.nodes >= 0).sum(1).float()

    @cached_property
    def edges(self) -> Tensor:
        """|E_s|. [N]"""
        if self.sums is not None:
            links = self.sums[..., LINKS].gather(1, self.nodes.clamp(min=0))  # [N, K]
            return (links * (self.nodes >= 0)).sum(1) / 2
        cells = self.episodes.cells(self.episode[:, None, None], self.nodes[:, :, None], self.nodes[:, None])
        return cells[..., LINKS].sum((1, 2)) / 2

    @cached_property
    def received(self) -> Tensor:
        """What every node receives from the set: links into it, and S·1_s. [N, m, 2]"""
        if self.sums is not None:
            return self.sums
        sums = torch.zeros(len(self), self.episodes.width, 2, device=self.nodes.device)
        for node in self.nodes.T:
            sums += self.episodes.columns(self.episode, node)
        return sums

    def frontier(self, max_nodes: int) -> Tensor:
        """Nodes that can be added, each in its column: neighbours of the set, none once it has K_M; else -1. [N, m]"""
        possible = (self.received[..., LINKS] > 0) & (self.size < max_nodes)[:, None]  # [N, m]
        possible.scatter_(1, self.nodes.where(self.nodes >= 0, self.nodes[:, :1]), False)  # members are none
        return torch.arange(possible.shape[1], device=possible.device).where(possible, -1)

    def ties(self, entries: Entries) -> Tensor:
        """How nodes are tied to sets: links, the share that they are of all the node's links, S·1_s. [n, 3]"""
        if self.sums is not None:
            received = self.sums[entries.state, entries.node]
        else:
            episode, nodes = self.episode[entries.state], self.nodes[entries.state]  # [n], [n, K]
            received = self.episodes.cells(episode[:, None], nodes, entries.node[:, None]).sum(1)
        links, spread = received.unbind(1)
        return torch.stack([links, links * self.episodes.inverse_degree[self.rows(entries)], spread], dim=1)

    def self_spread(self, entries: Entries) -> Tensor:
        """S at (u, u): what a member receives from itself. [n]"""
        return self.episodes.cells(self.episode[entries.state], entries.node, entries.node)[:, SPREAD]

    def rows(self, entries: Entries) -> Tensor:
        """The rows of nodes in what a policy encodes. [n]"""
        return self.episodes.base[self.episode[entries.state]] + entries.node

    def sum(self, rows: Tensor) -> Tensor:
        """The sum over each set's nodes of what a policy encodes, whose last row is no node's. [R + 1, h] → [N, h]"""
        at = self.episodes.base[self.episode][:, None] + self.nodes
        return functional.embedding_bag(at.where(self.nodes >= 0, len(rows) - 1), rows, mode="sum")
