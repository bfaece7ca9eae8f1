"""How far what is sampled is from R/Z, exactly, where all states of an instance can be listed.

The distance is the total variation between R/Z and the distribution of the set at which a policy stops, by dynamic
programming over all states. Four things can go wrong, and each has a row of its own: the objective (a table with a
free flow for each edge shows what it converges to), the network (fitted to one instance on all its states), the
training (the same on sampled trajectories only) and the sharing of one network by many instances.

The same holds for the shipped policies. The edge marginals of exact P ∝ R are the best that sampling in proportion to
this reward can give; the exact best subgraph is the best that any search under it can give. An AUC near the exact one
does not show that the distributions are near, so there are both.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

from gfx_core.bench.study import Cell, Study, Sweep
from gfx_core.bench.tables import CLOSE, OWN, Quantity, Record, ResultTable
from gfx_core.config import Task
from gfx_core.datasets.graph import Half
from gfx_core.datasets.registry import DATASETS
from gfx_core.gfn.settings import REWARD_PRESETS
from gfx_core.text.numbers import counted

EXACT_NODES = {"tree_cycles": 8, "tree_grid": 8, "ba_2motifs": 5}
"""K_M where all states are listed to measure exactness, by data set."""

GOALS = {"tabular": 0.01, "network": 0.05}
"""The largest mean distance that is wanted."""
_PLANS: dict[str, dict[str, dict[str, int]]] = {
    "cuda": {
        "tabular": {"epochs": 400},
        "network": {"epochs": 1500},
        "network-trainer": {"first": 2, "epochs": 300, "copies": 128},
        "amortised": {"epochs": 700, "copies": 16},
    },
    "cpu": {
        "tabular": {"epochs": 400},
        "network": {"first": 3, "epochs": 1500},
        "network-trainer": {"first": 1, "epochs": 150, "copies": 128},
        "amortised": {"epochs": 200, "copies": 8},
    },
    "quick": {
        "tabular": {"epochs": 120},
        "network": {"epochs": 8},
        "network-trainer": {"epochs": 2, "copies": 128},
        "amortised": {"epochs": 3, "copies": 2},
    },
}  # options by method, or by how its name begins: networks on fewer instances where there is no GPU
_SHOWN = {"mean": "mean", "median": "median", "max": "largest"}


class Exactness(Study):
    name = "exact"
    title = "Exactness"
    short = "Exactness"
    question = "How far is what is sampled from R/Z, and what keeps it away: objective, network, training or sharing?"
    datasets: ClassVar = {name: Study.datasets[name] for name in EXACT_NODES}
    any_dataset = False
    methods: ClassVar = {
        "tabular": "table, flow matching",
        "tabular-tb": "table, trajectory balance",
        "tabular-sequence": "table, GFlow-Sequence",
        "theory-sequence": "theory, GFlow-Sequence",
        "tabular-graph": "table, GFlow-Graph",
        "network": "network per instance, trajectories",
        "network-all": "network per instance, all states",
        "network-plain": "network per instance, without δ",
        "network-trainer": "network per instance, by Trainer",
        "network-sequence": "network, GFlow-Sequence",
        "network-graph": "network, GFlow-Graph",
        "amortised": "one network for all instances",
    }
    variants = tuple(REWARD_PRESETS)
    seeds = None

    def cells(self, sweep: Sweep) -> list[Cell]:
        plan = _PLANS["quick" if sweep.quick else sweep.device]
        general = {"device": sweep.device, "instances": 1 if sweep.quick else 20}
        return [
            Cell(self.name, dataset, method, 0, preset, general | plan.get(method, plan.get(method.split("-")[0], {})))
            for dataset in sweep.datasets
            for method in sweep.methods
            for preset in self.variants
            # in a graph task the trainer would learn all start nodes
            if method != "network-trainer" or DATASETS[dataset].task is Task.NODE
        ]

    def cost(self, cell: Cell) -> float:
        """What is trained for long first."""
        return float(cell.options.get("epochs", 0))

    def compute(self, cell: Cell) -> dict[str, Any]:
        from gfx_core.bench.measures.total_variation import fitted_distances

        return fitted_distances(cell, EXACT_NODES[cell.dataset])

    def tables(self, records: Sequence[Record]) -> list[ResultTable]:
        """Distances over the instances and seconds for each reward; then what was listed."""
        found = []
        for preset in self.variants:
            here = [record | {"variant": ""} for record in records if record["variant"] == preset]
            title = f"Total variation from R/Z, {{}} over the instances, reward “{preset}”"
            shown = [Quantity(value, title.format(word), "low", 4, close=0) for value, word in _SHOWN.items()]
            shown.append(Quantity("fit_s", f"Seconds, reward “{preset}”", "low", 1, close=0))
            tables = [self.by_method(here, quantity) for quantity in shown if here]
            found += [replace(table, notes=_fewer(self, here)) for table in tables]
        about = [r for r in records if r["method"] == "tabular" and r["variant"] == self.variants[0]]
        if about:
            found.append(self.by_value(about, _ABOUT, "Instances of which all states were listed"))
        return found

    def finding(self, records: Sequence[Record]) -> str:
        """How often tables and networks come as near to R/Z as they should."""
        means = {m: [r["values"]["mean"] for r in records if r["method"] == m] for m in GOALS}
        if not all(means.values()):
            return ""
        met = {method: sum(mean <= GOALS[method] for mean in found) for method, found in means.items()}
        return (
            f"Tables of flows come within {GOALS['tabular']} of R/Z in {met['tabular']} of {len(means['tabular'])} "
            f"cases, networks for one instance within {GOALS['network']} in {met['network']} of "
            f"{len(means['network'])}."
        )


def _fewer(study: Study, records: Sequence[Record]) -> list[str]:
    """Which rows are about fewer instances than the others."""
    by_count: dict[int, dict[str, None]] = {}
    for record in records:
        if (first := record["options"].get("first")) is not None:
            by_count.setdefault(first, {})[study.titles[record["method"]]] = None
    names = {count: "instance" if count == 1 else f"{count} instances" for count in by_count}
    return [f"On the first {names[count]} alone: {'; '.join(titles)}." for count, titles in by_count.items()]


def _number(value: str, total: Any) -> Any:
    return lambda record: total(record["values"][value])


_ABOUT = (
    Quantity("max_nodes", "Most nodes of a subgraph (K_M)", digits=0),
    Quantity(_number("states", len), "Instances", digits=0),
    Quantity(_number("states", sum), "States", digits=0),
    Quantity(_number("states", min), "The fewest of an instance", digits=0),
    Quantity(_number("states", max), "The most", digits=0),
    Quantity(_number("edges", sum), "Edges of the DAGs", digits=0),
)

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
