"""States: N connected node sets, each with the sums over its nodes that a policy reads. Subsets: their nodes alone."""

from dataclasses import dataclass

import torch
from torch import Tensor

from gfx_core.gfn.instances import LINKS, SPREAD, Episodes

# Pairs of a state and a node: the rows that a policy computes.
#
# How many nodes the frontiers of some states have is known only on the device, and to ask is to wait. Where the most
# that any state has is known, the pairs are a table of that width instead, some of whose entries count for nothing.


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
    def listed(cls, node: Tensor, real: Tensor, width: int, fixed: bool) -> "Pairs":
        """Pairs as a table has them, some of them not real: with ``fixed`` they stay as padding. [N, A], bool [N, A]"""
        if not fixed:
            state, place = real.nonzero(as_tuple=True)
            return cls(state, node[state, place], None, (len(node), width))
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


@dataclass
class States:
    """N states of some episodes.

    Attributes:
        episodes: Where they live.
        episode: Episode of each state. [N]
        members: The node set. [N, m]
        sums: What every node receives from the set: links into it, and S·1_s. [N, m, 2]
        size: |s|. [N]
        edges: |E_s|. [N]
        max_nodes: K_M; a state this large has no frontier.
    """

    episodes: Episodes
    episode: Tensor
    members: Tensor
    sums: Tensor
    size: Tensor
    edges: Tensor
    max_nodes: int

    @classmethod
    def initial(cls, episodes: Episodes, episode: Tensor, max_nodes: int) -> "States":
        """The start node alone, for each episode named."""
        start = episodes.start[episode]
        members = torch.zeros(len(episode), episodes.width, dtype=torch.bool, device=start.device)
        members.scatter_(1, start[:, None], True)
        zeros = torch.zeros(len(episode), device=start.device)
        return cls(episodes, episode, members, episodes.columns(episode, start), zeros + 1, zeros, max_nodes)

    @classmethod
    def of_sets(cls, episodes: Episodes, episode: Tensor, members: Tensor, max_nodes: int) -> "States":
        """Any node sets. episode [N], members bool [N, m]"""
        state, node = members.nonzero(as_tuple=True)
        sums = torch.zeros(*members.shape, 2, device=members.device)
        sums.index_add_(0, state, episodes.columns(episode[state], node))
        edges = (sums[..., LINKS] * members).sum(1) / 2
        return cls(episodes, episode, members, sums, members.sum(1).float(), edges, max_nodes)

    @classmethod
    def along(cls, episodes: Episodes, episode: Tensor, order: Tensor, max_nodes: int) -> "States":
        """Every state of some trajectories, the prefixes of their orders: row b·K + t has t + 1 nodes.

        Args:
            episodes: Where they live.
            episode: Episode of each trajectory. [B]
            order: Nodes in the order of addition, padded with -1; prefixes that reach into the padding repeat
                the last state. [B, K]
            max_nodes: K_M.
        """
        B, K = order.shape
        real = order >= 0  # [B, K]
        each = episode[:, None].expand(B, K)
        columns = episodes.columns(each.flatten(), order.clamp(min=0).flatten()).view(B, K, -1, 2)
        sums = (columns * real[..., None, None]).cumsum(1)  # [B, K, m, 2]
        other = torch.arange(episodes.width, device=order.device)
        members = (order[..., None] == other).cumsum(1) > 0  # [B, K, m]
        size = real.cumsum(1).float()
        edges = (sums[..., LINKS] * members).sum(2) / 2
        return cls(
            episodes,
            each.flatten(),
            members.flatten(0, 1),
            sums.flatten(0, 1),
            size.flatten(),
            edges.flatten(),
            max_nodes,
        )

    def __len__(self) -> int:
        return len(self.episode)

    def __getitem__(self, at: Tensor) -> "States":
        return States(
            self.episodes,
            self.episode[at],
            self.members[at],
            self.sums[at],
            self.size[at],
            self.edges[at],
            self.max_nodes,
        )

    @property
    def frontier(self) -> Tensor:
        """Nodes that can be added: neighbours of the set outside it, none once it is full. [N, m]"""
        room = (self.size < self.max_nodes)[:, None]
        return (self.sums[..., LINKS] > 0) & ~self.members & room

    def ties(self, pairs: Pairs) -> Tensor:
        """How nodes are tied to sets: links, the share that they are of all the node's links, S·1_s. [n, 3]"""
        return _ties(self, pairs, self.sums[pairs.state, pairs.node])

    def add(self, node: Tensor, active: Tensor) -> None:
        """Add one node to each active state, in place. [N], bool [N]"""
        at = node[:, None]
        on = active[:, None]
        self.edges += self.sums[..., LINKS].gather(1, at)[:, 0] * active
        self.sums += self.episodes.columns(self.episode, node) * on[..., None]
        self.members.scatter_(1, at, self.members.gather(1, at) | on)
        self.size += active


@dataclass(frozen=True)
class Subsets:
    """N states given by their nodes alone. Of a few pairs, all that the policy asks for can be summed on the spot.

    Attributes:
        episodes: Where they live.
        episode: Episode of each state. [N]
        nodes: The node set, padded with -1. [N, K]
    """

    episodes: Episodes
    episode: Tensor
    nodes: Tensor

    def __len__(self) -> int:
        return len(self.episode)

    @property
    def size(self) -> Tensor:
        """|s|. [N]"""
        return (self.nodes >= 0).sum(1).float()

    @property
    def edges(self) -> Tensor:
        """|E_s|. [N]"""
        graphs, instance = self.episodes.graphs, self.episodes.instance[self.episode][:, None]
        real, nodes = self.nodes >= 0, self.nodes.clamp(min=0)  # [N, K]
        cells = (graphs.block[instance] + nodes * graphs.size[instance])[:, :, None] + nodes[:, None]  # [N, K, K]
        both = real[:, :, None] & real[:, None]
        return (self.episodes.source.table[cells, LINKS] * both).sum((1, 2)) / 2

    def ties(self, pairs: Pairs) -> Tensor:
        """As those of `States`. [n, 3]"""
        graphs, instance = self.episodes.graphs, self.episodes.instance[self.episode][pairs.state]
        nodes = self.nodes[pairs.state]  # [n, K]
        cells = (graphs.block[instance] + pairs.node * graphs.size[instance])[:, None] + nodes.clamp(min=0)
        return _ties(self, pairs, (self.episodes.source.table[cells] * (nodes >= 0)[..., None]).sum(1))


AnyStates = States | Subsets


def _ties(states: AnyStates, pairs: Pairs, sums: Tensor) -> Tensor:
    """Links into the set, their share of all the node's links, S·1_s, from what the nodes receive. [n, 2] → [n, 3]"""
    episodes = states.episodes
    own = episodes.graphs.rows(episodes.instance[states.episode[pairs.state]], pairs.node)
    links, spread = sums.unbind(1)
    return torch.stack([links, links * episodes.source.inverse_degree[own], spread], dim=1)


def self_spread(states: AnyStates, state: Tensor, node: Tensor) -> Tensor:
    """S at (u, u): what a member u receives from itself. [n], [n] → [n]"""
    return states.episodes.cell(states.episode[state], node, node)[:, SPREAD]
