"""Explainers that learn: how their trainings converge, how long they take, and what they make of unseen motifs.

Convergence compares flow matching with three kinds of parents, and trajectory balance. Each training is done twice: as
the shipped policies are trained, and with the paper's own network and batches. The reward and K_M are the shipped
policies' in both.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from gfx_core.bench.quality import PAPER, Auc
from gfx_core.bench.study import Cell, Study
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
    means,
)
from gfx_core.drawing.charts import Axes
from gfx_core.text.numbers import counted, listed

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
