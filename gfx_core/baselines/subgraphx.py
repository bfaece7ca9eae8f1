"""SubgraphX: Monte-Carlo tree search for the connected subgraph with the highest Shapley value.

The Shapley value of a subgraph is what it adds to the GNN's prediction, averaged over the company it may keep. The
players are the subgraph, as one player, and each other node near it. The value v(S) of a coalition S is the probability
of the explained class when the GNN sees G[S] and nothing else. **In a node task the explained node belongs to every
coalition that is evaluated**, for without it there is nothing to predict. In a graph task the empty coalition is worth
what the head says of an embedding of zeros, the mean and the maximum over no nodes; of a model that others wrote, which
cannot be asked about an empty graph, all classes are then as likely.

What is free: how long and how widely it searches, and which nodes it deletes first (:class:`SearchConfig`). The order
of deletion and λ are chosen for each data set by `gfx_core.bench.explainers`. How large the answer may be is not
free: it is the rule for all subgraphs (`gfx_core.baselines.method`).
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components
from torch import Tensor, nn

from gfx_core.arrays import first_best
from gfx_core.baselines.method import Explanation, Method, answer_nodes
from gfx_core.datasets.instance import Instance
from gfx_core.user_models.predictor import predictor_on


class CoalitionGame:
    """v(S) of many coalitions of one instance's nodes; all values are remembered.

    A subgraph and what one deletion leaves of it meet half of the time in the same coalitions.

    Args:
        model: The GNN.
        instance: The instance.
        device: Where the GNN is.
    """

    def __init__(self, model: nn.Module, instance: Instance, device: torch.device) -> None:
        self.device, self.num_nodes = device, instance.num_nodes
        self._predictor = predictor_on(model, [instance], device)
        self.explained_class = int(self._predictor.whole.predicted[0])
        self.adjacency = torch.zeros(self.num_nodes, self.num_nodes, device=device)  # [m, m]
        self.adjacency[tuple(instance.edge_index)] = 1.0
        self.always = torch.zeros(self.num_nodes, dtype=torch.bool, device=device)  # in every coalition
        if instance.target is not None:
            self.always[instance.target] = True
        self._values: dict[bytes, float] = {}

    def __call__(self, members: Tensor) -> Tensor:
        """v of every coalition. bool [B, m] → [B]"""
        keys = [row.tobytes() for row in np.packbits((members | self.always).cpu().numpy(), axis=1)]
        new = {key: row for row, key in enumerate(keys) if key not in self._values}
        if new:
            values = self.log_probability(members[list(new.values())]).exp()
            self._values.update(zip(new, values.tolist(), strict=True))
        return torch.tensor([self._values[key] for key in keys], device=self.device)

    @torch.no_grad()
    def log_probability(self, members: Tensor) -> Tensor:
        """log v of every coalition, always computed anew. bool [B, m] → [B]"""
        return self._predictor.sets(members | self.always).log_probabilities[:, self.explained_class]


class ShapleyValues:
    """Shapley values of subgraphs of one instance.

    With few enough other players every coalition is enumerated and the value is exact. Otherwise it is the mean of
    what the subgraph adds in random orders of arrival: every node draws a time, the subgraph draws one, and who came
    before it is the coalition. The times are drawn once for the instance, so a value depends on the subgraph alone,
    and subgraphs are compared in the same company.

    Args:
        game: The value of coalitions.
        samples: Orders to draw; also the most coalitions that are enumerated instead.
        radius: Nodes up to this far from the subgraph play.
        seed: Of the arrival times.
    """

    def __init__(self, game: CoalitionGame, *, samples: int = 100, radius: int = 4, seed: int = 0) -> None:
        self.game, self.samples = game, samples
        generator = torch.Generator().manual_seed(seed)  # on the CPU: the same times on every device
        self._times = torch.rand(samples, game.num_nodes, generator=generator).to(game.device)
        self._own_time = torch.rand(samples, 1, generator=generator).to(game.device)
        near = torch.eye(game.num_nodes, device=game.device)
        for _ in range(min(radius, game.num_nodes)):
            near = (near @ game.adjacency + near).clamp(max=1)
        self._near = near  # [m, m], 1 within the radius

    def __call__(self, subgraphs: Tensor) -> Tensor:
        """The value of every subgraph. bool [n, m] → [n]"""
        others = (subgraphs.float() @ self._near > 0) & ~subgraphs & ~self.game.always  # [n, m]
        company, weight = zip(*map(self._company, others), strict=True)
        without = torch.cat(company)  # [R, m]
        including = torch.cat([part | subgraph for part, subgraph in zip(company, subgraphs, strict=True)])
        with_it, alone = self.game(torch.cat([including, without])).chunk(2)  # [R] each
        gain = (torch.cat(weight) * (with_it - alone)).split([len(part) for part in company])
        return torch.stack([part.sum() for part in gain])

    def _company(self, others: Tensor) -> tuple[Tensor, Tensor]:
        """Coalitions S of p other players, and the weight of each, |S|! (p − |S|)! / (p + 1)! of all of them.

        bool [m] → bool [R, m], [R]
        """
        nodes, device = others.nonzero()[:, 0], others.device
        p = len(nodes)
        if 2**p > self.samples:
            weight = torch.full((self.samples,), 1 / self.samples, device=device)
            return (self._times < self._own_time) & others, weight
        members = torch.arange(2**p, device=device)[:, None] >> torch.arange(p, device=device) & 1  # [2ᵖ, p]
        coalitions = torch.zeros(2**p, len(others), dtype=torch.bool, device=device)
        coalitions[:, nodes] = members.bool()
        size = members.sum(1).float()
        log_weight = torch.lgamma(size + 1) + torch.lgamma(p - size + 1) - torch.lgamma(size.new_tensor(p + 2.0))
        return coalitions, log_weight.exp()


Bools = NDArray[np.bool_]


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


@dataclass(eq=False)
class SearchNode:
    """One connected subgraph in the search tree; reached by two ways, it is still one.

    Attributes:
        members: Its nodes. [m]
        value: Its Shapley value, R in the paper.
        visits: How often the search came through, C.
        total: The values of the leaves that it reached from here, W.
        children: What one deletion leaves of it; None before it is expanded.
    """

    members: Bools
    value: float
    visits: int = 0
    total: float = 0.0
    children: "list[SearchNode] | None" = None

    @property
    def size(self) -> int:
        return int(self.members.sum())


class Search:
    """The search tree of one instance.

    Args:
        instance: The instance.
        values: Shapley values of its subgraphs.
        config: How to search.
    """

    def __init__(self, instance: Instance, values: ShapleyValues, config: SearchConfig) -> None:
        self.values, self.config = values, config
        self.max_nodes = answer_nodes(instance.info)
        self.target = instance.target
        self.linked = np.zeros((instance.num_nodes, instance.num_nodes), dtype=bool)  # [m, m]
        self.linked[tuple(instance.edge_index)] = True
        self.nodes: dict[bytes, SearchNode] = {}
        whole = self.component(np.ones(instance.num_nodes, dtype=bool))
        (self.root,) = self._nodes([self._window(whole)])

    def _window(self, whole: Bools) -> Bools:
        """A connected part of the instance: grown by the node whose deletion from the whole hurts most. [m]"""
        if whole.sum() <= self.config.search_nodes:
            return whole
        game = self.values.game
        deleted = torch.from_numpy(whole & ~np.eye(len(whole), dtype=bool)).to(game.device)  # [m, m]
        harm = -game.log_probability(deleted).double().cpu().numpy()  # [m]
        harm[~whole] = -np.inf
        window = np.zeros_like(whole)
        window[first_best(harm) if self.target is None else self.target] = True
        while window.sum() < self.config.search_nodes:
            frontier = self.linked[window].any(0) & ~window
            window[first_best(np.where(frontier, harm, -np.inf))] = True
        return window

    def component(self, members: Bools) -> Bools:
        """The explained node's component of a node set, in a graph task the largest one. [m]"""
        nodes = np.flatnonzero(members)
        if not len(nodes):
            return members
        _, piece = connected_components(self.linked[np.ix_(nodes, nodes)], directed=False)
        chosen = np.bincount(piece).argmax() if self.target is None else piece[np.searchsorted(nodes, self.target)]
        component = np.zeros_like(members)
        component[nodes[piece == chosen]] = True
        return component

    def deletions(self, members: Bools) -> list[Bools]:
        """What each action leaves: one of the first nodes by degree is deleted, never the explained one. [m] each"""
        nodes = np.flatnonzero(members)
        degree = self.linked[np.ix_(nodes, nodes)].sum(0)
        nodes = nodes[np.argsort(degree if self.config.expand == "low2high" else -degree, kind="stable")]
        left = np.tile(members, (len(nodes), 1))
        left[np.arange(len(nodes)), nodes] = False
        return [self.component(kept) for kept in left[nodes != self.target][: self.config.max_actions] if kept.any()]

    def _nodes(self, subgraphs: list[Bools]) -> list[SearchNode]:
        """The tree's nodes for some subgraphs, each once; new ones are valued together."""
        unique = {members.tobytes(): members for members in subgraphs}
        new = [key for key in unique if key not in self.nodes]
        if new:
            members = torch.from_numpy(np.stack([unique[key] for key in new])).to(self.values.game.device)
            for key, value in zip(new, self.values(members).tolist(), strict=True):
                self.nodes[key] = SearchNode(unique[key], value)
        return [self.nodes[key] for key in unique]

    def rollout(self) -> None:
        """One walk from the whole instance down to a leaf, whose value is credited to every subgraph on the way."""
        node, path = self.root, [self.root]
        while node.size > self.config.min_atoms:
            if node.children is None:
                node.children = self._nodes(self.deletions(node.members))
            if not node.children:
                break
            node = self._select(node.children)
            path.append(node)
        for ancestor in path:
            ancestor.visits += 1
            ancestor.total += node.value

    def _select(self, children: list[SearchNode]) -> SearchNode:
        """The child of largest Q + c R √ΣC / (1 + C), Q = W / C; among equals the one of largest R."""
        root_visits = math.sqrt(sum(child.visits for child in children))

        def urgency(child: SearchNode) -> tuple[float, float]:
            explored = child.total / child.visits if child.visits else 0.0
            return explored + self.config.c_puct * child.value * root_visits / (1 + child.visits), child.value

        return max(children, key=urgency)

    def best(self) -> SearchNode:
        """Of all subgraphs met that are small enough, the one of highest value; among equals the smallest."""
        small = [node for node in self.nodes.values() if node.size <= self.max_nodes]
        return max(small, key=lambda node: (node.value, -node.size))


class SubgraphX(Method):
    """SubgraphX (Yuan et al., ICML 2021), written from the paper.

    The search starts with the instance and deletes nodes, by degree; of what is left it keeps the explained node's
    component (in a graph task the largest one). The GNN sees the induced subgraph of a coalition and, in a node
    task, the explained node belongs to every coalition that is evaluated.

    The explanation is one subgraph, so a score is 1 on its edges and 0 elsewhere, as the method defines it.
    """

    config_type = SearchConfig
    any_model = True

    def search(self, instance: Instance) -> Search:
        """The search tree of one instance after all rollouts."""
        game = CoalitionGame(self.model, instance, self.device)
        values = ShapleyValues(game, samples=self.config.samples, radius=self.config.radius, seed=self.seed)
        search = Search(instance, values, self.config)
        for _ in range(self.config.rollouts):
            search.rollout()
        return search

    def explain(self, instance: Instance) -> Explanation:
        source, target = self.search(instance).best().members[instance.edge_index]
        return Explanation((source & target).astype(np.float64))
