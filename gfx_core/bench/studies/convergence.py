"""How trainings of the policy converge: flow matching with three kinds of parents, and trajectory balance.

Each training is done twice: as the shipped policies are trained, and with the paper's own network and batches. The
reward and K_M are the shipped policies' in both.
"""

from collections.abc import Sequence
from typing import Any, ClassVar

from gfx_core.bench.cells import Cell, Record
from gfx_core.bench.protocol import TRAININGS
from gfx_core.bench.study import Study
from gfx_core.bench.tables import Quantity, Table, present
from gfx_core.bench.verdicts import Verdict, means
from gfx_core.drawing.study_figures import training_curves

_SHOWN = (
    Quantity("auc_own", "AUC, own motif, edge marginals", "high"),
    Quantity("distance", "Total variation from R/Z, where subgraphs can be listed", "low"),
    Quantity("residual", "|log in-flow − log out-flow| at the end, all valid parents", "low"),
    Quantity("log_reward", "Mean log R of a sample"),
)
_LOG_Z = Quantity("log_z_error", "|learned log Z − log Z|", "low")


class Convergence(Study):
    name = "convergence"
    purpose = "flow matching by kinds of parents, and trajectory balance, along their training"
    title = "Losses and ablations"
    short = "Losses"
    question = "Which loss, and which parents of a state, bring the policy to its target?"
    value = "auc_own"
    datasets: ClassVar = {name: Study.datasets[name] for name in ("ba_shapes", "tree_cycles")}
    methods: ClassVar = {name: title for name, (title, _, _) in TRAININGS.items()}
    variants = ("shipped", "paper")
    seeds = 3
    quick_options: ClassVar = {"limit": 6, "epochs": 3}

    def cost(self, cell: Cell) -> float:
        """Large data sets first."""
        return {"ba_shapes": 2.0, "ba_community": 4.0}.get(cell.dataset, 1.0)

    def compute(self, cell: Cell) -> dict[str, Any]:
        from gfx_core.bench.measures.training_runs import train

        return train(cell)

    def tables(self, records: Sequence[Record]) -> list[Table]:
        """What the trainings came to, a row for each and a column for each data set."""
        records = sorted(records, key=lambda r: self.variants.index(r["variant"]))
        methods = present(self.methods, records, "method")
        found = [self.by_method(records, quantity, methods) for quantity in _SHOWN]
        if balanced := [name for name in methods if TRAININGS[name][1].is_trajectory_balance]:
            found.append(self.by_method(records, _LOG_Z, balanced))
        return found

    def verdicts(self, records: Sequence[Record]) -> list[Verdict]:
        """Which training comes nearest to its target."""
        said: list[str] = []
        nearest: dict[str, list[str]] = {}
        for dataset, by_method in means(records, "distance", "shipped").items():
            order = sorted(by_method, key=by_method.__getitem__)
            nearest.setdefault(self.methods[order[0]], []).append(self.titles[dataset])
            said.append(f"{self.titles[dataset]}: {', '.join(f'{self.methods[m]} {by_method[m]:.3f}' for m in order)}")
        if not said:
            return []
        near = {training: ", ".join(where) for training, where in nearest.items()}
        return [
            Verdict(
                "Distance from R/Z",
                f"With the shipped settings {'; '.join(f'{name} comes nearest on {at}' for name, at in near.items())}.",
                f"Total variation, nearest first. {'; '.join(said)}.",
            )
        ]

    def figure(self, records: Sequence[Record]) -> Any:
        """Loss, residual and mean log R by epoch, a column for each data set; seed 0."""
        curves: dict[str, dict[tuple[str, str], dict[str, list[float]]]] = {}
        for one in records:
            if one["seed"] == 0:
                lines = curves.setdefault(one["dataset"], {})
                lines[self.methods[one["method"]], one["variant"]] = one["values"]["curve"]
        return training_curves(curves)
