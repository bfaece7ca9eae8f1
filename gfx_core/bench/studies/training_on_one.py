"""What training on one instance brings: distance from P ∝ R before and after, and what becomes of the AUC."""

from collections.abc import Sequence
from typing import Any, ClassVar

from gfx_core.bench.cells import Cell, Record
from gfx_core.bench.study import Study
from gfx_core.bench.tables import Quantity
from gfx_core.bench.verdicts import OWN, Verdict, means, out_of


class Tuning(Study):
    name = "tuning"
    purpose = "what training a policy further on one instance brings"
    title = "Training on one instance"
    short = "Training on one"
    question = "What does a policy gain from training on one prediction alone?"
    value = "distance_after"
    methods: ClassVar = {OWN: Study.methods[OWN]}
    seeds = None
    options: ClassVar = {"instances": 8, "cap": 4000}  # evenly spread among those with no more states
    quick_options: ClassVar = {"instances": 1, "epochs": 2}
    shown = (
        Quantity("distance_before", "Total variation from P ∝ R, shipped policy"),
        Quantity("distance_after", "Total variation after training on the one instance"),
        Quantity("nearer", "Share of instances that came nearer"),
        Quantity("auc_before", "AUC, own motif, shipped policy"),
        Quantity("auc_after", "AUC after training on the one instance"),
        Quantity("auc_exact", "AUC of exact P ∝ R"),
        Quantity("seconds", "Seconds of training", digits=1),
        Quantity("instances", "Instances", digits=0),
    )
    rows = True

    def compute(self, cell: Cell) -> dict[str, Any]:
        from gfx_core.bench.measures.listed import tuning

        return tuning(cell)

    def verdicts(self, records: Sequence[Record]) -> list[Verdict]:
        """How much nearer the policies came."""
        before, after = (means(records, f"distance_{when}") for when in ("before", "after"))
        pairs = [f"{self.titles[d]} from {before[d][OWN]:.3f} to {after[d][OWN]:.3f}" for d in before if d in after]
        if not pairs:
            return []
        halved = sum(after[d][OWN] <= before[d][OWN] / 2 for d in after)
        return [
            Verdict(
                "Distance from R/Z",
                "Trained further on a single instance, the policy at least halves its distance there on "
                f"{out_of(halved, len(pairs))}.",
                f"Total variation: {'; '.join(pairs)}.",
                "One policy serves all instances of a data set and has to compromise; trained on one it need not.",
            )
        ]
