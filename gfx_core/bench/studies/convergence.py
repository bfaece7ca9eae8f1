"""How trainings of the policy converge: flow matching with three kinds of parents, and trajectory balance.

Each training is done twice: as the shipped policies are trained, and with the paper's own network and batches. The
reward and K_M are the shipped policies' in both.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from gfx_core.bench.cells import Cell, Record
from gfx_core.bench.protocol import TRAININGS
from gfx_core.bench.study import Study
from gfx_core.bench.tables import Quantity
from gfx_core.bench.verdicts import Verdict, means
from gfx_core.drawing.study_figures import Axes


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
    shown = (
        Quantity("auc_own", "AUC, own motif, edge marginals", "high"),
        Quantity("distance", "Total variation from R/Z, where subgraphs can be listed", "low"),
        Quantity("residual", "|log in-flow − log out-flow| at the end, all valid parents", "low"),
        Quantity("log_reward", "Mean log R of a sample"),
        Quantity("log_z_error", "|learned log Z − log Z|", "low", some=True),
    )
    axes = Axes(
        "epoch",
        "epoch",
        {"loss": "loss", "residual": "|residual|", "log_reward": "mean log R"},
        variants=True,
        logarithmic=("loss", "residual"),
    )
    costs: ClassVar = {"ba_shapes": 2.0, "ba_community": 4.0}

    def compute(self, cell: Cell) -> dict[str, Any]:
        from gfx_core.bench.measures.training_runs import train

        return train(cell)

    def verdicts(self, records: Sequence[Record]) -> list[Verdict]:
        """Which training comes nearest to its target."""
        said: list[str] = []
        nearest: dict[str, list[str]] = {}
        for dataset, by_method in means(records, "distance", "shipped").items():
            order = dict(sorted(by_method.items(), key=lambda pair: pair[1]))
            nearest.setdefault(self.titles[next(iter(order))], []).append(dataset)
            said.append(f"{self.titles[dataset]}: {self.numbered(order)}")
        if not said:
            return []
        near = "; ".join(f"{training} comes nearest on {self.named(where)}" for training, where in nearest.items())
        detail = f"Total variation, nearest first. {'; '.join(said)}."
        return [Verdict("Distance from R/Z", f"With the shipped settings {near}.", detail)]

    def line(self, records: Sequence[Record]) -> Mapping[str, Sequence[float]]:
        """What seed 0 came to by epoch."""
        return next((record["values"]["curve"] for record in records if record["seed"] == 0), {})
