"""Records of benchmarks as tests want them."""

from typing import Any

from gfx_core.bench.study import Cell

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
