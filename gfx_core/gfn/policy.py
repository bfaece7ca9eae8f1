"""FlowPolicy: the network that gives every action of a state its log-flow.

A score is an MLP over what is known of the frontier node a and of the set s. Its first layer is a sum of parts, and
taking a member u out of the set changes these parts by a subtraction. So the flow from the parent s∖{u} into s needs
one row of the MLP, u's, and all parents of a state together cost |s| rows: about the price of one forward pass, instead
of |s| of them.
"""

import copy
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Self

import torch
from torch import Tensor, nn
from torch.nn import functional

from gfx_core.gfn.instances import SPREAD, Episodes
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.settings import PolicyConfig, Stop
from gfx_core.gfn.states import Entries, States
from gfx_core.gnn.predict import Predictor

SMALLEST = 0.01
"""A feature that varies by less than this share of what the most varying one does counts as if it did by so much."""
SCALE = 2.0
"""How many times the spread of its targets a policy's last layer is scaled by before a training towards them."""


@dataclass(frozen=True)
class Encoded:
    """The parts of the first layer that belong to nodes; one row for each node of each episode.

    Attributes:
        node: [R, h]
        context: With a row of zeros at the end, for padding. [R + 1, h]
    """

    node: Tensor
    context: Tensor | None


class FirstLayer(nn.Module):
    """The policy's first layer: a sum of the node's own part, the set's part, and how the node is tied to the set.

    Without context it is Θ₁ of the paper, where a score depends on the set only through the node's own neighbourhood.
    With context it also sees the whole set: a sum over its members, its size and its edges.

    Args:
        num_features: f, width of ``FlowGraphs.features``.
        hidden: h, the layer's width.
        max_nodes: K_M, to scale what counts nodes.
        context: Whether it sees the set.
    """

    def __init__(self, num_features: int, hidden: int, max_nodes: int, context: bool) -> None:
        super().__init__()
        self.max_nodes, self.has_context = max_nodes, context
        self.features = nn.Linear(num_features, hidden, bias=context)
        self.start = nn.Linear(3 if context else 1, hidden, bias=False)
        self.ties = nn.Linear(3 if context else 1, hidden, bias=False)
        if context:
            self.node = nn.Linear(hidden, hidden)
            self.context = nn.Linear(hidden, hidden, bias=False)
            self.counts = nn.Linear(3, hidden)

    def activate(self, values: Tensor) -> Tensor:
        """What comes after each layer of the policy; with ReLU about half of our units ended up dead."""
        return functional.gelu(values) if self.has_context else functional.relu(values)

    def encode(self, features: Tensor, tie: Tensor, is_start: Tensor) -> Encoded:
        """The nodes' parts.

        Args:
            features: What :attr:`features` made of the nodes. [R, h]
            tie: How each is tied to the start node: joined, and S. [R, 2]
            is_start: 1 at the start nodes. [R]
        """
        if not self.has_context:
            return Encoded(features + self.start(tie[:, SPREAD:]), None)
        embedding = self.activate(features + self.start(torch.cat([tie, is_start[:, None]], dim=1)))
        return Encoded(self.node(embedding), functional.pad(self.context(embedding), (0, 0, 0, 1)))

    def forward(self, node: Tensor, whole: Tensor | None, ties: Tensor) -> Tensor:
        """The layer for pairs of a set and a node. [n, h]

        Args:
            node: The nodes' parts. [n, h]
            whole: The sets' parts, where they are seen. [n, h]
            ties: Links into the set, the share that they are of all the node's links, and S·1_s. [n, 3]
        """
        if whole is None:
            return plus_product(node, ties[:, 2:], self.ties)
        return plus_product(node + whole, ties, self.ties)

    def set_part(self, context: Tensor, size: Tensor, edges: Tensor) -> Tensor:
        """The sets' parts: of the sum of their members' context, |s| and |E_s|. [N, h], [N], [N] → [N, h]"""
        counts = torch.stack([size / self.max_nodes, edges / self.max_nodes, edges / size], dim=-1)  # [N, 3]
        return plus_product(context + self.counts.bias, counts, self.counts)

    @torch.no_grad()
    def count_up_to(self, max_nodes: int) -> None:
        """Take another K_M and leave all flows as they are."""
        if self.has_context:
            self.counts.weight[:, :2] *= max_nodes / self.max_nodes  # what they multiply is divided by K_M
        self.max_nodes = max_nodes

    @torch.no_grad()
    def standardise(self, features: Tensor) -> None:
        """Read features as if each had mean 0 and variance 1, where there is a bias that can. [M, f]"""
        if self.has_context:
            deviation, mean = torch.std_mean(features, 0, correction=0)
            smallest = (SMALLEST * deviation.max()).clamp(min=1e-6)
            self.features.weight /= torch.maximum(deviation, smallest)
            self.features.bias.sub_(self.features.weight @ mean)


