"""What a cell is about: a data set's GNN, and those of its instances that are explained."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gfx_core.arrays import spread
from gfx_core.bench.cells import Cell
from gfx_core.datasets.graph import GraphDataset, Half, half_of
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.registry import load_dataset
from gfx_core.gnn.checkpoint import load_model
from gfx_core.gnn.models import GNN


class Subject(NamedTuple):
    """A data set, its GNN and some of its explainable instances."""

    dataset: GraphDataset
    model: GNN
    instances: list[Instance]


def subject_of(cell: Cell, limit: int | None = None, half: str | None = None) -> Subject:
    """The subject of a cell: the explainable instances of its half, or ``limit`` of them, evenly spread.

    Args:
        cell: Names the data set.
        limit: How many instances; by default the cell's option ``limit``, if it has one.
        half: Which half; by default the cell's option ``half``, and all instances if it has none.
    """
    dataset, model = load_dataset(cell.dataset), load_model(cell.dataset)
    known = half_of(dataset.explainable, half or cell.options.get("half", Half.ALL))
    chosen = spread(known, limit or cell.options.get("limit"))
    return Subject(dataset, model, [dataset.instance(int(index), hops=model.hops) for index in chosen])


def middle(values: Sequence[float]) -> dict[str, float]:
    """Their mean, median and maximum."""
    return {"mean": float(np.mean(values)), "median": float(np.median(values)), "max": float(np.max(values))}
