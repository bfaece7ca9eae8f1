"""The first layer of the policy, in two kinds: the paper's, and one that sees the whole set.

It is a sum of parts that are each computed once: the node's own part, the set's part (a sum over its members), and what
a few numbers say of how the node is tied to the set. Every way to sample, and the loss, go through the same `forward`.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from gfx_core.gfn.instances import SPREAD

SMALLEST = 0.01
"""A feature that varies by less than this share of what the most varying one does counts as if it did by so much."""


@dataclass(frozen=True)
class Encoded:
    """The parts of the first layer that belong to nodes; one row for each node of each episode. [R, h] each"""

    node: Tensor
    context: Tensor | None


class FirstLayer(nn.Module, ABC):
    """What both kinds have in common.

    Attributes:
        features: What is made of ``FlowGraphs.features``. f → h
        start: Of how a node is tied to the start node. → h
        ties: Of how it is tied to the set. → h
    """

    features: nn.Linear
    start: nn.Linear
    ties: nn.Linear

    @abstractmethod
    def activate(self, values: Tensor) -> Tensor:
        """What comes after each layer of the policy."""

    @abstractmethod
    def encode(self, own: Tensor, tie: Tensor, is_start: Tensor) -> Encoded:
        """The nodes' parts.

        Args:
            own: What ``features`` made of the nodes. [R, h]
            tie: How each is tied to the start node: joined, and S. [R, 2]
            is_start: 1 at the start nodes. [R]
        """

    def set_part(self, summed: Tensor | None, size: Tensor, edges: Tensor) -> Tensor | None:
        """The sets' parts, where they are seen. [N, h]

        Args:
            summed: Sum of the members' context. [N, h]
            size: |s|. [N]
            edges: |E_s|. [N]
        """
        return None

    @abstractmethod
    def forward(self, node: Tensor, whole: Tensor | None, ties: Tensor) -> Tensor:
        """The layer for pairs of a set and a node. [..., h]

        Args:
            node: The nodes' parts. [..., h]
            whole: The sets' parts, of a shape that spreads to the nodes'. [..., h]
            ties: Links into the set, the share that they are of all the node's links, and S·1_s. [..., 3]
        """

    def count_up_to(self, max_nodes: int) -> None:
        """Take another K_M and leave all flows as they are."""
        return

    def standardise(self, features: Tensor) -> None:
        """Read features as if each had mean 0 and variance 1, where there is a bias that can. [M, f]"""
        return


class PaperLayer(FirstLayer):
    """Θ₁ of the paper, in which a node's score depends on the set only through its own neighbourhood.

    Args:
        num_features: f, width of ``FlowGraphs.features``.
        hidden: h, the layer's width.
        max_nodes: K_M, which plays no part.
    """

    def __init__(self, num_features: int, hidden: int, max_nodes: int) -> None:
        super().__init__()
        self.features = nn.Linear(num_features, hidden, bias=False)
        self.start = nn.Linear(1, hidden, bias=False)
        self.ties = nn.Linear(1, hidden, bias=False)

    def activate(self, values: Tensor) -> Tensor:
        return functional.relu(values)

    def encode(self, own: Tensor, tie: Tensor, is_start: Tensor) -> Encoded:
        return Encoded(own + self.start(tie[:, SPREAD:]), None)

    def forward(self, node: Tensor, whole: Tensor | None, ties: Tensor) -> Tensor:
        return _plus_product(node, ties[..., 2:], self.ties)


class ContextLayer(FirstLayer):
    """Ours, which also sees the whole set: a sum over its members, its size and its edges.

    Args:
        num_features: f, width of ``FlowGraphs.features``.
        hidden: h, the layer's width.
        max_nodes: K_M, to scale what counts nodes.
    """

    def __init__(self, num_features: int, hidden: int, max_nodes: int) -> None:
        super().__init__()
        self.max_nodes = max_nodes
        self.features = nn.Linear(num_features, hidden)
        self.start = nn.Linear(3, hidden, bias=False)
        self.ties = nn.Linear(3, hidden, bias=False)
        self.node = nn.Linear(hidden, hidden)
        self.context = nn.Linear(hidden, hidden, bias=False)
        self.counts = nn.Linear(3, hidden)

    def activate(self, values: Tensor) -> Tensor:
        return gelu(values)  # with ReLU about half of the units ended up dead

    def encode(self, own: Tensor, tie: Tensor, is_start: Tensor) -> Encoded:
        embedding = self.activate(own + self.start(torch.cat([tie, is_start[:, None]], dim=1)))
        return Encoded(self.node(embedding), self.context(embedding))

    def set_part(self, summed: Tensor | None, size: Tensor, edges: Tensor) -> Tensor | None:
        assert summed is not None
        counts = torch.stack([size / self.max_nodes, edges / self.max_nodes, edges / size], dim=-1)  # [N, 3]
        return _plus_product(summed + self.counts.bias, counts, self.counts)

    def forward(self, node: Tensor, whole: Tensor | None, ties: Tensor) -> Tensor:
        assert whole is not None
        return _plus_product(node + whole, ties, self.ties)

    @torch.no_grad()
    def count_up_to(self, max_nodes: int) -> None:
        self.counts.weight[:, :2] *= max_nodes / self.max_nodes  # what they multiply is divided by K_M
        self.max_nodes = max_nodes

    @torch.no_grad()
    def standardise(self, features: Tensor) -> None:
        deviation, mean = torch.std_mean(features, 0, correction=0)
        layer, least = self.features, (SMALLEST * deviation.max()).clamp(min=1e-6)
        layer.weight /= torch.maximum(deviation, least)
        layer.bias.sub_(layer.weight @ mean)


def gelu(values: Tensor) -> Tensor:
    """x · Φ(x)."""
    return _Gelu.apply(values) if values.device.type == "cpu" and values.requires_grad else functional.gelu(values)


class _Gelu(torch.autograd.Function):
    """The same, with a derivative of whole-tensor operations: several times faster than torch's own on most CPUs."""

    @staticmethod
    def forward(ctx: Any, values: Tensor) -> Tensor:
        ctx.save_for_backward(values)
        return functional.gelu(values)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        (values,) = ctx.saved_tensors
        below = (values * math.sqrt(0.5)).erf_().add_(1).mul_(0.5)  # Φ(x)
        density = values.square().mul_(-0.5).exp_().mul_(1 / math.sqrt(2 * math.pi))
        return density.mul_(values).add_(below).mul_(gradient)


def _plus_product(base: Tensor, values: Tensor, layer: nn.Linear) -> Tensor:
    """A layer's output but for its bias, added to something of its shape. [..., h], [..., k] → [..., h]"""
    return torch.addmm(base.flatten(0, -2), values.flatten(0, -2), layer.weight.T.contiguous()).view(base.shape)
