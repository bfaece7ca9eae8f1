"""Table 1: AUC and top-k accuracy of every explainer on every data set."""

from collections.abc import Iterable, Sequence

from gfx_core.bench import paper
from gfx_core.bench.cells import Cell, Record
from gfx_core.bench.tables import table_of
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


def table(records: Iterable[Record]) -> str:
    """AUC under both ground truths and top-k accuracy, with the paper's figures below ours."""
    records = list(records)
    datasets = [name for name in DATASETS if any(r["dataset"] == name for r in records)]
    methods = [name for name in METHODS if any(r["method"] == name for r in records)]

    def part(title: str, value: str, figures: paper.Figures | None = None) -> str:
        rows = {f"{TITLES[m]} (paper)": row for m, row in (figures or {}).items() if m in methods}
        text = table_of(records, value, datasets=datasets, methods=methods, titles=TITLES, paper=rows)
        return f"**{title}**\n\n{text}"

    parts = [
        part("AUC, own motif", "auc_own", paper.AUC),
        part("AUC, own motif, one node of each motif", "auc_own_benchmark"),
        part("AUC, every motif in view", "auc_all"),
        part("Top-k accuracy, own motif", "topk_own", paper.TOP_K),
    ]
    drawn = [record for record in records if record["method"] == "gflowexplainer"]
    return "\n\n".join([*parts, rules_table(drawn, datasets)] if drawn else parts)


def rules_table(records: Sequence[Record], datasets: Sequence[str]) -> str:
    """GFlowExplainer by its three scoring rules, own motif, and how well its policies are trained."""
    lines = [f"| {' | '.join(['', *(TITLES[name] for name in datasets)])} |", "|---|" + "---:|" * len(datasets)]
    for value, title in _RULES.items():
        row = table_of(records, value, datasets=datasets, titles={"gflowexplainer": title})
        lines.append(row.splitlines()[2])
    return "\n".join(["**GFlowExplainer by scoring rule, and its policies**", "", *lines])
