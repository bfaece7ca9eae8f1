"""Session: a training on one prediction that can be watched and changed while it goes on.

``Session(question, config)`` takes a step at a time, shows what it does (`scene`, `frame`), and gives the policy
(`save`). This module is imported in workers: it needs torch.
"""

from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import nn

from gfx_core.device import provenance
from gfx_core.errors import UserError
from gfx_core.exact.enumeration import TooManyStates, enumerate_states
from gfx_core.exact.paths import Paths
from gfx_core.exact.state_space import StateSpace
from gfx_core.explanation.question import Question
from gfx_core.explanation.subject import kept_policy
from gfx_core.gfn import exact_targets
from gfx_core.gfn.checkpoint import TrainedPolicy
from gfx_core.gfn.objectives import FlowObjective, log_out_flow, masked_logsumexp
from gfx_core.gfn.policy import FlowPolicy
from gfx_core.gfn.settings import Begin, FlowModel, GFNConfig, LearnsFrom, Parents
from gfx_core.gfn.states import States
from gfx_core.gfn.tabular import TableTrainer
from gfx_core.gfn.trainer import DivergedError, Sampled, Trainer
from gfx_core.metrics.edges import pooled_auc
from gfx_core.training.environment import Environment, ListedReward
from gfx_core.training.frames import ListedStates, VisitedStates, balance, instance_part, rounded
from gfx_core.training.lesson_graphs import FIRST_FLOW
from gfx_core.training.training import Subject, Training

FRAME_BYTES = 40_000.0
"""The most that a frame of all states may weigh: larger DAGs are not listed."""
MOST_STATES = 4000
"""No more are listed, however little a frame may weigh."""
STATE_BYTES, LINK_BYTES = 8.0, 8 / 3
"""What a state and a link take in a frame: three numbers, and one."""
MOST_EXACT = 20_000
"""Instances with more states are not learned from exact flows."""


