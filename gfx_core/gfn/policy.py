"""FlowPolicy: the network that gives every action of a state its log-flow.

A score is an MLP over what is known of the frontier node a and of the set s. Its first layer is a sum of parts
(`gfx_core.gfn.first_layer`), and taking a member u out of the set changes these parts by a subtraction. So the flow
from the parent s∖{u} into s needs one row of the MLP, u's, and all parents of a state together cost |s| rows: about the
price of one forward pass, instead of |s| of them.
"""

import copy
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn
from torch.nn import functional

from gfx_core.gfn.first_layer import ContextLayer, Encoded, PaperLayer
from gfx_core.gfn.instances import Episodes, FlowGraphs
from gfx_core.gfn.settings import PolicyConfig, Stop
from gfx_core.gfn.states import AnyStates, Pairs, States, self_spread
from gfx_core.gnn.predict import Predictor

SCALE = 2.0
"""How many times the spread of its targets a policy's last layer is scaled by before a training that knows them."""


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
        log_back: log P_B(s∖{u} | s) of the backward head. [N, m], or None if there is none or no parents were asked for
        looks_forward: Whether flows out of a state are still to be multiplied by its reward, see :meth:`given`.
    """

    log_out: Tensor
    log_in: Tensor | None
    log_stop: Tensor | None
    log_back: Tensor | None = None
    looks_forward: bool = False

    def given(self, log_reward: Tensor) -> "Flows":
        """The same where log R of the states is known: STOP's flow is R(s) unless it has a head of its own.

        Flows that look forward are learnt relative to the reward of the state that they leave (Pan et al., 2023):
        F(s → s∪{a}) = R(s) · exp(score). Those from parents stay as they are: they would need the parents' rewards.
        """
        log_stop = log_reward if self.log_stop is None else self.log_stop
        log_out = self.log_out + log_reward[:, None] if self.looks_forward else self.log_out
        return replace(self, log_out=log_out, log_stop=log_stop)


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
        self.config, self.stop, self.max_nodes, self.num_features = config, stop, max_nodes, num_features
        self.first = (ContextLayer if config.context else PaperLayer)(num_features, hidden, max_nodes)
        self.second = nn.Linear(hidden, hidden)  # Θ₂
        self.score = nn.Linear(hidden, 1)
        if stop is Stop.LEARNED:
            self.attention = nn.Linear(hidden, 1, bias=False)  # θ₁
            between = nn.GELU() if config.context else nn.ReLU()
            self.stop_head = nn.Sequential(nn.Linear(hidden, hidden), between, nn.Linear(hidden, 1))
        if config.learned_backward:
            self.back = nn.Linear(hidden, 1)  # P_B of a parent s∖{u}, from what is known of adding u to it
            nn.init.zeros_(self.back.weight)  # uniform at first

    @property
    def has_stop_head(self) -> bool:
        """Whether STOP's flow is learnt."""
        return self.stop is Stop.LEARNED

    def encode(self, episodes: Episodes) -> Encoded:
        """The part of the first layer that depends on node and start node alone."""
        source: FlowGraphs = episodes.source
        instance = episodes.instance[episodes.episode]
        rows = episodes.graphs.rows(instance, episodes.node)  # [R]
        start = episodes.start[episodes.episode]  # [R]
        tie = episodes.cell(episodes.episode, episodes.node, start)  # [R, 2]
        few = len(rows) < len(source.features)  # fewer rows than nodes: only these are needed
        features = self.first.features
        own = features(source.features[rows]) if few else features(source.features)[rows]
        return self.first.encode(own, tie, (episodes.node == start).to(own.dtype))

    def hidden(self, first: Tensor, second: Tensor | None = None) -> Tensor:
        """H̄ of pairs of a set and a node: what follows the first layer, up to the scores. [..., h] → [..., h]

        Args:
            first: The first layer's output.
            second: From :meth:`laid_out`, for whoever calls this many times with the same weights.
        """
        activate, second = self.first.activate, self.laid_out() if second is None else second
        return activate(torch.addmm(self.second.bias, activate(first).flatten(0, -2), second)).view(first.shape)

    def laid_out(self) -> Tensor:
        """Θ₂ as it is multiplied by: a small product is several times faster when it lies so in memory. [h, h]"""
        return self.second.weight.T.contiguous()

    @torch.no_grad()
    def begin_at(self, features: Tensor, log_flow: float, spread: float) -> None:
        """Before a training whose targets are known: let inputs be of one scale, and outputs be where targets are.

        Without it the first hundreds of steps go into finding the size of the flows. Nothing but weights changes.

        Args:
            features: What is known of the nodes (``FlowGraphs.features``). [M, f]
            log_flow: The mean of the log-flows that are to be learnt.
            spread: Their standard deviation.
        """
        self.first.standardise(features)
        self.score.bias.fill_(log_flow)
        self.score.weight *= SCALE * spread

    @torch.no_grad()
    def begin_high(self, features: Tensor, log_reward: float) -> None:
        """Let all flows of a new network begin at some reward; else hundreds of steps go into finding their size."""
        flows = 0.0 if self.config.forward_looking else log_reward  # then they are relative to the reward
        self.begin_at(features, flows, 1 / SCALE)
        if self.has_stop_head:
            *_, last = self.stop_head.modules()
            assert isinstance(last, nn.Linear)
            last.bias.fill_(log_reward)

    def smaller(self, max_nodes: int) -> "FlowPolicy":
        """A copy that stops at fewer nodes and gives smaller sets the very same flows."""
        copied = copy.deepcopy(self)
        copied.max_nodes = max_nodes
        copied.first.count_up_to(max_nodes)
        return copied

    def forward(self, encoded: Encoded, states: States, parents: Tensor | None = None) -> Flows:
        """Log-flows out of and into some states.

        Args:
            encoded: From :meth:`encode`, of the same episodes.
            states: Where the flows are wanted.
            parents: Which members may be taken out to give a parent. bool [N, m]
        """
        into = None if parents is None else Pairs.of(parents)
        reads_members = self.stop is Stop.LEARNED or encoded.context is not None
        inside = Pairs.of(states.members) if reads_members else None
        return self.at_pairs(encoded, states, Pairs.of(states.frontier), into, inside)

    def at_pairs(
        self, encoded: Encoded, states: AnyStates, out: Pairs, into: Pairs | None, inside: Pairs | None
    ) -> Flows:
        """Log-flows at pairs of a state and a node.

        Args:
            encoded: From :meth:`encode`, of the same episodes.
            states: The states.
            out: Nodes that can be added.
            into: Members that can be taken out, if parents are wanted.
            inside: All members, where the first layer or the STOP head reads them.
        """
        summed = None
        if encoded.context is not None:
            assert inside is not None
            summed = inside.summed(encoded.context[_row(states, inside)])  # [N, h]
        whole = self.first.set_part(summed, states.size, states.edges)  # [N, h]
        groups = [self._rows(encoded, states, whole, out)]
        if into is not None:
            groups.append(self._rows_without(encoded, states, summed, into))
        if self.stop is Stop.LEARNED:
            assert inside is not None
            groups.append(self._rows(encoded, states, whole, inside))
        hidden = self.hidden(torch.cat(groups))  # one row for each action, parent and member
        score = self.score(hidden)[:, 0]

        log_out = out.table(score[: len(out)])
        log_in = log_stop = log_back = None
        if into is not None:
            rows = slice(len(out), len(out) + len(into))
            log_in = into.table(score[rows])
            if self.config.learned_backward:
                log_back = self._log_back(into.table(self.back(hidden[rows])[:, 0]))
        if self.stop is Stop.LEARNED:
            assert inside is not None
            last = hidden[len(hidden) - len(inside) :]
            log_stop = self._stop(torch.cat([hidden[: len(out)], last]), out.joined(inside))
        return Flows(log_out, log_in, log_stop, log_back, self.config.forward_looking)

    def backward_scores(self, encoded: Encoded, states: AnyStates, out: Pairs, inside: Pairs | None) -> Tensor:
        """What the backward head says of the step from each state by each node that can be added. [n]

        P_B is its softmax over the steps that lead to the same state.
        """
        summed = None
        if encoded.context is not None:
            assert inside is not None
            summed = inside.summed(encoded.context[_row(states, inside)])
        whole = self.first.set_part(summed, states.size, states.edges)
        return self.back(self.hidden(self._rows(encoded, states, whole, out)))[:, 0]

    @staticmethod
    def _log_back(scores: Tensor) -> Tensor:
        """log P_B from a table of scores; rows without a parent stay −inf. [N, m]"""
        empty = (scores == -torch.inf).all(1, keepdim=True)
        return scores.masked_fill(empty, 0.0).log_softmax(1).masked_fill(scores == -torch.inf, -torch.inf)

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
        links, spread = states.sums.unbind(-1)  # [N, m]
        summed = None
        if padded.context is not None:
            summed = (states.members.to(padded.context.dtype)[:, None, :] @ padded.context)[:, 0]  # [N, h]
        whole = self.first.set_part(summed, states.size, states.edges)  # [N, h]
        ties = torch.stack([links, links * padded.inverse_degree, spread], dim=-1)
        hidden = self.hidden(self.first(padded.node, None if whole is None else whole[:, None], ties))  # [N, m, h]
        frontier = states.frontier
        log_out = self.score(hidden)[..., 0].masked_fill(~frontier, -torch.inf)
        if self.stop is Stop.REWARD:
            return Flows(log_out, None, None, looks_forward=self.config.forward_looking)
        weight = self.attention(hidden)[..., 0].masked_fill(~(frontier | states.members), -torch.inf).softmax(1)
        pooled = (weight[:, None] @ hidden)[:, 0]
        return Flows(log_out, None, self.stop_head(pooled)[:, 0], looks_forward=self.config.forward_looking)

    def _rows(self, encoded: Encoded, states: AnyStates, whole: Tensor | None, pairs: Pairs) -> Tensor:
        """First layer for pairs of a state and a node. [n, h]"""
        ties = states.ties(pairs)
        return self.first(encoded.node[_row(states, pairs)], None if whole is None else whole[pairs.state], ties)

    def _rows_without(self, encoded: Encoded, states: AnyStates, summed: Tensor | None, pairs: Pairs) -> Tensor:
        """The same in the state without that node, one of its members. [n, h]"""
        state, row, ties = pairs.state, _row(states, pairs), states.ties(pairs)
        if summed is not None and encoded.context is not None:
            summed = summed[state] - encoded.context[row]
        whole = self.first.set_part(summed, states.size[state] - 1, states.edges[state] - ties[:, 0])
        ties[:, 2] -= self_spread(states, state, pairs.node)
        return self.first(encoded.node[row], whole, ties)

    def _stop(self, hidden: Tensor, pairs: Pairs) -> Tensor:
        """Self-attention over set and frontier, then an MLP. [N]"""
        weight = pairs.table(self.attention(hidden)[:, 0]).softmax(1)[pairs.state, pairs.node]  # [n]
        return self.stop_head(pairs.summed(hidden * weight[:, None]))[:, 0]


def _row(states: AnyStates, pairs: Pairs) -> Tensor:
    """The row of each pair's node in what is encoded. [n]"""
    return states.episodes.base[states.episode[pairs.state]] + pairs.node


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
        own = predictor.node_embedding[predictor.graphs.rows(instance, node)]
        return self.mlp(torch.cat([graph, own], dim=1))[:, 0]

    @torch.no_grad()
    def probabilities(self, predictor: Predictor, instance: int) -> Tensor:
        """Softmax of ω over the nodes of one instance. [m]"""
        nodes = torch.arange(int(predictor.graphs.sizes[instance]), device=predictor.device)
        return self(predictor, torch.full_like(nodes, instance), nodes).softmax(0)


def locator_loss(omega: Tensor, log_reward: Tensor) -> Tensor:
    """KL between softmax(ω) and softmax(log R of the subgraph sampled from that node), over starts of a graph.

    Args:
        omega: [G, starts]
        log_reward: [G, starts]
    """
    return functional.kl_div(omega.log_softmax(1), log_reward.softmax(1), reduction="batchmean")
