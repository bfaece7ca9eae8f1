"""The kinds of numpy arrays that everything is made of, and a part of one."""

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]


def spread(indices: Ints, limit: int | None) -> Ints:
    """At most so many of them, evenly spread."""
    if limit is None or limit >= len(indices):
        return indices
    return indices[np.linspace(0, len(indices) - 1, limit).round().astype(np.int64)]
