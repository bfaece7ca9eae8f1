"""Which loss comes nearest to P ∝ R: tables of flows, and one network on instances that it never saw.

A table has a free number for each edge of the state DAG, so what it comes to depends on the loss alone. A network is
shared by all instances and learns from trajectories on the tuning half; what counts is how far where it stops is from
R/Z on instances of the reporting half. All losses get as many trajectories, and so as many calls of the GNN, and each
is tuned with the same freedom: the best of three learning rates, on instances of the tuning half, by total variation.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any, ClassVar

from gfx_core.bench.study import Cell, Study, Sweep
from gfx_core.bench.tables import Quantity, Record, ResultTable, grouped
from gfx_core.text.numbers import counted, listed

TABLE, NETWORK = "table", "network"
METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    "fm": ("flow matching", {}),
    "fm-linear": ("flow matching, linear", {"loss": "fm-linear"}),
    "db": ("detailed balance", {"loss": "db"}),
    "mdb": ("modified detailed balance, STOP learned", {"loss": "mdb", "stop": "learned"}),
    "tb": ("trajectory balance, one log Z", {"loss": "tb"}),
    "tb-conditional": ("trajectory balance, conditional log Z", {"loss": "tb-conditional"}),
    "subtb": ("sub-trajectory balance", {"loss": "subtb"}),
    "db-learned": ("detailed balance, P_B learned", {"loss": "db", "learned_backward": True}),
    "db-forward": ("detailed balance, forward-looking", {"loss": "db", "forward_looking": True}),
    "fm-replay": ("flow matching, half of it replay", {"replay": 0.5}),
    "first-child": ("control: first child only", {"loss": "first-child"}),
    "exact": ("exact flows as targets, no trajectories", {}),
}
"""Of each loss its title and the knobs that it sets."""
_NOT = {TABLE: ("tb-conditional", "exact"), NETWORK: ("tb", "first-child")}
"""A table has one start node, so that both kinds of log Z are one; the control needs listed states."""
_PLANS: dict[str, dict[str, Any]] = {
    TABLE: {
        "device": "cpu",
        "cap": 3000,
        "instances": 6,
        "tuning": 2,
        "steps": 500,
        "batch": 64,
        "rates": (0.05, 0.2, 0.5),
    },
    NETWORK: {"cap": 5000, "train": 100, "held_out": 30, "tuning": 12, "epochs": 120, "rates": (1e-3, 3e-3, 1e-2)},
}
_QUICK: dict[str, dict[str, Any]] = {
    TABLE: {"device": "cpu", "cap": 3000, "instances": 1, "tuning": 1, "steps": 4, "batch": 8, "rates": (0.2,)},
    NETWORK: {"cap": 5000, "train": 4, "held_out": 2, "tuning": 1, "epochs": 2, "rates": (1e-2,)},
}


class Losses(Study):
    name = "losses"
    title = "Losses"
    short = "Losses"
    question = "Which loss comes nearest to P ∝ R, as a table and as a network on instances that it never saw?"
    methods: ClassVar = {name: title for name, (title, _) in METHODS.items()}
    any_dataset = False
    variants = (TABLE, NETWORK)
    seeds = 5

    def cells(self, sweep: Sweep) -> list[Cell]:
        """Tables are trained on the CPU, wherever networks are."""
        plans = _QUICK if sweep.quick else _PLANS
        found = [cell for cell in super().cells(sweep) if cell.method not in _NOT[cell.variant]]
        return [replace(cell, options={**cell.options, **plans[cell.variant]}) for cell in found]

    def cost(self, cell: Cell) -> float:
        return 2.0 if cell.variant == NETWORK else 1.0

    def compute(self, cell: Cell) -> dict[str, Any]:
        from gfx_core.bench.measures import loss_distances

        measure = loss_distances.tables if cell.variant == TABLE else loss_distances.network
        return measure(cell, METHODS[cell.method][1])

    def tables(self, records: Sequence[Record]) -> list[ResultTable]:
        """Distance, modes and seconds, first of tables, then of networks."""
        found = []
        for variant, words in ((TABLE, "tables of flows"), (NETWORK, "one network, held-out instances")):
            here = [record | {"variant": ""} for record in records if record["variant"] == variant]
            shown = [
                Quantity("distance", f"Total variation from R/Z, {words}", "low", 3, close=0),
                Quantity("modes", f"Share of the modes of R/Z that are found, {words}", "high", 2),
                Quantity("fit_s", f"Seconds of training, {words}", "low", 1, close=0),
            ]
            if variant == NETWORK:
                shown.insert(
                    1, Quantity("distance_seen", "The same on instances that it was trained on", "low", 3, close=0)
                )
            found += [self.by_method(here, quantity) for quantity in shown if here]
        return found

    def finding(self, records: Sequence[Record]) -> str:
        """Which losses come nearest, each on how many data sets."""
        words = []
        for variant, what in ((TABLE, "tables"), (NETWORK, "networks")):
            own = [r for r in records if r["variant"] == variant and r["method"] != "exact"]
            nearest: Counter[str] = Counter()
            for (_,), here in grouped(own, "dataset").items():
                by_method = {name: some for (name,), some in grouped(here, "method").items()}
                means = {name: fmean(r["values"]["distance"] for r in some) for name, some in by_method.items()}
                nearest[self.titles[min(means, key=lambda name: means[name])]] += 1
            if nearest:
                counts = listed([f"{title} on {count}" for title, count in nearest.most_common()])
                words.append(f"for {what} {counts} of {counted(nearest.total(), 'data set')}")
        return f"Nearest to P ∝ R come {'; '.join(words)}." if words else ""
