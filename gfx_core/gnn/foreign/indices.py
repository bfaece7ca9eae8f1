"""Which prediction is meant: one number out of whatever people write for it."""

from typing import Any

import numpy as np
import torch

from gfx_core.arrays import Ints
from gfx_core.errors import UserError


def some_indices(given: Any, count: int, noun: str = "node") -> Ints:
    """Indices out of a number, a list, a tensor or a boolean mask over all of them. [n]"""
    try:
        values = given.detach().cpu().numpy() if isinstance(given, torch.Tensor) else np.asarray(given)
    except (TypeError, ValueError, RuntimeError, NotImplementedError) as error:  # ragged, sparse, without numbers
        raise UserError(f"An index must be a whole number, or a mask (got a {type(given).__name__}).") from error
    if values.dtype == bool and values.ndim:
        if values.shape != (count,):
            raise UserError(f"A mask must have one entry for each of the {count} {noun}s (got {list(values.shape)}).")
        return np.flatnonzero(values)
    if not values.size:
        return np.zeros(0, dtype=np.int64)
    if not np.issubdtype(values.dtype, np.integer):
        got = type(given).__name__ if values.dtype.kind in "OUS" else values.dtype
        raise UserError(f"An index must be a whole number, or a mask (got {got}).")
    chosen = values.reshape(-1).astype(np.int64)
    outside = chosen[(chosen < 0) | (chosen >= count)]
    if len(outside):
        raise UserError(f"There is no {noun} {outside[0]}: choose one from 0 to {count - 1}.")
    return chosen


def one_index(given: Any, count: int, noun: str = "node") -> int:
    """The one index that is meant; graphs have a first one."""
    if given is None:
        if noun == "node":
            raise UserError("Name the node to explain: index=….")
        if count > 1:
            raise UserError(f"Name the graph to explain, from 0 to {count - 1}: index=….")
        return 0
    chosen = some_indices(given, count, noun)
    if len(chosen) != 1:
        raise UserError(f"One prediction at a time is explained (got {len(chosen)} {noun}s): ask for each on its own.")
    return int(chosen[0])
