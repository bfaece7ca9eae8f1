"""Explaining instances that were not trained on: AUC by the share of the motifs that were.

All nodes of a motif are on one side: a policy that has seen one of them has seen them all.
"""

from collections.abc import Sequence
from typing import Any, ClassVar

from gfx_core.bench.cells import Cell, Record
from gfx_core.bench.protocol import SHARES
from gfx_core.bench.study import Asked, Study
from gfx_core.bench.tables import Quantity, entry_of
from gfx_core.bench.verdicts import CLOSE, OWN, RG, Verdict, ahead, means, out_of
from gfx_core.drawing.study_figures import Axes
from gfx_core.text.numbers import listed

_SEQUENCE = (
    "GFlow-Sequence counts other parents than a state has and so draws in proportion to something else than R; its "
    "order of the edges can be nearer to the motif all the same."
)


class Inductive(Study):
    name = "inductive"
    purpose = "AUC on instances that were not trained on, by the share that was"
    title = "Instances never seen in training"
    short = "Unseen motifs"
    question = "What do learners make of motifs that they were not trained on?"
    value = "auc_test"
    methods: ClassVar = {
        OWN: Study.methods[OWN],
        "gflow_sequence": "GFlow-Sequence",
        RG: Study.methods[RG],
        "rgexplainer_plain": Study.methods["rgexplainer_plain"],
    }
    variants = tuple(SHARES)
    seeds = 3
    costs: ClassVar = {"rgexplainer": 3.0, "rgexplainer_plain": 2.0}
    quick_options: ClassVar = {"limit": 6, "epochs": 3}
    shown = (
        Quantity("auc_test", "AUC, own motif, on instances of motifs (or graphs) that were not trained on", "high"),
        Quantity("auc_train", "AUC, own motif, on the instances that were trained on", "high"),
    )
    axes = Axes("share", "share trained on", {"auc": "AUC, not trained on"}, points=True)

    def cells(self, asked: Asked) -> list[Cell]:
        return [cell for cell in super().cells(asked) if not asked.quick or cell.variant in ("30 %", "70 %")]

    def cost(self, cell: Cell) -> float:
        """Large shares first, too."""
        return super().cost(cell) * SHARES[cell.variant]

    def compute(self, cell: Cell) -> dict[str, Any]:
        from gfx_core.bench.measures.generalisation import generalise

        return generalise(cell)

    def verdicts(self, records: Sequence[Record]) -> list[Verdict]:
        """How much is lost when few motifs are trained on."""
        least, *_, most = SHARES
        low, high = means(records, "auc_test", least), means(records, "auc_test", most)
        said = []
        for method, title in self.methods.items():
            gains = {d: high[d][method] - low[d][method] for d in low if method in low[d] and method in high.get(d, {})}
            if gains:
                where = max(gains, key=lambda d: abs(gains[d]))
                said.append(f"{title} by {gains[where]:+.3f} at most ({self.titles[where]})")
        if not said:
            return []
        both = [d for d in low if OWN in low[d] and RG in low[d]]
        leads = [d for d in both if ahead(low[d][OWN], low[d][RG])]
        names = f" ({self.named(leads)})" if leads else ""
        ours = {d: by_method for d, by_method in low.items() if OWN in by_method}
        behind = {m: [d for d, by in ours.items() if m in by and ahead(by[m], by[OWN])] for m in self.methods}
        trails = [f"{self.titles[method]} on {self.listed(where)}" for method, where in behind.items() if where]
        return [
            Verdict(
                "Unseen motifs",
                f"With {least} of the motifs trained on GFlowExplainer is ahead of RGExplainer on "
                f"{out_of(len(leads), len(both))}{names}"
                + (f", and behind {listed(trails)}" if trails else "")
                + f" (within {CLOSE}: level).",
                f"From {least} to {most} the AUC on the others changes: {'; '.join(said)}.",
                _SEQUENCE if behind["gflow_sequence"] else "",
            )
        ]

    def line(self, records: Sequence[Record]) -> dict[str, list[float]]:
        """The mean over the seeds by share."""
        found = {share: entry_of((r for r in records if r["variant"] == share), self.value).mean for share in SHARES}
        known = {SHARES[share]: mean for share, mean in found.items() if mean is not None}
        return {"share": list(known), "auc": list(known.values())} if known else {}

    def figure(self, records: Sequence[Record]) -> Any:
        return super().figure(records).update_xaxes(tickformat=".0%", range=[0, 1])
