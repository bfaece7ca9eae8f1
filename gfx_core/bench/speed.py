"""How long an explanation, an epoch of training and a batch of samples take, to be put beside the state before.

Every timing is the median of several after a warm-up. The variant of a cell is its device, so that each has its own.
"""

import statistics
from collections.abc import Sequence
from typing import Any, ClassVar

from gfx_core.bench.study import Cell, Study, Sweep
from gfx_core.bench.tables import Record, ResultEntry, ResultRow, ResultTable, grouped
from gfx_core.text.numbers import counted

_PLACES = {
    "sampling": ("ba_shapes",),
    "epochs": ("ba_shapes",),
    "explanations": ("ba_shapes", "tree_cycles", "ba_2motifs"),
}  # where each part is measured


class Speed(Study):
    name = "speed"
    title = "Speed"
    short = "Speed"
    question = "How long do an explanation, an epoch of training and a batch of samples take?"
    workers = 1
    datasets: ClassVar = {name: Study.datasets[name] for name in _PLACES["explanations"]}
    any_dataset = False
    methods: ClassVar = {"sampling": "Sampling", "epochs": "Epochs", "explanations": "Explanations"}
    seeds = None
    options: ClassVar = {"repeats": 5, "max_nodes": 20, "batch": 256, "instances": 300}
    quick_options: ClassVar = {"repeats": 1, "max_nodes": 5, "batch": 16, "instances": 16, "threads": 1}

    def cells(self, sweep: Sweep) -> list[Cell]:
        return [
            Cell(self.name, dataset, method, 0, sweep.device, self.options_for(sweep))
            for method in sweep.methods
            for dataset in _PLACES[method]
            if dataset in sweep.datasets
        ]

    def compute(self, cell: Cell) -> dict[str, Any]:
        from gfx_core.bench.measures.stopwatch import speed

        return speed(cell)

    def tables(self, records: Sequence[Record]) -> list[ResultTable]:
        """For each device a row for everything that was timed."""
        found = []
        for (_,), here in grouped(records, "variant").items():
            made, values = here[0]["made"], here[0]["values"]
            rows = [
                ResultRow(_label(record, row), {"ms": ResultEntry((1e3 * row["seconds"],))})
                for record in here
                for row in record["values"]["rows"]
            ]
            title = f"On {made['device']}, {counted(values['threads'], 'thread')}"
            found.append(ResultTable(title, {"ms": "milliseconds"}, rows, digits=1, counts=False))
        return found

    def finding(self, records: Sequence[Record]) -> str:
        """What an explanation takes on each device."""
        parts = []
        for (_,), here in grouped((r for r in records if r["method"] == "explanations"), "variant").items():
            seconds = [row["seconds"] for record in here for row in record["values"]["rows"]]
            parts.append(f"{1e3 * statistics.median(seconds):.0f} ms on {here[0]['made']['device']}")
        return f"One explanation takes {' and '.join(parts)} (median of those below)." if parts else ""


def _label(record: Record, row: dict[str, Any]) -> str:
    if record["method"] == "sampling":
        return f"{row['trajectories']} trajectories in lockstep"
    if record["method"] == "epochs":
        nodes = f"{row['mean_nodes']:.1f} nodes on average"
        return f"Epoch of {counted(row['instances'], 'instance')}, STOP {row['stop']}, {nodes}"
    return f"Explanation of {row['dataset']} {row['index']}, {counted(row['instance_nodes'], 'node')}"
