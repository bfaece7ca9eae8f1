"""Growth: node sets that grow by one node at a time, with what a policy reads of them kept up to date."""

from dataclasses import dataclass

import torch
from torch import Tensor

from gfx_core.gfn.instances import LINKS, Episodes
from gfx_core.gfn.policy import FlowPolicy
from gfx_core.gfn.settings import Stop


def can_share(policy: FlowPolicy) -> bool:
    """Whether :class:`Growth` serves this kind of policy: STOP is the reward, scores see the whole set."""
    return policy.stop is Stop.REWARD and policy.config.context


@dataclass(frozen=True)
class Sets:
    """U node sets of the same size, with what the policy reads of them.

    Attributes:
        base: First row of the set's episode in what is encoded. [U]
        sums: As in ``States``; but nodes that can not be added because they are members, or not there, have −∞
            links. [U, m, 2]
        context: The sum of the members' context. [U, h]
        edges: |E_s|. [U]
        size: |s|.
    """

    base: Tensor
    sums: Tensor
    context: Tensor
    edges: Tensor
    size: int


class Growth:
    """The policy on growing sets of some episodes, with all that does not change along the way computed before."""

    def __init__(self, policy: FlowPolicy, episodes: Episodes) -> None:
        encoded = policy.encode(episodes)
        assert encoded.context is not None
        self.policy, self.episodes, graphs = policy, episodes, episodes.graphs
        # a set's part is affine in the number of its edges: what it is without them and what each adds, by its size
        size = torch.arange(1.0, policy.max_nodes + 1, device=encoded.node.device)  # [K]
        nothing = encoded.context.new_zeros(len(size), encoded.context.shape[1])  # [K, h]
        by_size = policy.first.set_part(nothing, size, torch.zeros_like(size))
        with_edge = policy.first.set_part(nothing, size, torch.ones_like(size))
        assert by_size is not None
        assert with_edge is not None
        self.node, self.context = encoded.node, encoded.context  # [R, h]
        self.by_size, self.by_edge = by_size, with_edge - by_size  # [K, h]
        instance = episodes.instance[episodes.episode]
        self.inverse_degree = episodes.source.inverse_degree[graphs.rows(instance, episodes.node)]  # [R]
        self.cell = graphs.block[instance] + episodes.node * graphs.size[instance]  # [R], where its column begins
        self.column = torch.arange(episodes.width, device=instance.device)  # [m]
        self.second = policy.laid_out()

    def start(self, episode: Tensor) -> Sets:
        """The start nodes alone. [U]"""
        episodes = self.episodes
        base, start = episodes.base[episode], episodes.start[episode][:, None]
        sums = episodes.columns(episode, start[:, 0])
        size = episodes.graphs.size[episodes.instance[episode]][:, None]
        sums[..., LINKS].masked_fill_((self.column >= size) | (self.column == start), -torch.inf)
        return Sets(base, sums, self.context[base + start[:, 0]], torch.zeros_like(base, dtype=sums.dtype), 1)

    def grown(self, sets: Sets, at: Tensor, node: Tensor, row: Tensor) -> Sets:
        """Some sets with one more node each, which has a row in what is encoded. [U] each"""
        before, node = sets.sums[at], node[:, None]
        table = self.episodes.source.table
        cells = (self.cell[row][:, None] + self.column).clamp(max=len(table) - 1)  # beyond the graph it does not matter
        sums = before + table[cells]
        sums[..., LINKS].scatter_(1, node, -torch.inf)
        edges = sets.edges[at] + before[..., LINKS].gather(1, node)[:, 0]
        return Sets(sets.base[at], sums, sets.context[at] + self.context[row], edges, sets.size + 1)

    def log_flows(self, sets: Sets, dense: bool) -> Tensor:
        """log F(s → s∪{a}) for every node a, −∞ where it can not be added. [U, m]

        Args:
            sets: The sets.
            dense: Whether to compute a score for every node, which needs no answer from the device.
        """
        policy, frontier = self.policy, sets.sums[..., LINKS] > 0  # [U, m]
        whole = torch.addcmul(sets.context, sets.edges[:, None], self.by_edge[sets.size - 1])
        whole = whole + self.by_size[sets.size - 1]  # [U, h]
        if dense:
            row = (sets.base[:, None] + self.column).clamp(max=len(self.node) - 1)  # [U, m]
            whole, sums = whole[:, None], sets.sums
        else:
            state, node = frontier.nonzero(as_tuple=True)
            row = sets.base[state] + node
            whole, sums = whole[state], sets.sums[state, node]  # [n, h], [n, 2]
        links, spread = sums.unbind(-1)
        ties = torch.stack([links, links * self.inverse_degree[row], spread], dim=-1)
        score = policy.score(policy.hidden(policy.first(self.node[row], whole, ties), self.second))[..., 0]
        score = score.nan_to_num(-torch.inf, -torch.inf, -torch.inf)  # a flow that is no number is no way to go
        if dense:
            return score.where(frontier, -torch.inf)
        table = torch.full(frontier.shape, -torch.inf, device=score.device)
        table[state, node] = score
        return table
