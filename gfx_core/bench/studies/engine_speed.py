"""What batching and incremental parents buy, how long an epoch and an explanation take, and what large graphs cost.

Every timing is the median of several after a warm-up, and every ratio compares two ways of computing the same thing
within one run, on the same states. Times are in seconds. The variant of a cell is its device, so that each has its own.
"""

from collections.abc import Sequence
from typing import Any, ClassVar

from gfx_core.bench.cells import Cell, Record
from gfx_core.bench.study import Asked, Study
from gfx_core.bench.tables import Entry, Row, Table
from gfx_core.bench.verdicts import Verdict
from gfx_core.datasets.graph import MAX_INSTANCE_NODES

RATIO_GOAL = {"parents": 10.0, "sampling": 20.0, "cut_vertices": 10.0}  # at least
EPOCH_GOAL = {"cpu": 2.0, "cuda": 0.025}  # seconds at most, on two CPU cores or one H200
EXPLANATION_GOAL = 0.3  # seconds at most
FLAT_GOAL = 1.5  # times what the smallest graph costs, at most

_PLACES = {
    "parents": ("ba_shapes",),
    "sampling": ("ba_shapes",),
    "cut_vertices": ("growths",),
    "epochs": ("ba_shapes",),
    "explanations": (
        "ba_shapes",
        "tree_cycles",
        "ba_2motifs",
        "random_10000",
        "random_100000",
        "random_1000000",
        "hub",
    ),
}  # where each part is measured
_FULL_POLICY = {
    "ratio_batched": "the full policy on every parent, batched",
    "ratio_one_by_one": "one call of the full policy for each parent",
}
_GOALS = {"measured": "measured", "goal": "goal", "reached": "reached"}


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
            Cell(self.name, dataset, method, 0, asked.device, options)
            for method in asked.methods
            for dataset in _PLACES[method]
            if dataset in asked.datasets
        ]

    def compute(self, cell: Cell) -> dict[str, Any]:
        import torch

        from gfx_core.bench.measures import explaining_speed, training_speed
        from gfx_core.bench.measures.stopwatch import threads

        batch, instances, most, repeats = (cell.options[k] for k in ("batch", "instances", "max_nodes", "repeats"))
        with threads(cell.options.get("threads")):
            values: dict[str, Any] = {"threads": torch.get_num_threads()}
            if cell.method == "parents":
                values |= training_speed.parents_ratio(instances, most, repeats, cell.device)
            elif cell.method == "sampling":
                values |= training_speed.sampling_ratio(batch, most, repeats, cell.device)
            elif cell.method == "cut_vertices":
                values |= training_speed.tracker_ratio(batch, most, repeats, cell.device)
            elif cell.method == "epochs":
                values["rows"] = training_speed.epoch_times(instances, most, repeats, cell.device)
            else:
                values["rows"] = explaining_speed.explanations(cell)
        return values

    def tables(self, records: Sequence[Record]) -> list[Table]:
        """For each device: every goal with what was measured, then where the time of explanations goes."""
        found = []
        for device in dict.fromkeys(record["variant"] for record in records):
            here = [record for record in records if record["variant"] == device]
            made, threads, most = here[0]["made"], here[0]["values"]["threads"], here[0]["options"]["max_nodes"]
            on = f"{made['device']}, {threads} threads, K_M = {most}"
            if rows := goals(here, device):
                found.append(Table(f"Goals, on {on}", _GOALS, rows, counts=False))
            if rows := _parts(here):
                columns = dict.fromkeys(name for row in rows for name in row.entries)
                title = f"Milliseconds of one explanation and of its parts, on {on}"
                found.append(Table(title, {name: name for name in columns}, rows, digits=1, counts=False))
        return found

    def verdicts(self, records: Sequence[Record]) -> list[Verdict]:
        """How many goals are reached, and which are not."""
        said = []
        for device in dict.fromkeys(record["variant"] for record in records):
            here = [record for record in records if record["variant"] == device]
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
    values = {(record["method"], record["dataset"]): record["values"] for record in records}
    rows = []

    def add(what: str, measured: float, goal: float, unit: str, least: bool = False) -> None:
        reached = measured >= goal if least else measured <= goal
        number = f"{measured:.4f} s" if unit == "s" else f"{measured:.1f}×"
        bound = f"{'≥' if least else '≤'} {goal:g}{' s' if unit == 's' else '×'}"
        texts = {"measured": number, "goal": bound, "reached": "yes" if reached else "no"}
        rows.append(Row(what, {name: Entry(instead=text) for name, text in texts.items()}))

    if found := values.get(("parents", "ba_shapes")):
        goal = RATIO_GOAL["parents"]
        for key, against in _FULL_POLICY.items():
            add(f"incremental parents against {against}", found[key], goal, "×", least=True)
    if found := values.get(("sampling", "ba_shapes")):
        what = f"{found['trajectories']} trajectories in lockstep against one by one"
        add(what, found["ratio"], RATIO_GOAL["sampling"], "×", least=True)
    if found := values.get(("cut_vertices", "growths")):
        what = f"cut vertices of {found['subgraphs']} subgraphs: tracker against networkx"
        add(what, found["ratio_networkx"], RATIO_GOAL["cut_vertices"], "×", least=True)
    for row in values.get(("epochs", "ba_shapes"), {}).get("rows", []):
        what = f"epoch of {row['instances']} instances, STOP {row['stop']}, {row['mean_nodes']:.1f} nodes on average"
        add(what, row["seconds"], EPOCH_GOAL[device], "s")
    explained = {name: found["rows"] for (part, name), found in values.items() if part == "explanations"}
    for name, found in explained.items():
        for row in found if "index" in found[0] else []:
            what = f"explanation: {name} {row['index']}, {row['instance_nodes']} nodes ({row['policy']} policy)"
            add(what, row["seconds"], EXPLANATION_GOAL, "s")
    first, *larger = [found[0] for name, found in explained.items() if name.startswith("random_")] or [{}]
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
