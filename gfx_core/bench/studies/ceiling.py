"""What holds GFlowExplainer back: the reward, the GNN, or the training?

Where all subgraphs of an instance can be listed, P ∝ R is known exactly. Its edge marginals are the best that sampling
in proportion to this reward can give; the exact best subgraph is the best that any search under this reward can give.
The distance of the trained policy from P ∝ R is the training's part.
"""

from collections.abc import Sequence
from typing import Any, ClassVar

from gfx_core.bench.cells import Cell, Record
from gfx_core.bench.study import Study
from gfx_core.bench.tables import Quantity
from gfx_core.bench.verdicts import CLOSE, OWN, Verdict
from gfx_core.config import Task
from gfx_core.datasets.registry import DATASETS


class Ceiling(Study):
    """Only node tasks: in graph tasks the start node is a choice of its own."""

    name = "ceiling"
    purpose = "what exact P ∝ R allows, and how far the shipped policies are from it"
    title = "What exact enumeration allows"
    short = "Ceiling"
    question = "How good would perfect training be, and how near to it are the policies?"
    value = "auc_exact"
    headline = True
    datasets: ClassVar = {name: info.title for name, info in DATASETS.items() if info.task is Task.NODE}
    any_dataset = False
    methods: ClassVar = {OWN: Study.methods[OWN]}
    seeds = None
    options: ClassVar = {"cap": 20_000}  # instances with more subgraphs than this are left out
    quick_options: ClassVar = {"limit": 6}
    shown = (
        Quantity("auc_exact", "AUC of exact P ∝ R (edge marginals)"),
        Quantity("auc_best", "AUC of the exact best subgraph"),
        Quantity("auc_policy", "AUC of the shipped policy, same instances"),
        Quantity("distance_mean", "Total variation of the shipped policy from P ∝ R, mean"),
        Quantity("distance_median", "median"),
        Quantity("best_found", "Share of instances whose best subgraph is the motif itself"),
        Quantity("enumerated", "Instances", digits=0),
    )
    rows = True

    def compute(self, cell: Cell) -> dict[str, Any]:
        from gfx_core.bench.measures.listed import ceiling

        return ceiling(cell)

    def verdicts(self, records: Sequence[Record]) -> list[Verdict]:
        """Whether the reward or the training holds GFlowExplainer back."""
        said, trained = [], []
        for record in records:
            values, dataset = record["values"], record["dataset"]
            if values.get("auc_exact") is None:
                continue
            exact, policy, apart = values["auc_exact"], values["auc_policy"], values["distance_mean"]
            if policy < exact - CLOSE:
                why = "training is what is missing"
            else:
                trained.append(self.titles[dataset])
                why = "the policy is at its own target or above it, so the reward on this GNN is the ceiling"
            said.append(
                f"{self.titles[dataset]} ({values['enumerated']} of {values['instances']} instances): exact P ∝ R "
                f"{exact:.3f}, exact best subgraph {values['auc_best']:.3f}, policy {policy:.3f} at a total variation "
                f"of {apart:.3f}; {why}"
            )
        if not said:
            return [Verdict("The ceiling", "Not measured yet: run `python -m gfx_core bench ceiling`.")]
        return [
            Verdict(
                "The ceiling",
                "On the instances of which every subgraph can be listed, exact P ∝ R is what perfect training would "
                f"give. On {len(trained)} of {len(said)} data sets the policy is at this target or above it: there the "
                "reward on this GNN holds it back, not the training.",
                f"{'; '.join(said)}.",
            )
        ]
