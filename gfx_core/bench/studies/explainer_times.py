"""How long explainers learn and explain, and after how much training GFlowExplainer and RGExplainer have settled.

Everything is trained from the beginning. Cells are computed one at a time, so that none slows another down.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from gfx_core.bench import paper
from gfx_core.bench.cells import Cell, Record
from gfx_core.bench.protocol import TOLERANCE, TV_TOLERANCE, Curve, lasting, settling
from gfx_core.bench.studies.quality import Auc
from gfx_core.bench.study import Study
from gfx_core.bench.tables import Entry, Quantity, Row, Table, Value
from gfx_core.bench.verdicts import OWN, RG, Verdict, means, out_of
from gfx_core.drawing.study_figures import Axes

_AIM = (
    "The aim: both settled in at most 60 s on two CPU cores and 10 s on an H200, and five times faster than "
    "RGExplainer with its pretraining."
)


def _when(name: str) -> Callable[[Record], float | None]:
    """What the curve of a record says of when its training arrived."""
    return lambda record: settling(record["values"].get("curve", ())).get(name)


class ExplainerTimes(Study):
    name = "time"
    purpose = "seconds of training, milliseconds of explaining, and training until AUC and distribution are final"
    title = "Time"
    short = "Time"
    question = "How long do explainers learn, and how long do they take to explain?"
    value = "explain_ms"
    workers = 1  # cells that ran side by side would slow each other down
    costs = Auc.costs
    options: ClassVar = {"alone": 20, "judged": 100, "listed": 20}
    quick_options: ClassVar = {"limit": 4, "epochs": 3, "alone": 1, "listed": 2}
    shown = (
        Quantity("explain_ms", "Milliseconds to explain one instance, alone", "low", 1, paper.EXPLAIN_MS, close=0),
        Quantity("explain_many_ms", "Milliseconds an instance, all together", "low", 2, close=0),
        Quantity("fit_s", "Seconds of training, pretraining included", "low", 1, some=True, close=0),
        Quantity("epoch_s", "Seconds an epoch", "low", 3, paper.EPOCH_S, some=True, close=0),
        Quantity("pretraining_s", "Seconds of pretraining", "low", 1, some=True, close=0),
        Quantity(
            _when("auc_settled_s"),
            f"Seconds of training until the AUC stays within {TOLERANCE} of its last value, pretraining included",
            "low",
            1,
            some=True,
        ),
        Quantity(
            _when("tv_settled_s"),
            f"Seconds of training until the total variation stays within {TV_TOLERANCE} of its last value",
            "low",
            1,
            some=True,
        ),
        Quantity(
            _when("tv_best_s"), "Seconds of training until the smallest total variation", "low", 1, some=True, close=0
        ),
        Quantity(_when("auc_own"), "AUC, last value (instances of the tuning half)", "high", some=True),
        Quantity(_when("tv"), "Total variation from P ∝ R, last value (tuning half)", "low", some=True),
        Quantity(_when("tv_best"), "Total variation from P ∝ R, smallest value (tuning half)", "low", some=True),
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
        from gfx_core.bench.measures.explainer_clock import measure

        return measure(cell)

    def tables(self, records: Sequence[Record]) -> list[Table]:
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

    def verdicts(self, records: Sequence[Record]) -> list[Verdict]:
        """GFlowExplainer against RGExplainer: one explanation, a training, and a training until it is settled."""
        said, counts = [], []
        asked: dict[str, Value] = {
            "to explain one instance alone": "explain_ms",
            "to explain an instance among all": "explain_many_ms",
            "to train, RGExplainer's pretraining included": "fit_s",
            "to train until it is settled": _when("settled_s"),
        }
        for words, value in asked.items():
            pairs = {d: m for d, m in means(records, value).items() if OWN in m and RG in m}
            if pairs:
                ratios = {d: m[OWN] / m[RG] for d, m in pairs.items()}
                counts.append(f"on {out_of(sum(ratio < 1 for ratio in ratios.values()), len(ratios))} {words}")
                said.append(f"{words} {self.numbered(ratios, 2)}")
        if not said:
            return []
        seconds = {d: m[OWN] for d, m in means(records, _when("settled_s")).items() if OWN in m}
        until = [f"Its seconds until it is settled: {self.numbered(seconds, 1)}."] * bool(seconds)
        return [
            Verdict(
                "Time",
                f"GFlowExplainer takes less time than RGExplainer {'; '.join(counts)}. A training is settled once the "
                f"AUC stays within {TOLERANCE} of its last value, on either side, and GFlowExplainer's total variation "
                f"from P ∝ R within {TV_TOLERANCE}.",
                " ".join([f"Its time as a multiple of RGExplainer's: {'; '.join(said)}.", *until, _AIM]),
            )
        ]

    def line(self, records: Sequence[Record]) -> dict[str, list[float]]:
        """AUC, and total variation where it is known, along the training of seed 0."""
        curves = (r["values"]["curve"] for r in records if r["seed"] == 0 and "curve" in r["values"])
        points: Curve = next(curves, [])
        names = [name for name in ("seconds", "auc", "epoch", "tv") if points and all(name in one for one in points)]
        return {name: [point[name] for point in points] for name in names}


def _race(records: Sequence[Record], columns: Mapping[str, str]) -> Table:
    """How many times faster GFlowExplainer is than RGExplainer, by data set and over the seeds that both have."""
    entries: dict[str, dict[str, Entry]] = {
        f"until each AUC stays within {TOLERANCE} of its own last value": {},
        f"GFlowExplainer until its total variation is settled too (within {TV_TOLERANCE})": {},
        f"GFlowExplainer until its AUC stays at most {TOLERANCE} below RGExplainer's last value": {},
    }
    for dataset in columns:
        ours, theirs = (
            {r["seed"]: r["values"]["curve"] for r in records if _is(r, dataset, method)} for method in (OWN, RG)
        )
        ratios = [_ratios(ours[seed], theirs[seed]) for seed in ours.keys() & theirs.keys()]
        for row, found in zip(entries.values(), zip(*ratios, strict=True), strict=bool(ratios)):
            row[dataset] = Entry(tuple(ratio for ratio in found if ratio is not None), instead="not reached")
    rows = [Row(label, row) for label, row in entries.items()]
    title = "How many times faster GFlowExplainer trains than RGExplainer with pretraining"
    return Table(title, columns, rows, digits=2)


def _is(record: Record, dataset: str, method: str) -> bool:
    """Whether a record is of a training that was followed."""
    return (record["dataset"], record["method"]) == (dataset, method) and "curve" in record["values"]


def _ratios(own: Curve, rg: Curve) -> tuple[float, float, float | None]:
    """RGExplainer's time as a multiple of GFlowExplainer's; None if that never comes to RGExplainer's AUC."""
    ours, theirs = settling(own), settling(rg)
    at = lasting([point["auc"] >= theirs["auc_own"] - TOLERANCE for point in own])
    there = theirs["settled_s"] / own[at]["seconds"] if at < len(own) else None
    return theirs["settled_s"] / ours["auc_settled_s"], theirs["settled_s"] / ours["settled_s"], there
