"""TrainerLane: a lane on an instance with too many states to be listed: the trainer itself, on this one instance.

Only states that trajectories visited can be shown: the first few hundred are kept, in order, with the links along which
they were reached. This module is imported in workers: it needs torch.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from gfx_core.arrays import Doubles, Ints
from gfx_core.baselines.edge_scores import edge_marginals
from gfx_core.datasets.instance import Instance
from gfx_core.errors import UserError
from gfx_core.gfn.checkpoint import TrainedPolicy
from gfx_core.gfn.instances import Episodes, FlowGraphs
from gfx_core.gfn.objectives import FlowObjective, log_out_flow, masked_logsumexp
from gfx_core.gfn.policy import FlowPolicy
from gfx_core.gfn.sampler import sample
from gfx_core.gfn.settings import LearningConfig
from gfx_core.gfn.states import States
from gfx_core.gfn.trainer import BatchLearned, NotANumberError, Trainer, TrainingEvent
from gfx_core.training import recording
from gfx_core.training.frames import rounded, rounded_all
from gfx_core.training.lane import (
    LISTED,
    Environment,
    LiveLane,
    begin_high,
    policy_of_size,
    reward_config,
    trainer_config,
)
from gfx_core.training.setting import LaneSetting, LearnsFrom, changes_reward

MOST_STATES = 400
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
        self._visits = np.zeros(MOST_STATES, dtype=np.int64)
        self._parents = np.zeros((MOST_STATES, instance.num_nodes), dtype=bool)
        self._members = np.zeros((MOST_STATES, instance.num_nodes), dtype=bool)
        self._members[0, start] = True
        self._number = {np.packbits(self._members[0]).tobytes(): 0}
        self._linked: set[tuple[int, int]] = set()
        self._sent = [1, 0]  # states and links that a frame has brought

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
                if len(self.states) >= MOST_STATES:
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

    @property
    def subsets(self) -> Ints:
        """The states as rows, padded with -1. [N, K]"""
        width = max(map(len, self.states))
        return np.array([[*nodes, *[-1] * (width - len(nodes))] for nodes in self.states])

    def scene_part(self) -> dict[str, Any]:
        """What a scene knows of them: all that were seen so far."""
        self._sent = [len(self.states), len(self.links)]
        nothing = dict.fromkeys(("target", "exact", "log_z", "target_marginals"))
        rewards = [round(value, 4) for value in self.log_reward]
        states, links = [list(nodes) for nodes in self.states], [list(link) for link in self.links]
        return {"listed": False, "states": states, "log_reward": rewards, "links": links, **nothing}

    @torch.no_grad()
    def frame_part(self, policy: FlowPolicy, graphs: FlowGraphs, log_z: float | None) -> dict[str, Any]:
        """What a frame tells of them."""
        count, (states, links) = len(self.states), self._sent
        self._sent = [count, len(self.links)]
        flows = self._flows(policy, graphs)
        chance, residual, log_out = flows
        length = (self.orders >= 0).sum(1)
        found: dict[str, Any] = {
            "total_variation": None,
            "log_z": rounded(float(log_out[0]) if log_z is None else log_z),
            "size": rounded(float(length.mean())) if len(length) else None,
            "stop": None,
            "flow": recording.encode_probabilities(chance),
            "residuals": recording.encode_residuals(residual),
            "visits": recording.encode_probabilities(self._visits[:count] / max(1, self.total)),
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
        flows = policy(policy.encode(episodes), states, parents).given(torch.tensor(self.log_reward))
        assert flows.log_stop is not None
        assert flows.log_in is not None
        log_out = log_out_flow(flows.log_out, flows.log_stop)
        residual = (masked_logsumexp(flows.log_in) - log_out).double().numpy()
        residual[0] = 0.0
        links = torch.tensor(self.links, dtype=torch.long).view(-1, 3)
        log_step = flows.log_out[links[:, 0], links[:, 2]] - log_out[links[:, 0]]
        return log_step.exp().double().numpy(), residual, log_out.double().numpy()


MOST_EXACT = 20_000
"""Instances with more states are not learnt from exact flows."""


class TrainerLane(LiveLane):
    """A training of which only visited states can be shown."""

    def __init__(self, setting: LaneSetting, environment: Environment) -> None:
        super().__init__(setting, environment)
        self._begins_with = self._shipped()
        self._config = trainer_config(setting, None if self._begins_with is None else self._begins_with.config)
        if setting.learns_from is LearnsFrom.ALL:
            learning = LearningConfig(exact_cap=MOST_EXACT, exact_states=LISTED, exact_alone=True)
            self._config = replace(self._config, learning=learning)
        self.trainer = self._make()
        self.visited = VisitedStates(environment.instance, environment.start)
        self._first_look()

    def _make(self) -> Trainer:
        environment, setting = self.environment, self.setting
        start = None if environment.instance.target is not None else environment.start
        reward = environment.reward(setting)
        trainer = Trainer(environment.predictor, self._config, reward=reward, start=start, repeats=setting.batch)
        if setting.learns_from is LearnsFrom.ALL and trainer.exact is None:
            raise UserError("There are too many states to list: let it learn from trajectories, or lower K_M.")
        if self._begins_with is not None:
            trainer.policy.load_state_dict(
                policy_of_size(self._begins_with.policy, self._config.max_nodes).state_dict()
            )
        elif trainer.exact is None:
            begin_high(trainer.policy, trainer.graphs, self._best_met(trainer))
        trainer.listeners.append(self._hear)
        return trainer

    def _best_met(self, trainer: Trainer) -> float:
        """The best log R on some random walks."""
        generator = torch.Generator().manual_seed(self.setting.seed)
        (episodes,) = trainer.batches
        each = torch.zeros(32, dtype=torch.long)
        walks = sample(trainer.policy, episodes, each, trainer.reward, epsilon=1.0, generator=generator)
        return float(trainer.reward(walks.order, walks.instance).max())

    def _first_look(self) -> None:
        """Some trajectories before the first step, so that there is something to be seen."""
        generator = torch.Generator().manual_seed(self.setting.seed + 1)
        (episodes,) = self.trainer.batches
        trajectories, parents = self.trainer.sample(episodes, generator)
        final = self.trainer.reward(trajectories.order, trajectories.instance)
        self._hear(BatchLearned(0, trajectories, parents, final))

    def _hear(self, event: TrainingEvent) -> None:
        if isinstance(event, BatchLearned):
            self.visited.see(event)
            self._log_reward = float(event.log_reward.mean())

    def _learn(self) -> float:
        try:
            self.trainer.run_epoch()
        except NotANumberError:
            return math.nan
        return self.trainer.curve[-1].loss

    def change(self, setting: LaneSetting) -> None:
        before, self.setting, trainer = self.setting, setting, self.trainer
        self._config = replace(self._config, epsilon=setting.epsilon, lr=setting.lr, reward=reward_config(setting))
        trainer.config, trainer.repeats = self._config, setting.batch
        trainer.steps.change_rate(setting.lr)
        if changes_reward(before, setting):
            trainer.reward = self.environment.reward(setting)
            assert isinstance(trainer.objective, FlowObjective)
            trainer.objective.forget_rewards()
            self._forget_good()
            nodes = torch.from_numpy(self.visited.subsets)
            self.visited.log_reward = trainer.reward(nodes, torch.zeros_like(nodes[:, 0])).double().tolist()

    def _states(self) -> dict[str, Any]:
        return self.visited.scene_part()

    def _flows_now(self) -> dict[str, Any]:
        trainer, curve = self.trainer, self.trainer.curve
        shares = {
            "residual": rounded(curve[-1].residual) if curve else None,
            "log_reward": rounded(self._log_reward),
        }
        return shares | self.visited.frame_part(trainer.policy, trainer.graphs, self._log_z())

    @torch.no_grad()
    def _log_z(self) -> float | None:
        """What trajectory balance takes for log Z; otherwise it is what leaves the start."""
        graphs: FlowGraphs = self.trainer.graphs
        objective = self.trainer.objective
        assert isinstance(objective, FlowObjective)
        log_z = objective.log_z(graphs.features[[self.environment.start]])
        return None if log_z is None else float(log_z)

    def snapshot(self) -> Callable[[], None]:
        put_back, epochs, rest = self.trainer.steps.snapshot(), self.trainer.epoch, (self.seconds, self.loss)

        def restore() -> None:
            put_back()
            del self.trainer.curve[epochs:]
            self.step, (self.seconds, self.loss) = epochs, rest

        return restore

    def trained(self) -> TrainedPolicy | None:
        return self._as_trained(self._config, self.trainer.policy, tuple(self.trainer.curve))
