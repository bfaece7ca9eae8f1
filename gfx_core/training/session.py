"""Session: a training on one prediction that can be watched and changed while it goes on.

`session_of` a training takes a step at a time, shows what it does (`scene`, `frame`), and gives the policy (`save`).
This module is imported in workers: it needs torch.
"""

from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from gfx_core.arrays import Doubles
from gfx_core.config import Task
from gfx_core.datasets.instance import Instance
from gfx_core.errors import UserError
from gfx_core.exact.enumeration import TooManyStates, enumerate_states
from gfx_core.exact.state_space import StateSpace
from gfx_core.explanation.listing import start_of
from gfx_core.explanation.subject import load
from gfx_core.gfn.checkpoint import TrainedPolicy
from gfx_core.gfn.exact_targets import ListedStates, listed_space
from gfx_core.gfn.knobs import changed
from gfx_core.gfn.objectives import FlowObjective, log_out_flow, masked_logsumexp
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.settings import Begin, FlowModel, GFNConfig, LearnsFrom, Parents, RewardConfig
from gfx_core.gfn.states import States
from gfx_core.gfn.tabular import TableTrainer
from gfx_core.gfn.trainer import Trainer
from gfx_core.gnn.predict import Predictions, Predictor, Subgraphs
from gfx_core.json_files import Json
from gfx_core.metrics.edges import pooled_auc
from gfx_core.training.frames import ListedFrames, VisitedFrames, as_json, instance_part
from gfx_core.training.lesson_graphs import FIRST_FLOW, LessonGraph, Practice, practice_rewards
from gfx_core.training.training import Subject, Training

FRAME_BYTES = 40_000.0
"""The most that a frame of all states may weigh: larger DAGs are not listed."""
MOST_STATES = 4000
"""No more are listed, however little a frame may weigh."""
STATE_BYTES, LINK_BYTES = 8.0, 8 / 3
"""What a state and a link take in a frame: three numbers, and one."""
MOST_EXACT = 20_000
"""Instances with more states are not learned from exact flows."""


class NoGnn(Predictor):
    """A lesson's graph for a policy network: its nodes are known by their names alone, and there is one class."""

    def __init__(self, instance: Instance) -> None:
        super().__init__(Task.NODE, [instance], "cpu")

    @cached_property
    def node_embedding(self) -> Tensor:
        return self.graphs.x

    @cached_property
    def whole(self) -> Predictions:
        return Predictions(torch.zeros(1, 1), torch.zeros(1, 1))

    def evaluate(self, subgraphs: Subgraphs) -> Predictions:
        raise NotImplementedError


class PracticeReward(Reward):
    """log R of a lesson's graph, as the lesson has it."""

    def __init__(self, predictor: Predictor, config: RewardConfig, practice: Practice) -> None:
        self.predictor, self.config = predictor, config
        (instance,) = predictor.instances
        self.dag = enumerate_states(instance)
        log_reward = np.log(practice_rewards(practice, instance, self.dag))
        self.log_reward = config.beta * (log_reward - config.price("nodes") * self.dag.size)

    def __call__(self, subsets: Tensor, instance: Tensor) -> Tensor:
        members = (subsets.numpy()[..., None] == np.arange(self.dag.num_nodes)).any(1)
        return torch.from_numpy(self.log_reward[self.dag.indices_of(members)]).float()


