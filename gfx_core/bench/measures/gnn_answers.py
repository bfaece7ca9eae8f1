"""What a GNN says of the motif alone, of instances without it, and of random fragments; no explainer takes part.

Explainers are scored by how well they find the motif. That is fair only where the motif is what the GNN looks at: on
its own it should make the GNN say the same class (Faber et al., KDD 2021, show GNNs for which it does not).
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from gfx_core.arrays import spread
from gfx_core.bench.study import Cell
from gfx_core.config import Task
from gfx_core.datasets.graph import GraphDataset, Half, Ints, half_of
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.registry import load_dataset
from gfx_core.gnn.checkpoint import ModelHeader, load_model, model_path, read_header
from gfx_core.gnn.kinds import DEFAULT_KIND, PLAIN, gnn_name
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import SubgraphPredictor
from gfx_core.gnn.training import FragmentSource, split
from gfx_core.metrics.calibration import reliability
from gfx_core.metrics.edges import Bools
from gfx_core.user_models.predictor import predictor_on

Doubles = NDArray[np.float64]

Parts = Mapping[str, Mapping[str, Bools]]
"""By what instances are told apart (``class``, ``group``): the name of each part and who is in it. [I] each"""

NODES = {Task.NODE: 12, Task.GRAPH: 24}
"""The most nodes of a fragment, as in the training of the shipped GNNs."""
_ROWS = 4096  # fragments in one pass


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


def motif_reasons(cell: Cell) -> dict[str, Any]:
    """One GNN on one data set; the cell's method is the kind of GNN, its variant that of the GNN.

    Options: ``device``; ``half``; ``limit``, only so many instances, evenly spread.
    """
    gnn = gnn_name(cell.method, plain=cell.variant == PLAIN)
    dataset, model = load_dataset(cell.dataset), load_model(cell.dataset, gnn).to(cell.device)
    chosen = spread(half_of(dataset.explainable, cell.options["half"]), cell.options.get("limit"))
    every = [dataset.instance(int(index), hops=model.hops) for index in chosen]
    right = answers_right(model, every)
    instances = [instance for instance, good in zip(every, right, strict=True) if good]
    values: dict[str, Any] = {"instances": len(every), "wrong": int((~right).sum())}
    if not instances:
        return values
    without = probability_without(model, instances)
    alone = probability_alone(model, instances)
    whole = SubgraphPredictor(model, instances, _device(model)).whole.probabilities.max(1).values.double()
    values |= {"whole": float(whole.mean()), "without_motif": float(without.mean())}
    return values | reason_values(dataset, instances, alone)


def answers_right(model: nn.Module, instances: Sequence[Instance]) -> NDArray[np.bool_]:
    """Whether the GNN's answer is the label of each instance. [I]"""
    predicted = predictor_on(model, instances, _device(model)).whole.predicted.cpu().numpy()
    return predicted == np.array([instance.y for instance in instances])


def probability_alone(model: nn.Module, instances: Sequence[Instance]) -> Doubles:
    """Probability of the same class if the GNN sees the nodes of the motif and the edges among them only. [I]"""
    predictor = predictor_on(model, instances, _device(model))
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
        without = SubgraphPredictor(model, [instance], _device(model)).with_edges(instance, kept[None])
        found.append(float(without.probabilities[0, answer]))
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
    for kind, named in parts_of(dataset, instances).items():
        for name, each in (("motif_alone", alone), ("prior", prior)):
            values[f"{name}_by_{kind}"] = {part: float(each[members].mean()) for part, members in named.items()}
    return values


def _device(model: nn.Module) -> torch.device:
    return next(model.parameters()).device


def fragment_answers(cell: Cell) -> dict[str, Any]:
    """How often a GNN is right about fragments, against how sure it is.

    Options: ``device``; ``fragments``, about how many.
    """
    gnn = gnn_name(DEFAULT_KIND, plain=cell.method == PLAIN)
    dataset, model = load_dataset(cell.dataset), load_model(cell.dataset, gnn)
    header = read_header(model_path(cell.dataset, gnn))
    test = held_out(header, dataset)
    confidence, right, size = answers(dataset, model.to(cell.device), test, cell.options["fragments"], cell.seed)
    found = reliability(confidence, right)
    filled = np.flatnonzero(found.count)
    by_size = {int(nodes): size == nodes for nodes in np.unique(size)}
    return {
        "fragments": len(right),
        "test": len(test),
        "error": found.error,
        "accuracy": float(right.mean()),
        "confidence": float(confidence.mean()),
        "whole_accuracy": header.accuracy.get("test"),
        "bins": {
            "count": found.count[filled].tolist(),
            "confidence": found.confidence[filled].round(5).tolist(),
            "accuracy": found.accuracy[filled].round(5).tolist(),
        },
        "sizes": {
            "nodes": list(by_size),
            "count": [int(these.sum()) for these in by_size.values()],
            "confidence": [round(float(confidence[these].mean()), 5) for these in by_size.values()],
            "accuracy": [round(float(right[these].mean()), 5) for these in by_size.values()],
            "error": [round(reliability(confidence[t], right[t]).error, 5) for t in by_size.values()],
        },
    }


def held_out(header: ModelHeader, dataset: GraphDataset) -> Ints:
    """The nodes or graphs that a GNN was tested on."""
    config = header.training.get("config", {})
    return split(len(dataset.y), config.get("split_seed", config.get("seed", 0)))[2]  # once one seed was for both


@torch.no_grad()
def answers(
    dataset: GraphDataset, model: GNN, indices: Ints, count: int, seed: int
) -> tuple[NDArray[np.float64], NDArray[np.bool_], Ints]:
    """How sure a GNN is of each of some fragments, whether it is right, and their nodes. [N] each

    Args:
        dataset: Where the fragments are from.
        model: The GNN, on its device.
        indices: The nodes or graphs that they are fragments of, each as often as any other.
        count: How many at least.
        seed: Of the fragments: the same for every GNN on one device.
    """
    device = _device(model)
    source, generator = FragmentSource(dataset, device), torch.Generator(device).manual_seed(seed)
    which = np.tile(indices, -(-count // len(indices)))
    sure, predicted, size = [], [], []
    for part in np.array_split(which, -(-len(which) // _ROWS)):
        fragments = source.around(part, NODES[dataset.task], generator)
        probability, label = source.logits(model, fragments).softmax(-1).max(-1)
        sure.append(probability.double().cpu().numpy())
        predicted.append(label.cpu().numpy())
        size.append(fragments.mask.sum(1).cpu().numpy())
    return np.concatenate(sure), np.concatenate(predicted) == dataset.y[which], np.concatenate(size)
