"""FlowPolicy: the network that gives every action of a state its log-flow.

A score is an MLP over what is known of the frontier node a and of the set s. The first layer is a sum of parts that
are each computed once: the node's own part, the set's part (a sum over its members) and a few numbers that say how a
is tied to s. Taking a member u out of the set changes these parts by a subtraction. So the flow from the parent
s∖{u} into s needs one row of the MLP, u's, and all parents of a state together cost |s| rows: about the price of
one forward pass, instead of |s| of them.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from gfx_core.gfn.config import PolicyConfig, Stop
from gfx_core.gfn.instances import LINKS, SPREAD, Episodes, FlowGraphs
from gfx_core.gfn.states import States, self_spread


@dataclass(frozen=True)
class Encoded:
    """The parts of the first layer that belong to nodes; one row for each node of each episode. [R, h] each"""

    node: Tensor
    context: Tensor | None


@dataclass(frozen=True)
class Padded:
    """The same, spread over N states whose episodes do not change: a row for each node of each state."""

    node: Tensor  # [N, m, h]
    context: Tensor | None  # [N, m, h]
    inverse_degree: Tensor  # [N, m]


@dataclass(frozen=True)
class Flows:
    """Log-flows of N states; −inf where there is no such action or parent.

    Attributes:
        log_out: log F(s → s∪{a}) for every node a. [N, m]
        log_in: log F(s∖{u} → s) for every node u. [N, m], or None if no parents were asked for
        log_stop: log F(s → STOP) of the learned head. [N], or None if STOP is the reward
    """

    log_out: Tensor
    log_in: Tensor | None
    log_stop: Tensor | None


class FlowPolicy(nn.Module):
    """The policy network.

    Args:
        num_features: Width of ``FlowGraphs.features``.
        config: Its shape.
        stop: Whether it has a STOP head.
        max_nodes: K_M, to scale what counts nodes.
    """

    def __init__(self, num_features: int, config: PolicyConfig, stop: Stop, max_nodes: int) -> None:
        super().__init__()
        hidden = config.hidden
        # with ReLU about half of the units of the wider network ended up dead; the paper's keeps it
        self._activate = functional.gelu if config.context else functional.relu
        self.config, self.stop, self.max_nodes, self.num_features = config, stop, max_nodes, num_features
        self.features = nn.Linear(num_features, hidden, bias=config.context)  # Θ₁, with the two lines below
        self.start = nn.Linear(3 if config.context else 1, hidden, bias=False)
        self.ties = nn.Linear(3 if config.context else 1, hidden, bias=False)
        if config.context:
            self.node = nn.Linear(hidden, hidden)
            self.context = nn.Linear(hidden, hidden, bias=False)
            self.counts = nn.Linear(3, hidden)
        self.second = nn.Linear(hidden, hidden)  # Θ₂
        self.score = nn.Linear(hidden, 1)
        if stop is Stop.LEARNED:
            self.attention = nn.Linear(hidden, 1, bias=False)  # θ₁
            between = nn.GELU() if config.context else nn.ReLU()
            self.stop_head = nn.Sequential(nn.Linear(hidden, hidden), between, nn.Linear(hidden, 1))

    def encode(self, episodes: Episodes) -> Encoded:
        """The part of the first layer that depends on node and start node alone."""
        source: FlowGraphs = episodes.source
        instance = episodes.instance[episodes.episode]
        rows = episodes.graphs.rows(instance, episodes.node)  # [R]
        start = episodes.start[episodes.episode]  # [R]
        tie = episodes.cell(episodes.episode, episodes.node, start)  # [R, 2]
        few = len(rows) < len(source.features)  # fewer rows than nodes: only these are needed
        first = self.features(source.features[rows]) if few else self.features(source.features)[rows]
        if not self.config.context:
            return Encoded(first + self.start(tie[:, SPREAD:]), None)
        is_start = (episodes.node == start).to(first.dtype)[:, None]
        embedding = self._activate(first + self.start(torch.cat([tie, is_start], dim=1)))
        return Encoded(self.node(embedding), self.context(embedding))

    def forward(self, encoded: Encoded, states: States, parents: Tensor | None = None) -> Flows:
        """Log-flows out of and into some states.

        Args:
            encoded: From :meth:`encode`, of the same episodes.
            states: Where the flows are wanted.
            parents: Which members may be taken out to give a parent. bool [N, m]
        """
        whole = self._set_part(encoded, states)  # [N, h]
        out = states.frontier.nonzero(as_tuple=True)
        groups = [self._rows(encoded, states, whole, out, taken_out=False)]
        if parents is not None:
            into = parents.nonzero(as_tuple=True)
            groups.append(self._rows(encoded, states, whole, into, taken_out=True))
        if self.stop is Stop.LEARNED:
            inside = states.members.nonzero(as_tuple=True)
            groups.append(self._rows(encoded, states, whole, inside, taken_out=False))
        # H̄, one row for each action, parent and member
        hidden = self._activate(self.second(self._activate(torch.cat(groups))))
        score = self.score(hidden)[:, 0]

        log_out = _spread_out(score[: len(groups[0])], out, states)
        log_in = log_stop = None
        if parents is not None:
            log_in = _spread_out(score[len(groups[0]) : len(groups[0]) + len(groups[1])], into, states)
        if self.stop is Stop.LEARNED:
            first, last = hidden[: len(groups[0])], hidden[len(hidden) - len(groups[-1]) :]
            at = (torch.cat([out[0], inside[0]]), torch.cat([out[1], inside[1]]))
            log_stop = self._stop(torch.cat([first, last]), at, states)
        return Flows(log_out, log_in, log_stop)

    def pad(self, encoded: Encoded, states: States) -> Padded:
        """Lay the nodes' parts out for :meth:`out_flows`."""
        episodes = states.episodes
        other = torch.arange(episodes.width, device=states.episode.device)
        size = episodes.graphs.size[episodes.instance[states.episode]][:, None]  # [N, 1]
        node = other.where(other < size, 0)  # [N, m]
        rows = episodes.base[states.episode][:, None] + node
        own = episodes.graphs.rows(episodes.instance[states.episode][:, None], node)
        context = None if encoded.context is None else encoded.context[rows]
        return Padded(encoded.node[rows], context, episodes.source.inverse_degree[own])

    def out_flows(self, padded: Padded, states: States) -> Flows:
        """Log-flows out of some states, for every node whether it is in the frontier or not.

        The same numbers as :meth:`forward` gives, without asking the device how many rows there are: the way to
        sample on a GPU, and on small graphs everywhere.
        """
        links, spread = states.sums[..., LINKS], states.sums[..., SPREAD]  # [N, m]
        if padded.context is None:
            first = padded.node + self.ties(spread[..., None])
        else:
            summed = (states.members.to(padded.context.dtype)[:, None, :] @ padded.context)[:, 0]  # [N, h]
            whole = summed + self.counts(self._counts(states.size, states.edges))
            ties = torch.stack([links, links * padded.inverse_degree, spread], dim=-1)
            first = padded.node + whole[:, None] + self.ties(ties)
        hidden = self._activate(self.second(self._activate(first)))  # [N, m, h]
        frontier = states.frontier
        log_out = self.score(hidden)[..., 0].masked_fill(~frontier, -torch.inf)
        if self.stop is Stop.REWARD:
            return Flows(log_out, None, None)
        weight = self.attention(hidden)[..., 0].masked_fill(~(frontier | states.members), -torch.inf).softmax(1)
        pooled = (weight[:, None] @ hidden)[:, 0]
        return Flows(log_out, None, self.stop_head(pooled)[:, 0])

    def _set_part(self, encoded: Encoded, states: States) -> Tensor | None:
        """What the first layer gets from the set as a whole. [N, h]"""
        if encoded.context is None:
            return None
        state, node = states.members.nonzero(as_tuple=True)
        rows = encoded.context[states.episodes.base[states.episode[state]] + node]
        summed = torch.zeros(len(states), rows.shape[1], device=rows.device).index_add(0, state, rows)
        return summed + self.counts(self._counts(states.size, states.edges))

    def _counts(self, size: Tensor, edges: Tensor) -> Tensor:
        return torch.stack([size / self.max_nodes, edges / self.max_nodes, edges / size], dim=-1)

    def _rows(
        self,
        encoded: Encoded,
        states: States,
        whole: Tensor | None,
        at: tuple[Tensor, ...],
        taken_out: bool,
    ) -> Tensor:
        """First layer for pairs of a state and a node; ``taken_out``: in the state without that node. [n, h]"""
        state, node = at
        row = states.episodes.base[states.episode[state]] + node
        sums = states.sums[state, node]  # [n, 2]
        links, spread = sums[:, LINKS], sums[:, SPREAD]
        if taken_out:
            spread = spread - self_spread(states, state, node)
        if whole is None or encoded.context is None:
            return encoded.node[row] + self.ties(spread[:, None])
        own = states.episodes.graphs.rows(states.episodes.instance[states.episode[state]], node)
        share = links * states.episodes.source.inverse_degree[own]
        result = encoded.node[row] + whole[state] + self.ties(torch.stack([links, share, spread], dim=-1))
        if taken_out:
            size, edges = states.size[state], states.edges[state]
            change = self._counts(size - 1, edges - links) - self._counts(size, edges)
            result = result - encoded.context[row] + change @ self.counts.weight.T
        return result

    def _stop(self, hidden: Tensor, at: tuple[Tensor, ...], states: States) -> Tensor:
        """Self-attention over set and frontier, then an MLP. [N]"""
        weight = _spread_out(self.attention(hidden)[:, 0], at, states).softmax(1)[at]  # [n]
        pooled = torch.zeros(len(states), hidden.shape[1], device=hidden.device)
        pooled = pooled.index_add(0, at[0], hidden * weight[:, None])
        return self.stop_head(pooled)[:, 0]


def _spread_out(values: Tensor, at: tuple[Tensor, ...], states: States) -> Tensor:
    """Put one value per (state, node) into a table that is −inf elsewhere. [n] → [N, m]"""
    table = torch.full(states.members.shape, -torch.inf, device=values.device, dtype=values.dtype)
    return table.index_put(at, values)