def plus_product(base: Tensor, values: Tensor, layer: nn.Linear) -> Tensor:
    """A layer's output but for its bias, added to something of its shape. [n, h], [n, k] → [n, h]

    A small product is several times faster where the weights lie in memory as they are multiplied by.
    """
    return torch.addmm(base, values, layer.weight.T.contiguous())


@dataclass(frozen=True)
class PolicyFlows:
    """Log-flows of N states; −∞ where there is no such action or parent.

    Attributes:
        log_out: log F(s → s∪{a}) of each action. [N, A]
        log_in: log F(s∖{u} → s) of each parent. [N, P], or None if none were named
        log_stop: log F(s → STOP) of the learned head. [N], or None if STOP is the reward
    """

    log_out: Tensor
    log_in: Tensor | None
    log_stop: Tensor | None


class Policy(nn.Module, ABC):
    """A network that gives the actions of states their log-flows.

    Attributes:
        max_nodes: K_M.
        has_stop_head: Whether STOP's flow is learned; else it is the reward.
        num_features: Numbers that it reads of each node.
    """

    max_nodes: int
    has_stop_head = False
    num_features = 0

    @abstractmethod
    def encode(self, episodes: Episodes, reward: Reward | None = None) -> Any:
        """What is needed of episodes to evaluate their states under a reward."""

    @abstractmethod
    def forward(self, encoded: Any, states: States, actions: Tensor, parents: Tensor | None = None) -> PolicyFlows:
        """Log-flows out of and into states.

        Args:
            encoded: From :meth:`encode`, of the same episodes.
            states: The states.
            actions: Nodes that can be added, padded with -1. [N, A]
            parents: Members that can be taken out, padded with -1, if flows from parents are wanted. [N, P]
        """

    def smaller(self, max_nodes: int) -> Self:
        """A copy that stops at fewer nodes and gives smaller sets the very same flows."""
        copied = copy.deepcopy(self)
        copied.max_nodes = max_nodes
        return copied


