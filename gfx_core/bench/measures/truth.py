"""Edge scores against the true motif: AUC and top-k accuracy, of all instances and of parts of them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from gfx_core.datasets.graph import GraphDataset
from gfx_core.datasets.instance import Instance
from gfx_core.explainers.edge_scores import Scores
from gfx_core.metrics.edges import Bools, pooled_auc, topk_accuracy, topk_nodes

Parts = Mapping[str, Mapping[str, Bools]]
"""By what instances are told apart (``class``, ``group``): the name of each part and who is in it. [I] each"""


def one_of_each_motif(instances: Sequence[Instance]) -> list[int]:
    """Positions of the first instance of each motif; in graph tasks, of every instance."""
    seen: dict[int, int] = {}
    for position, instance in enumerate(instances):
        seen.setdefault(instance.index if instance.target is None else int(instance.motif[instance.target]), position)
    return list(seen.values())


def ground_truth(instances: Sequence[Instance], scores: Sequence[Scores]) -> dict[str, Any]:
    """AUC and top-k accuracy on all instances, and AUC on one of each motif."""
    few = one_of_each_motif(instances)
    values: dict[str, Any] = {}
    for truth in ("own", "all"):
        values[f"auc_{truth}"] = pooled_auc(instances, scores, truth)
        values[f"auc_{truth}_benchmark"] = pooled_auc([instances[i] for i in few], [scores[i] for i in few], truth)
        pairs = list(zip(instances, scores, strict=True))
        values[f"topk_{truth}"] = mean_of(topk_accuracy(i, s, truth) for i, s in pairs)
        values[f"topk_nodes_{truth}"] = mean_of(topk_nodes(i, s, truth) for i, s in pairs)
    return values


def parts_of(dataset: GraphDataset, instances: Sequence[Instance]) -> Parts:
    """Some instances by their class, where they have several, and by the groups that the data set names."""
    index, label = np.array([i.index for i in instances], dtype=np.int64), np.array([i.y for i in instances])
    classes = dict(enumerate(dataset.info.class_names(dataset.num_classes)))
    by_class = {name: label == number for number, name in classes.items() if (label == number).any()}
    by_group = {name: members[index] for name, members in dataset.groups.items() if members[index].any()}
    parts = {"class": by_class if len(by_class) > 1 else {}, "group": by_group}
    return {kind: named for kind, named in parts.items() if named}


def truth_by_part(parts: Parts, instances: Sequence[Instance], scores: Sequence[Scores]) -> dict[str, Any]:
    """``auc_own_by_class`` and ``auc_own_by_group``, where there are any, and of how many instances."""
    values: dict[str, Any] = {}
    for kind, named in parts.items():
        chosen = {name: np.flatnonzero(members).tolist() for name, members in named.items()}
        values[f"auc_own_by_{kind}"] = {
            name: pooled_auc([instances[i] for i in some], [scores[i] for i in some]) for name, some in chosen.items()
        }
        values[f"instances_by_{kind}"] = {name: len(some) for name, some in chosen.items()}
    return values


def mean_of(values: Iterable[float | None]) -> float | None:
    """The mean of those that there are."""
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None
