"""Explaining instances that were not trained on: AUC by the share of the motifs that were.

All nodes of a motif are on one side: a policy that has seen one of them has seen them all.
"""

import time
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from gfx_core.bench.auc import TITLES as _TITLES
from gfx_core.bench.cells import Cell, Record
from gfx_core.bench.scoring import spread
from gfx_core.bench.tables import table_of, value_of
from gfx_core.config import Task
from gfx_core.datasets.graph import GraphDataset, Ints
from gfx_core.datasets.registry import DATASETS, load_dataset
from gfx_core.errors import UserError
from gfx_core.explainers.from_policy import FromPolicy, SequencePolicy
from gfx_core.explainers.method import Learner
from gfx_core.explainers.rg import RGExplainer, RGExplainerPlain
from gfx_core.gfn.presets import policy_config
from gfx_core.gnn.checkpoint import load_model
from gfx_core.metrics.auc import pooled_auc

BENCHMARK = "inductive"
FUNCTION = "gfx_core.bench.inductive:generalise"
VALUE = "auc_test"
SEEDS = 3
SHARES = {"10 %": 0.1, "30 %": 0.3, "50 %": 0.5, "70 %": 0.7, "90 %": 0.9}
"""Variants of a cell: the share of the motifs (in graph tasks, of the graphs) that is trained on."""

_METHODS: dict[str, type[FromPolicy] | type[RGExplainer]] = {
    "gflowexplainer": FromPolicy,
    "gflow_sequence": SequencePolicy,
    "rgexplainer": RGExplainer,
    "rgexplainer_plain": RGExplainerPlain,
}
TITLES = _TITLES | {"gflow_sequence": "GFlow-Sequence"}
OWN_METHODS = {name: TITLES[name] for name in _METHODS}
_COST = {"rgexplainer": 3.0, "rgexplainer_plain": 2.0}


def cells(
    datasets: Sequence[str], methods: Sequence[str] | None, seeds: int | None, device: str, quick: bool = False
) -> list[Cell]:
    """Each learner on each data set with each share."""
    options = {"device": device} | ({"limit": 12, "epochs": 3} if quick else {})
    return [
        Cell(BENCHMARK, dataset, method, seed, variant, options)
        for dataset in datasets
        for method in methods or _METHODS
        for variant in SHARES
        for seed in range(1 if quick else seeds or SEEDS)
    ]


def cost(cell: Cell) -> float:
    """Costly methods and large shares first."""
    return _COST.get(cell.method, 1.0) * SHARES[cell.variant]


def generalise(cell: Cell) -> dict[str, Any]:
    """Train on a share of the motifs, explain all instances, and score both sides.

    Options: ``device``, ``limit`` and ``epochs`` as in Table 1.
    """
    dataset, model = load_dataset(cell.dataset), load_model(cell.dataset)
    indices = spread(dataset.explainable, cell.options.get("limit"))
    sides = dict(zip(("train", "test"), split(dataset, indices, SHARES[cell.variant], cell.seed), strict=True))
    method: Learner = _METHODS[cell.method](
        model, seed=cell.seed, device=cell.device, epochs=cell.options.get("epochs")
    )
    values: dict[str, Any] = {"share": SHARES[cell.variant]}
    for side, chosen in sides.items():
        instances = [dataset.instance(int(index)) for index in chosen]
        if side == "train":
            started = time.perf_counter()
            method.fit(instances)
            values |= {"fit_s": time.perf_counter() - started, "epochs": _epochs(method, cell.dataset)}
        scores = [found.edge_scores for found in method.explain_many(instances)]
        values |= {
            f"auc_{side}": pooled_auc(instances, scores),
            f"auc_{side}_all": pooled_auc(instances, scores, "all"),
            f"{side}_instances": len(instances),
        }
    trained_on = np.unique(groups_of(dataset, sides["train"]))
    return values | {"trained_on": " ".join(map(str, trained_on)), "groups": str(_groups(dataset))}


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


def _groups(dataset: GraphDataset) -> str:
    return "motifs" if dataset.task is Task.NODE else "graphs"


def _epochs(method: Learner, dataset: str) -> int:
    if isinstance(method, RGExplainer):
        return method.config.epochs
    assert isinstance(method, FromPolicy)
    return method.epochs or policy_config(dataset).epochs


def table(records: Iterable[Record]) -> str:
    """AUC on what was not trained on, and on what was."""
    records = list(records)
    datasets = [name for name in DATASETS if any(r["dataset"] == name for r in records)]
    methods = [name for name in _METHODS if any(r["method"] == name for r in records)]
    records.sort(key=lambda r: list(SHARES).index(r["variant"]))

    def part(title: str, value: str) -> str:
        return f"**{title}**\n\n{table_of(records, value, datasets=datasets, methods=methods, titles=TITLES)}"

    return "\n\n".join(
        [
            part("AUC, own motif, on instances of motifs (or graphs) that were not trained on", "auc_test"),
            part("AUC, own motif, on the instances that were trained on", "auc_train"),
        ]
    )


def figure(record: dict[str, Any]) -> Any:
    """AUC by share, a column for each data set; the mean over the seeds."""
    from gfx_core.drawing.study_figures import auc_by_share

    found: dict[str, dict[str, dict[float, list[float]]]] = {}
    for one in record["cells"]:
        auc = value_of(one, VALUE)
        if auc is not None:
            lines = found.setdefault(one["dataset"], {})
            lines.setdefault(TITLES[one["method"]], {}).setdefault(SHARES[one["variant"]], []).append(auc)
    return auc_by_share(
        {
            dataset: {
                method: {share: float(np.mean(values)) for share, values in sorted(line.items())}
                for method, line in lines.items()
            }
            for dataset, lines in found.items()
        }
    )
