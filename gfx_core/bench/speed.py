"""What batching and incremental parents buy, how long an epoch and an explanation take, and what large graphs cost.

Every timing is the median of several after a warm-up, and every ratio compares two ways of computing the same thing
within one run, on the same states. Times are in seconds.
"""

from collections.abc import Callable
from itertools import product
from typing import Any

import torch

from gfx_core.bench.record import made_with
from gfx_core.bench.speed_explaining import EXPLAINED, explanation_times, hub_cost, random_graph_cost
from gfx_core.bench.speed_training import epoch_times, parents_ratio, sampling_ratio, tracker_ratio
from gfx_core.bench.stopwatch import in_fresh_process
from gfx_core.datasets.graph import MAX_INSTANCE_NODES

RATIO_GOALS = {"parents": 10.0, "sampling": 20.0, "cut_vertices": 10.0}  # at least
EPOCH_GOALS = {"cpu": 2.0, "cuda": 0.025}  # seconds at most, on two CPU cores or one H200
EXPLANATION_GOAL = 0.3  # seconds at most
FLAT_GOAL = 1.5  # times what the smallest graph costs, at most
_FULL_POLICY = {
    "ratio_batched": "the full policy on every parent, batched",
    "ratio_one_by_one": "one call of the full policy for each parent",
}


def run(
    device: str = "cpu", quick: bool = False, progress: Callable[[float, str], None] | None = None
) -> dict[str, Any]:
    """Measure everything.

    Args:
        device: ``cpu`` or ``cuda``.
        quick: Small sizes and few repeats, for tests: a whole record, but no meaningful times.
        progress: Called with the share that is done (0 to 1) and what is measured next.
    """
    repeats, nodes = (1, 5) if quick else (5, 20)
    batch, instances = (16, 16) if quick else (256, 300)
    sizes = (50, 100) if quick else (10_000, 100_000, 1_000_000)
    hub = (90, 30) if quick else (100_000, MAX_INSTANCE_NODES)
    aside = _in_this_process if quick else in_fresh_process
    parts: dict[str, Callable[[], Any]] = {
        "parents": lambda: parents_ratio(instances, nodes, repeats, device),
        "sampling": lambda: sampling_ratio(batch, nodes, repeats, device),
        "cut_vertices": lambda: tracker_ratio(batch, nodes, repeats, device),
        "epochs": lambda: epoch_times(instances, nodes, repeats, device),
        "explanations": lambda: explanation_times({"ba_shapes": (0.5,)} if quick else EXPLAINED, repeats, device),
        "scale": lambda: [aside(random_graph_cost, num_nodes, repeats, device) for num_nodes in sizes],
        "hub": lambda: aside(hub_cost, *hub, repeats, device),
    }
    record: dict[str, Any] = {"quick": quick, "repeats": repeats, "max_nodes": nodes, "device_type": device}
    record |= {"torch_threads": torch.get_num_threads()} | made_with(device)
    for number, (name, measure) in enumerate(parts.items()):
        if progress is not None:
            progress(number / len(parts), name)
        record[name] = measure()
    if progress is not None:
        progress(1.0, "done")
    return record


def table(record: dict[str, Any]) -> str:
    """The record for people: every goal with what was measured, then where the time of explanations goes."""
    made, device, scale, hub = record["made"], record["device_type"], record["scale"], record["hub"]
    parents, sampling, cuts = record["parents"], record["sampling"], record["cut_vertices"]
    rows: list[tuple[str, float, float, str]] = []  # what, measured, goal, unit
    for key, against in _FULL_POLICY.items():
        rows.append((f"incremental parents against {against}", parents[key], RATIO_GOALS["parents"], "×"))
    what = f"{sampling['trajectories']} trajectories in lockstep against one by one"
    rows.append((what, sampling["ratio"], RATIO_GOALS["sampling"], "×"))
    what = f"cut vertices of {cuts['subgraphs']} subgraphs: tracker against networkx"
    rows.append((what, cuts["ratio_networkx"], RATIO_GOALS["cut_vertices"], "×"))
    for row in record["epochs"]:
        what = f"epoch of {row['instances']} instances, STOP {row['stop']}, {row['mean_nodes']:.1f} nodes on average"
        rows.append((what, row["seconds"], EPOCH_GOALS[device], "s"))
    for row in record["explanations"]:
        what = f"explanation: {row['dataset']} {row['index']}, {row['instance_nodes']} nodes ({row['policy']} policy)"
        rows.append((what, row["seconds"], EXPLANATION_GOAL, "s"))
    for row, (key, noun) in product(scale[1:], (("seconds", "time"), ("peak_bytes", "peak memory"))):
        if row[key] and scale[0][key]:
            what = f"explanation in a graph of {row['nodes']:,} nodes against {scale[0]['nodes']:,}: {noun}"
            rows.append((what, row[key] / scale[0][key], FLAT_GOAL, "× at most"))
    lines = [f"on {made['device']}, {record['torch_threads']} threads, K_M = {record['max_nodes']}"]
    lines += [f"{'':<74} {'measured':>10} {'goal':>9} reached"]
    for what, measured, goal, unit in rows:
        sign, reached = ("≥", measured >= goal) if unit == "×" else ("≤", measured <= goal)
        value, bound = (f"{measured:.4f} s", f"{goal:g} s") if unit == "s" else (f"{measured:.1f}×", f"{goal:g}×")
        lines.append(f"{what:<74} {value:>10} {sign} {bound:>7} {'yes' if reached else 'no'}")
    alone, difference = parents["ratio_batched_policy_alone"], parents["max_difference"]
    lines += [
        f"{parents['parents']:,} parents of {parents['states']:,} states; log in-flows differ by {difference:.1e}"
    ]
    lines += [f"batched, with the building of the parent states not counted: {alone:.1f}×"]
    lines += ["", "milliseconds of one explanation" + " " * 21 + "nodes   all   " + "peak MiB   its parts"]
    named = [(f"{row['dataset']} {row['index']}", row) for row in record["explanations"]]
    named += [(f"random graph of {r['nodes']:,} nodes (built in {r['build_s']:.1f} s)", r) for r in scale]
    named += [(f"hub of {hub['neighbours']:,}, {hub['left_out']:,} left out", hub)]
    for what, row in named:
        peak = row.get("peak_bytes")
        parts = "  ".join(f"{name} {1e3 * part:.1f}" for name, part in row["parts"].items())
        memory = "-" if peak is None else f"{peak / 2**20:.0f}"
        lines.append(f"{what:<50} {row['instance_nodes']:>6} {1e3 * row['seconds']:>6.0f} {memory:>8}   {parts}")
    return "\n".join(lines)


def _in_this_process(measure: Callable[..., dict[str, Any]], *arguments: Any) -> dict[str, Any]:
    return measure(*arguments)
