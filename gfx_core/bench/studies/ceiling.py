"""What holds GFlowExplainer back: the reward, the GNN, or the training?

Where all subgraphs of an instance can be listed, P ∝ R is known exactly. Its edge marginals are the best that sampling
in proportion to this reward can give; the exact best subgraph is the best that any search under this reward can give.
The distance of the trained policy from P ∝ R is the training's part. An AUC near the exact one does not show that the
distributions are near, so both are told.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from gfx_core.bench.cells import Cell, Record
from gfx_core.bench.study import Study
from gfx_core.bench.tables import Quantity, Table
from gfx_core.bench.verdicts import CLOSE, OWN, Verdict, out_of
from gfx_core.config import Task
from gfx_core.datasets.graph import Half
from gfx_core.datasets.registry import DATASETS

GOALS = {"tree_cycles": 0.05, "tree_grid": 0.05}
"""The mean total variation up to which a policy counts as being at its target."""
GOAL = 0.15
"""The same where nothing else is said."""


def goal_of(dataset: str) -> float:
    return GOALS.get(dataset, GOAL)


class Ceiling(Study):
    """In graph tasks everything starts at the node that the locator picks: P ∝ R is over the subgraphs around it."""

    name = "ceiling"
    purpose = "what exact P ∝ R allows, and how far the shipped policies are from it"
    title = "What exact enumeration allows"
    short = "Ceiling"
    question = "How good would perfect training be, and how near to it are the policies?"
    value = "distance_mean"
    headline = True
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
        Quantity(lambda record: share_of(record["values"]), "their share", digits=2),
        Quantity("policy_s", "Seconds for their rewards and the policy's distributions", digits=1),
    )
    rows = True

    def compute(self, cell: Cell) -> dict[str, Any]:
        from gfx_core.bench.measures.listed import ceiling

        return ceiling(cell)

    def tables(self, records: Sequence[Record]) -> list[Table]:
        """One table; where samples start is told, since Table 1 does otherwise in graph tasks."""
        graphs = [name for name in self.columns(records) if DATASETS[name].task is Task.GRAPH]
        told = (
            f"On {self.listed(graphs)} all subgraphs here start at the node that the locator finds most influential. "
            "Table 1 draws a start node for each sample, so that its AUC is another number."
        )
        return [replace(table, notes=(told,)) if graphs else table for table in super().tables(records)]

    def verdicts(self, records: Sequence[Record]) -> list[Verdict]:
        """Whether the reward or the training holds GFlowExplainer back."""
        known = [record for record in records if record["values"].get("auc_exact") is not None]
        if not known:
            return [Verdict("The ceiling", "Not measured yet: run `python -m gfx_core bench ceiling`.")]
        at_target = [r["dataset"] for r in known if auc_reached(r["values"]) and distribution_reached(r)]
        by_auc_alone = [r["dataset"] for r in known if auc_reached(r["values"]) and not distribution_reached(r)]
        there = f" ({self.named(at_target)})" if at_target else ""
        so = ": what it still misses there is due to the reward and the GNN, not to its training" if at_target else ""
        also = (
            f" On {self.listed(by_auc_alone)} only the AUC is: the policy samples from another distribution."
            if by_auc_alone
            else ""
        )
        return [
            Verdict(
                "The ceiling",
                "Where every subgraph of an instance can be listed, what perfect training would give (exact P ∝ R) is "
                f"known. On {out_of(len(at_target), len(known))}{there} the trained policy is there already, in AUC "
                f"and in total variation{so}.{also}",
                f"{'; '.join(map(self.sentence, known))}.",
            )
        ]

    def sentence(self, record: Record) -> str:
        """What one data set says."""
        values, dataset = record["values"], record["dataset"]
        mean, goal = values["distance_mean"], goal_of(dataset)
        if not auc_reached(values):
            why = "training is what is missing"
        elif distribution_reached(record):
            why = "at its target, so the reward on this GNN is the ceiling"
        else:
            why = "the AUC is at its target, the distribution is not"
        middle = f", median {values['distance_median']:.3f}" if "distance_median" in values else ""
        return (
            f"{self.titles[dataset]} ({values['enumerated']} of {values['instances']} instances could be listed): "
            f"exact P ∝ R {values['auc_exact']:.3f}, exact best subgraph {values['auc_best']:.3f}, policy "
            f"{values['auc_policy']:.3f} at a total variation of {mean:.3f} on average{middle} (goal {goal}); {why}"
        )


def auc_reached(values: Mapping[str, Any]) -> bool:
    """Whether the policy's AUC is that of exact P ∝ R, or above it."""
    return values["auc_policy"] > values["auc_exact"] - CLOSE


def distribution_reached(record: Record) -> bool:
    """Whether the policy's distribution is as near to P ∝ R as it should be."""
    return record["values"]["distance_mean"] <= goal_of(record["dataset"])


def share_of(values: Mapping[str, Any]) -> float:
    """Of the instances that could be listed."""
    return values["enumerated"] / values["instances"]
