"""Train on some motifs, explain the others: the cell of the inductive study."""

from functools import partial
from typing import Any

import numpy as np

from gfx_core.bench.cells import Cell
from gfx_core.bench.measures.cell_subject import subject_of
from gfx_core.bench.measures.explainer_clock import config_of
from gfx_core.bench.measures.stopwatch import timed
from gfx_core.bench.protocol import SHARES
from gfx_core.config import Task
from gfx_core.datasets.graph import GraphDataset, Ints
from gfx_core.errors import UserError
from gfx_core.explainers.gflow_method import GFlowSequence
from gfx_core.explainers.method import Learner
from gfx_core.explainers.registry import chosen_settings, make_method
from gfx_core.metrics.edges import pooled_auc


def generalise(cell: Cell) -> dict[str, Any]:
    """Train on a share of the motifs, explain all instances, and score both sides.

    Options: ``device``, ``limit`` and ``epochs`` as in Table 1.
    """
    dataset, model, instances = subject_of(cell)
    indices = np.array([instance.index for instance in instances])
    sides = dict(zip(("train", "test"), split(dataset, indices, SHARES[cell.variant], cell.seed), strict=True))
    settings = {} if cell.method == "gflow_sequence" else chosen_settings(cell.method, cell.dataset, str(model.kind))
    make = GFlowSequence if cell.method == "gflow_sequence" else partial(make_method, cell.method, settings=settings)
    method = make(model, seed=cell.seed, device=cell.device, epochs=cell.options.get("epochs"))
    assert isinstance(method, Learner)
    values: dict[str, Any] = {"share": SHARES[cell.variant]}
    for side, chosen in sides.items():
        instances = [dataset.instance(int(index), hops=model.hops) for index in chosen]
        if side == "train":
            values |= {"fit_s": timed(partial(method.fit, instances))[0], "config": config_of(method)}
        scores = [found.edge_mask for found in method.explain_many(instances)]
        values |= {
            f"auc_{side}": pooled_auc(instances, scores),
            f"auc_{side}_all": pooled_auc(instances, scores, "all"),
            f"{side}_instances": len(instances),
        }
    trained_on = np.unique(groups_of(dataset, sides["train"]))
    return values | {
        "trained_on": " ".join(map(str, trained_on)),
        "groups": "motifs" if dataset.task is Task.NODE else "graphs",
    }


def groups_of(dataset: GraphDataset, indices: Ints) -> Ints:
    """What stays together: the motif of each node; each graph alone."""
    return dataset.motif[indices] if dataset.task is Task.NODE else indices


def split(dataset: GraphDataset, indices: Ints, share: float, seed: int) -> tuple[Ints, Ints]:
    """Divide instances into those to train on and the rest, whole motifs at a time.

    With the same seed a smaller share is part of a larger one. Neither side is ever empty.

    Args:
        dataset: Where they come from.
        indices: The instances.
        share: Of the motifs (or graphs) that is trained on, between 0 and 1.
        seed: Of the choice.
    """
    groups = groups_of(dataset, indices)
    order = np.random.RandomState(seed).permutation(np.unique(groups))
    if len(order) < 2:
        raise UserError("One motif cannot be divided: choose instances of at least two.")
    count = min(max(1, round(share * len(order))), len(order) - 1)
    inside = np.isin(groups, order[:count])
    return indices[inside], indices[~inside]
