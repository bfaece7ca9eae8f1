"""What a recording shows of an instance, of flows on listed states, exactly, and of states that were visited.

Needs no torch.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gfx_core.arrays import Doubles, Ints
from gfx_core.datasets.instance import Instance
from gfx_core.exact.state_space import StateSpace, logsumexp_by
from gfx_core.layout.instances import sketch_layout
from gfx_core.training import codes

Bools = NDArray[np.bool_]
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


class ListedStates:
    """What is shown of states that are all listed: what flows do is known exactly, and trajectories are counted.

    Args:
        instance: The instance.
        space: All states with their rewards.
    """

    def __init__(self, instance: Instance, space: StateSpace) -> None:
        self.instance = instance
        self.set_reward(space)
        self.forget()

    def set_reward(self, space: StateSpace) -> None:
        """Go on under another reward of the same states."""
        self.space, self._modes = space, [mode.representative for mode in space.modes(self.instance)]

    def forget(self) -> None:
        """No trajectory has been seen."""
        self._passed, self._ended, self._latest = np.zeros((3, self.space.num_states), dtype=np.int64)
        self._terminal: Ints = np.zeros(0, dtype=np.int64)
        self._total = 0

    def see(self, states: Ints, terminal: Ints) -> None:
        """Count a batch of trajectories: their states, S where they have ended, and where each ended. [T, B], [B]"""
        count = self.space.num_states
        self._latest = np.bincount(states.ravel(), minlength=count + 1)[:count]
        self._passed = self._passed + self._latest
        self._ended = self._ended + np.bincount(terminal, minlength=count)
        self._terminal, self._total = terminal, self._total + len(terminal)

    def see_orders(self, order: Ints) -> None:
        """Count a batch by its nodes in order of addition, padded with -1. [B, K]"""
        members = (order[..., None] == np.arange(self.instance.num_nodes)).cumsum(1) > 0  # [B, K, m]
        states = self.space.dag.indices_of(members.reshape(-1, members.shape[2])).reshape(order.shape)
        terminal = states[np.arange(len(order)), (order >= 0).sum(1) - 1]
        self.see(np.where(order >= 0, states, self.space.num_states), terminal)

    def scene_part(self) -> dict[str, Any]:
        """What a scene holds of them."""
        space, dag, target = self.space, self.space.dag, np.exp(self.space.log_target)
        return {
            "listed": True,
            "states": [row[row >= 0].tolist() for row in dag.subsets],
            "log_reward": [round(value, 4) for value in space.log_reward.tolist()],
            "links": np.stack([dag.parent, dag.child, dag.node], 1).tolist(),
            "target": codes.encode_probabilities(target),
            "exact": codes.encode_probabilities(np.exp(space.log_edge - space.log_z[0])),
            "log_z": rounded(float(space.log_z[0])),
            "target_marginals": self._marginals(target),
            "modes": self._modes,
        }

    def _marginals(self, probability: Doubles) -> list[float]:
        """Chance that each undirected edge is in the subgraph. [S] → [e]"""
        return rounded_all(self.space.edge_marginals(self.instance, probability)[self.instance.undirected])

    def frame_part(self, log_edge: Doubles, log_stop: Doubles, sequence: bool) -> dict[str, Any]:
        """What a frame holds of flows, all of it exact but what was seen of trajectories.

        Args:
            log_edge: Log-flow of each edge. [E]
            log_stop: Log-flow of each state to STOP. [S]
            sequence: Whether only the last added node's parent counts. Then each order is a state of its own: the
                in-flow is the mean over the valid parents.
        """
        space, count = self.space, self.space.num_states
        walk = space.walk(log_edge, log_stop)
        log_out = np.logaddexp(logsumexp_by(log_edge, space.parent, count), log_stop)
        residual = logsumexp_by(log_edge, space.child, count) - log_out
        if sequence:
            residual -= np.log(np.maximum(space.num_parents, 1))
        residual[0] = 0.0
        weight = self._latest.astype(np.float64) if self._latest[1:].any() else np.ones(count)
        weight[0] = 0.0
        ends = self._terminal if len(self._terminal) else np.zeros(1, np.int64)
        stop = np.exp(walk.stop)
        return {
            "residual": rounded(float(np.abs(residual) @ weight / max(weight.sum(), 1.0))),
            "log_reward": rounded(float(space.log_reward[ends].mean())),
            "size": rounded(float(space.size[ends].mean())),
            "total_variation": rounded(space.total_variation(walk.stop)),
            "log_z": rounded(float(log_out[0])),
            "modes": rounded(float((self._ended[self._modes] > 0).mean())),
            "stop": codes.encode_probabilities(stop),
            "flow": codes.encode_probabilities(np.exp(walk.step)),
            "residuals": codes.encode_residuals(residual),
            "visits": codes.encode_probabilities(self._passed / max(self._total, 1)),
            "marginals": self._marginals(stop),
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
        removable: Nodes whose removal counts as a parent of each. [N]
        links: Parent, child and the node that was added.
    """

    def __init__(self, instance: Instance, start: int) -> None:
        self.instance = instance
        self.states, self.links = [[start]], list[list[int]]()
        self.log_reward, self.removable = list[float](), list[list[int]]()
        self._orders: Ints = np.full((0, 1), -1)  # the latest trajectories
        self._ends: Doubles = np.zeros(0)  # log R of where they ended
        self._total, self._visits = 0, np.zeros(MOST_VISITED, dtype=np.int64)
        self._number = {frozenset([start]): 0}
        self._linked: set[tuple[int, int]] = set()
        self._sent = [1, 0]  # states and links that a frame has brought

    def see(self, order: Ints, log_reward: Doubles, removable: Bools) -> None:
        """Take in a batch of trajectories.

        Args:
            order: Their nodes in order of addition, padded with -1. [B, K]
            log_reward: log R of each prefix. [B, K]
            removable: Which nodes' removal counts as a parent of each prefix, by their place in the order. [B, K, K]
        """
        self._orders, self._ends, self._total = order, log_reward[:, -1], self._total + len(order)
        for row, rewards, parents in zip(order.tolist(), log_reward.tolist(), removable, strict=True):
            before = None
            for k in range(len(row) - row.count(-1)):
                state = frozenset(row[: k + 1])
                number = self._number.get(state)
                if number is None and len(self._number) < MOST_VISITED:
                    number = self._number[state] = len(self.states)
                    self.states.append(row[: k + 1])
                if number is None:
                    before = None
                    continue
                if number == len(self.log_reward):
                    self.log_reward.append(rewards[k])
                    self.removable.append([row[place] for place in np.flatnonzero(parents[k])])
                self._visits[number] += 1
                if before is not None and (before, number) not in self._linked:
                    self._linked.add((before, number))
                    self.links.append([before, number, row[k]])
                before = number

    def scene_part(self) -> dict[str, Any]:
        """What a scene holds of them: all that were seen so far."""
        self._sent = [len(self.states), len(self.links)]
        nothing = dict.fromkeys(("target", "exact", "log_z", "target_marginals", "modes"))
        rewards = [round(value, 4) for value in self.log_reward]
        states, links = [list(nodes) for nodes in self.states], [list(link) for link in self.links]
        return {"listed": False, "states": states, "log_reward": rewards, "links": links, **nothing}

    def frame_part(self, chance: Doubles, residual: Doubles) -> dict[str, Any]:
        """What a frame holds of them.

        Args:
            chance: P_F of each link. [E]
            residual: log in-flow − log out-flow of each state. [N]
        """
        count, (states, links) = len(self.states), self._sent
        self._sent = [count, len(self.links)]
        residual[0] = 0.0
        length = (self._orders >= 0).sum(1)
        members = (self._orders[..., None] == np.arange(self.instance.num_nodes)).any(1)  # [B, m]
        source, target = self.instance.edge_index[:, self.instance.undirected]
        marginals = (members[:, source] & members[:, target]).sum(0) / max(1, len(members))
        part: dict[str, Any] = {
            "total_variation": None,
            "modes": None,
            "log_reward": rounded(float(self._ends.mean())) if len(length) else None,
            "size": rounded(float(length.mean())) if len(length) else None,
            "stop": None,
            "flow": codes.encode_probabilities(chance),
            "residuals": codes.encode_residuals(residual),
            "visits": codes.encode_probabilities(self._visits[:count] / max(1, self._total)),
            "marginals": rounded_all(marginals),
        }
        if states < count:
            part["states"] = [list(nodes) for nodes in self.states[states:]]
            part["log_rewards"] = [round(value, 4) for value in self.log_reward[states:]]
        if links < len(self.links):
            part["links"] = [list(link) for link in self.links[links:]]
        return part
