"""How long explainers learn and explain, and after how much training GFlowExplainer and RGExplainer stop improving.

Everything is trained from the beginning. Cells are computed one at a time, so that none slows another down.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from gfx_core.bench import paper
from gfx_core.bench.cells import Cell, Record
from gfx_core.bench.protocol import TOLERANCE, Curve, settled
from gfx_core.bench.studies.quality import Auc
from gfx_core.bench.study import Study
from gfx_core.bench.tables import Entry, Quantity, Row, Table
from gfx_core.bench.verdicts import OWN, RG, Verdict, means
from gfx_core.drawing.study_figures import Axes

_UNTIL = "Seconds of training until the AUC stays"


class ExplainerTimes(Study):
    name = "time"
    purpose = "seconds of training, milliseconds of explaining, and training until the AUC is final"
    title = "Time"
    short = "Time"
    question = "How long do explainers learn, and how long do they take to explain?"
    value = "explain_ms"
    workers = 1  # cells that ran side by side would slow each other down
    costs = Auc.costs
    options: ClassVar = {"alone": 20, "judged": 100}
    quick_options: ClassVar = {"limit": 4, "epochs": 3, "alone": 1}
    shown = (
        Quantity("explain_ms", "Milliseconds to explain one instance, alone", "low", 1, paper.EXPLAIN_MS),
        Quantity("explain_many_ms", "Milliseconds an instance, all together", "low", 2),
        Quantity("fit_s", "Seconds of training, pretraining included", "low", 1, some=True),
        Quantity("epoch_s", "Seconds an epoch", "low", 3, paper.EPOCH_S, some=True),
        Quantity("pretraining_s", "Seconds of pretraining", "low", 1, some=True),
        Quantity(
            "settled_s", f"{_UNTIL} within {TOLERANCE} of its last value, pretraining included", "low", 1, some=True
        ),
        Quantity("reached_s", f"{_UNTIL} at most {TOLERANCE} below its last value", "low", 1, some=True),
        Quantity("auc_own", "AUC, last value", "high", some=True),
    )
    axes = Axes(
        "seconds",
        "seconds of training",
        {"auc": "AUC"},
        points=True,
        hover="%{x:.3g} s, epoch %{customdata}: AUC %{y:.3f}",
        logarithmic=("seconds",),
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
        """GFlowExplainer against RGExplainer: one explanation, a training, and a training to the last AUC."""
        said, counts = [], []
        for value, words in {
            "explain_ms": "to explain one instance alone",
            "explain_many_ms": "to explain an instance among all",
            "fit_s": "to train, RGExplainer's pretraining included",
            "reached_s": f"to train until the AUC stays at most {TOLERANCE} below its last value",
        }.items():
            pairs = {d: m for d, m in means(records, value).items() if OWN in m and RG in m}
            if pairs:
                ratios = {d: m[OWN] / m[RG] for d, m in pairs.items()}
                counts.append(f"on {sum(ratio < 1 for ratio in ratios.values())} of {len(ratios)} data sets {words}")
                said.append(f"{words} {self.numbered(ratios, 2)}")
        if not said:
            return []
        return [
            Verdict(
                "Time",
                f"GFlowExplainer takes less time than RGExplainer {'; '.join(counts)}.",
                f"Its time as a multiple of RGExplainer's: {'; '.join(said)}.",
            )
        ]

    def line(self, records: Sequence[Record]) -> dict[str, list[float]]:
        """AUC along the training of seed 0."""
        curves = (r["values"]["curve"] for r in records if r["seed"] == 0 and "curve" in r["values"])
        points: Curve = next(curves, [])
        return {name: [point[name] for point in points] for name in ("seconds", "auc", "epoch")} if points else {}


def _race(records: Sequence[Record], columns: Mapping[str, str]) -> Table:
    """How many times faster GFlowExplainer is than RGExplainer, by data set and over the seeds that both have."""
    entries: dict[str, dict[str, Entry]] = {
        f"until the AUC stays within {TOLERANCE} of its own last value": {},
        f"until it stays at most {TOLERANCE} below its own last value": {},
        f"until it stays at most {TOLERANCE} below RGExplainer's last value": {},
    }
    for dataset in columns:
        ours, theirs = (
            {r["seed"]: r["values"] for r in records if (r["dataset"], r["method"]) == (dataset, method)}
            for method in (OWN, RG)
        )
        both = [(ours[seed], theirs[seed]) for seed in ours.keys() & theirs.keys()]
        ratios = [_ratios(own, rg) for own, rg in both if "curve" in own and "curve" in rg]
        for row, found in zip(entries.values(), zip(*ratios, strict=True), strict=bool(ratios)):
            row[dataset] = Entry(tuple(ratio for ratio in found if ratio is not None), instead="not reached")
    rows = [Row(label, row) for label, row in entries.items()]
    title = "How many times faster GFlowExplainer trains than RGExplainer with pretraining"
    return Table(title, columns, rows, digits=2)


def _ratios(own: Mapping[str, Any], rg: Mapping[str, Any]) -> tuple[float, float, float | None]:
    """RGExplainer's time as a multiple of GFlowExplainer's; None if that never comes to RGExplainer's AUC."""
    at = settled(own["curve"], rg["auc_own"] - TOLERANCE)
    there = rg["reached_s"] / own["curve"][at]["seconds"] if at < len(own["curve"]) else None
    return rg["settled_s"] / own["settled_s"], rg["reached_s"] / own["reached_s"], there
