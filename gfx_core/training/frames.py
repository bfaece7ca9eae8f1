"""What a recording shows of an instance, of flows on listed states, exactly, and of states that were visited.

Needs no torch.
"""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

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


def as_json(part: Json) -> Json:
    """A part of a scene or a frame as it is written: numbers with few digits, arrays as codes."""
    values = dict(part)
    for name, value in part.items():
        if isinstance(value, np.ndarray):
            values[name] = encode_residuals(value) if name == "residuals" else encode_probabilities(value)
        elif isinstance(value, float):
            values[name] = rounded(value)
    return values


def rounded_all(values: ArrayLike) -> Any:
    """Probabilities or positions as they are written."""
    return np.round(np.asarray(values, dtype=np.float64), 4).tolist()


def instance_part(instance: Instance, reasons: bool, atoms: bool) -> Json:
    """Nodes and edges of a scene; the motif is marked where it is the reason, elements where nodes are atoms."""
    labels = [instance.node_label(node) for node in range(instance.num_nodes)]
    motif, rows = (instance.own_nodes & reasons).tolist(), rounded_all(sketch_layout(instance))
    nodes = [
        {"x": x, "y": y, "label": label, "element": label if atoms else None, "motif": held}
        for (x, y), label, held in zip(rows, labels, motif, strict=True)
    ]
    chosen = instance.undirected
    order = np.ones(len(chosen), np.int64) if instance.edge_order is None else instance.edge_order[chosen]
    own = (instance.own_edges[chosen] & reasons).tolist()
    ends = np.stack([*instance.edge_index[:, chosen], order], 1).tolist()
    return {"nodes": nodes, "edges": [[*edge, held] for edge, held in zip(ends, own, strict=True)]}


def balance(space: StateSpace, log_edge: Doubles, log_stop: Doubles, sequence: bool = False) -> tuple[Doubles, Doubles]:
    """Log of the in-flow and of the out-flow of each state. [S], [S]

    Args:
        space: All states.
        log_edge: Log-flow of each edge. [E]
        log_stop: Log-flow of each state to STOP. [S]
        sequence: Whether only the last added node's parent counts. Then each order is a state of its own: the in-flow
            is the mean over the valid parents.
    """
    log_in = logsumexp_by(log_edge, space.child, space.num_states)
    if sequence:
        log_in = log_in - np.log(np.maximum(space.num_parents, 1))
    log_on = logsumexp_by(log_edge, space.parent, space.num_states)
    return log_in, np.logaddexp(log_on, log_stop)


def _log_rewards(values: Iterable[float]) -> list[float | None]:
    return [round(value, 4) if math.isfinite(value) else None for value in values]


class ListedFrames:
    """Scene and frames of states that are all listed: what flows do is known exactly, and trajectories are counted.

    Args:
        space: All states with their rewards.
        instance: Whose subgraphs they are, if they are subgraphs.
        modes: The most probable state of each mode; by default those of the instance's R/Z.
    """

    def __init__(self, space: StateSpace, instance: Instance | None = None, modes: Iterable[int] = ()) -> None:
        self.instance, self.modes = instance, list(modes)
        self.set_reward(space)
        self._visits, self._latest, self._ends = np.zeros((3, space.num_states))
        self.ended = np.zeros(space.num_states, dtype=bool)

    def set_reward(self, space: StateSpace) -> None:
        """Go on under another reward of the same states."""
        self.space = space
        if self.instance is not None:
            self.modes = [mode.representative for mode in space.modes(self.instance)]

    def see(self, order: Ints) -> None:
        """Count a batch of trajectories, by their nodes in order of addition, padded with -1. [B, K]"""
        dag, visited = self.space.dag, order >= 0
        members = (order[..., None] == np.arange(dag.num_nodes)).cumsum(1) > 0  # [B, K, m]
        states = dag.indices_of(members.reshape(-1, dag.num_nodes)).reshape(order.shape)
        ends = states[np.arange(len(order)), visited.sum(1) - 1]
        self._latest = np.bincount(states[visited], minlength=dag.num_states).astype(np.float64)
        self._ends = np.bincount(ends, minlength=dag.num_states) / len(order)
        self._visits += self._latest
        self.ended[ends] = True

    def scene_part(self) -> Json:
        """The states and what is exactly true of them."""
        space, target = self.space, np.exp(self.space.log_target)
        return {
            "listed": True,
            "states": [[]] * space.num_states
            if self.instance is None
            else [row[row >= 0].tolist() for row in space.subsets],
            "log_reward": _log_rewards(space.log_reward.tolist()),
            "links": np.stack([space.parent, space.child, space.node], 1).tolist(),
            "target": target,
            "exact": np.exp(space.log_edge - space.log_z[0]),
            "log_z": space.log_z[0],
            "target_marginals": self._marginals(target),
            "modes": self.modes,
        }

    def _marginals(self, probability: Doubles) -> list[float]:
        """Chance that each undirected edge is in the subgraph. [S] → [e]"""
        if self.instance is None:
            return []
        return rounded_all(self.space.edge_marginals(self.instance, probability)[self.instance.undirected])

    def frame_part(self, walk: Walk, log_in: Doubles, log_out: Doubles) -> Json:
        """What a policy does: exact, but for visits; where no trajectory was counted, these are exact too.

        Args:
            walk: Of the policy.
            log_in: Log of what comes to each state. [S]
            log_out: Log of what leaves it. [S]
        """
        space, stop = self.space, np.exp(walk.stop)
        residual = np.zeros(space.num_states)
        np.subtract(log_in, log_out, out=residual, where=np.isfinite(log_in) & np.isfinite(log_out))
        visits, weight, ends = np.exp(walk.visit), np.exp(walk.visit), stop
        if self._visits[0]:
            visits, weight, ends = self._visits / self._visits[0], self._latest.copy(), self._ends
        weight[0] = 0.0
        if not weight.any():
            weight[1:] = 1.0
        reached = ends > 0
        return {
            "residual": np.average(np.abs(residual), weights=weight) if weight.any() else 0.0,
            "log_reward": ends[reached] @ space.log_reward[reached],
            "size": ends @ space.size,
            "total_variation": space.total_variation(walk.stop),
            "log_z": log_out[0],
            "modes": self.ended[self.modes].mean() if self.ended.any() else None,
            "stop": stop,
            "flow": np.exp(walk.step),
            "residuals": residual,
            "visits": visits,
            "marginals": self._marginals(stop),
        }


