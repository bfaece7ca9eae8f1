"""Fidelity against sparsity: does the GNN need the edges that an explainer names, and are they enough?

The cells are those of Table 1: the same explanations, asked other questions.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from gfx_core.bench.auc import BENCHMARK, FUNCTION, TITLES, cells, cost
from gfx_core.bench.cells import Record
from gfx_core.bench.tables import table_of
from gfx_core.datasets.registry import DATASETS
from gfx_core.explainers.registry import METHODS

__all__ = ["BENCHMARK", "FUNCTION", "VALUE", "cells", "cost", "figure", "table"]

VALUE = "fidelity_minus"
_SHOWN = {
    "fidelity_plus": "Fidelity+ (higher is better)",
    "fidelity_minus": "Fidelity− (lower is better)",
    "unfaithfulness": "Unfaithfulness (lower is better)",
    "sparsity": "Sparsity of the k highest-scored edges, k the motif's",
    "connected": "Share of explanations in one piece",
}


def table(records: Iterable[Record]) -> str:
    """What needs the GNN, on the k highest-scored edges with k the motif's size, and fidelity at three sparsities."""
    records = list(records)
    datasets = [name for name in DATASETS if any(r["dataset"] == name for r in records)]
    methods = [name for name in METHODS if any(r["method"] == name for r in records)]

    def part(title: str, value: Any) -> str:
        return f"**{title}**\n\n{table_of(records, value, datasets=datasets, methods=methods, titles=TITLES)}"

    def at(name: str, sparsity: float) -> Any:
        def find(record: Record) -> float:
            curve = record["values"]["curve"]
            return curve[name][curve["sparsity"].index(sparsity)]

        return find

    parts = [part(title, name) for name, title in _SHOWN.items()]
    for sparsity in (0.5, 0.7, 0.9):
        parts.append(part(f"Fidelity− at sparsity {sparsity}", at("minus", sparsity)))
    return "\n\n".join(parts)


def figure(record: dict[str, Any]) -> Any:
    """The curves: a column for each data set, fidelity+ above fidelity−."""
    from gfx_core.drawing.figures import fidelity_curves

    return fidelity_curves(_curves(record["cells"]))


def _curves(records: Sequence[Record]) -> dict[str, dict[str, dict[str, list[float]]]]:
    """Curves by data set and method, the mean over the seeds."""
    found: dict[str, dict[str, list[dict[str, list[float]]]]] = {}
    for record in records:
        if record["status"] == "done":
            places = found.setdefault(record["dataset"], {})
            places.setdefault(TITLES[record["method"]], []).append(record["values"]["curve"])
    return {
        dataset: {
            method: {
                "sparsity": curves[0]["sparsity"],
                "plus": [sum(values) / len(values) for values in zip(*(c["plus"] for c in curves), strict=True)],
                "minus": [sum(values) / len(values) for values in zip(*(c["minus"] for c in curves), strict=True)],
            }
            for method, curves in places.items()
        }
        for dataset, places in found.items()
    }