class Session:
    """One training.

    Args:
        question: The prediction, or a lesson's graph; ``None`` where an environment is given that has no name.
        config: How.
        environment: Where; by default the one that the question names.
        trainer: What trains already, in that environment.
        frame_bytes: The most that a frame of all states may weigh.

    Attributes:
        config: As it is now.
        space: All states, where they are listed.
        trainer: What trains.
        states: What is shown of states.

    Raises:
        UserError: There can be no such training; the sentence says why.
    """

    def __init__(
        self,
        question: Subject | None,
        config: GFNConfig,
        environment: Environment | None = None,
        trainer: Trainer | None = None,
        frame_bytes: float = FRAME_BYTES,
    ) -> None:
        if environment is None:
            assert question is not None
            environment = Environment.of(question)
        self.question, self.environment = question, environment
        self.space = self._listed(config, frame_bytes) if environment.predictor.device.type == "cpu" else None
        self.trainer: TableTrainer | Trainer = trainer or self._trainer(config)
        self.states: ListedStates | VisitedStates = VisitedStates(
            environment.instance, environment.start, config.max_nodes
        )
        if self.space is not None:
            self.states = ListedStates(self.space, environment.instance)
        self._watching = torch.Generator(self.trainer.device).manual_seed(config.seed + 1)  # looking changes nothing
        self._look()
        self.trainer.watch = self._see

    def _listed(self, config: GFNConfig, frame_bytes: float) -> StateSpace | None:
        """All states, where there are few enough to be shown."""
        environment = self.environment
        with suppress(TooManyStates):
            dag = enumerate_states(environment.instance, environment.start, config.max_nodes, cap=MOST_STATES)
            if dag.num_states * STATE_BYTES + dag.num_edges * LINK_BYTES <= frame_bytes:
                return environment.listed(config.reward, dag)
        return None

    def _trainer(self, config: GFNConfig) -> TableTrainer | Trainer:
        environment, space = self.environment, self.space
        from_all = config.learns_from is LearnsFrom.ALL
        if config.flow_model is FlowModel.TABLE:
            if space is None:
                raise TooManyStates(
                    "There are too many states for a table: lower K_M, choose a smaller instance, or train a network."
                )
            table = TableTrainer(space, replace(config, delta=None))
            if environment.practice is not None and not from_all:
                nn.init.constant_(table.table.score, np.log(FIRST_FLOW))  # as lesson 4 begins
            return table
        begin: FlowPolicy | None = None
        if config.begin is Begin.SHIPPED:
            assert isinstance(self.question, Question)
            shipped = kept_policy(self.question.dataset, self.question.gnn)
            config = replace(config, policy=shipped.config.policy, delta=shipped.config.delta)
            begin = shipped.policy
            if config.max_nodes > begin.max_nodes:
                raise UserError(
                    f"The shipped policy was trained on sets of at most {begin.max_nodes} nodes: choose a smaller K_M."
                )
        if from_all and not config.learning.exact_cap:
            learning = replace(config.learning, exact_cap=MOST_EXACT, exact_alone=True)
            config = replace(config, learning=learning)
        start = None if environment.instance.target is not None else environment.start
        reward = environment.reward(config.reward) if space is None else ListedReward(environment, config.reward, space)
        trainer = Trainer(environment.predictor, config, reward=reward, start=start, repeats=config.batch_size)
        if config.learning.exact_alone and trainer.exact is None and (space is None or space.num_edges):
            raise UserError("There are too many states to list: let it learn from trajectories, or lower K_M.")
        if begin is not None:
            trainer.policy.load_state_dict(begin.smaller(config.max_nodes).state_dict())
        elif space is not None and trainer.exact is None:  # at the best reward, where a table begins too: flows that begin low hardly come up
            trainer.policy.begin_high(trainer.graphs.features, float(space.log_reward.max()))
        elif trainer.exact is None:
            trainer.begin_high(walks=32)
        return trainer

    @property
    def config(self) -> GFNConfig:
        return self.trainer.config

    @property
    def policy(self) -> FlowPolicy | None:
        """The network, unless a table learns."""
        return self.trainer.policy if isinstance(self.trainer, Trainer) else None

    @property
    def step_number(self) -> int:
        """Steps so far."""
        return self.trainer.epoch

    @property
    def seconds(self) -> float:
        """Of training so far."""
        return sum(report.seconds for report in self.trainer.curve)

    @property
    def done(self) -> bool:
        """Whether it has come to where it ends by itself."""
        return self.step_number >= self.config.epochs

    def advance(self, steps: int) -> None:
        """Take some steps, at most as many as are left.

        Raises:
            DivergedError: The loss ran away or stopped being a number; the last good flows were put back.
        """
        for _ in range(min(steps, self.config.epochs - self.step_number)):
            self.trainer.run_epoch()

    def run(self) -> None:
        """Take the steps that are left, until its loss diverges; then what was good is kept."""
        with suppress(DivergedError):
            self.trainer.fit()

    def change(self, config: GFNConfig) -> None:
        """Go on under another configuration, of which only what is live differs.

        Under another reward it takes as many steps as were planned once more.
        """
        before, trainer, environment = self.config, self.trainer, self.environment
        epochs = config.epochs if config.reward == before.reward else self.step_number + config.epochs
        fixed = {"policy": before.policy, "delta": before.delta, "learning": before.learning, "epochs": epochs}
        trainer.config = config = replace(config, **fixed)
        if isinstance(trainer, Trainer):
            trainer.repeats = config.batch_size
            trainer.replays.forget()
        if config.reward == before.reward:
            return
        if isinstance(self.states, ListedStates):
            assert self.space is not None
            self.space = environment.listed(config.reward, self.space.dag)
            self.states.set_reward(self.space)
        if isinstance(trainer, Trainer):
            reward = environment.reward(config.reward)
            trainer.set_reward(reward if self.space is None else ListedReward(environment, config.reward, self.space))
            if isinstance(self.states, VisitedStates):
                nodes = torch.from_numpy(self.states.nodes).to(trainer.device)
                self.states.log_reward[:] = reward(nodes, torch.zeros_like(nodes[:, 0])).double().cpu().numpy()
        elif self.space is not None:
            trainer.set_reward(self.space)

    # What is shown

    def _look(self) -> None:
        """Sample trajectories that nothing learns from, so that there is something to be seen."""
        trainer = self.trainer
        if isinstance(trainer, TableTrainer):
            self._see(trainer.trajectories(self.config.batch_size, self._watching))
        else:
            self._see(trainer.trajectories(0, self._watching))

    def _see(self, sampled: Sampled | Paths | None) -> None:
        if isinstance(sampled, Paths) and isinstance(self.states, ListedStates):
            self.states.see(sampled.states, sampled.terminal)
        elif isinstance(sampled, tuple):
            order = sampled[0].order.cpu().numpy()
            if isinstance(self.states, ListedStates):
                self.states.see_orders(order)
            else:
                log_reward, removable = sampled[0].log_reward.double().cpu().numpy(), sampled[1].cpu().numpy()
                self.states.see(order, log_reward, removable)

    def scene(self, first: int = 0) -> dict[str, Any]:
        """The instance, its states and what is exactly true of them, from a frame on; see `Scene`."""
        environment = self.environment
        predicted, probability = environment.predicted
        atoms = bool(environment.instance.node_names) and environment.practice is None
        return {
            "from": first,
            **instance_part(environment.instance, environment.has_truth, atoms),
            "start": environment.start,
            "classes": list(environment.classes),
            "predicted": predicted,
            "probability": round(probability, 4),
            "has_truth": environment.has_truth,
            **self.states.scene_part(),
        }

    def frame(self, scene: int = 0) -> dict[str, Any]:
        """What the policy does now; see `Frame`."""
        if self.config.learns_from is LearnsFrom.ALL and isinstance(self.states, ListedStates):
            self.states.forget()  # none were sampled to learn from: some are, to be looked at
            self._look()
        curve, instance, auc = self.trainer.curve, self.environment.instance, None
        flows = self._listed_part() if isinstance(self.states, ListedStates) else self._visited_part(self.states)
        if (log_z := self._log_z()) is not None:
            flows["log_z"] = rounded(log_z)
        if self.environment.has_truth:
            auc = rounded(pooled_auc([instance], [instance.both_directions(flows["marginals"])]))
        head = {"step": self.step_number, "seconds": round(self.seconds, 3), "scene": scene}
        return head | {"loss": rounded(curve[-1].loss if curve else None)} | flows | {"auc": auc}

    @torch.no_grad()
    def _log_z(self) -> float | None:
        """What is taken for log Z, where that is a parameter."""
        trainer = self.trainer
        if not isinstance(trainer.objective, FlowObjective):
            return None
        features = torch.ones(1, 1)
        if isinstance(trainer, Trainer):
            features = trainer.graphs.features[[self.environment.start]]
        log_z = trainer.objective.log_z(features)
        return None if log_z is None else float(log_z)

    def flows(self) -> tuple[np.ndarray, np.ndarray]:
        """The log-flow along each edge, and from each state to STOP, where all states are listed. [E], [S]"""
        assert self.space is not None
        if isinstance(self.trainer, TableTrainer):
            return self.trainer.table.flows()
        return exact_targets.ListedStates(self.trainer.graphs, self.space).flows(self.trainer.policy)

    def _listed_part(self) -> dict[str, Any]:
        assert self.space is not None
        assert isinstance(self.states, ListedStates)
        flows = self.flows()
        log_in, log_out = balance(self.space, *flows, sequence=self.config.parents is Parents.SEQUENCE)
        return self.states.frame_part(self.space.walk(*flows), log_in, log_out)

    @torch.no_grad()
    def _visited_part(self, states: VisitedStates) -> dict[str, Any]:
        """P_F of each link that was seen, and in-flow and out-flow of each state."""
        trainer = self.trainer
        assert isinstance(trainer, Trainer)
        policy, episodes, device = trainer.policy, trainer.batches[0], trainer.device
        nodes, parents = (torch.from_numpy(rows).to(device) for rows in (states.nodes, states.parents))
        visited = States(episodes, torch.zeros_like(nodes[:, 0]), nodes)
        actions = visited.frontier(policy.max_nodes)
        flows = policy(policy.encode(episodes), visited, actions, parents)
        assert flows.log_in is not None
        log_stop = torch.from_numpy(states.log_reward).to(device) if flows.log_stop is None else flows.log_stop
        log_out = log_out_flow(flows.log_out, log_stop)
        parent, _, node = torch.tensor(states.links, dtype=torch.long, device=device).view(-1, 3).unbind(1)
        log_taken = flows.log_out[parent].masked_fill(actions[parent] != node[:, None], 0.0).sum(1)
        chance = (log_taken - log_out[parent]).exp()
        numbers = (chance, masked_logsumexp(flows.log_in), log_out)
        part = states.frame_part(*(values.double().cpu().numpy() for values in numbers))
        return {"residual": rounded(trainer.curve[-1].residual if trainer.curve else None)} | part

    # What comes of it

    def save(self) -> TrainedPolicy | None:
        """The policy, where it is a network."""
        if self.policy is None:
            return None
        environment, question = self.environment, self.question
        made = provenance(environment.predictor.device.type, self.seconds) | {
            "instances": 1,
            "epochs": self.step_number,
        }
        dataset = gnn = ""
        if question is not None:
            made["trained_on"] = question.title
            if environment.practice is None:
                dataset, gnn = question.dataset, question.gnn
        shipped, locator = environment.shipped, None
        if shipped is not None and shipped.config.reward == self.config.reward:  # it points to where that reward is
            locator = shipped.locator
        curve = tuple(self.trainer.curve)
        return TrainedPolicy(self.config, self.policy.eval(), locator, dataset, gnn, curve, made)


def session_of(training: Training, frame_bytes: float = FRAME_BYTES) -> Session:
    """The session of a training."""
    return Session(training.question, training.config, frame_bytes=frame_bytes)