MOST_VISITED = 400
"""States that are kept where not all are listed: the first ones, in the order in which they were visited."""


class VisitedFrames:
    """Scene and frames of the states that were visited so far, and of the links along which they were reached.

    Args:
        instance: Whose subgraphs they are.
        start: v₀, the first state.
        max_nodes: K, the most nodes of a state.

    Attributes:
        nodes: Nodes of each, in the order in which they were added, padded with -1. [N, K]
        parents: Nodes whose removal counts as a parent of each, among -1. [N, K]
        log_reward: log R of each. [N]
        links: Parent, child and the node that was added.
    """

    def __init__(self, instance: Instance, start: int, max_nodes: int) -> None:
        self.instance = instance
        self.nodes, self.parents = np.full((2, MOST_VISITED, max_nodes), -1)
        self.log_reward, self._visits = np.zeros((2, MOST_VISITED))
        self.nodes[0, 0] = start
        self._number = {frozenset([start]): 0}
        self._links: dict[tuple[int, int], int] = {}
        self._sent = 1, 0  # states and links of the scene and the frames so far

    def __len__(self) -> int:
        return len(self._number)

    @property
    def links(self) -> list[tuple[int, int, int]]:
        return [(*states, node) for states, node in self._links.items()]

    def see(self, order: Ints, log_reward: Doubles, removable: Bools) -> None:
        """Take in a batch of trajectories.

        Args:
            order: Their nodes in order of addition, padded with -1. [B, K]
            log_reward: log R of each prefix. [B, K]
            removable: Which nodes' removal counts as a parent of each prefix, by their place in the order. [B, K, K]
        """
        self._order, self._ends = order, log_reward[:, -1]
        for row, rewards, parents in zip(order, log_reward, removable, strict=True):
            before = -1
            for k in range((row >= 0).sum()):
                state = frozenset(row[: k + 1].tolist())
                if len(self) < MOST_VISITED:
                    self._number.setdefault(state, len(self))
                number = self._number.get(state, -1)
                if number >= 0:
                    if not self._visits[number]:
                        self.nodes[number, : k + 1] = row[: k + 1]
                        self.parents[number] = np.where(parents[k], row, -1)
                        self.log_reward[number] = rewards[k]
                    self._visits[number] += 1
                    if before >= 0:
                        self._links.setdefault((before, number), int(row[k]))
                before = number

    def scene_part(self) -> Json:
        """All that were visited so far."""
        part = dict.fromkeys(("target", "exact", "log_z", "target_marginals", "modes"))
        self._sent = 0, 0
        states, log_reward, links = self._new()
        return part | {"listed": False, "states": states, "log_reward": log_reward, "links": links}

    def _new(self) -> tuple[list[list[int]], list[float | None], list[tuple[int, int, int]]]:
        """States, their log-rewards, and links since the scene or the frame before."""
        (states, links), self._sent = self._sent, (len(self), len(self._links))
        new = slice(states, len(self))
        nodes = [row[row >= 0].tolist() for row in self.nodes[new]]
        return nodes, _log_rewards(self.log_reward[new].tolist()), self.links[links:]

    def frame_part(self, chance: Doubles, log_in: Doubles, log_out: Doubles) -> Json:
        """What a policy does in them, and which are new.

        Args:
            chance: P_F of each link. [E]
            log_in: Log of what comes to each state. [N]
            log_out: Log of what leaves it. [N]
        """
        residual = log_in - log_out
        residual[0] = 0.0
        members = (self._order[..., None] == np.arange(self.instance.num_nodes)).any(1)  # [B, m]
        source, target = self.instance.edge_index[:, self.instance.undirected]
        part: Json = {
            "log_reward": self._ends.mean(),
            "size": members.sum(1).mean(),
            "total_variation": None,
            "log_z": log_out[0],
            "modes": None,
            "stop": None,
            "flow": chance,
            "residuals": residual,
            "visits": self._visits[: len(self)] / self._visits[0],
            "marginals": rounded_all((members[:, source] & members[:, target]).mean(0)),
        }
        news = zip(("states", "log_rewards", "links"), self._new(), strict=True)
        return part | {name: values for name, values in news if values}
