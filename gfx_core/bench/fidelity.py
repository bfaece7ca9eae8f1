"""Fidelity against sparsity: does the GNN need the edges that an explainer names, and are they enough?

The cells are those of Table 1: the same explanations, asked other questions.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from gfx_core.bench.auc import BENCHMARK, FUNCTION, TITLES, cells, cost, table_by_method
from gfx_core.bench.cells import Record
from gfx_core.bench.tables import Best, Table, Value
from gfx_core.explainers.registry import METHODS

__all__ = ["BENCHMARK", "FUNCTION", "VALUE", "cells", "cost", "figure", "tables"]

VALUE = "fidelity_minus"
_SHOWN: dict[str, tuple[str, Best]] = {
    "fidelity_plus": ("Fidelity+ (higher is better)", "high"),
    "fidelity_minus": ("Fidelity− (lower is better)", "low"),
    "unfaithfulness": ("Unfaithfulness (lower is better)", "low"),
    "sparsity": ("Sparsity of the k highest-scored edges, k the motif's", ""),
    "connected": ("Share of explanations in one piece", "high"),
}


def tables(records: Iterable[Record]) -> list[Table]:
    """What needs the GNN, on the k highest-scored edges with k the motif's size, and fidelity at three sparsities."""
    records = list(records)

    def at(name: str, sparsity: float) -> Value:
        def find(record: Record) -> float:
            curve = record["values"]["curve"]
            return curve[name][curve["sparsity"].index(sparsity)]

        return find

    found = [table_by_method(records, name, title, best) for name, (title, best) in _SHOWN.items()]
    for sparsity in (0.5, 0.7, 0.9):
        found.append(table_by_method(records, at("minus", sparsity), f"Fidelity− at sparsity {sparsity}", "low"))
    return found


def figure(record: dict[str, Any]) -> Any:
    """The curves: a column for each data set, fidelity+ above fidelity−."""
    from gfx_core.drawing.figures import fidelity_curves

    return fidelity_curves(_curves(record["cells"]))


def _curves(records: Sequence[Record]) -> dict[str, dict[str, dict[str, list[float]]]]:
    """Curves by data set and method, the mean over the seeds."""
    order = [info.title for info in METHODS.values()]
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
            for method, curves in sorted(places.items(), key=lambda place: order.index(place[0]))
        }
        for dataset, places in found.items()
    }
