"""What the GNNs know, without any explainer: is the motif their reason, and are they calibrated on fragments?

Explainers are scored by how well they find the motif. That is fair only where the motif is what the GNN looks at: alone
it should make the GNN predict the same class (Faber et al., KDD 2021, show GNNs for which it does not). An explanation
is a fragment, so what a GNN predicts for one must mean something: it should be right as often as it is sure.
"""

import random
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gfx_core.arrays import Doubles, Ints, spread
from gfx_core.bench.comparison import Comparison
from gfx_core.bench.study import KINDS, Cell, Claim, Sweep, share_verdict
from gfx_core.bench.tables import Quantity, Record, ResultTable, grouped, paired
from gfx_core.config import Task
from gfx_core.datasets.graph import Half
from gfx_core.metrics.intervals import interval, motif_of, resampled_means, resampling, verdict

if TYPE_CHECKING:
    from torch import nn

    from gfx_core.datasets.instance import Instance

ENOUGH = 0.5
"""The motif is called a GNN's reason if, seeing it alone, the GNN gives the same class at least this probability, more
than the class's share of the data set, and more than without the motif."""
OTHER_REASON = "‡"
"""Marks a data set where the motif is not the reason of the shipped kind of GNN."""
NODES = {Task.NODE: 12, Task.GRAPH: 24}
"""The most nodes of a fragment, as in the training of our GNNs."""

_COMPARED = ("motif_alone", "without_motif", "prior")
ALONE = "P(class │ motif alone)"
CALIBRATION = "Expected calibration error on random fragments"
SHIPPED, PLAIN = "sum", "sum-plain"


class Reasons(Comparison):
    """The GNNs that explainers explain; the method of a cell is the kind of GNN, and the seed is the GNN's."""

    name = "reasons"
    title = "Is the motif the GNN's reason?"
    short = "Reasons"
    question = "Does the motif alone make a GNN predict what it predicts for the whole?"
    methods: ClassVar = KINDS
    options: ClassVar = {"half": str(Half.REPORTING), "limit": 60, "fragments": 30}
    quick_options: ClassVar = {"limit": 6, "fragments": 3}
    costs: ClassVar = {}
    code = ("gfx_core.bench.scoring", "gfx_core.gnn.predict", "gfx_core.metrics.calibration")
    shown = (
        Quantity("motif_alone", ALONE, "high"),
        Quantity("without_motif", "P(class │ all edges but the motif's)"),
        Quantity("calibration_error", CALIBRATION, "low"),
        Quantity("accuracy", "Test accuracy", "high"),
    )

    @property
    def benchmark(self) -> str:
        return self.name

    @property
    def measured_in(self) -> str:
        return __name__

    def cells(self, sweep: Sweep) -> list[Cell]:
        options = self.options_for(sweep)
        return [
            Cell(self.name, dataset, kind, seed, "", options, f"{kind}-{seed}")
            for dataset in sweep.datasets
            for kind in sweep.methods
            for seed in range(self.number_of_seeds(kind, sweep))
            if not sweep.gnns or f"{kind}-{seed}" in sweep.gnns
        ]

    def compute(self, cell: Cell) -> dict[str, Any]:
        return gnn_reasons(cell)

    def tables(self, records: Sequence[Record]) -> list[ResultTable]:
        """A table for each number, a row for each kind of GNN, with intervals over motifs where it has them."""
        tables = [self.compared(records, str(each.value), each.title, best=each.best) for each in self.shown[:2]]
        tables += [replace(self.by_method(records, each), half="") for each in self.shown[2:]]  # of the test part
        other = other_reasons(records, SHIPPED)
        why = "The motif is not the reason of the GNN trained on fragments."
        plain = [replace(table, columns=self.columns(records), notes=[]) for table in tables if table.rows]
        return [table.marked(OTHER_REASON, other, why) for table in plain]

    def claims(self, records: Sequence[Record]) -> list[Claim]:
        """Whose reason the motif is, and whether training on fragments calibrates."""
        found = []
        for (kind,), here in grouped(records, "method").items():
            datasets, other = self.columns(here), other_reasons(here, kind)
            number = f"{len(datasets) - len(other)} of {len(datasets)} data sets"
            number += f"; not on {self.listed(other)}" if other else ""
            sentence = f"The motif is the reason of GNNs of the kind “{self.methods[kind]}”."
            found.append(Claim(sentence, share_verdict(len(datasets) - len(other), len(datasets)), number, ALONE))
        both = paired(records, PLAIN, SHIPPED, "calibration_error")
        if len(both):
            less = both[:, 0] - both[:, 1]
            resampled = resampled_means(less, resampling(np.arange(len(less))))
            low, high = interval(resampled) or (0.0, 0.0)
            number = f"error lower by {less.mean():.3f} [{low:.3f}, {high:.3f}]"
            sentence = "Training on fragments calibrates GNNs on fragments."
            found.append(Claim(sentence, verdict(resampled), number, CALIBRATION))
        return found


