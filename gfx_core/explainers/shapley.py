"""The Shapley value of a subgraph: what it adds to the GNN's prediction, averaged over the company it may keep.

The players are the subgraph, as one player, and each other node near it. The value v(S) of a coalition S is the
probability of the explained class when the GNN sees G[S] and nothing else. **In a node task the explained node belongs
to every coalition that is evaluated**, for without it there is nothing to predict. In a graph task the empty coalition
is worth what the head says of an embedding of zeros, the mean and the maximum over no nodes.
"""

import math

import torch
from torch import Tensor, nn

from gfx_core.config import Task
from gfx_core.datasets.instance import Instance
from gfx_core.gnn.convolutions import pooled
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import SubgraphPredictor
from gfx_core.gnn.receptive import ReceptiveField, adjacency_matrix
from gfx_core.user_models.predictor import model_predictor

_CHUNK_FLOATS = 1 << 22  # numbers in the largest tensor of one pass: bounds the memory
_KEY_BITS = 62  # a coalition of so many nodes fits an integer; larger ones get a random number for each node


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
        self._prepare(model, instance)
        self.always = torch.zeros(self.num_nodes, dtype=torch.bool, device=device)  # in every coalition
        if instance.target is not None:
            self.always[instance.target] = True
        if self.num_nodes <= _KEY_BITS:
            bits = 1 << torch.arange(self.num_nodes)
        else:  # sums of random numbers: that two coalitions of millions have the same one will not happen
            bits = torch.randint(-(2**62), 2**62, (self.num_nodes,), generator=torch.Generator().manual_seed(0))
        self._bits = bits.to(device)  # [m]
        self._keys = torch.full((1,), torch.iinfo(torch.long).max, device=device)  # coalitions met, sorted; a stopper
        self._known = torch.zeros(1, device=device)  # and their values

    def _prepare(self, model: nn.Module, instance: Instance) -> None:
        """Get ready to evaluate, and find the explained class and the adjacency."""
        assert isinstance(model, GNN)
        self.model = model
        self.explained_class = int(SubgraphPredictor(model, [instance], self.device).whole.predicted[0])
        self._field = ReceptiveField(model, instance, self.device)
        self.adjacency = self._field.adjacency  # [m, m]

    @torch.no_grad()
    def __call__(self, members: Tensor) -> Tensor:
        """v of every coalition. bool [B, m] → [B]"""
        members = members | self.always
        keys, row = (members * self._bits).sum(1).unique(return_inverse=True)  # sorted, each coalition once
        one_of = torch.empty_like(keys).scatter_(0, row, torch.arange(len(row), device=self.device))
        at = torch.searchsorted(self._keys, keys).clamp(max=len(self._keys) - 1)
        is_new = self._keys[at] != keys
        values = self.log_probability(members[one_of[is_new]]).exp()
        self._keys, order = torch.cat([self._keys, keys[is_new]]).sort()
        self._known = torch.cat([self._known, values])[order]
        return self._known[torch.searchsorted(self._keys, keys)][row]

    @torch.no_grad()
    def log_probability(self, members: Tensor) -> Tensor:
        """log v of every coalition, always computed anew. bool [B, m] → [B]"""
        size = max(1, _CHUNK_FLOATS // (self.num_nodes * max(self.model.in_channels, self.model.hidden)))
        return torch.cat([self._evaluate(part) for part in (members | self.always).split(size)])

    def _evaluate(self, members: Tensor) -> Tensor:
        outputs = self.model.layers(self._field.x, self._field.graphs(members))  # [R, B, h] each
        if self.model.task is Task.NODE:
            embedding = self._field.at_target(outputs)
        else:
            embedding = pooled(outputs, members.T, dim=0)
        return self.model.head(embedding).log_softmax(-1)[:, self.explained_class]


class GivenGame(CoalitionGame):
    """The same for a model that others wrote. An empty graph cannot be asked about: all classes are then as likely."""

    def _prepare(self, model: nn.Module, instance: Instance) -> None:
        self._predictor = model_predictor(model, [instance], self.device)
        self.explained_class = int(self._predictor.whole.predicted[0])
        self.adjacency = adjacency_matrix(instance, self.device)

    @torch.no_grad()
    def log_probability(self, members: Tensor) -> Tensor:
        members = members | self.always
        asked = members.any(1)
        classes = self._predictor.whole.logits.shape[1]
        found = torch.full((len(members),), -math.log(classes), device=self.device)
        if bool(asked.any()):
            found[asked] = self._predictor.sets(members[asked]).log_probabilities[:, self.explained_class]
        return found


def coalition_game(model: nn.Module, instance: Instance, device: torch.device) -> CoalitionGame:
    """The game of an instance, for one of our GNNs or any other model."""
    return (CoalitionGame if isinstance(model, GNN) else GivenGame)(model, instance, device)


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
        if not len(subgraphs):
            return torch.zeros(0, device=self.game.device)
        others = (subgraphs.float() @ self._near > 0) & ~subgraphs & ~self.game.always  # [n, m]
        company, weight = zip(*map(self._company, others), strict=True)
        without = torch.cat(company)  # [R, m]
        including = torch.cat([part | subgraph for part, subgraph in zip(company, subgraphs, strict=True)])
        with_it, alone = self.game(torch.cat([including, without])).chunk(2)  # [R] each
        gain = (torch.cat(weight) * (with_it - alone)).split([len(part) for part in company])
        return torch.stack([part.sum() for part in gain])

    def _company(self, others: Tensor) -> tuple[Tensor, Tensor]:
        """Coalitions of the other players and the weight of each. bool [m] → bool [R, m], [R]"""
        nodes = others.nonzero()[:, 0]
        if len(nodes) < self.samples.bit_length() and 2 ** len(nodes) <= self.samples:
            return _all_coalitions(nodes, len(others))
        weight = torch.full((self.samples,), 1 / self.samples, device=others.device)
        return (self._times < self._own_time) & others, weight


def _all_coalitions(nodes: Tensor, width: int) -> tuple[Tensor, Tensor]:
    """Every subset of p nodes, with |S|! (p − |S|)! / (p + 1)!. [p] → bool [2ᵖ, width], [2ᵖ]"""
    p, device = len(nodes), nodes.device
    bits = torch.arange(2**p, device=device)[:, None] >> torch.arange(p, device=device) & 1  # [2ᵖ, p]
    coalitions = torch.zeros(2**p, width, dtype=torch.bool, device=device)
    coalitions[:, nodes] = bits.bool()
    size = bits.sum(1).float()
    log_weight = torch.lgamma(size + 1) + torch.lgamma(p - size + 1) - torch.lgamma(size.new_tensor(p + 2.0))
    return coalitions, log_weight.exp()
