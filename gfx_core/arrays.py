"""The kinds of numpy arrays that everything is made of, a part of one, and its largest value."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Reals = NDArray[np.floating]
Bools = NDArray[np.bool_]


def edge_array(pairs: Sequence[Sequence[int]]) -> Ints:
    """Pairs of nodes as the columns of an array; there may be none. [2, E]"""
    return np.array(pairs, dtype=int).reshape(-1, 2).T


def spread(indices: Ints, limit: int | None) -> Ints:
    """At most so many of them, evenly spread."""
    if limit is None or limit >= len(indices):
        return indices
    return indices[np.linspace(0, len(indices) - 1, limit).round().astype(int)]


NEAR_TIE = 1e-5
"""Values so close to each other, beside their size, may be equal but for rounding: rewards are single precision."""


def first_best(values: ArrayLike) -> int:
    """The number of the largest value; of those that are equal but for rounding the first.

    Nodes and subgraphs that look alike to a GNN get the same value, and which of them comes out a few bits larger
    differs from one processor to the next. `argmax` would choose by that.
    """
    values = np.asarray(values)
    best = values.max()
    return int((values >= best - NEAR_TIE * max(1.0, abs(best))).argmax())
