"""What a recording shows of an instance, of its states and of what a policy does in them. Needs no torch."""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gfx_core.arrays import Doubles, Ints
from gfx_core.datasets.instance import Instance
from gfx_core.exact.state_space import StateSpace, Walk, logsumexp_by
from gfx_core.json_files import Json
from gfx_core.layout.instances import sketch_layout
from gfx_core.training.codes import encode_probabilities, encode_residuals

Bools = NDArray[np.bool_]
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
    order = np.ones(len(chosen), np.int64) if instance.edge_order is None else instance.edge_order[chosen]
    in_motif = (instance.own_edges[chosen] & reasons).tolist()
    ends = np.stack([*instance.edge_index[:, chosen], order], 1).tolist()
    return {"nodes": nodes, "edges": [[*edge, held] for edge, held in zip(ends, in_motif, strict=True)]}


def _residuals(log_in: Doubles, log_out: Doubles) -> Doubles:
    """log in − log out of each state, 0 where nothing comes in, as at the start. [N]"""
    residuals = np.zeros_like(log_in)
    return np.subtract(log_in, log_out, out=residuals, where=np.isfinite(log_in) & np.isfinite(log_out))


class ListedFrames:
    """Scene and frames of states that are all listed: what flows do is known exactly, and visits are counted.

    Args:
        space: All states with their rewards.
        instance: Whose subgraphs they are, if they are subgraphs.
        modes: The most probable state of each mode; by default those of the instance's R/Z.

    Attributes:
        ended: Where trajectories have ended. bool [S]
    """

    def __init__(self, space: StateSpace, instance: Instance | None = None, modes: Iterable[int] = ()) -> None:
        self.instance, self.modes = instance, list(modes)
        self.set_reward(space)
        self._visits, self.ended = np.zeros(space.num_states), np.zeros(space.num_states, dtype=bool)

    def set_reward(self, space: StateSpace) -> None:
        """Go on under another reward of the same states."""
        self.space = space
        if self.instance is not None:
            self.modes = [mode.representative for mode in space.modes(self.instance)]

    def see(self, order: Ints, *_known: Any) -> None:
        """Count a batch of trajectories; see `VisitedFrames.see`, whose other arguments are known of all states."""
        dag = self.space.dag
        members = (order[..., None] == np.arange(dag.num_nodes)).cumsum(1) > 0  # [B, K, m]
        states = dag.indices_of(members.reshape(-1, dag.num_nodes)).reshape(order.shape)
        self._visits += np.bincount(states[order >= 0], minlength=dag.num_states)
        self.ended[states[:, -1]] = True  # beyond its end a trajectory stays where it is

    def scene_part(self) -> Json:
        """The states and what is exactly true of them."""
        space, target = self.space, np.exp(self.space.log_target)
        subgraphs = self.instance is not None
        return {
            "listed": True,
            "states": [row[row >= 0].tolist() if subgraphs else [] for row in space.subsets],
            "log_reward": space.log_reward,
            "links": np.stack([space.parent, space.child, space.node], 1).tolist(),
            "target": target,
            "exact": np.exp(space.log_edge - space.log_z[0]),
            "log_z": space.log_z[0],
            "target_marginals": self._marginals(target),
            "modes": self.modes,
        }

    def _marginals(self, probability: Doubles) -> Doubles:
        """Chance that each undirected edge is in the subgraph. [S] → [e]"""
        if self.instance is None:
            return np.zeros(0)
        return self.space.edge_marginals(self.instance, probability)[self.instance.undirected]

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
        residuals = _residuals(log_in, log_out)
        return {
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


MOST_VISITED = 400
"""States that are kept where not all are listed: the first ones, in the order in which they were visited."""


class VisitedFrames:
    """Scene and frames of the states that were visited so far, and of the links along which they were reached.

    Args:
        instance: Whose subgraphs they are.
        max_nodes: K, the most nodes of a state.

    Attributes:
        nodes: Nodes of each, in the order in which they were added, padded with -1. [N, K]
        parents: Nodes whose removal counts as a parent of each, among -1. [N, K]
        log_reward: log R of each. [N]
        links: Parent, child and the node that was added, as a dictionary's keys.
    """

    def __init__(self, instance: Instance, max_nodes: int) -> None:
        self.instance = instance
        self.nodes, self.parents = np.full((2, MOST_VISITED, max_nodes), -1)
        self.log_reward, self._visits = np.zeros((2, MOST_VISITED))
        self.links: dict[tuple[int, int, int], None] = {}
        self._number: dict[frozenset[int], int] = {}

    def __len__(self) -> int:
        return len(self._number)

    def see(self, order: Ints, log_reward: Doubles, removable: Bools) -> None:
        """Take in a batch of trajectories.

        Args:
            order: Their nodes in order of addition, padded with -1. [B, K]
            log_reward: log R of each prefix. [B, K]
            removable: Which nodes' removal counts as a parent of each prefix, by position in the order. [B, K, K]
        """
        self._order = order
        for row, rewards, parents in zip(order, log_reward, removable, strict=True):
            parent = -1
            for last, node in enumerate(row[row >= 0].tolist()):
                state = frozenset(row[: last + 1].tolist())
                if len(self) < MOST_VISITED and state not in self._number:
                    number = self._number[state] = len(self)
                    self.nodes[number, : last + 1] = row[: last + 1]
                    self.parents[number] = np.where(parents[last], row, -1)
                    self.log_reward[number] = rewards[last]
                child = self._number.get(state, -1)
                if child >= 0:
                    self._visits[child] += 1
                if min(parent, child) >= 0:
                    self.links[parent, child, node] = None
                parent = child

    def scene_part(self) -> Json:
        """All that were visited so far."""
        self._sent = 0, 0
        part = self._new()
        part["log_reward"] = part.pop("log_rewards")
        return part | dict.fromkeys(("target", "exact", "log_z", "target_marginals", "modes")) | {"listed": False}

    def _new(self) -> Json:
        """States, their log-rewards, and links since the scene or the frame before."""
        (states, links), self._sent = self._sent, (len(self), len(self.links))
        new = slice(states, len(self))
        rows = [row[row >= 0].tolist() for row in self.nodes[new]]
        return {"states": rows, "log_rewards": self.log_reward[new], "links": list(self.links)[links:]}

    def frame_part(self, chance: Doubles, log_in: Doubles, log_out: Doubles) -> Json:
        """What a policy does in them, and which are new.

        Args:
            chance: P_F of each link. [E]
            log_in: Log of what comes to each state. [N]
            log_out: Log of what leaves it. [N]
        """
        members = (self._order[..., None] == np.arange(self.instance.num_nodes)).any(1)  # [B, m]
        source, target = self.instance.edge_index[:, self.instance.undirected]
        part = dict.fromkeys(("residual", "log_reward", "size", "total_variation", "modes", "stop"))
        return {
            **part,
            "log_z": log_out[0],
            "flow": chance,
            "residuals": _residuals(log_in, log_out),
            "visits": self._visits[: len(self)] / self._visits[0],
            "marginals": (members[:, source] & members[:, target]).mean(0),
            **{name: values for name, values in self._new().items() if len(values)},
        }