class Session:
    """One training.

    Args:
        config: How.
        predictor: The GNN, on the instance alone.
        start: The node that all subgraphs contain.
        question: The prediction, or the lesson's graph.
        shipped: The policy that is shipped for it.
        trainer: What trains already, if it is only watched.

    Attributes:
        trainer: What trains.
        states: What is shown of states.

    Raises:
        UserError: There can be no such training; the sentence explains why.
    """

    def __init__(
        self,
        config: GFNConfig,
        predictor: Predictor,
        start: int,
        question: Subject,
        shipped: TrainedPolicy | None = None,
        trainer: Trainer | None = None,
    ) -> None:
        self.predictor, self.start, self.question, self.shipped = predictor, start, question, shipped
        self.instance, self._planned = predictor.instances[0], config.epochs
        self.states: ListedFrames | VisitedFrames = VisitedFrames(self.instance, config.max_nodes)
        with suppress(TooManyStates):
            dag = enumerate_states(self.instance, start, config.max_nodes, cap=MOST_STATES)
            if dag.num_states * STATE_BYTES + dag.num_edges * LINK_BYTES <= FRAME_BYTES:
                self.states = ListedFrames(listed_space(self._reward(config.reward), [dag]), self.instance)
        self.trainer: TableTrainer | Trainer = trainer or self._trainer(config)
        if isinstance(self.trainer, Trainer) and self.space is None:
            generator = torch.Generator(self.trainer.device).manual_seed(config.seed + 1)
            self._see(self.trainer.sample(0, generator))  # so that there is something to be seen
        if self.space is None or config.learns_from is LearnsFrom.TRAJECTORIES:
            self.trainer.watch = self._see

    @property
    def config(self) -> GFNConfig:
        """As it is now."""
        return self.trainer.config

    @property
    def space(self) -> StateSpace | None:
        """All states, where they are listed."""
        return self.states.space if isinstance(self.states, ListedFrames) else None

    @property
    def step_number(self) -> int:
        """Steps so far."""
        return self.trainer.epoch

    # How it is trained

    def _reward(self, config: RewardConfig) -> Reward:
        """What makes a subgraph good."""
        if isinstance(self.question, LessonGraph):
            return PracticeReward(self.predictor, config, Practice(self.question.name))
        return Reward(self.predictor, config)

    def _trainer(self, config: GFNConfig) -> TableTrainer | Trainer:
        if config.flow_model is FlowModel.TABLE:
            return self._table(config)
        space, shipped = self.space, self.shipped if config.begin is Begin.SHIPPED else None
        if shipped is not None:
            config = replace(config, policy=shipped.config.policy, delta=shipped.config.delta)
            if config.max_nodes > shipped.policy.max_nodes:
                raise UserError(
                    f"The shipped policy was trained on sets of at most {shipped.policy.max_nodes} nodes: choose a "
                    "smaller K_M."
                )
        from_all = config.learns_from is LearnsFrom.ALL
        if from_all:
            config = replace(config, learning=replace(config.learning, exact_cap=MOST_EXACT, exact_alone=True))
        start, reward = None if self.instance.target is not None else self.start, self._reward(config.reward)
        trainer = Trainer(self.predictor, config, reward=reward, start=start, repeats=config.batch_size)
        if from_all and trainer.exact is None and (space is None or space.num_edges):
            raise UserError("There are too many states to list: let it learn from trajectories, or lower K_M.")
        if shipped is not None:
            trainer.policy.load_state_dict(shipped.policy.smaller(config.max_nodes).state_dict())
        elif trainer.exact is None and space is not None:  # at the best reward, where a table begins too
            trainer.policy.begin_high(trainer.graphs.features, float(space.log_reward.max()))
        elif trainer.exact is None:
            trainer.begin_high(walks=32)
        return trainer

    def _table(self, config: GFNConfig) -> TableTrainer:
        if self.space is None:
            raise TooManyStates(
                "There are too many states for a table: lower K_M, choose a smaller instance, or train a network."
            )
        trainer = TableTrainer(self.space, replace(config, delta=None))
        if isinstance(self.question, LessonGraph) and config.learns_from is LearnsFrom.TRAJECTORIES:
            nn.init.constant_(trainer.table.score, np.log(FIRST_FLOW))  # as lesson 4 begins
        return trainer

    def advance(self, steps: int) -> None:
        """Take some steps, at most as many as are left.

        Raises:
            DivergedError: The loss ran away or stopped being a number; the last good flows were put back.
        """
        for _ in range(min(steps, self.config.epochs - self.step_number)):
            self.trainer.run_epoch()

    def change(self, values: Json) -> None:
        """Set some live knobs. Under another reward it takes as many steps as were planned once more."""
        before, states, trainer = self.config.reward, self.states, self.trainer
        config = trainer.config = changed(self.config, values)
        if isinstance(trainer, Trainer):
            trainer.repeats = config.batch_size
        if config.reward == before:
            return
        trainer.config = replace(config, epochs=self.step_number + self._planned)
        reward = self._reward(config.reward)
        if isinstance(states, ListedFrames):
            states.set_reward(listed_space(reward, states.space.dags))
        else:
            nodes = torch.from_numpy(states.nodes[: len(states)]).to(trainer.device)
            log_reward = reward(nodes, torch.zeros_like(nodes[:, 0]))
            states.log_reward[: len(nodes)] = log_reward.double().cpu().numpy()
        if isinstance(trainer, Trainer):
            trainer.set_reward(reward)
        elif self.space is not None:
            trainer.set_reward(self.space)

    # What is shown

    def _see(self, sampled: Any) -> None:
        if isinstance(self.trainer, TableTrainer):
            assert isinstance(self.states, ListedFrames)
            self.states.see(self.trainer.table.paths.orders(sampled, self.config.max_nodes))
            return
        trajectories, removable = sampled
        values = trajectories.order, trajectories.log_reward.double(), removable
        self.states.see(*(value.cpu().numpy() for value in values))

    def scene(self, first: int = 0) -> Json:
        """The instance, its states and what is exactly true of them, from a frame on; see `Scene`."""
        probabilities = self.predictor.whole.probabilities[0]
        atoms = bool(self.instance.node_names) and not isinstance(self.question, LessonGraph)
        return {
            "from": first,
            "start": self.start,
            "classes": list(self.instance.info.class_names(len(probabilities))),
            "predicted": int(probabilities.argmax()),
            "probability": round(float(probabilities.max()), 4),
            "has_truth": self._has_truth,
            **instance_part(self.instance, self._has_truth, atoms),
            **as_json(self.states.scene_part()),
        }

    @property
    def _has_truth(self) -> bool:
        """Whether it is known which edges are the reason for the prediction."""
        return self.instance.has_reason(int(self.predictor.whole.predicted[0]))

    @torch.no_grad()
    def frame(self, scene: int = 0) -> Json:
        """What the policy does now; see `Frame`."""
        trainer, states, instance = self.trainer, self.states, self.instance
        if isinstance(states, ListedFrames):
            flows = self.flows()
            part = states.frame_part(states.space.walk(*flows), *flows, self.config.parents is Parents.SEQUENCE)
        else:
            part = states.frame_part(*self._visited_flows(states))
        part |= {"step": self.step_number, "scene": scene, "loss": None, "auc": None}
        part["seconds"] = round(sum(report.seconds for report in trainer.curve), 3)
        if trainer.curve:
            report = trainer.curve[-1]
            part["loss"] = report.loss
            if trainer.watch is not None:  # of the latest trajectories
                part |= {"residual": report.residual, "log_reward": report.log_reward, "size": report.size}
        features = trainer.graphs.features[[self.start]] if isinstance(trainer, Trainer) else torch.ones(1, 1)
        assert isinstance(trainer.objective, FlowObjective)
        log_z = trainer.objective.log_z(features)
        if log_z is not None:
            part["log_z"] = float(log_z)
        if self._has_truth:
            part["auc"] = pooled_auc([instance], [instance.both_directions(np.round(part["marginals"], 4))])
        return as_json(part)

    def flows(self) -> tuple[Doubles, Doubles]:
        """The log-flow along each edge, and from each state to STOP, where all states are listed. [E], [S]"""
        assert self.space is not None
        if isinstance(self.trainer, TableTrainer):
            return self.trainer.table.flows()
        return ListedStates(self.trainer.graphs, self.space).flows(self.trainer.policy)

    def _visited_flows(self, states: VisitedFrames) -> list[Doubles]:
        """P_F of each link that was seen, and log in-flow and log out-flow of each state. [E], [N], [N]"""
        trainer = self.trainer
        assert isinstance(trainer, Trainer)
        policy, episodes = trainer.policy, trainer.batches[0]
        rows = states.nodes, states.parents, states.log_reward
        nodes, parents, log_reward = (torch.from_numpy(row[: len(states)]).to(trainer.device) for row in rows)
        visited = States(episodes, torch.zeros_like(nodes[:, 0]), nodes)
        actions = visited.frontier(policy.max_nodes)
        flows = policy(policy.encode(episodes), visited, actions, parents)
        assert flows.log_in is not None
        log_out = log_out_flow(flows.log_out, log_reward if flows.log_stop is None else flows.log_stop)
        parent, _, node = torch.tensor(list(states.links), dtype=torch.long, device=trainer.device).view(-1, 3).T
        log_taken = flows.log_out[parent].masked_fill(actions[parent] != node[:, None], 0.0).sum(1)
        values = (log_taken - log_out[parent]).exp(), masked_logsumexp(flows.log_in), log_out
        return [value.double().cpu().numpy() for value in values]

    # What comes of it

    def save(self) -> TrainedPolicy | None:
        """The policy, where it is a network."""
        if isinstance(self.trainer, TableTrainer):
            return None
        question, shipped, locator = self.question, self.shipped, None
        names = () if isinstance(question, LessonGraph) else (question.dataset, question.gnn)
        trained = TrainedPolicy.of(self.trainer, *names)
        if shipped is not None and shipped.config.reward == self.config.reward:
            locator = shipped.locator  # it points to where this reward is
        about = trained.made | {"epochs": self.step_number, "trained_on": question.title}
        return replace(trained, locator=locator, made=about)


def session_of(training: Training) -> Session:
    """The session of a training."""
    question = training.question
    if isinstance(question, LessonGraph):
        instance = question.instance()
        return Session(training.config, NoGnn(instance), instance.target or 0, question)
    subject = load(question)
    return Session(training.config, subject.predictor("cpu"), start_of(subject), question, subject.policy)
