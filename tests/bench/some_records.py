"""Records of benchmarks as tests want them, and what is said of them."""

from typing import Any

from gfx_core.bench.cells import Cell
from gfx_core.bench.registry import STUDIES

MADE = {
    "device": "a GPU",
    "cpu_cores": 4,
    "date": "2026-01-01",
    "versions": {"torch": "2", "python": "3", "torch-geometric": "2", "numpy": "2"},
}


def record(dataset: str, method: str, seed: int = 0, **values: Any) -> dict[str, Any]:
    cell = Cell("auc", dataset, method, seed)
    base = {"key": cell.key, "dataset": dataset, "method": method, "seed": seed, "variant": "", "options": {}}
    return base | {"status": "done", "made": MADE, "values": values}


def auc(dataset: str, **by_method: float) -> list[dict[str, Any]]:
    return [record(dataset, method, auc_own=value) for method, value in by_method.items()]


def said(records: list[dict[str, Any]]) -> dict[str, str]:
    return {verdict.about: str(verdict) for verdict in STUDIES["auc"].verdicts(records)}


def both(dataset: str, method: str, minus: float, plus: float, **more: Any) -> dict[str, Any]:
    return record(dataset, method, fidelity_minus=minus, fidelity_plus=plus, **more)


def with_curve(given: dict[str, Any]) -> dict[str, Any]:
    curve = {"sparsity": [0.5, 0.7, 0.9], "minus": [0.0] * 3, "plus": [0.0] * 3, "instances": 100}
    return given | {"values": given["values"] | {"curve": curve}}
