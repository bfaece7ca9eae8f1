"""Thousands of subgraphs of one graph, and nothing computed twice.

A layer of a GNN gives the same to all nodes that have the same features and the same neighbours, whatever subgraph they
are in. So nodes are coloured by what they look like, as in the test of Weisfeiler and Leman: at first by their features
and their degree; after each layer by their own colour and those of their neighbours. Each layer is computed once for
each colour. The connected subgraphs of a molecule hold tens of thousands of nodes, in some hundreds of colours.

It is for processors: a GPU is sooner done with all of the nodes than with finding out which are alike.
"""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from gfx_core.arrays import Ints

Keys = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Round:
    """One layer's `Neighbours`: it reads a row for each of c colours, and computes one for each of the c′ after it.

    Attributes:
        degree: Of the nodes of each colour before. [c, 1]
        colour: Of each node, after it. [n]
    """

    degree: Tensor
    colour: Tensor
    _own: Tensor  # [c′], the colour before
    _neighbour: Tensor  # [e], colours before of all their neighbours
    _whose: Tensor  # [e]

    def sum(self, z: Tensor) -> Tensor:
        return z.new_zeros(len(self._own), z.shape[1]).index_add_(0, self._whose, z[self._neighbour])

    def own(self, z: Tensor) -> Tensor:
        return z[self._own]


class ColouredNodes:
    """The n nodes of B subgraphs by their colours, which `refine` makes finer.

    Args:
        features: A number for the features of each node: where it is the same, these are. [B, K]
        adjacency: bool [B, K, K]
        mask: Which nodes are there. bool [B, K]

    Attributes:
        number: Of each node that is there, 0 … n-1. [B, K]
        features: Of each colour at the beginning, by that number. [c]
    """

    def __init__(self, features: Tensor, adjacency: Tensor, mask: Tensor) -> None:
        there = mask.numpy()
        number = (np.cumsum(there) - 1).reshape(there.shape)
        row, one, other = adjacency.numpy().nonzero()
        self._neighbour = number[row, other]  # [e], node by node
        self._degree = np.bincount(number[row, one], minlength=int(there.sum()))  # [n]
        self._begin = np.cumsum(self._degree) - self._degree
        kind = features.numpy()[there]  # [n]
        self._key = _mixed((kind * (there.shape[1] + 1) + self._degree).astype(np.uint64))
        self._colour, self._member = _classes(self._key)
        self.number, self.features = torch.from_numpy(number), torch.from_numpy(kind[self._member])
        size = there.sum(1)
        self._bags = torch.from_numpy(np.cumsum(size) - size)  # [B]

    def refine(self) -> Round:
        """Tell apart nodes whose neighbours differ, and have a layer that does."""
        around = np.add.reduceat(np.append(_mixed(self._key)[self._neighbour], np.uint64(0)), self._begin)
        around[self._degree == 0] = 0
        self._key = _mixed(self._key * np.uint64(3) + around)
        before, degree = self._colour, self._degree[self._member]
        self._colour, self._member = _classes(self._key)
        count = self._degree[self._member]  # [c′]
        edges = np.repeat(self._begin[self._member] - (np.cumsum(count) - count), count) + np.arange(count.sum())
        return Round(
            torch.from_numpy(degree)[:, None].float(),
            torch.from_numpy(self._colour),
            torch.from_numpy(before[self._member]),
            torch.from_numpy(before[self._neighbour[edges]]),
            torch.from_numpy(np.repeat(np.arange(len(count)), count)),
        )

    def pooled(self, output: Tensor, colour: Tensor, mode: str) -> Tensor:
        """The maximum or the mean over each subgraph's nodes of what a layer gave to their colours. [c, h] → [B, h]"""
        return functional.embedding_bag(colour, output, self._bags, mode=mode)


def _mixed(key: Keys) -> Keys:
    """Keys scattered over all 64 bits, so that sums of different ones differ: the steps of SplitMix64."""
    key = key + np.uint64(0x9E3779B97F4A7C15)
    key = (key ^ (key >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    key = (key ^ (key >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return key ^ (key >> np.uint64(31))


def _classes(key: Keys) -> tuple[Ints, Ints]:
    """The class of each of some keys, equal ones in the same, and a member of each class. [n] → [n], [c]"""
    different, place = torch.from_numpy(key.view(np.int64)).unique(return_inverse=True)  # numpy's takes twice as long
    colour, member = place.numpy(), np.empty(len(different), dtype=np.int64)
    member[colour] = np.arange(len(colour))
    return colour, member
