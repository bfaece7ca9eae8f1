"""What exact enumeration allows: how good perfect training would be, and how near to it the shipped policies are.

The edge marginals of exact P ∝ R are the best that sampling in proportion to this reward can give; the exact best
subgraph is the best that any search under it can give. An AUC near the exact one does not show that the distributions
are near, so there are both.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

from gfx_core.bench.study import Cell, Study
from gfx_core.bench.tables import CLOSE, OWN, Quantity, Record, ResultTable
from gfx_core.config import Task
from gfx_core.datasets.graph import Half
from gfx_core.datasets.registry import DATASETS
from gfx_core.text.numbers import counted

POLICY_GOALS = {"tree_cycles": 0.05, "tree_grid": 0.05}
"""The mean total variation up to which a policy counts as being at its target."""
POLICY_GOAL = 0.15
"""The same where nothing else is said."""


def goal_of(dataset: str) -> float:
    return POLICY_GOALS.get(dataset, POLICY_GOAL)


class Ceiling(Study):
    """In graph tasks everything starts at the node that the locator picks: P ∝ R is over the subgraphs around it."""

    name = "ceiling"
    title = "What exact enumeration allows"
    short = "Ceiling"
    question = "How good would perfect training be, and how near to it are the policies?"
    any_dataset = False  # it needs a shipped policy
    methods: ClassVar = {OWN: Study.methods[OWN]}
    seeds = None
    options: ClassVar = {
        "cap": 20_000,  # instances with more subgraphs than this are left out
        "half": Half.REPORTING.value,
    }
    quick_options: ClassVar = {"limit": 6}
    shown = (
        Quantity("auc_exact", "AUC of exact P ∝ R (edge marginals)"),
        Quantity("auc_best", "AUC of the exact best subgraph"),
        Quantity("auc_policy", "AUC of the shipped policy, same instances"),
        Quantity("distance_mean", "Total variation of the shipped policy from P ∝ R, mean"),
        Quantity("distance_median", "median"),
        Quantity("distance_max", "largest"),
        Quantity(lambda record: goal_of(record["dataset"]), "the goal for the mean", digits=2),
        Quantity("best_found", "Share of instances whose best subgraph is the motif itself"),
        Quantity("enumerated", "Instances that could be listed", digits=0),
        Quantity("listed_share", "their share", digits=2),
        Quantity("policy_s", "Seconds for their rewards and the policy's distributions", digits=1),
    )

    def compute(self, cell: Cell) -> dict[str, Any]:
        from gfx_core.bench.measures.total_variation import ceiling

        return ceiling(cell)

    def tables(self, records: Sequence[Record]) -> list[ResultTable]:
        """One table; where samples start is told, since Table 1 does otherwise in graph tasks."""
        graphs = [name for name in self.columns(records) if DATASETS[name].task is Task.GRAPH]
        note = (
            f"On {self.listed(graphs)} all subgraphs here start at the node that the locator finds most influential. "
            "Table 1 draws a start node for each sample, so that its AUC is another number."
        )
        return [replace(self.by_value(records, self.shown), notes=(note,) if graphs else ())]

    def finding(self, records: Sequence[Record]) -> str:
        """Whether the reward or the training holds GFlowExplainer back."""
        known = [record for record in records if record["values"].get("auc_exact") is not None]
        there = [
            record["dataset"]
            for record in known
            if (values := record["values"])["auc_policy"] > values["auc_exact"] - CLOSE
            and values["distance_mean"] <= goal_of(record["dataset"])
        ]
        if not known:
            return ""
        return (
            f"On {len(there)} of {counted(len(known), 'data set')} the policy is where perfect training would be, in "
            "AUC and in total variation: what it misses there is due to the reward and the GNN."
        )