class FlowPolicy(Policy):
    """The policy network.

    Args:
        num_features: Width of ``FlowGraphs.features``.
        config: Its shape.
        stop: Whether it has a STOP head.
        max_nodes: K_M.
    """

    def __init__(self, num_features: int, config: PolicyConfig, stop: Stop, max_nodes: int) -> None:
        super().__init__()
        hidden = config.hidden
        self.config, self.max_nodes, self.num_features = config, max_nodes, num_features
        self.has_stop_head = stop is Stop.LEARNED
        self.first = FirstLayer(num_features, hidden, max_nodes, config.context)
        self.second = nn.Linear(hidden, hidden)  # Θ₂
        self.score = nn.Linear(hidden, 1)
        if self.has_stop_head:
            self.attention = nn.Linear(hidden, 1, bias=False)  # θ₁
            between = nn.GELU() if config.context else nn.ReLU()
            self.stop_head = nn.Sequential(nn.Linear(hidden, hidden), between, nn.Linear(hidden, 1))

    def encode(self, episodes: Episodes, _reward: Reward | None = None) -> Encoded:
        """The part of the first layer that depends on node and start node alone; it does not look at the reward."""
        every, layer = episodes.source.features, self.first.features
        start = episodes.start[episodes.episode]  # [R]
        tie = episodes.cells(episodes.episode, episodes.node, start)  # [R, 2]
        few = len(episodes.row) < len(every)  # fewer rows than nodes: only these are needed
        features = layer(every[episodes.row]) if few else layer(every)[episodes.row]
        return self.first.encode(features, tie, (episodes.node == start).to(features.dtype))

    def hidden(self, first: Tensor) -> Tensor:
        """H̄ of pairs of a set and a node: what follows the first layer, up to the scores. [n, h] → [n, h]"""
        base = self.second.bias.expand(first.shape)
        return self.first.activate(plus_product(base, self.first.activate(first), self.second))

    def forward(self, encoded: Encoded, states: States, actions: Tensor, parents: Tensor | None = None) -> PolicyFlows:
        width = actions.shape[1]
        if self.has_stop_head:  # it looks at set and frontier
            actions = torch.cat([actions, states.nodes], dim=1)
        nodes, context, whole = Entries.of(actions), None, None
        if encoded.context is not None:
            context = states.sum(encoded.context)  # [N, h]
            whole = self.first.set_part(context, states.size, states.edges)[nodes.state]  # [n, h]
        first = self.first(encoded.node[states.rows(nodes)], whole, states.ties(nodes))  # [n, h]
        if parents is None:
            hidden, log_in = self.hidden(first), None
        else:
            into = Entries.of(parents)
            hidden = self.hidden(torch.cat([first, self._first_without(encoded, states, context, into)]))
            hidden, rows = hidden.split([len(nodes), len(into)])
            log_in = into.table(self.score(rows)[:, 0])
        log_out = nodes.table(self.score(hidden)[:, 0])[:, :width]
        return PolicyFlows(log_out, log_in, self._log_stop(hidden, nodes) if self.has_stop_head else None)

    def _first_without(self, encoded: Encoded, states: States, context: Tensor | None, members: Entries) -> Tensor:
        """The first layer for members in the state without them. [n, h]"""
        state, row, ties = members.state, states.rows(members), states.ties(members)
        whole = None
        if context is not None and encoded.context is not None:
            context = context[state] - encoded.context[row]
            whole = self.first.set_part(context, states.size[state] - 1, states.edges[state] - ties[:, 0])
        ties[:, 2] -= states.self_spread(members)
        return self.first(encoded.node[row], whole, ties)

    def _log_stop(self, hidden: Tensor, nodes: Entries) -> Tensor:
        """Self-attention over set and frontier, then an MLP. [n, h] → [N]"""
        weight = nodes.table(self.attention(hidden)[:, 0]).softmax(1)[nodes.state, nodes.column]  # [n]
        return self.stop_head(nodes.sum(hidden * weight[:, None]))[:, 0]

    @torch.no_grad()
    def begin_at(self, features: Tensor, log_flow: float, spread: float) -> None:
        """Before a training whose targets are known: let inputs be of one scale, and outputs be where targets are.

        Without it the first hundreds of steps go into finding the size of the flows. Nothing but weights changes.

        Args:
            features: What is known of the nodes (``FlowGraphs.features``). [M, f]
            log_flow: The mean of the log-flows that are to be learned.
            spread: Their standard deviation.
        """
        self.first.standardise(features)
        self.score.bias.fill_(log_flow)
        self.score.weight *= SCALE * spread

    @torch.no_grad()
    def begin_high(self, features: Tensor, log_reward: float) -> None:
        """Let all flows of a new network begin at some reward; else hundreds of steps go into finding their size."""
        self.begin_at(features, log_reward, 1 / SCALE)
        if self.has_stop_head:
            *_, last = self.stop_head.parameters()
            last.fill_(log_reward)

    def smaller(self, max_nodes: int) -> Self:
        copied = super().smaller(max_nodes)
        copied.first.count_up_to(max_nodes)
        return copied


# StartLocator 𝕃: which node of a graph to start from, in graph tasks.


class StartLocator(nn.Module):
    """An MLP (64-8-1) on the GNN's embeddings of the graph and of the node gives each node an influence ω.

    Args:
        graph_width: Width of a graph's embedding.
        node_width: Width of a node's embedding.
    """

    def __init__(self, graph_width: int, node_width: int) -> None:
        super().__init__()
        self.widths = (graph_width, node_width)
        self.mlp = nn.Sequential(
            nn.Linear(graph_width + node_width, 64), nn.ReLU(), nn.Linear(64, 8), nn.ReLU(), nn.Linear(8, 1)
        )

    def forward(self, predictor: Predictor, instance: Tensor, node: Tensor) -> Tensor:
        """ω of some nodes. instance [n], local node [n] → [n]"""
        graph = predictor.whole.embedding[instance]
        node_embedding = predictor.node_embedding[predictor.graphs.rows(instance, node)]
        return self.mlp(torch.cat([graph, node_embedding], dim=1))[:, 0]

    @torch.no_grad()
    def probabilities(self, predictor: Predictor, instance: int) -> Tensor:
        """Softmax of ω over the nodes of one instance. [m]"""
        nodes = torch.arange(int(predictor.graphs.sizes[instance]), device=predictor.device)
        return self(predictor, torch.full_like(nodes, instance), nodes).softmax(0)


def locator_loss(omega: Tensor, log_reward: Tensor) -> Tensor:
    """KL between softmax(ω) and softmax(log R of the subgraph sampled from that node). [G, starts] each"""
    return functional.kl_div(omega.log_softmax(1), log_reward.softmax(1), reduction="batchmean")
