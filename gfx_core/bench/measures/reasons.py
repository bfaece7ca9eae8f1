"""Is the motif the GNN's reason at all? What it says of the motif alone, and of the instance without the motif.

Explainers are scored by how well they find the motif. That is fair only where the motif is what the GNN looks at: on
its own it should make the GNN say the same class (Faber et al., KDD 2021, show GNNs for which it does not).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from gfx_core.arrays import spread
from gfx_core.bench.cells import Cell
from gfx_core.bench.measures.truth import Parts, parts_of
from gfx_core.datasets.graph import GraphDataset, half_of
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.registry import load_dataset
from gfx_core.gnn.checkpoint import load_model
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import SubgraphPredictor
from gfx_core.user_models.predictor import predict_kept

Doubles = NDArray[np.float64]


def measure(cell: Cell) -> dict[str, Any]:
    """One GNN on one data set; the cell's method is the kind of GNN, its variant that of the GNN.

    Options: ``device``; ``half``; ``limit``, only so many instances, evenly spread.
    """
    dataset, model = load_dataset(cell.dataset), load_model(cell.dataset, cell.method, cell.variant).to(cell.device)
    chosen = spread(half_of(dataset.explainable, cell.options["half"]), cell.options.get("limit"))
    every = [dataset.instance(int(index), hops=model.hops) for index in chosen]
    right = answers_right(model, every)
    instances = [instance for instance, good in zip(every, right, strict=True) if good]
    values: dict[str, Any] = {"instances": len(every), "wrong": int((~right).sum())}
    if not instances:
        return values
    without = probability_without(model, instances)
    alone = probability_alone(model, instances)
    values |= {"whole": float(probability_whole(model, instances).mean()), "without_motif": float(without.mean())}
    return values | reason_values(dataset, instances, alone)


def answers_right(model: GNN, instances: Sequence[Instance]) -> NDArray[np.bool_]:
    """Whether the GNN's answer is the label of each instance. [I]"""
    predicted = SubgraphPredictor(model, instances, _device(model)).whole.predicted.cpu().numpy()
    return predicted == np.array([instance.y for instance in instances])


def probability_whole(model: GNN, instances: Sequence[Instance]) -> Doubles:
    """Probability of the class that the GNN predicts for each instance. [I]"""
    whole = SubgraphPredictor(model, instances, _device(model)).whole
    return whole.probabilities.max(1).values.double().cpu().numpy()


def probability_alone(model: GNN, instances: Sequence[Instance]) -> Doubles:
    """Probability of the same class if the GNN sees the nodes of the motif and the edges among them only. [I]"""
    predictor = SubgraphPredictor(model, instances, _device(model))
    sets = [np.flatnonzero(instance.own_nodes) for instance in instances]
    subsets = np.full((len(sets), max(map(len, sets))), -1, dtype=np.int64)
    for row, nodes in zip(subsets, sets, strict=True):
        row[: len(nodes)] = nodes
    answers = predictor(torch.from_numpy(subsets), torch.arange(len(sets))).probabilities
    return answers.gather(1, predictor.whole.predicted[:, None])[:, 0].double().cpu().numpy()


def probability_without(model: GNN, instances: Sequence[Instance]) -> Doubles:
    """Probability of the same class if the motif's edges are taken away. [I]"""
    classes = SubgraphPredictor(model, instances, _device(model)).whole.predicted.tolist()
    found = []
    for instance, answer in zip(instances, classes, strict=True):
        kept = ~instance.own_edges[instance.undirected]
        found.append(float(predict_kept(model, instance, kept[None]).probabilities[0, answer]))
    return np.array(found)


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
    parts: Parts = parts_of(dataset, instances)
    for kind, named in parts.items():
        for name, each in (("motif_alone", alone), ("prior", prior)):
            values[f"{name}_by_{kind}"] = {part: float(each[members].mean()) for part, members in named.items()}
    return values


def _device(model: GNN) -> torch.device:
    return next(model.parameters()).device
