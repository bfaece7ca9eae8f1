"""What a recording shows of flows on a listed DAG, exactly, and of an instance. Needs no torch."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from gfx_core.arrays import Doubles, Ints
from gfx_core.datasets.instance import Instance
from gfx_core.exact.state_space import StateSpace
from gfx_core.gfn.settings import Parents
from gfx_core.layout import sketch_layout
from gfx_core.training import recording

DIGITS = 6
"""Significant digits of a number in a recording."""


def rounded(value: float | None) -> float | None:
    """A number as it is written: with few digits, nothing where it is none."""
    if value is None or not math.isfinite(value):
        return None
    return float(f"{value:.{DIGITS}g}")


def rounded_all(values: Any, decimals: int = 4) -> list[float]:
    """Probabilities or positions as they are written."""
    return np.round(np.asarray(values, dtype=np.float64), decimals).tolist()


def instance_part(instance: Instance, reasons: bool, atoms: bool) -> dict[str, Any]:
    """Nodes and edges of a scene; the motif is marked where it is the reason, elements where nodes are atoms."""
    points = sketch_layout(instance)
    motif = instance.own_nodes if reasons else np.zeros(instance.num_nodes, dtype=bool)
    labels = [instance.node_label(node) for node in range(instance.num_nodes)]
    nodes = [
        {
            "x": round(float(x), 4),
            "y": round(float(y), 4),
            "label": label,
            "element": label if atoms else None,
            "motif": bool(held),
        }
        for (x, y), label, held in zip(points, labels, motif, strict=True)
    ]
    chosen = instance.undirected
    order = np.ones(len(chosen), np.int64) if instance.edge_order is None else instance.edge_order[chosen]
    own = instance.own_edges[chosen] & reasons
    edges = [
        [int(s), int(t), int(o), bool(held)]
        for s, t, o, held in zip(*instance.edge_index[:, chosen], order, own, strict=True)
    ]
    return {"nodes": nodes, "edges": edges}


def listed_part(space: StateSpace, instance: Instance) -> dict[str, Any]:
    """What a scene knows of states that are listed."""
    dag, target = space.dag, np.exp(space.log_target)
    return {
        "listed": True,
        "states": [row[row >= 0].tolist() for row in dag.subsets],
        "log_reward": [round(value, 4) for value in space.log_reward.tolist()],
        "links": np.stack([dag.parent, dag.child, dag.node], 1).tolist(),
        "target": recording.encode_probabilities(target),
        "exact": recording.encode_probabilities(np.exp(space.log_edge - space.log_z[0])),
        "log_z": rounded(float(space.log_z[0])),
        "target_marginals": undirected_marginals(space, instance, target),
    }


def undirected_marginals(space: StateSpace, instance: Instance, chances: Doubles) -> list[float]:
    """Chance that each undirected edge is in the subgraph. [S] → [e]"""
    return rounded_all(space.edge_marginals(instance, chances)[instance.undirected])


@dataclass(frozen=True, eq=False)
class Visits:
    """What was seen of trajectories.

    Attributes:
        visits: Trajectories so far that passed each state. [S]
        total: Trajectories so far.
        latest: How many of the latest ones passed each state. [S]
        terminal: Where the latest ones ended. [B]
    """

    visits: Ints
    total: int
    latest: Ints
    terminal: Ints


@dataclass(frozen=True, eq=False)
class FlowsNow:
    """Flows on a DAG at one moment, in numpy.

    Attributes:
        log_edge: [E]
        log_stop: [S]
        log_in: [S]
        log_out: [S]
        log_z: What the policy takes for log Z.
    """

    log_edge: Doubles
    log_stop: Doubles
    log_in: Doubles
    log_out: Doubles
    log_z: float


def listed_frame(
    space: StateSpace, instance: Instance, flows: FlowsNow, visits: Visits, parents: Parents
) -> dict[str, Any]:
    """What a frame tells of flows on a listed DAG, all of it exact but what was seen of trajectories."""
    walk, dag = space.walk(flows.log_edge, flows.log_stop), space.dag
    stop = np.exp(walk.stop)
    apart = flows.log_in - flows.log_out  # [S]
    if parents is Parents.SEQUENCE:
        # Only the last added node's parent counts, so each order is a state of its own: the in-flow is the mean over
        # the valid parents.
        apart = apart - np.log(np.maximum(dag.num_parents, 1))
    apart[0] = 0.0
    weight = visits.latest.astype(np.float64) if visits.latest[1:].any() else np.ones(dag.num_states)
    weight[0] = 0.0
    ends = visits.terminal if len(visits.terminal) else np.zeros(1, np.int64)
    return {
        "residual": rounded(float(np.abs(apart) @ weight / max(weight.sum(), 1.0))),
        "log_reward": rounded(float(space.log_reward[ends].mean())),
        "size": rounded(float(dag.size[ends].mean())),
        "total_variation": rounded(space.total_variation(walk.stop)),
        "log_z": rounded(flows.log_z),
        "stop": recording.encode_probabilities(stop),
        "flow": recording.encode_probabilities(np.exp(walk.step)),
        "residuals": recording.encode_residuals(apart),
        "visits": recording.encode_probabilities(visits.visits / max(visits.total, 1)),
        "marginals": undirected_marginals(space, instance, stop),
    }
