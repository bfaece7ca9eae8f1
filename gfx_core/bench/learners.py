"""Explainers that learn: how their trainings converge, how long they take, and what they make of unseen motifs.

Convergence compares flow matching with three kinds of parents, and trajectory balance. Each training is done twice: as
the shipped policies are trained, and with the paper's own network and batches. The reward and K_M are the shipped
policies' in both.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from gfx_core.bench.quality import PAPER, Auc
from gfx_core.bench.study import Cell, Study, Sweep
from gfx_core.bench.tables import (
    CLOSE,
    OWN,
    RG,
    Quantity,
    Record,
    ResultEntry,
    ResultRow,
    ResultTable,
    Value,
    ahead,
    entry_of,
    means,
)
from gfx_core.drawing.charts import Axes
from gfx_core.gfn.settings import Loss, Parents
from gfx_core.text.numbers import counted, listed

TRAININGS: dict[str, tuple[str, Loss, Parents]] = {
    "gflowexplainer": ("Flow matching, valid parents", Loss.FLOW_MATCHING, Parents.VALID),
    "gflow_graph": ("GFlow-Graph", Loss.FLOW_MATCHING, Parents.GRAPH),
    "gflow_sequence": ("GFlow-Sequence", Loss.FLOW_MATCHING, Parents.SEQUENCE),
    "tb": ("Trajectory balance, log Z constant", Loss.TRAJECTORY_BALANCE, Parents.VALID),
    "tb_conditional": ("Trajectory balance, log Z(v₀)", Loss.TRAJECTORY_BALANCE_CONDITIONAL, Parents.VALID),
}
"""Title, loss and parents of each training of the study of losses."""

SHARES = {"10 %": 0.1, "30 %": 0.3, "50 %": 0.5, "70 %": 0.7, "90 %": 0.9}
"""Of the instances that the inductive study trains on, by variant."""

TV_TOLERANCE = 0.02
"""A total variation this near to the last one counts as final."""

Curve = Sequence[Mapping[str, float]]
"""Seconds, epoch, AUC and, where it is known, total variation along a training."""


def lasting(good: Sequence[bool]) -> int:
    """From which position on everything is good; their number if the last is not."""
    return max((number + 1 for number, fine in enumerate(good) if not fine), default=0)


def settled(values: Sequence[float], tolerance: float) -> int:
    """From which position on the values stay near the last one, on either side of it: a decline is not arrival."""
    return lasting([abs(value - values[-1]) <= tolerance for value in values])


def settling(curve: Curve) -> dict[str, float]:
    """When a training arrived, in seconds and epochs.

    ``auc_settled`` is from when on the AUC stays within `CLOSE` of its last value, ``tv_settled`` the same for the
    total variation and `TV_TOLERANCE`, ``tv_best`` when that is smallest, and ``settled`` when all that is known has
    settled. Values: the last AUC and total variation, and the best total variation.
    """
    if not curve:
        return {}
    auc = [point["auc"] for point in curve]
    found = {"auc_own": auc[-1]}
    at = {"auc_settled": settled(auc, CLOSE)}
    if all("tv" in point for point in curve):
        tv = [point["tv"] for point in curve]
        found |= {"tv": tv[-1], "tv_best": min(tv)}
        at |= {"tv_settled": settled(tv, TV_TOLERANCE), "tv_best": tv.index(min(tv))}
    at["settled"] = max(at[name] for name in ("auc_settled", "tv_settled") if name in at)
    for name, position in at.items():
        found |= {f"{name}_s": curve[position]["seconds"], f"{name}_epoch": curve[position]["epoch"]}
    return found


class Convergence(Study):
    name = "convergence"
    title = "Losses and ablations"
    short = "Ablations"
    question = "Which loss, and which parents of a state, bring the policy to its target?"
    datasets: ClassVar = {name: Study.datasets[name] for name in ("ba_shapes", "tree_cycles")}
    methods: ClassVar = {name: title for name, (title, _, _) in TRAININGS.items()}
    variants = ("shipped", "paper")
    variant_titles: ClassVar = {"shipped": "our network", "paper": "the paper's network"}
    seeds = 3
    quick_options: ClassVar = {"limit": 6, "epochs": 3}
    shown = (
        Quantity("distance", "Total variation from R/Z, where subgraphs can be listed", "low"),  # the question's number
        Quantity("auc_own", "AUC, own motif, edge marginals", "high"),
        # none where a policy stops at once, so that no state has an in-flow to compare
        Quantity(
            lambda record: record["values"].get("residual") or None,
            "|log in-flow − log out-flow| at the end, all valid parents",
            "low",
            close=0,
        ),
        Quantity("log_reward", "Mean log R of a sample"),
        Quantity("log_z_error", "|learned log Z − log Z|", "low", close=0),
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
        from gfx_core.bench.measures.trainings import train_policy

        _, loss, parents = TRAININGS[cell.method]
        return train_policy(cell, loss, parents)

    def finding(self, records: Sequence[Record]) -> str:
        """Which training comes nearest to its target."""
        table, nearest = self.by_method(records, self.shown[0]), []
        for dataset, title in table.columns.items():
            best, found = table.best_of(dataset), table.means(dataset)
            if best:
                level = f" and {counted(len(best) - 1, 'other')} level with it" if len(best) > 1 else ""
                nearest.append(f"{min(best, key=found.__getitem__)}{level} on {title}")
        return f"Nearest to P ∝ R: {'; '.join(nearest)}." if nearest else ""

    def line(self, records: Sequence[Record]) -> Mapping[str, Sequence[float]]:
        """What seed 0 came to by epoch."""
        return next((record["values"]["curve"] for record in records if record["seed"] == 0), {})


class Inductive(Study):
    """All nodes of a motif are on one side: a policy that has seen one of them has seen them all."""

    name = "inductive"
    title = "Instances never seen in training"
    short = "Unseen motifs"
    question = "What do learners make of motifs that they were not trained on?"
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

    def cells(self, sweep: Sweep) -> list[Cell]:
        return [cell for cell in super().cells(sweep) if not sweep.quick or cell.variant in ("30 %", "70 %")]

    def cost(self, cell: Cell) -> float:
        """Large shares first, too."""
        return super().cost(cell) * SHARES[cell.variant]

    def compute(self, cell: Cell) -> dict[str, Any]:
        from gfx_core.bench.measures.trainings import generalise

        return generalise(cell, SHARES[cell.variant])

    def finding(self, records: Sequence[Record]) -> str:
        """GFlowExplainer beside RGExplainer, where few motifs are trained on."""
        least = next(iter(SHARES))
        both = [by for by in means(records, "auc_test", least).values() if OWN in by and RG in by]
        leads, trails = (sum(ahead(by[one], by[other]) for by in both) for one, other in ((OWN, RG), (RG, OWN)))
        if not both:
            return ""
        return (
            f"With {least} of the motifs trained on, GFlowExplainer is ahead of RGExplainer on {leads} of "
            f"{counted(len(both), 'data set')} and behind on {trails}."
        )

    def line(self, records: Sequence[Record]) -> dict[str, list[float]]:
        """The mean over the seeds by share."""
        found = {share: entry_of((r for r in records if r["variant"] == share), "auc_test").mean for share in SHARES}
        known = {SHARES[share]: mean for share, mean in found.items() if mean is not None}
        return {"share": list(known), "auc": list(known.values())} if known else {}

    def figure(self, records: Sequence[Record]) -> Any:
        return super().figure(records).update_xaxes(tickformat=".0%", range=[0, 1])


def _when(name: str) -> Callable[[Record], float | None]:
    """What the curve of a record says of when its training arrived."""
    return lambda record: settling(record["values"].get("curve", ())).get(name)


class ExplainerTimes(Study):
    """Everything is trained from the beginning; cells are computed one at a time, so that none slows another down."""

    name = "time"
    title = "Time"
    short = "Time"
    question = "How long do explainers learn, and how long do they take to explain?"
    workers = 1  # cells that ran side by side would slow each other down
    costs = Auc.costs
    options: ClassVar = {"alone": 20, "judged": 100, "listed": 20}
    quick_options: ClassVar = {"limit": 4, "epochs": 3, "alone": 1, "listed": 2, "threads": 1}
    shown = (
        Quantity("explain_ms", "Milliseconds to explain one instance, alone", "low", 1, PAPER["explain_ms"], close=0),
        Quantity("explain_many_ms", "Milliseconds an instance, all together", "low", 2, close=0),
        Quantity("fit_s", "Seconds of training, pretraining included", "low", 1, close=0),
        Quantity("epoch_s", "Seconds an epoch", "low", 3, PAPER["epoch_s"], close=0),
        Quantity("pretraining_s", "Seconds of pretraining", "low", 1, close=0),
        Quantity(
            _when("auc_settled_s"),
            f"Seconds of training until the AUC stays within {CLOSE} of its last value, pretraining included",
            "low",
            1,
        ),
        Quantity(
            _when("tv_settled_s"),
            f"Seconds of training until the total variation stays within {TV_TOLERANCE} of its last value",
            "low",
            1,
        ),
        Quantity(_when("tv_best_s"), "Seconds of training until the smallest total variation", "low", 1, close=0),
        Quantity(_when("auc_own"), "AUC, last value (instances of the tuning half)", "high"),
        Quantity(_when("tv"), "Total variation from P ∝ R, last value (tuning half)", "low"),
        Quantity(_when("tv_best"), "Total variation from P ∝ R, smallest value (tuning half)", "low"),
    )
    axes = Axes(
        "seconds",
        "seconds of training",
        {"auc": "AUC", "tv": "total variation"},
        points=True,
        hover="%{x:.3g} s, epoch %{customdata}: %{y:.3f}",
        logarithmic=("seconds",),
    )
    legend = (
        "Seed 0. AUC and total variation from P ∝ R along the training, on instances of the tuning half; RGExplainer "
        "does not sample in proportion to a reward, so it has no total variation."
    )

    def compute(self, cell: Cell) -> dict[str, Any]:
        from gfx_core.bench.measures.trainings import explainer_times

        return explainer_times(cell)

    def tables(self, records: Sequence[Record]) -> list[ResultTable]:
        """Times with the paper's below ours, then GFlowExplainer against RGExplainer."""
        race = _race(records, self.columns(records))
        return super().tables(records) + ([race] if any(row.entries for row in race.rows) else [])

    def notes(self, records: Sequence[Record]) -> dict[str, str]:
        """Which methods were not timed on the most used device, and on what they were."""
        devices: dict[str, set[str]] = {}
        for record in records:
            devices.setdefault(record["method"], set()).add(record["made"]["device"])
        usual = Counter(record["made"]["device"] for record in records).most_common(1)
        return {m: f", on {' and '.join(sorted(on))}" for m, on in devices.items() if on != {usual[0][0]}}

    def finding(self, records: Sequence[Record]) -> str:
        """GFlowExplainer beside RGExplainer: one explanation, and a training until it is settled."""
        wanted: dict[str, Value] = {"to explain one instance": "explain_ms", "to be trained": _when("settled_s")}
        parts = []
        for words, value in wanted.items():
            both = [by for by in means(records, value).values() if OWN in by and RG in by]
            if both:
                parts.append(f"on {sum(by[OWN] < by[RG] for by in both)} of {counted(len(both), 'data set')} {words}")
        return f"GFlowExplainer takes less time than RGExplainer {listed(parts)}." if parts else ""

    def line(self, records: Sequence[Record]) -> dict[str, list[float]]:
        """AUC, and total variation where it is known, along the training of seed 0."""
        curves = (r["values"]["curve"] for r in records if r["seed"] == 0 and "curve" in r["values"])
        points: Curve = next(curves, [])
        names = [name for name in ("seconds", "auc", "epoch", "tv") if points and all(name in one for one in points)]
        return {name: [point[name] for point in points] for name in names}


