"""How far what is sampled is from R/Z, exactly, where all states of an instance can be listed.

The distance is the total variation between R/Z and the distribution of the set at which a policy stops, by dynamic
programming over all states. Four things can go wrong, and each has a row of its own: the objective (a table with a
free flow for each edge shows what it converges to), the network (fitted to one instance on all its states), the
training (the same on sampled trajectories only) and the sharing of one network by many instances.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from gfx_core.bench.cells import Cell, Record
from gfx_core.bench.protocol import EXACT_NODES
from gfx_core.bench.study import Asked, Study
from gfx_core.bench.tables import Quantity, Table
from gfx_core.bench.verdicts import Verdict
from gfx_core.config import Task
from gfx_core.datasets.registry import DATASETS
from gfx_core.gfn.settings import REWARD_PRESETS

GOALS = {"tabular": 0.01, "network": 0.05}
"""The largest mean distance that is wanted."""
_WORDS = {
    "tabular": "Flow matching with a free flow for each edge, in a table,",
    "network": "A network for one instance, trained on trajectories,",
}

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
    purpose = "how far the sampled distribution is from R/Z: tabular, network, amortised, ablations"
    title = "Exactness"
    short = "Exactness"
    question = "How far is what is sampled from R/Z, and what keeps it away: objective, network, training or sharing?"
    value = "mean"
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

    def cells(self, asked: Asked) -> list[Cell]:
        plan = _PLANS["quick" if asked.quick else asked.device]
        general = {"device": asked.device, "instances": 1 if asked.quick else 20}
        return [
            Cell(self.name, dataset, method, 0, preset, general | plan.get(method, plan.get(method.split("-")[0], {})))
            for dataset in asked.datasets
            for method in asked.methods
            for preset in self.variants
            # in a graph task the trainer would learn all start nodes
            if method != "network-trainer" or DATASETS[dataset].task is Task.NODE
        ]

    def cost(self, cell: Cell) -> float:
        """What is trained for long first."""
        return float(cell.options.get("epochs", 0))

    def compute(self, cell: Cell) -> dict[str, Any]:
        from gfx_core.bench.measures.fitted import measure

        return measure(cell)

    def tables(self, records: Sequence[Record]) -> list[Table]:
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

    def verdicts(self, records: Sequence[Record]) -> list[Verdict]:
        """What the numbers say."""
        rows = {(r["dataset"], r["variant"], r["method"]): r["values"] for r in records}
        cases = sorted({key[:2] for key in rows if all((*key[:2], method) in rows for method in _NEEDED)})
        if not cases:
            return []
        means = {method: [rows[*case, method]["mean"] for case in cases] for method in _NEEDED}
        span = {method: f"{min(found):.3f} to {max(found):.3f}" for method, found in means.items()}

        def closer(other: str) -> int:
            """How often the network comes nearer than another one."""
            return sum(a < b for a, b in zip(means["network"], means[f"network-{other}"], strict=True))

        said = []
        for method, goal in GOALS.items():
            met = sum(mean <= goal for mean in means[method])
            sentence = (
                f"{_WORDS[method]} ends at a mean total variation of {span[method]} from R/Z: "
                f"goal {goal} met in {met} of {len(cases)} cases."
            )
            said.append(Verdict(self.methods[method].capitalize(), sentence))
        for case in cases:
            some, every = rows[*case, "network"], rows[*case, "network-all"]
            if some["mean"] > GOALS["network"]:
                said.append(Verdict("Missed", f"{', '.join(case)}: the network ends at {_why(some, every)}."))
        pairs = [[rows[*case, f"{kind}-sequence"]["distances"] for kind in ("tabular", "theory")] for case in cases]
        gap = max(abs(a - b) for pair in pairs for a, b in zip(*pair, strict=True))
        delta = f"δ helps in {closer('plain')} of {len(cases)} cases."
        return [
            *said,
            Verdict("δ", f"Without δ the networks end at {span['network-plain']}; {delta}"),
            Verdict(
                "Sharing",
                f"One network for all instances of a data set, trained for a short while on samples alone: mean "
                f"{span['amortised']}.",
                "The shipped policies learn from exact flows too, and longer: see what exact enumeration allows.",
            ),
            Verdict(
                "Parents",
                f"Does a DAG matter? In tables GFlow-Sequence ends at {span['tabular-sequence']} (theory differs by at "
                f"most {gap:.3f}) and GFlow-Graph at {span['tabular-graph']}, against {span['tabular']} with valid "
                "parents.",
                f"With networks valid parents are closer than GFlow-Sequence in {closer('sequence')} and than "
                f"GFlow-Graph in {closer('graph')} of {len(cases)} cases. Trajectory balance in tables: "
                f"{span['tabular-tb']}.",
            ),
        ]


def _fewer(study: Study, records: Sequence[Record]) -> list[str]:
    """Which rows are about fewer instances than the others."""
    by_count: dict[int, dict[str, None]] = {}
    for record in records:
        if (first := record["options"].get("first")) is not None:
            by_count.setdefault(first, {})[study.titles[record["method"]]] = None
    names = {count: "instance" if count == 1 else f"{count} instances" for count in by_count}
    return [f"On the first {names[count]} alone: {'; '.join(titles)}." for count, titles in by_count.items()]


def _why(some: Mapping[str, Any], every: Mapping[str, Any]) -> str:
    """Where a network ends that was trained on some states, what it lacks beside one on every state, and its trend."""
    if every["mean"] <= GOALS["network"]:
        why = f"on all states it reaches {every['mean']:.3f}, so what is missing is visits, not expressiveness"
    else:
        why = f"on all states it is {every['mean']:.3f}, so visits alone are not what is missing"
    falling = some["mean"] < 0.8 * some["curve"][-2][1]
    trend = "it was still falling when training ended" if falling else "the second half of training hardly helped"
    return f"{some['mean']:.3f}; {why}; {trend}"


_NEEDED = [method for method in Exactness.methods if method != "network-trainer"]


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
