"""SubgraphX: Monte-Carlo tree search for the connected subgraph with the highest Shapley value.

The Shapley value of a subgraph is what it adds to the GNN's prediction, averaged over the company it may keep. The
players are the subgraph, as one player, and each other node near it. The value v(S) of a coalition S is the probability
of the explained class when the GNN sees G[S] and nothing else. **In a node task the explained node belongs to every
coalition that is evaluated**, for without it there is nothing to predict. In a graph task the empty coalition is worth
what the head gives an embedding of zeros, the mean and the maximum over no nodes; of a model that others wrote, which
cannot predict for an empty graph, all classes are then as likely.

What is free: how long and how widely it searches, and which nodes it deletes first (:class:`SearchConfig`). The order
of deletion and λ are chosen for each data set by `gfx_core.bench.explainers`.

**How large an answer may be** is not free. A subgraph scores 1 on its edges and 0 elsewhere, so its size alone decides
much of its AUC. An answer has at most as many nodes as the largest motif of the data set, and may always have five.
Five is what SubgraphX's own configuration uses, and all there is where no motif is known. The rule uses how large
motifs are, as top-k accuracy does, and nothing of where they lie.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import networkx as nx
import numpy as np
import torch
from torch import Tensor, nn

from gfx_core.arrays import first_best
from gfx_core.baselines.edge_scores import Scores
from gfx_core.baselines.method import Method
from gfx_core.datasets.instance import Instance
from gfx_core.user_models.predictor import predictor_on

SMALLEST = 5
"""Nodes that an answer may always have."""


@dataclass(frozen=True)
class SearchConfig:
    """How SubgraphX searches.

    Attributes:
        rollouts: Walks down the search tree, M in the paper.
        c_puct: How much the value of a child counts against what was found beyond it, λ in the paper.
        min_atoms: Subgraphs of at most this many nodes are leaves of the tree.
        max_actions: The most deletions tried on one subgraph.
        expand: Which nodes are deleted first: those of lowest degree (``low2high``) or of highest (``high2low``).
        samples: Monte-Carlo samples of a Shapley value; exact where there are no more coalitions than that.
        radius: Nodes up to this many hops from a subgraph take part in its Shapley value.
        search_nodes: The search starts at a connected part of the instance of at most this many nodes, grown from the
            explained node (in a graph task from the node that matters most) by the node whose deletion from the
            whole instance lowers the explained class's log-probability most. All nodes near enough still play
            in the Shapley values. The paper searches from the whole instance: hundreds of levels where there are
            hundreds of nodes.
    """

    rollouts: int = 20
    c_puct: float = 10.0
    min_atoms: int = 5
    max_actions: int = 12
    expand: Literal["low2high", "high2low"] = "low2high"
    samples: int = 100
    radius: int = 4
    search_nodes: int = 15


class ShapleyValues:
    """Shapley values of subgraphs of one instance.

    With few enough other players every coalition is enumerated and the value is exact. Otherwise it is the mean of
    what the subgraph adds in random orders of arrival: every node draws a time, the subgraph draws one, and who came
    before it is the coalition. The times are drawn once for the instance, so a value depends on the subgraph alone,
    and subgraphs are compared in the same company.

    Args:
        model: The GNN.
        instance: The instance.
        device: Where the GNN is.
        config: How many orders are drawn, and how far away nodes play.
        seed: Of the arrival times.
    """

    def __init__(
        self, model: nn.Module, instance: Instance, device: torch.device, config: SearchConfig, seed: int
    ) -> None:
        m, self.samples = instance.num_nodes, config.samples
        self._predictor = predictor_on(model, [instance], device)
        self._class = int(self._predictor.whole.predicted[0])
        self._always = torch.zeros(m, dtype=torch.bool)  # in every coalition
        if instance.target is not None:
            self._always[instance.target] = True
        self._worth: dict[bytes, float] = {}  # a subgraph and what one deletion leaves of it share coalitions
        generator = torch.Generator().manual_seed(seed)
        times = torch.rand(self.samples, m, generator=generator)
        self._earlier = times < torch.rand(self.samples, 1, generator=generator)  # [samples, m]
        steps = torch.eye(m)
        steps[tuple(instance.edge_index)] = 1.0
        self._near = torch.linalg.matrix_power(steps, config.radius) > 0  # [m, m], within the radius

    @torch.no_grad()
    def log_probability(self, members: Tensor) -> Tensor:
        """log v of every coalition. bool [B, m] → [B]"""
        coalitions = (members | self._always).to(self._predictor.device)
        return self._predictor.sets(coalitions).log_probabilities[:, self._class].cpu()

    def worth(self, members: Tensor) -> Tensor:
        """v of every coalition; all values are kept. bool [B, m] → [B]"""
        keys = [row.tobytes() for row in (members | self._always).numpy()]
        new = {key: row for row, key in enumerate(keys) if key not in self._worth}
        if new:
            values = self.log_probability(members[list(new.values())]).exp()
            self._worth.update(zip(new, values.tolist(), strict=True))
        return torch.tensor([self._worth[key] for key in keys])

    def __call__(self, subgraphs: Tensor) -> list[float]:
        """The Shapley value of every subgraph. bool [n, m]"""
        coalitions, weights = zip(*map(self._coalitions, subgraphs), strict=True)
        pairs = [torch.cat([rows | subgraph, rows]) for rows, subgraph in zip(coalitions, subgraphs, strict=True)]
        worths = self.worth(torch.cat(pairs)).split([len(rows) for rows in pairs])
        gains = (together - alone for together, alone in (worth.chunk(2) for worth in worths))  # [R] each
        return [float((gain * weight).sum()) for gain, weight in zip(gains, weights, strict=True)]

    def _coalitions(self, subgraph: Tensor) -> tuple[Tensor, Tensor]:
        """Coalitions S of p other players, and the weight of each, |S|! (p − |S|)! / (p + 1)! of all of them.

        bool [m] → bool [R, m], [R]
        """
        players = self._near[subgraph].any(0) & ~subgraph & ~self._always
        nodes = players.nonzero()[:, 0]
        p = len(nodes)
        if 2**p > self.samples:
            return self._earlier & players, torch.full((self.samples,), 1 / self.samples)
        members = torch.arange(2**p)[:, None] >> torch.arange(p) & 1  # [2ᵖ, p]
        coalitions = torch.zeros(2**p, len(players), dtype=torch.bool)
        coalitions[:, nodes] = members.bool()
        size = members.sum(1).float()
        log_weight = torch.lgamma(size + 1) + torch.lgamma(p - size + 1) - torch.lgamma(size.new_tensor(p + 2.0))
        return coalitions, log_weight.exp()


@dataclass(eq=False)
class SearchNode:
    """One connected subgraph in the search tree; reached by two ways, it is still one.

    Attributes:
        nodes: Its nodes.
        value: Its Shapley value, R in the paper.
        visits: How often the search came through, C.
        total: The values of the leaves that it reached from here, W.
        children: What one deletion leaves of it; None before it is expanded.
    """

    nodes: frozenset[int]
    value: float
    visits: int = 0
    total: float = 0.0
    children: "list[SearchNode] | None" = None


class Search:
    """The search tree of one instance.

    Args:
        instance: The instance.
        values: Shapley values of its subgraphs.
        config: How to search.
    """

    def __init__(self, instance: Instance, values: ShapleyValues, config: SearchConfig) -> None:
        self.values, self.config, self.target = values, config, instance.target
        self.max_nodes = max([SMALLEST, *(motif.num_nodes for motif in instance.info.motifs)])
        self.graph: nx.Graph = nx.empty_graph(instance.num_nodes)
        self.graph.add_edges_from(instance.edge_index.T.tolist())
        self.tree: dict[frozenset[int], SearchNode] = {}
        (self.root,) = self._nodes([self._window()])

    def _members(self, subgraphs: Iterable[frozenset[int]]) -> Tensor:
        """bool [n, m]"""
        return torch.tensor([[node in nodes for node in self.graph] for nodes in subgraphs])

    def _nodes(self, subgraphs: Iterable[frozenset[int]]) -> list[SearchNode]:
        """The tree's nodes for different subgraphs; new ones are valued together."""
        subgraphs = list(subgraphs)
        if new := [nodes for nodes in subgraphs if nodes not in self.tree]:
            self.tree |= dict(zip(new, map(SearchNode, new, self.values(self._members(new))), strict=True))
        return [self.tree[nodes] for nodes in subgraphs]

    def _window(self) -> frozenset[int]:
        """A connected part of the instance: grown by the node whose deletion from the whole hurts most."""
        whole = self.component(frozenset(self.graph))
        left = self.values.log_probability(self._members(whole - {node} for node in sorted(whole)))
        harm = dict(zip(sorted(whole), (-left).tolist(), strict=True))
        window, candidates = set[int](), whole if self.target is None else {self.target}
        while candidates and len(window) < self.config.search_nodes:
            ordered = sorted(candidates)
            window.add(ordered[first_best([harm[node] for node in ordered])])
            candidates = nx.node_boundary(self.graph, window)
        return frozenset(window)

    def component(self, nodes: frozenset[int]) -> frozenset[int]:
        """The explained node's component of a node set, in a graph task the largest one (of these the first)."""
        pieces = map(frozenset, nx.connected_components(self.graph.subgraph(nodes)))
        return max(pieces, key=lambda piece: (self.target in piece, len(piece), -min(piece)))

    def deletions(self, nodes: frozenset[int]) -> list[frozenset[int]]:
        """What each action leaves: one of the first nodes by degree is deleted, never the explained one."""
        sign, degree = 1 if self.config.expand == "low2high" else -1, self.graph.subgraph(nodes).degree
        first = sorted(nodes - {self.target}, key=lambda node: (sign * degree[node], node))[: self.config.max_actions]
        return [self.component(nodes - {node}) for node in first]

    def rollout(self) -> None:
        """One walk from the root down to a leaf, whose value is credited to every subgraph on the way.

        A step goes to the child of largest Q + c R √ΣC / (1 + C), Q = W / C; among equals to the one of largest R.
        """
        node, path = self.root, [self.root]
        while len(node.nodes) > self.config.min_atoms:
            if node.children is None:
                node.children = self._nodes(dict.fromkeys(self.deletions(node.nodes)))
            scale = self.config.c_puct * math.sqrt(sum(child.visits for child in node.children))
            node = max(
                node.children,
                key=lambda child: (
                    child.total / max(1, child.visits) + scale * child.value / (1 + child.visits),
                    child.value,
                ),
            )
            path.append(node)
        for ancestor in path:
            ancestor.visits += 1
            ancestor.total += node.value

    def best(self) -> SearchNode:
        """Of all subgraphs met that are small enough, the one of highest value; among equals the smallest."""
        small = [node for node in self.tree.values() if len(node.nodes) <= self.max_nodes]
        return max(small, key=lambda node: (node.value, -len(node.nodes)))


class SubgraphX(Method):
    """SubgraphX (Yuan et al., ICML 2021), written from the paper.

    The search starts with the instance and deletes nodes, by degree; of what is left it keeps the explained node's
    component (in a graph task the largest one). The GNN sees the induced subgraph of a coalition and, in a node
    task, the explained node belongs to every coalition that is evaluated.

    The explanation is one subgraph, so a score is 1 on its edges and 0 elsewhere, as the method defines it.
    """

    config_type = SearchConfig

    def search(self, instance: Instance) -> Search:
        """The search tree of one instance after all rollouts."""
        config = self.config
        search = Search(instance, ShapleyValues(self.model, instance, self.device, config, self.seed), config)
        for _ in range(config.rollouts):
            search.rollout()
        return search

    def scores(self, instance: Instance) -> Scores:
        source, target = np.isin(instance.edge_index, list(self.search(instance).best().nodes))
        return (source & target).astype(np.float64)
