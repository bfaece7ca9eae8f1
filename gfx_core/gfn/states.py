"""States: N connected node sets, each with the sums over its nodes that a policy reads. Subsets: their nodes alone."""

from dataclasses import dataclass

import torch
from torch import Tensor

from gfx_core.gfn.instances import LINKS, SPREAD, Episodes
from gfx_core.gfn.pairs import Pairs


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
