"""How trainings of the policy converge: flow matching with three kinds of parents, and trajectory balance.

Each training is done twice: as the shipped policies are trained, and with the paper's own network and batches. The
reward and K_M are the shipped policies' in both.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from gfx_core.bench.auc import TITLES as _TITLES
from gfx_core.bench.cells import Cell, Record
from gfx_core.bench.tables import Best, Table, present, table_of
from gfx_core.datasets.registry import DATASETS
from gfx_core.gfn.config import Loss, Parents

BENCHMARK = "convergence"
FUNCTION = "gfx_core.bench.training_runs:train"
VALUE = "auc_own"
SEEDS = 3
OWN_DATASETS = ("ba_shapes", "tree_cycles")

TRAININGS: dict[str, tuple[str, Loss, Parents]] = {
    "gflowexplainer": ("Flow matching, valid parents", Loss.FLOW_MATCHING, Parents.VALID),
    "gflow_graph": ("GFlow-Graph", Loss.FLOW_MATCHING, Parents.GRAPH),
    "gflow_sequence": ("GFlow-Sequence", Loss.FLOW_MATCHING, Parents.SEQUENCE),
    "tb": ("Trajectory balance, log Z constant", Loss.TRAJECTORY_BALANCE, Parents.VALID),
    "tb_conditional": ("Trajectory balance, log Z(v₀)", Loss.TRAJECTORY_BALANCE_CONDITIONAL, Parents.VALID),
}
OWN_METHODS = {name: title for name, (title, _, _) in TRAININGS.items()}
TITLES = _TITLES | OWN_METHODS
SETTINGS = ("shipped", "paper")
"""Variants of a cell."""


def cells(
    datasets: Sequence[str], methods: Sequence[str] | None, seeds: int | None, device: str, quick: bool = False
) -> list[Cell]:
    """Each training on each data set, with both settings."""
    options = {"device": device} | ({"limit": 6, "epochs": 3} if quick else {})
    return [
        Cell(BENCHMARK, dataset, method, seed, setting, options)
        for dataset in datasets
        for method in methods or TRAININGS
        for setting in SETTINGS
        for seed in range(1 if quick else seeds or SEEDS)
    ]


def cost(cell: Cell) -> float:
    """Large data sets first."""
    return {"ba_shapes": 2.0, "ba_community": 4.0}.get(cell.dataset, 1.0)


def tables(records: Iterable[Record]) -> list[Table]:
    """What the trainings came to, a row for each and a column for each data set."""
    records = sorted(records, key=lambda r: SETTINGS.index(r["variant"]))
    datasets, methods = present(DATASETS, records, "dataset"), present(TRAININGS, records, "method")
    balanced = [name for name in methods if TRAININGS[name][1].is_trajectory_balance]

    def part(title: str, value: str, rows: list[str], best: Best) -> Table:
        return table_of(records, value, title, datasets=datasets, methods=rows, titles=TITLES, best=best)

    found = [
        part("AUC, own motif, edge marginals", "auc_own", methods, "high"),
        part("Total variation from R/Z, where subgraphs can be listed", "distance", methods, "low"),
        part("|log in-flow − log out-flow| at the end, all valid parents", "residual", methods, "low"),
        part("Mean log R of a sample", "log_reward", methods, ""),
    ]
    if balanced:
        found.append(part("|learned log Z − log Z|", "log_z_error", balanced, "low"))
    return found


def figure(record: dict[str, Any]) -> Any:
    """Loss, residual and mean log R by epoch, a column for each data set; seed 0."""
    from gfx_core.drawing.study_figures import training_curves

    curves: dict[str, dict[tuple[str, str], dict[str, list[float]]]] = {}
    for one in record["cells"]:
        if one["seed"] == 0:
            lines = curves.setdefault(one["dataset"], {})
            lines[OWN_METHODS[one["method"]], one["variant"]] = one["values"]["curve"]
    return training_curves(curves)
