"""VisitedStates: what trajectories have shown of a state space that is too large to be listed.

The first few hundred states that were visited are kept, in order, with the links along which they were reached. This
module is imported in workers: it needs torch.
"""

from typing import Any

import numpy as np
import torch

from gfx_core.arrays import Doubles, Ints
from gfx_core.datasets.instance import Instance
from gfx_core.explainers.edge_scores import edge_marginals
from gfx_core.gfn.events import BatchLearned
from gfx_core.gfn.instances import Episodes, FlowGraphs
from gfx_core.gfn.losses import log_out_flow, masked_logsumexp
from gfx_core.gfn.policy import FlowPolicy
from gfx_core.gfn.states import States
from gfx_core.training import codes
from gfx_core.training.watch import rounded, rounded_all

MOST = 400
"""States that are kept."""


class VisitedStates:
    """States that were visited so far.

    Args:
        instance: Where.
        start: v₀, the first state.
    """

    def __init__(self, instance: Instance, start: int) -> None:
        self.instance, self.start = instance, start
        self.states: list[list[int]] = [[start]]
        self.log_reward: list[float] = []
        self.links: list[list[int]] = []
        self.orders: Ints = np.full((0, 1), -1)  # the latest trajectories
        self.total = 0
        self._visits = np.zeros(MOST, dtype=np.int64)
        self._parents = np.zeros((MOST, instance.num_nodes), dtype=bool)
        self._members = np.zeros((MOST, instance.num_nodes), dtype=bool)
        self._members[0, start] = True
        self._number = {np.packbits(self._members[0]).tobytes(): 0}
        self._linked: set[tuple[int, int]] = set()
        self._told = [1, 0]  # states and links that a frame has brought

    def see(self, event: BatchLearned) -> None:
        """Take in a batch of trajectories whose rewards were computed on the way."""
        order = event.trajectories.order.cpu().numpy()  # [B, K]
        log_reward = event.trajectories.log_reward
        rewards = None if log_reward is None else log_reward.double().cpu().numpy()
        parents = event.parents.cpu().numpy()  # [B, K, m]
        self.orders, self.total = order, self.total + len(order)
        visited = order >= 0
        within = (order[..., None] == np.arange(self.instance.num_nodes)).cumsum(1) > 0  # [B, K, m]
        keys, before = np.packbits(within, axis=-1), None
        for b, k in zip(*np.nonzero(visited), strict=True):
            key = keys[b, k].tobytes()
            number = self._number.get(key)
            if number is None:
                if len(self.states) >= MOST:
                    before = None
                    continue
                number = self._number[key] = len(self.states)
                self.states.append(order[b, : k + 1].tolist())
                self._members[number] = within[b, k]
            if number == len(self.log_reward):
                self.log_reward.append(0.0 if rewards is None else float(rewards[b, k]))
                self._parents[number] = parents[b, k] if parents.size else False
            self._visits[number] += 1
            if k and before is not None and (before, number) not in self._linked:
                self._linked.add((before, number))
                self.links.append([before, number, int(order[b, k])])
            before = number

    def reward_again(self, log_reward: Doubles) -> None:
        """Other rewards of the same states."""
        self.log_reward = log_reward.tolist()

    @property
    def subsets(self) -> Ints:
        """The states as rows, padded with -1. [N, K]"""
        width = max(map(len, self.states))
        return np.array([[*nodes, *[-1] * (width - len(nodes))] for nodes in self.states])

    def scene_part(self) -> dict[str, Any]:
        """What a scene knows of them: all that were seen so far."""
        self._told = [len(self.states), len(self.links)]
        nothing = dict.fromkeys(("target", "exact", "log_z", "target_marginals"))
        rewards = [round(value, 4) for value in self.log_reward]
        states, links = [list(nodes) for nodes in self.states], [list(link) for link in self.links]
        return {"listed": False, "states": states, "log_reward": rewards, "links": links, **nothing}

    @torch.no_grad()
    def frame_part(self, policy: FlowPolicy, graphs: FlowGraphs, log_z: float | None) -> dict[str, Any]:
        """What a frame tells of them."""
        count, (states, links) = len(self.states), self._told
        self._told = [count, len(self.links)]
        flows = self._flows(policy, graphs)
        chance, residual, log_out = flows
        length = (self.orders >= 0).sum(1)
        found: dict[str, Any] = {
            "total_variation": None,
            "log_z": rounded(float(log_out[0]) if log_z is None else log_z),
            "size": rounded(float(length.mean())) if len(length) else None,
            "stop": None,
            "flow": codes.encode(chance),
            "residuals": codes.encode_residuals(residual),
            "visits": codes.encode(self._visits[:count] / max(1, self.total)),
            "marginals": rounded_all(self.marginals),
        }
        if states < count:
            found["states"] = [list(nodes) for nodes in self.states[states:]]
            found["log_rewards"] = [round(value, 4) for value in self.log_reward[states:]]
        if links < len(self.links):
            found["links"] = [list(link) for link in self.links[links:]]
        return found

    @property
    def marginals(self) -> Doubles:
        """Share of the latest trajectories that hold each undirected edge. [e]"""
        if not len(self.orders):
            return np.zeros(len(self.instance.undirected))
        return edge_marginals(self.instance, self.orders)[self.instance.undirected]

    def _flows(self, policy: FlowPolicy, graphs: FlowGraphs) -> tuple[Doubles, Doubles, Doubles]:
        """P_F of each link, log in-flow − log out-flow of each state, and its log out-flow. [E], [N], [N]"""
        count = len(self.states)
        episodes = Episodes.of(graphs, np.zeros(1, np.int64), np.array([self.start]))
        members = torch.from_numpy(self._members[:count]).to(graphs.device)
        parents = torch.from_numpy(self._parents[:count]).to(graphs.device)
        states = States.of_sets(episodes, torch.zeros(count, dtype=torch.long), members, policy.max_nodes)
        flows = policy(policy.encode(episodes), states, parents)
        log_stop = torch.tensor(self.log_reward) if flows.log_stop is None else flows.log_stop
        log_out = log_out_flow(flows.log_out, log_stop)
        residual = (masked_logsumexp(flows.log_in) - log_out).double().numpy()
        residual[0] = 0.0
        links = torch.tensor(self.links, dtype=torch.long).view(-1, 3)
        log_step = flows.log_out[links[:, 0], links[:, 2]] - log_out[links[:, 0]]
        return log_step.exp().double().numpy(), residual, log_out.double().numpy()
