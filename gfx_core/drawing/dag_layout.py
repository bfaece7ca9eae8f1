"""Rows for a drawing in columns: few crossings, and boxes near what they are linked to."""

from functools import lru_cache

import numpy as np

from gfx_core.datasets.graph import Ints
from gfx_core.exact.exact_flows import Doubles
from gfx_core.exact.state_dag import Bools

_SWEEPS = 8


def rows_of(column: Ints, source: Ints, target: Ints, last: Bools | None = None) -> Doubles:
    """The row of each box, around 0; in a column no two are closer than 1. It is not to be written into.

    The same drawing is asked for again and again, with other numbers: it is kept.

    Args:
        column: Of each box. [n]
        source: The box where each link begins. [e]
        target: The box where it ends, further right. [e]
        last: Boxes to be put at the bottom of their columns. [n]
    """
    last = np.zeros(len(column), dtype=bool) if last is None else last
    return _kept_rows(*(np.ascontiguousarray(values, np.int64).tobytes() for values in (column, source, target, last)))


@lru_cache(maxsize=32)
def _kept_rows(*arrays: bytes) -> Doubles:
    column, source, target, last = (np.frombuffer(values, np.int64) for values in arrays)
    found = _rows_of(column, source, target, last.astype(bool))
    found.flags.writeable = False
    return found


def _rows_of(column: Ints, source: Ints, target: Ints, last: Bools) -> Doubles:
    n = len(column)
    columns = [np.flatnonzero(column == k) for k in range(int(column.max(initial=-1)) + 1)]
    columns = [boxes for boxes in columns if len(boxes)]
    row = np.zeros(n)
    for boxes in columns:
        row[boxes] = np.arange(len(boxes)) - (len(boxes) - 1) / 2

    best, fewest = row.copy(), np.inf
    for sweep in range(_SWEEPS):
        forward = sweep % 2 == 0
        near, far = (target, source) if forward else (source, target)
        for boxes in columns if forward else columns[::-1]:
            _order(row, boxes, _wished(row, near, far), last)
        count = crossings(column, row, source, target)
        if count < fewest:
            best, fewest = row.copy(), count
    row = best
    for _ in range(4):  # the order stays; move boxes towards what they are linked to
        both = _wished(row, np.concatenate([source, target]), np.concatenate([target, source]))
        for boxes in columns:
            inside = boxes[np.argsort(row[boxes])]
            steps = np.arange(len(inside))
            row[inside] = rising(both[inside] - steps) + steps
    middle = (row.max(initial=0) + row.min(initial=0)) / 2
    return row - middle


def crossings(column: Ints, row: Doubles, source: Ints, target: Ints) -> int:
    """How many pairs of links between the same two columns cross."""
    total = 0
    for k in np.unique(column[source]):
        mine = np.flatnonzero(column[source] == k)
        begin, end = row[source[mine]], row[target[mine]]
        total += int(((begin[:, None] < begin[None]) & (end[:, None] > end[None])).sum())
    return total


def _wished(row: Doubles, at: Ints, other: Ints) -> Doubles:
    """The mean row of what each box is linked to; its own where there is nothing. [n]"""
    total = np.bincount(at, minlength=len(row))
    mean = np.bincount(at, row[other], len(row)) / np.maximum(total, 1)
    return np.where(total > 0, mean, row)


def _order(row: Doubles, boxes: Ints, wished: Doubles, last: Bools) -> None:
    order = boxes[np.lexsort((row[boxes], wished[boxes], last[boxes]))]
    row[order] = np.arange(len(order)) - (len(order) - 1) / 2


def rising(values: Doubles) -> Doubles:
    """The sequence that never falls and is nearest to the values, by least squares.

    It is scipy's isotonic_regression, which would take longer to load than all else in a first picture.
    """
    blocks: list[tuple[float, int]] = []  # mean and length
    for value in values:
        mean, count = float(value), 1
        while blocks and blocks[-1][0] > mean:
            other, more = blocks.pop()
            mean, count = (mean * count + other * more) / (count + more), count + more
        blocks.append((mean, count))
    return np.repeat([mean for mean, _ in blocks], [count for _, count in blocks]).astype(np.float64)
