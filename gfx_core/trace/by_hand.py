"""A trajectory that was built by hand, as a Trace that plays like any other."""

import json
import math
from collections.abc import Sequence
from typing import Any

from gfx_core.trace import io
from gfx_core.trace.schema import Trace


def trace_by_hand(base: Trace, steps: Sequence[dict[str, Any]]) -> Trace:
    """Put steps that were told one by one, from the start node on, into a trace of the instance.

    The last step takes STOP. What the base trace knows of samples and exact probabilities is kept as long as the start
    node is the same.

    Args:
        base: Any trace of the same instance, GNN and policy.
        steps: One for each size of the set, as it stands in a trace's JSON.

    Raises:
        UserError: The steps do not follow from each other.
    """
    values: dict[str, Any] = json.loads(io.to_json(base))
    followers = [*(step["added"] for step in steps[1:]), None]
    values["steps"] = [{**step, "chosen": node} for step, node in zip(steps, followers, strict=True)]
    start, nodes = steps[0]["members"][0], sorted(steps[-1]["members"])
    known = None
    if start == base.start:
        known = next((sample.log_probability for sample in base.samples if list(sample.nodes) == nodes), None)
    else:
        values |= {"start": start, "samples": [], "log_z_exact": None, "num_states_exact": None}
    held = set(nodes)
    values["final"] = {
        "nodes": nodes,
        "edges": [at for at, edge in enumerate(base.edges) if edge.source in held and edge.target in held],
        "log_reward": steps[-1]["reward"]["log_reward"],
        "log_trajectory_probability": _json(min(0.0, sum(map(_log_probability, values["steps"])))),
        "log_probability": None if known is None else _json(known),
    }
    values["made"] = {**values["made"], "choice": "by hand"}
    return io.from_json(json.dumps(values), "trajectory")


def _log_probability(step: dict[str, Any]) -> float:
    """log π of the action taken; not the log of the printed π, which may be 0 for a rare one."""
    taken = step["stop"]
    for action in step["frontier"]:
        if action["node"] == step["chosen"]:
            taken = action
    return float(taken["log_flow"]) - float(step["log_out_flow"])


def _json(value: float) -> float | str:
    return io.MINUS_INFINITY if value == -math.inf else value
