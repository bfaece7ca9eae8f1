"""Fidelity against sparsity: does the GNN need the edges that an explainer names, and are they enough?"""

import statistics
from collections.abc import Sequence

from gfx_core.bench.cells import Record
from gfx_core.bench.studies.quality import Auc
from gfx_core.bench.study import Study
from gfx_core.bench.tables import Quantity
from gfx_core.bench.verdicts import CLOSE, OWN, Verdict, asked, means
from gfx_core.drawing.study_figures import Axes


def _at(sparsity: float) -> Quantity:
    def find(record: Record) -> float:
        curve = record["values"]["curve"]
        return curve["minus"][curve["sparsity"].index(sparsity)]

    return Quantity(find, f"Fidelity− at sparsity {sparsity}", "low")


class Fidelity(Auc):
    """The cells are those of Table 1: the same explanations, asked other questions."""

    name = "fidelity"
    purpose = "fidelity, sparsity and connectedness of the same explanations"
    title = "Fidelity, sparsity, connectedness"
    short = "Fidelity"
    question = "Are the edges that an explainer names enough for the GNN's answer?"
    value = "fidelity_minus"
    headline = False
    legend = ""
    shown = (
        Quantity("fidelity_plus", "Fidelity+ (higher is better)", "high"),
        Quantity("fidelity_minus", "Fidelity− (lower is better)", "low"),
        Quantity("unfaithfulness", "Unfaithfulness (lower is better)", "low"),
        Quantity("sparsity", "Sparsity of the k highest-scored edges, k the motif's"),
        Quantity("connected", "Share of explanations in one piece", "high"),
        *map(_at, (0.5, 0.7, 0.9)),
    )
    axes = Axes("sparsity", "sparsity", {"plus": "fidelity+", "minus": "fidelity−"}, shared=True)

    @property
    def benchmark(self) -> str:
        return Auc.name

    def verdicts(self, records: Sequence[Record]) -> list[Verdict]:
        """Whether what GFlowExplainer names is sufficient for the GNN's answer, and whether it is necessary."""
        said, counts = [], []
        for value, sign, kind in (("fidelity_minus", -1, "sufficient"), ("fidelity_plus", 1, "necessary")):
            found = {d: asked(by_method) for d, by_method in means(records, value).items() if OWN in by_method}
            first = [d for d, m in found.items() if sign * m[OWN] >= max(sign * v for v in m.values()) - CLOSE]
            counts.append(f"the most {kind} on {len(first)} of {len(found)}")
            said.append(f"{kind}: {self.named(first) or 'nowhere'}")
        return [
            Verdict(
                "Fidelity",
                "Edges are sufficient if the GNN's answer stays with the k best ones alone (fidelity− is low), and "
                "necessary if it goes when they are taken away (fidelity+ is high). Among the methods that ask the "
                f"GNN, GFlowExplainer's edges are {' and '.join(counts)} data sets (within {CLOSE}).",
                f"The most {'; the most '.join(said)}.",
            )
        ]

    def line(self, records: Sequence[Record]) -> dict[str, list[float]]:
        """The mean over the seeds by sparsity."""
        curves = [record["values"]["curve"] for record in records]
        return {
            name: [statistics.fmean(values) for values in zip(*(curve[name] for curve in curves), strict=True)]
            for name in ("sparsity", "plus", "minus")
        }

    tables, figure = Study.tables, Study.figure  # not those of Table 1
