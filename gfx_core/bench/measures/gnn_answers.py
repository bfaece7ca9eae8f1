"""What a GNN says of the motif alone, of instances without it, and of random fragments; no explainer takes part.

Explainers are scored by how well they find the motif. That is fair only where the motif is what the GNN looks at: on
its own it should make the GNN say the same class (Faber et al., KDD 2021, show GNNs for which it does not).
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gfx_core.arrays import spread
from gfx_core.bench.study import Cell
from gfx_core.datasets.graph import GraphDataset, Half, half_of
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.registry import load_dataset
from gfx_core.gnn.checkpoint import load_model
from gfx_core.gnn.models import GNN
from gfx_core.metrics.edges import Bools

Doubles = NDArray[np.float64]

Parts = Mapping[str, Mapping[str, Bools]]
"""By what instances are told apart (``class``, ``group``): the name of each part and who is in it. [I] each"""


def load_subject(cell: Cell, half: str | None = None) -> tuple[GraphDataset, GNN, list[Instance]]:
    """What a cell is about: its data set, the GNN, and those of the explainable instances that are explained.

    Args:
        cell: Names the data set; its option ``limit``, if it has one, says how many instances, evenly spread.
        half: Which half; by default the cell's option ``half``, and all instances if it has none.
    """
    dataset, model = load_dataset(cell.dataset), load_model(cell.dataset)
    known = half_of(dataset.explainable, half or cell.options.get("half", Half.ALL))
    chosen = spread(known, cell.options.get("limit"))
    return dataset, model, [dataset.instance(int(index), hops=model.hops) for index in chosen]


def parts_of(dataset: GraphDataset, instances: Sequence[Instance]) -> Parts:
    """Some instances by their class, where they have several, and by the groups that the data set names."""
    index, label = np.array([i.index for i in instances], dtype=np.int64), np.array([i.y for i in instances])
    classes = dict(enumerate(dataset.info.class_names(dataset.num_classes)))
    by_class = {name: label == number for number, name in classes.items() if (label == number).any()}
    by_group = {name: members[index] for name, members in dataset.groups.items() if members[index].any()}
    parts = {"class": by_class if len(by_class) > 1 else {}, "group": by_group}
    return {kind: named for kind, named in parts.items() if named}


def reason_values(dataset: GraphDataset, instances: Sequence[Instance], alone: Doubles) -> dict[str, Any]:
    """What is known from P(class | motif alone), overall and by part, beside the class's share of the data set.

    Args:
        dataset: Where the instances come from.
        instances: Some that the GNN gets right.
        alone: P(class | motif alone) of each. [I]
    """
    share = np.bincount(dataset.y, minlength=dataset.num_classes) / len(dataset.y)
    prior = share[[instance.y for instance in instances]]
    values: dict[str, Any] = {"motif_alone": float(alone.mean()), "prior": float(prior.mean())}
    for kind, named in parts_of(dataset, instances).items():
        for name, each in (("motif_alone", alone), ("prior", prior)):
            values[f"{name}_by_{kind}"] = {part: float(each[members].mean()) for part, members in named.items()}
    return values
