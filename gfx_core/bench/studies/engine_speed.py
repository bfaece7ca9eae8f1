"""What batching and incremental parents buy, how long an epoch and an explanation take, and what large graphs cost.

Every timing is the median of several after a warm-up, and every ratio compares two ways of computing the same thing
within one run, on the same states. Times are in seconds. The variant of a cell is its device, so that each has its own.
"""

import math
from collections.abc import Sequence
from typing import Any, ClassVar

from gfx_core.bench.cells import Cell, Record
from gfx_core.bench.study import Asked, Study
from gfx_core.bench.tables import Entry, Row, Table, grouped
from gfx_core.bench.verdicts import Verdict
from gfx_core.datasets.graph import MAX_INSTANCE_NODES
from gfx_core.text.numbers import counted

EPOCH_GOAL = {"cpu": 2.0, "cuda": 0.01}  # seconds at most, on two CPU cores or one H200
EXPLANATION_GOAL = {"cpu": 0.3, "cuda": 0.02}  # seconds at most
WATCHING_GOAL = 1.1  # times what a training takes that nobody watches, at most
LEARNING_GOAL = {"tree_cycles": 10.0, "mutagenicity": 20.0}  # seconds until one prediction is learnt, on two CPU cores
FLAT_GOAL = 1.5  # times what the smallest graph costs, at most
RATIO_GOALS = (
    ("parents", "ratio_batched", 10.0, "incremental parents against the full policy on every parent, batched"),
    ("parents", "ratio_one_by_one", 10.0, "incremental parents against one call of the full policy for each parent"),
    ("sampling", "ratio", 20.0, "{trajectories} trajectories in lockstep against one by one"),
    ("cut_vertices", "ratio_networkx", 10.0, "cut vertices of {subgraphs} subgraphs: tracker against networkx"),
)
"""What is measured, which of its numbers is to be how large at least, and what people call it."""

_RANDOM = ("random_10000", "random_100000", "random_1000000")
_PLACES = {
    "parents": ("ba_shapes",),
    "sampling": ("ba_shapes",),
    "cut_vertices": ("growths",),
    "epochs": ("ba_shapes",),
    "watching": ("tree_cycles", "mutagenicity"),
    "explanations": ("ba_shapes", "tree_cycles", "ba_2motifs", *_RANDOM, "hub"),
}  # where each part is measured


_OWN_OPTIONS = {("watching", False): {"steps": 200}, ("watching", True): {"steps": 3}}
"""What only one part is asked, in full and quickly."""


class EngineSpeed(Study):
    name = "speed"
    purpose = "what batching and incremental parents buy, epoch and explanation times, large graphs"
    title = "Speed"
    short = "Speed"
    question = "What do batching and incremental parents buy, and does an explanation's time grow with the graph?"
    workers = 1
    datasets: ClassVar = {
        name: Study.datasets.get(name, name) for name in dict.fromkeys(d for places in _PLACES.values() for d in places)
    }
    any_dataset = False
    methods: ClassVar = {
        "parents": "Incremental parents",
        "sampling": "Lockstep",
        "cut_vertices": "Cut vertices",
        "epochs": "Epochs",
        "watching": "Watched trainings",
        "explanations": "Explanations",
    }
    seeds = None
    options: ClassVar = {"repeats": 5, "max_nodes": 20, "batch": 256, "instances": 300} | {
        "shrink": 1,
        "bound": MAX_INSTANCE_NODES,
        "aside": True,
    }
    quick_options: ClassVar = {"repeats": 1, "max_nodes": 5, "batch": 16, "instances": 16} | {
        "shrink": 1000,
        "bound": 30,
        "aside": False,
        "threads": 1,
    }

    def cells(self, asked: Asked) -> list[Cell]:
        options = self.options_for(asked)
        return [
            Cell(self.name, dataset, method, 0, asked.device, options | _OWN_OPTIONS.get((method, asked.quick), {}))
            for method in asked.methods
            for dataset in _PLACES[method]
            if dataset in asked.datasets
        ]

    def compute(self, cell: Cell) -> dict[str, Any]:
        import torch

        from gfx_core.bench.measures import explaining_speed, training_speed, watching_speed
        from gfx_core.bench.measures.stopwatch import threads

        options = cell.options
        ways = {
            "parents": (training_speed.parents_ratio, options["instances"]),
            "sampling": (training_speed.sampling_ratio, options["batch"]),
            "cut_vertices": (training_speed.tracker_ratio, options["batch"]),
            "epochs": (training_speed.epoch_times, options["instances"]),
        }
        with threads(options.get("threads")):
            values = {"threads": torch.get_num_threads()}
            if cell.method == "watching":  # on the CPU wherever it is measured: so small a training is fastest there
                return values | watching_speed.watching_ratio(cell.dataset, options["steps"])
            if cell.method not in ways:
                return values | {"rows": explaining_speed.explanations(cell)}
            measure, count = ways[cell.method]
            return values | measure(count, options["max_nodes"], options["repeats"], cell.device)

    def tables(self, records: Sequence[Record]) -> list[Table]:
        """For each device: every goal with what was measured, then where the time of explanations goes."""
        found = []
        for (device,), here in grouped(records, "variant").items():
            made, threads, most = here[0]["made"], here[0]["values"]["threads"], here[0]["options"]["max_nodes"]
            on = f"{made['device']}, {threads} threads, at most {counted(most, 'node')}"
            for title, rows in (
                (f"Goals, on {on}", goals(here, device)),
                (f"Milliseconds of one explanation and of its parts, on {on}", _parts(here)),
            ):
                columns = {name: name for row in rows for name in row.entries}
                found.append(Table(title, columns, rows, digits=1, counts=False))
        return [table for table in found if table.rows]

    def verdicts(self, records: Sequence[Record]) -> list[Verdict]:
        """How many goals are reached, and which are not."""
        said = []
        for (device,), here in grouped(records, "variant").items():
            rows = goals(here, device)
            missed = [row.label for row in rows if row.entries["reached"].instead == "no"]
            short = f"{len(rows) - len(missed)} of {len(rows)} goals are reached on {here[0]['made']['device']}."
            if rows:
                said.append(Verdict("Goals", short, f"Missed: {'; '.join(missed)}." if missed else ""))
            for found in [record["values"] for record in here if record["method"] == "parents"]:
                short = (
                    f"Incrementally computed or by the full policy, the log in-flows of {found['states']:,} states "
                    f"from {found['parents']:,} parents differ by at most {found['max_difference']:.1e}."
                )
                detail = f"{found['ratio_batched_policy_alone']:.1f}× if building the parent states is not counted."
                said.append(Verdict("Incremental parents", short, detail))
        return said


