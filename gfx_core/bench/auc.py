"""Table 1: AUC and top-k accuracy of every explainer on every data set."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gfx_core.bench import paper
from gfx_core.bench.cells import Cell, Record
from gfx_core.bench.tables import Best, Table, Value, entry_of, present, table_of, table_of_values
from gfx_core.datasets.registry import DATASETS
from gfx_core.explainers.registry import METHODS

BENCHMARK = "auc"
FUNCTION = "gfx_core.bench.scoring:score"
VALUE = "auc_own"
SEEDS = 10
FEWER_SEEDS = {"subgraphx": 1}
"""A search of seconds for every instance is not repeated ten times."""

TITLES = {n: info.title for n, info in DATASETS.items()} | {n: info.title for n, info in METHODS.items()}
_RULES = {
    "auc_own": "AUC, edge marginals of 64 samples",
    "auc_own_best": "AUC, best of 64 by reward",
    "auc_own_order": "AUC, order weight of one sample (the paper's)",
    "log_reward": "mean log R of a sample",
    "best_log_reward": "mean log R of the best of 64",
    "residual": "mean residual of flow matching",
}
LEGEND = (
    "★ GFlowExplainer, ● another method that asks the GNN, ■ one that never does: the mean; | each seed; ◇ the "
    "paper’s figure for its own GNNs."
)
"""What the marks of the figure mean."""

_COST = {"subgraphx": 1000.0, "rgexplainer": 300.0, "rgexplainer_plain": 200.0, "gflowexplainer": 100.0}


def cells(
    datasets: Sequence[str], methods: Sequence[str] | None, seeds: int | None, device: str, quick: bool = False
) -> list[Cell]:
    """Each method on each data set, with several seeds if its answer depends on one."""
    options = {"device": device} | ({"limit": 12, "epochs": 3} if quick else {})
    return [
        Cell(BENCHMARK, dataset, method, seed, options=options)
        for dataset in datasets
        for method in methods or METHODS
        for seed in range(number_of_seeds(method, seeds, quick))
    ]


def number_of_seeds(method: str, seeds: int | None, quick: bool = False) -> int:
    """How many seeds a method gets: those asked for, or its own number."""
    if not METHODS[method].seeded or quick:
        return 1
    return seeds or FEWER_SEEDS.get(method, SEEDS)


def cost(cell: Cell) -> float:
    """Costly methods first."""
    return _COST.get(cell.method, 1.0)


def tables(records: Iterable[Record]) -> list[Table]:
    """AUC under both ground truths and top-k accuracy, with the paper's figures below ours."""
    records = list(records)
    found = [
        table_by_method(records, "auc_own", "AUC, own motif", "high", paper.AUC),
        table_by_method(records, "auc_own_benchmark", "AUC, own motif, one node of each motif", "high"),
        table_by_method(records, "auc_all", "AUC, every motif in view", "high"),
        table_by_method(records, "topk_own", "Top-k accuracy, own motif", "high", paper.TOP_K),
    ]
    drawn = [record for record in records if record["method"] == "gflowexplainer"]
    if drawn:
        title = "GFlowExplainer by scoring rule, and its policies"
        found.append(table_of_values(drawn, _RULES, title, columns=found[0].columns))
    return found


def table_by_method(
    records: Sequence[Record],
    value: Value,
    title: str,
    best: Best = "",
    figures: paper.Figures | None = None,
    digits: int = 3,
    methods: Sequence[str] | None = None,
    notes: Mapping[str, str] | None = None,
) -> Table:
    """One number of each explainer of the registry on each data set, for those that the records have."""
    return table_of(
        records,
        value,
        title,
        digits=digits,
        datasets=present(DATASETS, records, "dataset"),
        methods=present(METHODS, records, "method") if methods is None else methods,
        titles=TITLES,
        paper=figures,
        best=best,
        notes=notes,
    )


def figure(record: dict[str, Any]) -> Any:
    """AUC of the own motif, every seed of every explainer and the paper's figure, a column for each data set."""
    from gfx_core.drawing.dot_plot import dots_by_method

    records = record["cells"]
    values = {
        name: {
            method: entry_of((r for r in records if (r["dataset"], r["method"]) == (name, method)), VALUE).values
            for method in present(METHODS, records, "method")
        }
        for name in present(DATASETS, records, "dataset")
    }
    return dots_by_method(values, paper.AUC, "AUC, own motif", reference=0.5)