def other_reasons(records: Iterable[Record], kind: str) -> list[str]:
    """The data sets where the motif is not the reason of a kind of GNN, over its seeds."""
    here = grouped((r for r in records if r["method"] == kind and "motif_alone" in r["values"]), "dataset")
    means = {
        name: [np.mean([np.mean(record["values"][value]) for record in some]) for value in _COMPARED]
        for (name,), some in here.items()
    }
    return [name for name, (alone, *others) in means.items() if alone < max(ENOUGH, *others)]


def gnn_reasons(cell: Cell) -> dict[str, Any]:
    """What one GNN predicts for motifs, for instances without them, and for fragments.

    Options: ``device``; ``half``; ``limit``, so many instances; ``fragments``, so many of each instance.
    """
    from gfx_core.bench.scoring import CellInstances
    from gfx_core.gnn.training import parts_of
    from gfx_core.metrics.calibration import reliability

    subject = CellInstances(cell)
    dataset, share = subject.dataset, np.bincount(subject.dataset.y) / len(subject.dataset.y)
    tested = [subject.instance(int(i)) for i in spread(parts_of(dataset, 0)["test"], cell.options["limit"])]
    sure, right = fragment_predictions(subject.model, tested, cell.options["fragments"], cell.device)
    values: dict[str, Any] = {
        "accuracy": subject.accuracy,
        "calibration_error": reliability(sure, right).error,
        "fragment_accuracy": float(right.mean()),
        "owners": [motif_of(instance) for instance in subject.every],
        "right": subject.right.astype(int).tolist(),
    }
    if subject.scored:
        values["motif_alone"] = probability_alone(subject.model, subject.scored, cell.device).round(4).tolist()
        values["without_motif"] = probability_without(subject.model, subject.scored, cell.device).round(4).tolist()
        values["prior"] = share[[instance.y for instance in subject.scored]].round(4).tolist()
    return values


def answers_right(model: "nn.Module", instances: Sequence["Instance"], device: Any = None) -> np.ndarray:
    """Whether the GNN predicts the label of each instance. bool [I]"""
    from gfx_core.user_models.predictor import predictor_on

    predicted = predictor_on(model, instances, device).whole.predicted.cpu().numpy()
    return predicted == np.array([instance.y for instance in instances])


def probability_alone(model: "nn.Module", instances: Sequence["Instance"], device: Any = None) -> Doubles:
    """Probability of the same class if the GNN sees the nodes of the motif and the edges among them only. [I]"""
    from gfx_core.user_models.predictor import predictor_on

    predictor = predictor_on(model, instances, device)
    sets = [np.flatnonzero(instance.own_nodes) for instance in instances]
    each = np.arange(len(sets))
    return _probabilities(predictor, sets, each)[each, predictor.whole.predicted.cpu().numpy()]


def probability_without(model: "nn.Module", instances: Sequence["Instance"], device: Any = None) -> Doubles:
    """Probability of the same class if the motif's edges are deleted. [I]"""
    from gfx_core.user_models.predictor import predictor_on

    found = []
    for instance in instances:
        predictor = predictor_on(model, [instance], device)
        without = predictor.with_edges(instance, ~instance.own_edges[instance.undirected][None])
        found.append(float(without.probabilities[0, predictor.whole.predicted[0]]))
    return np.array(found)


def fragment_predictions(
    model: "nn.Module", instances: Sequence["Instance"], count: int, device: Any
) -> tuple[Doubles, np.ndarray]:
    """How sure a GNN is of random connected fragments of each instance, and whether it is right. [N] each

    A fragment grows from the explained node, or from any node of a graph, to a random size.
    """
    from gfx_core.teaching.lab_graphs import neighbour_lists, random_order
    from gfx_core.user_models.predictor import predictor_on

    rng, predictor, sets = random.Random(0), predictor_on(model, instances, device), []
    for instance in instances:
        neighbours = neighbour_lists(instance.num_nodes, instance.edge_index[:, instance.undirected].T.tolist())
        most = min(NODES[Task.GRAPH if instance.target is None else Task.NODE], instance.num_nodes)
        for _ in range(count):
            start = rng.randrange(instance.num_nodes) if instance.target is None else instance.target
            sets.append(np.array(random_order(neighbours, [start], rng.randint(1, most), rng)))
    owner = np.repeat(np.arange(len(instances)), count)
    every = _probabilities(predictor, sets, owner)
    return every.max(1), every.argmax(1) == np.array([instance.y for instance in instances])[owner]


def _probabilities(predictor: Any, sets: Sequence[Ints], owner: Ints) -> Doubles:
    """What a GNN predicts for some sets of nodes of its instances. [N, C]"""
    import torch

    subsets = np.full((len(sets), max(map(len, sets))), -1, dtype=np.int64)
    for row, nodes in zip(subsets, sets, strict=True):
        row[: len(nodes)] = nodes
    batches = zip(torch.from_numpy(subsets).split(2048), torch.from_numpy(owner).split(2048), strict=True)
    return torch.cat([predictor(some, whose).probabilities for some, whose in batches]).double().cpu().numpy()
