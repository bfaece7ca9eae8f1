"""Thousands of subgraphs of one graph, and nothing computed twice.

A layer of a GNN has one output for all nodes with equal features and equal neighbours, in any subgraph. So nodes are
coloured as in the test of Weisfeiler and Leman: at first by their features and their degree; after each layer by their
own colour and those of their neighbours. Each layer is computed once for each colour. The connected subgraphs of a
molecule contain tens of thousands of nodes, in some hundreds of colours.

It is for CPUs: a GPU computes all nodes in less time than it needs to compare them.
"""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from gfx_core.arrays import Ints
from gfx_core.gnn.convolutions import Messages

Keys = NDArray[np.uint64]


class ColouredNodes:
    """The n nodes of B subgraphs by their colours, which `refine` makes finer.

    Args:
        features: A number for the features of each node, equal where these are. [B, K]
        adjacency: bool [B, K, K]
        mask: Which nodes are real. bool [B, K]

    Attributes:
        number: Of each real node, 0 … n-1. [B, K]
        features: The number of the features of each first colour. [c]
    """

    def __init__(self, features: Tensor, adjacency: Tensor, mask: Tensor) -> None:
        real = mask.numpy()
        number = (np.cumsum(real) - 1).reshape(real.shape)
        row, source, target = adjacency.numpy().nonzero()
        self._neighbour = number[row, target]  # [e], node by node
        self._degree = np.bincount(number[row, source], minlength=int(real.sum()))  # [n]
        self._begin = np.cumsum(self._degree) - self._degree
        kind = features.numpy()[real]  # [n]
        self._key = _mixed((kind * (real.shape[1] + 1) + self._degree).astype(np.uint64))
        self._colour, self._member = _classes(self._key)
        self.number, self.features = torch.from_numpy(number), torch.from_numpy(kind[self._member])
        size = real.sum(1)
        self._bags = torch.from_numpy(np.cumsum(size) - size)  # [B]

    def refine(self) -> tuple[Messages, Tensor]:
        """Split colours by the neighbours' colours.

        Returns:
            The layer, which reads a row for each old colour and computes one for each new one, and each node's new
            colour. [n]
        """
        around = np.add.reduceat(np.append(_mixed(self._key)[self._neighbour], np.uint64(0)), self._begin)
        around[self._degree == 0] = 0
        self._key = _mixed(self._key * np.uint64(3) + around)
        before, degree = self._colour, self._degree[self._member]
        self._colour, self._member = _classes(self._key)
        count = self._degree[self._member]  # [c′]
        edges = np.repeat(self._begin[self._member] - (np.cumsum(count) - count), count) + np.arange(count.sum())
        layer = Messages(
            degree=torch.from_numpy(degree)[:, None].float(),
            computed=torch.from_numpy(before[self._member]),
            source=torch.from_numpy(before[self._neighbour[edges]]),
            first=torch.from_numpy(np.cumsum(count) - count),
        )
        return layer, torch.from_numpy(self._colour)

    def pooled(self, output: Tensor, colour: Tensor, mode: str) -> Tensor:
        """The maximum or the mean over each subgraph's nodes, of a layer's output for colours. [c, h] → [B, h]"""
        return functional.embedding_bag(colour, output, self._bags, mode=mode)


def _mixed(key: Keys) -> Keys:
    """Keys scattered over all 64 bits, so that sums of different ones differ: the steps of SplitMix64."""
    key = key + np.uint64(0x9E3779B97F4A7C15)
    key = (key ^ (key >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    key = (key ^ (key >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return key ^ (key >> np.uint64(31))


def _classes(key: Keys) -> tuple[Ints, Ints]:
    """The colour of each key, one for equal keys, and a member of each colour. [n] → [n], [c]"""
    keys, colours = torch.from_numpy(key.view(np.int64)).unique(return_inverse=True)  # numpy's takes twice as long
    colour, member = colours.numpy(), np.empty(len(keys), dtype=np.int64)
    member[colour] = np.arange(len(colour))
    return colour, member
