"""Fidelity against sparsity: does the GNN need the edges that an explainer names, and are they enough?"""

import statistics
from collections.abc import Sequence
from dataclasses import replace

from gfx_core.bench.cells import Record
from gfx_core.bench.standing import TRUTH, standing
from gfx_core.bench.studies.quality import Auc
from gfx_core.bench.study import Study
from gfx_core.bench.tables import Entry, Quantity, Row, Table
from gfx_core.bench.verdicts import CLOSE, OWN, Verdict, means
from gfx_core.drawing.study_figures import Axes
from gfx_core.text.numbers import listed

_KINDS = (
    ("fidelity_minus", -1, "sufficient", "fidelity−"),
    ("fidelity_plus", 1, "necessary", "fidelity+"),
    ("robust_minus", -1, "sufficient", "robust fidelity−"),
    ("robust_plus", 1, "necessary", "robust fidelity+"),
)
"""A number, which of its signs is good, what it says of edges, what people call it."""


def _at(sparsity: float) -> Quantity:
    def find(record: Record) -> float:
        curve = record["values"]["curve"]
        return curve["minus"][curve["sparsity"].index(sparsity)]

    return Quantity(find, f"Fidelity− at sparsity {sparsity}", "low")


class Fidelity(Auc):
    """The cells are those of Table 1: the same explanations, asked other questions."""

    name = "fidelity"
    purpose = "fidelity, robust fidelity and connectedness of the same explanations"
    title = "Fidelity and connectedness"
    short = "Fidelity"
    question = "Are the edges that an explainer names enough for the GNN's answer?"
    value = "fidelity_minus"
    headline = False
    legend = ""
    shown = (
        Quantity("fidelity_minus", "Fidelity− (lower is better)", "low"),  # the question's number
        Quantity("fidelity_plus", "Fidelity+ (higher is better)", "high"),
        Quantity("robust_plus", "Robust fidelity+, half of the edges taken away (higher is better)", "high", some=True),
        Quantity("robust_minus", "Robust fidelity−, half of the others left (lower is better)", "low", some=True),
        Quantity("unfaithfulness", "Unfaithfulness (lower is better)", "low"),
        Quantity("connected", "Share of explanations in one piece", "high"),
        *map(_at, (0.5, 0.7, 0.9)),
    )
    axes = Axes("sparsity", "sparsity", {"plus": "fidelity+", "minus": "fidelity−"}, shared=True)

    @property
    def benchmark(self) -> str:
        return Auc.name

    def tables(self, records: Sequence[Record]) -> list[Table]:
        """A table for each number; below the methods, the true motif itself."""
        tables = ((quantity, self.by_method(records, quantity)) for quantity in self.shown)
        return [_with_truth(table, records, quantity.value) for quantity, table in tables if table.rows]

    def verdicts(self, records: Sequence[Record]) -> list[Verdict]:
        """Whether what GFlowExplainer names is sufficient for the GNN's answer, and whether it is necessary."""
        counts, silent, said = [], [], []
        for value, sign, kind, title in _KINDS:
            found = means(records, value)
            if not any(OWN in by_method for by_method in found.values()):
                continue
            stands = standing(found, sign, truths(records, value))
            if stands.telling:
                words = (f"the most {kind}", f"as {kind} as the best", f"less {kind} than the best")
                counts.append(f"{stands.told(self, words)} ({title})")
            else:
                silent.append(f"which are the most {kind} ({title})")
            parts = [f"first on {self.named(stands.first) or 'none'}"]
            parts += [f"level with the best on {self.named(stands.level)}"] * bool(stands.level)
            parts += [f"behind on {self.named(stands.behind)}"] * bool(stands.behind)
            parts += [
                f"{self.titles[name]} tells nothing, {self.titles.get(who, 'the true motif')} is level with the best"
                for name, who in stands.silent.items()
            ]
            said.append(f"{title.capitalize()}: {'; '.join(parts)}.")
        if not said:
            return []
        ours = f"Of all methods that ask the GNN, GFlowExplainer's edges are {'; '.join(counts)}. " if counts else ""
        nobody = f"No data set can tell {listed(silent)}. " if silent else ""
        used = sorted({record["values"]["curve"]["instances"] for record in records if "curve" in record["values"]})
        return [
            Verdict(
                "Fidelity",
                f"{ours}{nobody}Edges are sufficient if the GNN's answer stays with the k best ones alone (fidelity− "
                "is low), and necessary if it goes when they are taken away (fidelity+ is high); robust fidelity takes "
                f"away, or leaves, a random half. A lead of {CLOSE} or less is a tie; a data set cannot tell where a "
                "control, such as random edges, or the true motif comes as near to the best.",
                " ".join([*said, *_counted(used)]),
            )
        ]

    def line(self, records: Sequence[Record]) -> dict[str, list[float]]:
        """The mean over the seeds by sparsity."""
        curves = [record["values"]["curve"] for record in records]
        return {
            name: [statistics.fmean(values) for values in zip(*(curve[name] for curve in curves), strict=True)]
            for name in ("sparsity", "plus", "minus")
        }

    because = ""
    figure = Study.figure  # not that of Table 1


def truths(records: Sequence[Record], value: str) -> dict[str, float]:
    """What the true motif itself comes to, by data set; one cell of each holds it."""
    found = {record["dataset"]: record["values"].get(TRUTH, {}).get(value) for record in _with_control(records)}
    return {dataset: number for dataset, number in found.items() if number is not None}


def _with_control(records: Sequence[Record]) -> list[Record]:
    return [record for record in records if TRUTH in record["values"]]


def _with_truth(table: Table, records: Sequence[Record], value: object) -> Table:
    """The table with a row for the true motif, if that was measured."""
    known = truths(records, value) if isinstance(value, str) else {}
    if not known:
        return table
    entries = {name: Entry((number,)) for name, number in known.items()}
    row = Row("The true motif (control)", entries, compared=False, control=True)
    return replace(table, rows=[*table.rows, row])


def _counted(used: Sequence[int]) -> list[str]:
    """On how many instances it was measured."""
    if not used:
        return []
    number = f"{used[0]} to {used[-1]}" if len(used) > 1 else str(used[0])
    return [f"Everything that asks the GNN is the mean over {number} instances of each data set, evenly spread."]
