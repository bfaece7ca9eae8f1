"""What a recording shows of an instance, of its states and of what a policy does in them. Needs no torch."""

import math
from collections.abc import Iterable

import numpy as np

from gfx_core.arrays import Doubles, Ints
from gfx_core.datasets.instance import Instance
from gfx_core.exact.state_space import StateSpace, Walk, logsumexp_by
from gfx_core.json_files import Json
from gfx_core.layout.instances import sketch_layout
from gfx_core.training.codes import encode_probabilities, encode_residuals

DIGITS = 6
"""Significant digits of a number in a recording."""


def rounded(value: float | None) -> float | None:
    """A number as it is written: with few digits, nothing where it is none."""
    if value is None or not math.isfinite(value):
        return None
    return float(f"{value:.{DIGITS}g}")


CODES = {"target", "exact", "stop", "flow", "visits"}
"""Probabilities that are written as codes."""


def as_json(part: Json) -> Json:
    """A part of a scene or a frame as it is written: numbers with few digits, long lists as codes."""
    values = dict(part)
    for name, value in part.items():
        if name == "residuals":
            values[name] = encode_residuals(value)
        elif name in CODES and value is not None:
            values[name] = encode_probabilities(value)
        elif isinstance(value, np.ndarray):
            values[name] = [round(number, 4) if math.isfinite(number) else None for number in value.tolist()]
        elif isinstance(value, float):
            values[name] = rounded(value)
    return values


def instance_part(instance: Instance, reasons: bool, atoms: bool) -> Json:
    """Nodes and edges of a scene; the motif is marked where it is the reason, elements where nodes are atoms."""
    labels = [instance.node_label(node) for node in range(instance.num_nodes)]
    motif, rows = (instance.own_nodes & reasons).tolist(), np.round(sketch_layout(instance), 4).tolist()
    nodes = [
        {"x": x, "y": y, "label": label, "element": label if atoms else None, "motif": held}
        for (x, y), label, held in zip(rows, labels, motif, strict=True)
    ]
    chosen = instance.undirected
    order = instance.edge_order[chosen]
    in_motif = (instance.own_edges[chosen] & reasons).tolist()
    ends = np.stack([*instance.edge_index[:, chosen], order], 1).tolist()
    return {"nodes": nodes, "edges": [[*edge, held] for edge, held in zip(ends, in_motif, strict=True)]}


UNKNOWN = ("log_reward", "size", "total_variation", "modes", "stop")
"""What is not known of a policy where larger states are not listed."""


class StateFrames:
    """Scene and frames of listed states: what flows do in them is known exactly, and visits are counted.

    Args:
        space: The states with their rewards.
        instance: Whose subgraphs they are, if they are subgraphs.
        modes: The most probable state of each mode; by default those of the instance's R/Z.
        whole: Whether these are all states. Else they are the small ones, and larger ones grow from the last column.

    Attributes:
        ended: Where trajectories have ended. bool [S]
    """

    def __init__(
        self, space: StateSpace, instance: Instance | None = None, modes: Iterable[int] = (), whole: bool = True
    ) -> None:
        self.instance, self.modes, self.whole = instance, list(modes), whole
        self.set_reward(space)
        self._visits, self.ended = np.zeros(space.num_states), np.zeros(space.num_states, dtype=bool)
        self._latest = np.zeros((1, space.dag.num_nodes), dtype=bool)  # nodes of the latest final subgraphs. [B, m]

    def set_reward(self, space: StateSpace) -> None:
        """Go on under another reward of the same states."""
        self.space = space
        if self.instance is not None:
            self.modes = [mode.representative for mode in space.modes(self.instance)]

    def see(self, order: Ints) -> None:
        """Count a batch of trajectories: nodes in order of addition, padded with -1. [B, K]"""
        dag = self.space.dag
        members = np.logical_or.accumulate(order[..., None] == np.arange(dag.num_nodes), axis=1)  # [B, K, m]
        self._latest = members[:, -1]
        inside = order[:, : dag.num_levels] >= 0
        states = dag.indices_of(members[:, : dag.num_levels].reshape(-1, dag.num_nodes)).reshape(inside.shape)
        self._visits += np.bincount(states[inside], minlength=dag.num_states)
        self.ended[states[:, -1]] = True  # beyond its end a trajectory stays where it is

    def scene_part(self) -> Json:
        """The states and what is exactly true of them."""
        space, target = self.space, np.exp(self.space.log_target)
        subgraphs = self.instance is not None
        part = {
            "listed": self.whole,
            "states": [row[row >= 0].tolist() if subgraphs else [] for row in space.subsets],
            "log_reward": space.log_reward,
            "links": np.stack([space.parent, space.child, space.node], 1).tolist(),
        }
        truth = {
            "target": target,
            "exact": np.exp(space.log_edge - space.log_z[0]),
            "log_z": space.log_z[0],
            "target_marginals": self._marginals(target),
            "modes": self.modes,
        }
        return part | (truth if self.whole else dict.fromkeys(truth))

    def _marginals(self, probability: Doubles) -> Doubles:
        """Chance that each undirected edge is in the subgraph. [S] → [e]"""
        if self.instance is None:
            return np.zeros(0)
        if self.whole:
            return self.space.edge_marginals(self.instance, probability)[self.instance.undirected]
        source, target = self.instance.edge_index[:, self.instance.undirected]
        return (self._latest[:, source] & self._latest[:, target]).mean(0)

    def frame_part(self, walk: Walk, log_edge: Doubles, log_stop: Doubles, sequence: bool = False) -> Json:
        """What a policy does, exactly; only visits are counted, where there were trajectories.

        Args:
            walk: Of the policy.
            log_edge: Its log-flow along each edge. [E]
            log_stop: Its log-flow from each state to STOP. [S]
            sequence: Whether only the last added node's parent counts. Then each order is a state of its own: the
                in-flow is the mean over the valid parents.
        """
        space, stop, visits = self.space, np.exp(walk.stop), np.exp(walk.visit)
        log_in = logsumexp_by(log_edge, space.child, space.num_states)
        if sequence:
            log_in -= np.log(np.maximum(space.num_parents, 1))
        log_out = np.logaddexp(logsumexp_by(log_edge, space.parent, space.num_states), log_stop)
        compared = np.isfinite(log_in) & np.isfinite(log_out)  # nothing comes in at the start
        if not self.whole:
            compared &= space.size < space.dag.num_levels
        residuals = np.subtract(log_in, log_out, out=np.zeros_like(log_in), where=compared)
        part = {
            "residual": np.average(np.abs(residuals), weights=visits * (space.size > 1) + 1e-300),
            "log_reward": stop @ np.where(stop > 0, space.log_reward, 0.0),
            "size": stop @ space.size,
            "total_variation": space.total_variation(walk.stop),
            "log_z": log_out[0],
            "modes": self.ended[self.modes].mean() if self.ended.any() else None,
            "stop": stop,
            "flow": np.exp(walk.step),
            "residuals": residuals,
            "visits": self._visits / self._visits[0] if self._visits[0] else visits,
            "marginals": self._marginals(stop),
        }
        return part if self.whole else part | dict.fromkeys(UNKNOWN)
