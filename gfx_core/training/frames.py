"""What a recording shows of an instance, of flows on a listed DAG, exactly, and of states that were visited.

Needs no torch.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from gfx_core.arrays import Doubles, Ints
from gfx_core.baselines.edge_scores import edge_marginals
from gfx_core.datasets.instance import Instance
from gfx_core.exact.state_space import StateSpace, Walk
from gfx_core.layout.instances import sketch_layout
from gfx_core.training import codes

DIGITS = 6
"""Significant digits of a number in a recording."""


def rounded(value: float | None) -> float | None:
    """A number as it is written: with few digits, nothing where it is none."""
    if value is None or not math.isfinite(value):
        return None
    return float(f"{value:.{DIGITS}g}")


def rounded_all(values: Any) -> list[float]:
    """Probabilities or positions as they are written."""
    return np.round(np.asarray(values, dtype=np.float64), 4).tolist()


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
        "target": codes.encode_probabilities(target),
        "exact": codes.encode_probabilities(np.exp(space.log_edge - space.log_z[0])),
        "log_z": rounded(float(space.log_z[0])),
        "target_marginals": undirected_marginals(space, instance, target),
        "modes": [mode.representative for mode in space.modes(instance)],
    }


def undirected_marginals(space: StateSpace, instance: Instance, chances: Doubles) -> list[float]:
    """Chance that each undirected edge is in the subgraph. [S] → [e]"""
    return rounded_all(space.edge_marginals(instance, chances)[instance.undirected])


@dataclass(frozen=True, eq=False)
class Visits:
    """What was seen of trajectories on a listed DAG.

    Attributes:
        passed: How many so far passed each state. [S]
        ended: How many so far ended there. [S]
        total: How many there were so far.
        latest: How many of the latest ones passed each state. [S]
        terminal: Where the latest ones ended. [B]
    """

    passed: Ints
    ended: Ints
    total: int
    latest: Ints
    terminal: Ints

    @classmethod
    def none(cls, num_states: int) -> "Visits":
        """Before the first trajectory."""
        nothing = np.zeros(num_states, dtype=np.int64)
        return cls(nothing, nothing, 0, nothing, nothing[:0])

    def after(self, states: Ints, terminal: Ints) -> "Visits":
        """With some more trajectories: their states, S where they have ended, and where each ended. [T, B], [B]"""
        count = len(self.passed)
        latest = np.bincount(states.ravel(), minlength=count + 1)[:count]
        ended = self.ended + np.bincount(terminal, minlength=count)
        return Visits(self.passed + latest, ended, self.total + len(terminal), latest, terminal)


def listed_frame(
    space: StateSpace, instance: Instance, walk: Walk, residual: Doubles, visits: Visits
) -> dict[str, Any]:
    """What a frame tells of flows on a listed DAG, all of it exact but what was seen of trajectories.

    Args:
        space: All states and their rewards.
        instance: Where.
        walk: Where trajectories go that follow the flows.
        residual: log in-flow − log out-flow of each state. [S]
        visits: What was seen of trajectories.
    """
    stop = np.exp(walk.stop)
    residual[0] = 0.0
    weight = visits.latest.astype(np.float64) if visits.latest[1:].any() else np.ones(space.num_states)
    weight[0] = 0.0
    ends = visits.terminal if len(visits.terminal) else np.zeros(1, np.int64)
    return {
        "residual": rounded(float(np.abs(residual) @ weight / max(weight.sum(), 1.0))),
        "log_reward": rounded(float(space.log_reward[ends].mean())),
        "size": rounded(float(space.size[ends].mean())),
        "total_variation": rounded(space.total_variation(walk.stop)),
        "stop": codes.encode_probabilities(stop),
        "flow": codes.encode_probabilities(np.exp(walk.step)),
        "residuals": codes.encode_residuals(residual),
        "visits": codes.encode_probabilities(visits.passed / max(visits.total, 1)),
        "marginals": undirected_marginals(space, instance, stop),
    }


MOST_VISITED = 400
"""States that are kept where not all are listed: the first ones, in the order in which they were visited."""


class VisitedStates:
    """States that were visited so far, and the links along which they were reached.

    Args:
        instance: Where.
        start: v₀, the first state.

    Attributes:
        states: Nodes of each, in the order in which they were added. [N]
        log_reward: log R of each. [N]
        links: Parent, child and the node that was added.
    """

    def __init__(self, instance: Instance, start: int) -> None:
        self.instance = instance
        self.states: list[list[int]] = [[start]]
        self.log_reward: list[float] = []
        self.links: list[list[int]] = []
        self._orders: Ints = np.full((0, 1), -1)  # the latest trajectories
        self._total = 0
        self._visits = np.zeros(MOST_VISITED, dtype=np.int64)
        self._parents, self._members = (np.zeros((MOST_VISITED, instance.num_nodes), dtype=bool) for _ in range(2))
        self._members[0, start] = True
        self._number = {np.packbits(self._members[0]).tobytes(): 0}
        self._linked: set[tuple[int, int]] = set()
        self._sent = [1, 0]  # states and links that a frame has brought

    def see(self, order: Ints, log_reward: Doubles | None, parents: Ints) -> None:
        """Take in a batch of trajectories.

        Args:
            order: Their nodes in order of addition, padded with -1. [B, K]
            log_reward: log R of each prefix, where it was computed on the way. [B, K]
            parents: Which nodes' removal counts as a parent of each prefix; empty where parents play no part. [B, K, m]
        """
        self._orders, self._total = order, self._total + len(order)
        within = (order[..., None] == np.arange(self.instance.num_nodes)).cumsum(1) > 0  # [B, K, m]
        keys, before = np.packbits(within, axis=-1), None
        for b, k in zip(*np.nonzero(order >= 0), strict=True):
            key = keys[b, k].tobytes()
            number = self._number.get(key)
            if number is None:
                if len(self.states) >= MOST_VISITED:
                    before = None
                    continue
                number = self._number[key] = len(self.states)
                self.states.append(order[b, : k + 1].tolist())
                self._members[number] = within[b, k]
            if number == len(self.log_reward):
                self.log_reward.append(0.0 if log_reward is None else float(log_reward[b, k]))
                self._parents[number] = parents[b, k] if parents.size else False
            self._visits[number] += 1
            if k and before is not None and (before, number) not in self._linked:
                self._linked.add((before, number))
                self.links.append([before, number, int(order[b, k])])
            before = number

    @property
    def members(self) -> Ints:
        """Which nodes each state contains. bool [N, m]"""
        return self._members[: len(self.states)]

    @property
    def parents(self) -> Ints:
        """Which nodes' removal counts as a parent of each state. bool [N, m]"""
        return self._parents[: len(self.states)]

    @property
    def subsets(self) -> Ints:
        """The states as rows, padded with -1. [N, K]"""
        width = max(map(len, self.states))
        return np.array([[*nodes, *[-1] * (width - len(nodes))] for nodes in self.states])

    def scene_part(self) -> dict[str, Any]:
        """What a scene knows of them: all that were seen so far."""
        self._sent = [len(self.states), len(self.links)]
        nothing = dict.fromkeys(("target", "exact", "log_z", "target_marginals", "modes"))
        rewards = [round(value, 4) for value in self.log_reward]
        states, links = [list(nodes) for nodes in self.states], [list(link) for link in self.links]
        return {"listed": False, "states": states, "log_reward": rewards, "links": links, **nothing}

    def frame_part(self, chance: Doubles, residual: Doubles) -> dict[str, Any]:
        """What a frame tells of them.

        Args:
            chance: P_F of each link. [E]
            residual: log in-flow − log out-flow of each state. [N]
        """
        count, (states, links) = len(self.states), self._sent
        self._sent = [count, len(self.links)]
        residual[0] = 0.0
        length = (self._orders >= 0).sum(1)
        chosen = self.instance.undirected
        marginals = edge_marginals(self.instance, self._orders)[chosen] if len(length) else np.zeros(len(chosen))
        found: dict[str, Any] = {
            "total_variation": None,
            "modes": None,
            "size": rounded(float(length.mean())) if len(length) else None,
            "stop": None,
            "flow": codes.encode_probabilities(chance),
            "residuals": codes.encode_residuals(residual),
            "visits": codes.encode_probabilities(self._visits[:count] / max(1, self._total)),
            "marginals": rounded_all(marginals),
        }
        if states < count:
            found["states"] = [list(nodes) for nodes in self.states[states:]]
            found["log_rewards"] = [round(value, 4) for value in self.log_reward[states:]]
        if links < len(self.links):
            found["links"] = [list(link) for link in self.links[links:]]
        return found