def _race(records: Sequence[Record], columns: Mapping[str, str]) -> ResultTable:
    """How many times faster GFlowExplainer is than RGExplainer, by data set and over the seeds that both have."""
    entries: dict[str, dict[str, ResultEntry]] = {
        f"until each AUC stays within {CLOSE} of its own last value": {},
        f"GFlowExplainer until its total variation is settled too (within {TV_TOLERANCE})": {},
        f"GFlowExplainer until its AUC stays at most {CLOSE} below RGExplainer's last value": {},
    }
    for dataset in columns:
        followed = [record for record in records if record["dataset"] == dataset and "curve" in record["values"]]
        ours, theirs = (
            {r["seed"]: r["values"]["curve"] for r in followed if r["method"] == method} for method in (OWN, RG)
        )
        ratios: list[tuple[float, float, float | None]] = []  # RGExplainer's time as a multiple of GFlowExplainer's
        for seed in ours.keys() & theirs.keys():
            own, rg = settling(ours[seed]), settling(theirs[seed])
            at = lasting([point["auc"] >= rg["auc_own"] - CLOSE for point in ours[seed]])
            there = rg["settled_s"] / ours[seed][at]["seconds"] if at < len(ours[seed]) else None
            ratios.append((rg["settled_s"] / own["auc_settled_s"], rg["settled_s"] / own["settled_s"], there))
        for row, found in zip(entries.values(), zip(*ratios, strict=True), strict=bool(ratios)):
            row[dataset] = ResultEntry(tuple(ratio for ratio in found if ratio is not None), instead="not reached")
    rows = [ResultRow(label, row) for label, row in entries.items()]
    title = "How many times faster GFlowExplainer trains than RGExplainer with pretraining"
    return ResultTable(title, columns, rows, digits=2)