def goals(records: Sequence[Record], device: str) -> list[Row]:
    """Every goal with what was measured on one device."""
    values = {record["method"]: record["values"] for record in records}
    explained = {r["dataset"]: r["values"]["rows"] for r in records if r["method"] == "explanations"}
    rows = []

    def add(what: str, measured: float, goal: float, unit: str, least: bool = False) -> None:
        reached = measured >= goal if least else measured <= goal
        number = f"{measured:.4f} s" if unit == "s" else f"{measured:.1f}×"
        bound = f"{'≥' if least else '≤'} {goal:g}{' s' if unit == 's' else '×'}"
        texts = {"measured": number, "goal": bound, "reached": "yes" if reached else "no"}
        rows.append(Row(what, {name: Entry(instead=text) for name, text in texts.items()}))

    for part, number, goal, what in RATIO_GOALS:
        if part in values:
            add(what.format_map(values[part]), values[part][number], goal, "×", least=True)
    for row in values.get("epochs", {}).get("rows", []):
        what = f"epoch of {row['instances']} instances, STOP {row['stop']}, {row['mean_nodes']:.1f} nodes on average"
        add(what, row["seconds"], EPOCH_GOAL[device], "s")
    for found in [record for record in records if record["method"] == "watching"]:
        numbers = found["values"]
        what = f"training on {numbers['prediction']} watched, against the same steps alone"
        add(what, numbers["ratio"], WATCHING_GOAL, "×")
        what = f"training on {numbers['prediction']} from scratch until the total variation is at most .05"
        add(what, math.inf if numbers["near_s"] is None else numbers["near_s"], LEARNING_GOAL[found["dataset"]], "s")
    for row in [row for found in explained.values() for row in found if "index" in row]:
        what = f"explanation: {row['dataset']} {row['index']}, {row['instance_nodes']} nodes ({row['policy']} policy)"
        add(what, row["seconds"], EXPLANATION_GOAL[device], "s")
    first, *larger = [explained[name][0] for name in explained if name.startswith("random_")] or [{}]
    for row in larger:
        for key, noun in (("seconds", "time"), ("peak_bytes", "peak memory")):
            if row[key] and first[key]:
                what = f"explanation in a graph of {row['nodes']:,} nodes against {first['nodes']:,}: {noun}"
                add(what, row[key] / first[key], FLAT_GOAL, "×")
    return rows


def _parts(records: Sequence[Record]) -> list[Row]:
    """Where the time of each explanation goes."""
    rows = []
    for record in records:
        for row in record["values"]["rows"] if record["method"] == "explanations" else []:
            if "nodes" in row:
                what = f"random graph of {row['nodes']:,} nodes (built in {row['build_s']:.1f} s)"
            elif "neighbours" in row:
                what = f"hub of {row['neighbours']:,}, {row['left_out']:,} left out"
            else:
                what = f"{row['dataset']} {row['index']}"
            peak = row.get("peak_bytes")
            entries = {
                "nodes": Entry(instead=str(row["instance_nodes"])),
                "all": Entry((1e3 * row["seconds"],)),
                "peak MiB": Entry() if peak is None else Entry(instead=f"{peak / 2**20:.0f}"),
            }
            parts = {name.replace("_", " "): Entry((1e3 * seconds,)) for name, seconds in row["parts"].items()}
            rows.append(Row(what, entries | parts))
    return rows
