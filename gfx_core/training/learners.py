"""What learns in a session: flows on all states, where they can be listed, or a network on sampled trajectories.

Both take one step at a time, say what they know of states and flows, and can be put back to where they were. All that a
session uses of objectives, samplers and trainers is here. This module is imported in workers: it needs torch.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from gfx_core.arrays import Doubles
from gfx_core.device import seeded
from gfx_core.errors import UserError
from gfx_core.exact.enumeration import StateDag
from gfx_core.exact.state_space import StateSpace
from gfx_core.exact.tabular import DagFlows, ListedTraining, NetworkFlows, TableFlows
from gfx_core.gfn.checkpoint import TrainedPolicy
from gfx_core.gfn.exact_targets import ExactTargets
from gfx_core.gfn.instances import Episodes, FlowGraphs
from gfx_core.gfn.objectives import FlowObjective, log_out_flow, masked_logsumexp
from gfx_core.gfn.policy import FlowPolicy
from gfx_core.gfn.settings import FlowModel, GFNConfig, LearnsFrom, Parents
from gfx_core.gfn.states import States
from gfx_core.gfn.trainer import BatchLearned, EpochReport, NotANumberError, Trainer, TrainingEvent
from gfx_core.training.environment import Environment
from gfx_core.training.frames import VisitedStates, Visits, listed_frame, listed_part, rounded
from gfx_core.training.lesson_graphs import FIRST_FLOW

MOST_EXACT = 20_000
"""Instances with more states are not learned from exact flows."""

Cancelled = Callable[[], bool]


class FlowLearner(ABC):
    """What learns.

    Args:
        environment: Where.
        config: How.

    Attributes:
        config: As it is now.
        policy: The network, unless a table learns.
        exact: The exact flows, where a network learns them.
        curve: What each epoch did, where a trainer trains.
    """

    policy: FlowPolicy | None = None
    exact: ExactTargets | None = None
    curve: Sequence[EpochReport] = ()

    def __init__(self, environment: Environment, config: GFNConfig) -> None:
        self.environment, self.config = environment, config

    @abstractmethod
    def learn(self, step: int, cancelled: Cancelled) -> float | None:
        """Take a step, counted from 1; the loss, also where it is no number, or ``None`` if it was cancelled."""

    @abstractmethod
    def change(self, config: GFNConfig) -> None:
        """Go on under another configuration, of which only what is live differs."""

    @abstractmethod
    def states(self) -> dict[str, Any]:
        """What a scene knows of states."""

    @abstractmethod
    def flows_now(self) -> dict[str, Any]:
        """What a frame tells of flows."""

    @abstractmethod
    def snapshot(self) -> Callable[[], None]:
        """Remember where it is; returns what puts it back there."""


class ListedLearner(FlowLearner):
    """Flows on a listed DAG, those of a table or of a network; what they do is known exactly at any moment.

    Args:
        environment: Where.
        config: How.
        dag: All states.
        begin: The policy to begin with; random weights by default.
    """

    def __init__(
        self, environment: Environment, config: GFNConfig, dag: StateDag, begin: TrainedPolicy | None = None
    ) -> None:
        super().__init__(environment, config)
        self._watching = torch.Generator().manual_seed(config.seed + 1)  # looking changes nothing
        self._exact_noise = torch.Generator().manual_seed(config.seed)
        self.visits = Visits.none(dag.num_states)
        self.space = StateSpace(dag, environment.log_rewards(config.reward, dag))
        self.flows = self._table() if config.flow_model is FlowModel.TABLE else self._network(begin)
        self.training = ListedTraining(self.flows, self.config, full=config.learns_from is LearnsFrom.ALL)
        self._set_targets()

    def _table(self) -> DagFlows:
        config = self.config = replace(self.config, delta=None)
        table = TableFlows(self.space, config)
        if self.environment.practice is not None and config.learns_from is LearnsFrom.TRAJECTORIES:
            nn.init.constant_(table.score, math.log(FIRST_FLOW))  # as lesson 4 begins
        return table

    def _network(self, begin: TrainedPolicy | None) -> DagFlows:
        config = self.config
        graphs = self._graphs = FlowGraphs(self.environment.predictor, config.policy)
        with seeded(config.seed):
            policy = FlowPolicy(graphs.features.shape[1], config.policy, config.stop, config.max_nodes)
        self.policy = policy
        if begin is None:  # at the best reward, where a table begins too: flows that begin low hardly come up
            policy.begin_high(graphs.features, float(self.space.log_reward.max()))
        else:
            policy.load_state_dict(policy_of_size(begin.policy, config.max_nodes).state_dict())
        return NetworkFlows(policy, graphs, self.space, config)

    def _set_targets(self) -> None:
        """The modes of P ∝ R, and the exact flows, where a network learns them."""
        self._modes = [mode.representative for mode in self.space.modes(self.environment.instance)]
        if self.policy is not None and self.config.learns_from is LearnsFrom.ALL and self.space.num_edges:
            self.exact = ExactTargets(self._graphs, self.space, self.config)

    def learn(self, step: int, cancelled: Cancelled) -> float | None:
        training, learning, losses = self.training, self.config.learning, []
        for _ in range(learning.steps_per_batch + (0 if self.exact is None else learning.exact_steps)):
            if cancelled():
                return None
            losses.append(self._descend(step))
            if not math.isfinite(losses[-1]):
                return math.nan
        if training.latest is not None:
            self.visits = self.visits.after(training.latest.states.numpy(), training.latest.terminal.numpy())
        return sum(losses) / len(losses)

    def _descend(self, step: int) -> float:
        """One step of gradient descent; the loss, also where it is no number."""
        training = self.training
        training.step_number = step - 1
        if self.exact is None:
            return float(training.step().loss.detach()) if self.space.num_edges else 0.0
        assert self.policy is not None
        training.steps.set_rates(step)
        loss = self.exact.loss(self.policy, self.exact.draw(self.config.learning.exact_states, self._exact_noise))
        return float(training.steps.descend(loss)) if bool(loss.isfinite()) else math.nan

    def change(self, config: GFNConfig) -> None:
        before, self.config = self.config, replace(config, delta=self.config.delta)
        self.training.config = self.config
        self.training.steps.change_rate(config.lr)
        self.training.steps.epochs = config.epochs
        if config.reward != before.reward:
            self.space = self.space.with_reward(self.environment.log_rewards(config.reward, self.space.dag))
            self.flows.set_reward(self.space)
            self.training.objective.forget_rewards()
            self._set_targets()

    def states(self) -> dict[str, Any]:
        return listed_part(self.space, self.environment.instance)

    @torch.no_grad()
    def flows_now(self) -> dict[str, Any]:
        flows = self.flows
        flows.refresh()
        residual = _numbers(flows.log_in()) - _numbers(flows.log_out())
        if self.config.parents is Parents.SEQUENCE:
            # Only the last added node's parent counts, so each order is a state of its own: the in-flow is the mean
            # over the valid parents.
            residual -= np.log(np.maximum(self.space.num_parents, 1))
        sampled = self.config.learns_from is LearnsFrom.TRAJECTORIES
        visits = self.visits
        if not sampled or not visits.total:  # none were sampled to learn from: some are, to be looked at
            paths = flows.sample(self.config.batch_size, self._watching)
            visits = visits.after(paths.states.numpy(), paths.terminal.numpy())
            self.visits = self.visits if sampled else visits
        walk = self.space.walk(_numbers(flows.log_edge), _numbers(flows.log_stop))
        known = {
            "log_z": rounded(self.training.log_z()),
            "modes": rounded(float((visits.ended[self._modes] > 0).mean())),
        }
        return listed_frame(self.space, self.environment.instance, walk, residual, visits) | known

    def snapshot(self) -> Callable[[], None]:
        put_back, visits, noise = self.training.snapshot(), self.visits, self._exact_noise.get_state()

        def restore() -> None:
            put_back()
            self.visits = visits
            self._exact_noise.set_state(noise)

        return restore


class SampledLearner(FlowLearner):
    """A network on an instance with too many states to be listed: a trainer, on this one instance.

    The arguments are those of `ListedLearner`.
    """

    def __init__(self, environment: Environment, config: GFNConfig, begin: TrainedPolicy | None = None) -> None:
        if config.learns_from is LearnsFrom.ALL and not config.learning.exact_cap:
            learning = replace(config.learning, exact_cap=MOST_EXACT, exact_alone=True)
            config = replace(config, learning=learning)
        super().__init__(environment, config)
        start = None if environment.instance.target is not None else environment.start
        reward = environment.reward(config.reward)
        self.trainer = Trainer(environment.predictor, config, reward=reward, start=start, repeats=config.batch_size)
        self.policy, self.exact = self.trainer.policy, self.trainer.exact
        if config.learning.exact_alone and self.exact is None:
            raise UserError("There are too many states to list: let it learn from trajectories, or lower K_M.")
        if begin is not None:
            self.policy.load_state_dict(policy_of_size(begin.policy, config.max_nodes).state_dict())
        elif self.exact is None:
            self.trainer.begin_high(walks=32)
        self.trainer.listeners.append(self._see)
        self.visited = VisitedStates(environment.instance, environment.start)
        self._first_look()

    @property
    def curve(self) -> Sequence[EpochReport]:  # type: ignore[override]
        return self.trainer.curve

    @property
    def _objective(self) -> FlowObjective:
        assert isinstance(self.trainer.objective, FlowObjective)
        return self.trainer.objective

    def _first_look(self) -> None:
        """Some trajectories before the first step, so that there is something to be seen."""
        trainer = self.trainer
        generator = torch.Generator(trainer.device).manual_seed(self.config.seed + 1)
        trajectories, parents = trainer.sample(trainer.batches[0], generator)
        self._see(BatchLearned(0, trajectories, parents, trainer.reward(trajectories.order, trajectories.instance)))

    def _see(self, event: TrainingEvent) -> None:
        if isinstance(event, BatchLearned):
            log_reward = event.trajectories.log_reward
            rewards = None if log_reward is None else log_reward.double().cpu().numpy()
            self.visited.see(event.trajectories.order.cpu().numpy(), rewards, event.parents.cpu().numpy())
            self._log_reward = float(event.log_reward.mean())

    def learn(self, step: int, cancelled: Cancelled) -> float | None:
        try:
            return self.trainer.curve[-1].loss if self.trainer.run_epoch(cancelled) else None
        except NotANumberError:
            return math.nan

    def change(self, config: GFNConfig) -> None:
        before, trainer = self.config, self.trainer
        self.config = trainer.config = replace(config, learning=before.learning)
        trainer.repeats = config.batch_size
        trainer.steps.change_rate(config.lr)
        trainer.steps.epochs = config.epochs
        if config.reward != before.reward:
            trainer.set_reward(self.environment.reward(config.reward))
            nodes = torch.from_numpy(self.visited.subsets).to(trainer.device)
            self.visited.log_reward = trainer.reward(nodes, torch.zeros_like(nodes[:, 0])).double().tolist()

    def states(self) -> dict[str, Any]:
        return self.visited.scene_part()

    @torch.no_grad()
    def flows_now(self) -> dict[str, Any]:
        """P_F of each link that was seen, and log in-flow − log out-flow of each state."""
        trainer, policy, visited = self.trainer, self.trainer.policy, self.visited
        device, curve = trainer.device, trainer.curve
        episodes = Episodes.of(trainer.graphs, np.zeros(1, np.int64), np.array([self.environment.start]))
        members, parents = (torch.from_numpy(each).to(device) for each in (visited.members, visited.parents))
        episode = torch.zeros(len(members), dtype=torch.long, device=device)
        states = States.of_sets(episodes, episode, members, policy.max_nodes)
        rewards = torch.tensor(visited.log_reward, device=device)
        flows = policy(policy.encode(episodes), states, parents).given(rewards)
        assert flows.log_stop is not None
        assert flows.log_in is not None
        log_out = log_out_flow(flows.log_out, flows.log_stop)
        residual = masked_logsumexp(flows.log_in) - log_out
        links = torch.tensor(visited.links, dtype=torch.long, device=device).view(-1, 3)
        log_step = flows.log_out[links[:, 0], links[:, 2]] - log_out[links[:, 0]]
        log_z = self._objective.log_z(trainer.graphs.features[[self.environment.start]])
        shares = {
            "residual": rounded(curve[-1].residual) if curve else None,
            "log_reward": rounded(self._log_reward),
            "log_z": rounded(float(log_out[0] if log_z is None else log_z)),
        }
        return shares | visited.frame_part(_numbers(log_step.exp()), _numbers(residual))

    def snapshot(self) -> Callable[[], None]:
        put_back, epochs = self.trainer.steps.snapshot(), self.trainer.epoch

        def restore() -> None:
            put_back()
            del self.trainer.curve[epochs:]

        return restore


def policy_of_size(policy: FlowPolicy, max_nodes: int) -> FlowPolicy:
    """The policy for sets of at most so many nodes, of which it must have seen some."""
    if max_nodes > policy.max_nodes:
        raise UserError(
            f"The shipped policy was trained on sets of at most {policy.max_nodes} nodes: choose a smaller K_M."
        )
    return policy if max_nodes == policy.max_nodes else policy.smaller(max_nodes)


def _numbers(values: Tensor) -> Doubles:
    return values.detach().double().cpu().numpy()
