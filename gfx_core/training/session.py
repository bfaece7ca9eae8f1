"""Session: a training on one prediction that can be watched and changed while it goes on.

`session_of` a training takes a step at a time, shows what it does (`scene`, `frame`), and gives the policy (`save`).
This module is imported in workers: it needs torch.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import nn

from gfx_core.arrays import Doubles
from gfx_core.exact.enumeration import StateDag, TooManyStates
from gfx_core.exact.paths import largest_dag
from gfx_core.exact.state_space import StateSpace
from gfx_core.explanation.listing import start_of
from gfx_core.explanation.subject import load
from gfx_core.gfn.checkpoint import TrainedPolicy
from gfx_core.gfn.exact_targets import ListedStates, listed_space
from gfx_core.gfn.knobs import changed
from gfx_core.gfn.objectives import FlowObjective
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.settings import FlowModel, GFNConfig, LearnsFrom, Parents
from gfx_core.gfn.tabular import TableTrainer
from gfx_core.gfn.trainer import Trainer
from gfx_core.gnn.predict import Predictor
from gfx_core.json_files import Json
from gfx_core.metrics.summary import pooled_auc
from gfx_core.training.frames import StateFrames, as_json, instance_part
from gfx_core.training.lesson_graphs import FIRST_FLOW, LessonGraph
from gfx_core.training.training import Training

MOST_STATES = 2000
"""No instance with more is listed as a whole."""
SMALL_STATES = 400
"""Of a larger one the small states are listed, at most so many."""
MOST_EXACT = 20_000
"""Instances with more states are not learned from exact flows."""


class Session:
    """One training.

    Args:
        training: What is trained, and how.
        predictor: The GNN, on the instance alone; ``None`` on a lesson's graph.
        start: The node that all subgraphs contain.
        trainer: What trains already, if it is only watched.

    Attributes:
        trainer: What trains.
        states: What is shown of states.

    Raises:
        UserError: There can be no such training; the sentence explains why.
    """

    def __init__(
        self,
        training: Training,
        predictor: Predictor | None,
        start: int,
        trainer: Trainer | None = None,
    ) -> None:
        self.question, config = training.question, training.config
        self.predictor, self.start = predictor, start
        self.instance = self.question.instance() if predictor is None else predictor.instances[0]
        self.probabilities = np.ones(1) if predictor is None else predictor.whole.probabilities[0].cpu().numpy()
        self._planned = config.epochs
        whole = largest_dag(self.instance, start, config.max_nodes, MOST_STATES, least=config.max_nodes)
        dag = whole or largest_dag(self.instance, start, config.max_nodes, SMALL_STATES)
        assert dag is not None  # the start node alone is listed everywhere
        self.states = StateFrames(self._space(dag, config), self.instance, whole=whole is not None)
        self.trainer: TableTrainer | Trainer = trainer or self._trainer(config)
        if whole is None or config.learns_from is LearnsFrom.TRAJECTORIES:
            self.trainer.watch = self._see

    @property
    def config(self) -> GFNConfig:
        """As it is now."""
        return self.trainer.config

    @property
    def step_number(self) -> int:
        """Steps so far."""
        return self.trainer.epoch

    # How it is trained

    def _space(self, dag: StateDag, config: GFNConfig) -> StateSpace:
        """States with what makes them good."""
        if isinstance(self.question, LessonGraph):
            return self.question.space(dag, config.reward)
        assert self.predictor is not None
        return listed_space(Reward(self.predictor, config.reward), [dag])

    def _trainer(self, config: GFNConfig) -> TableTrainer | Trainer:
        states = self.states
        if config.flow_model is FlowModel.TABLE:
            if not states.whole:
                raise TooManyStates(
                    "There are too many states for a table: lower K_M, choose a smaller instance, or train a network."
                )
            learner = TableTrainer(states.space, replace(config, delta=None))
            if self.predictor is None and config.learns_from is LearnsFrom.TRAJECTORIES:
                nn.init.constant_(learner.table.score, np.log(FIRST_FLOW))  # as lesson 4 begins
            return learner
        assert self.predictor is not None
        from_all = config.learns_from is LearnsFrom.ALL
        if from_all:
            config = replace(config, learning=replace(config.learning, exact_cap=MOST_EXACT, exact_alone=True))
        start = None if self.instance.target is not None else self.start
        trainer = Trainer(self.predictor, config, start=start, repeats=config.batch_size)
        if from_all and trainer.exact is None and states.space.num_edges:
            raise TooManyStates("There are too many states to list: let it learn from trajectories, or lower K_M.")
        if trainer.exact is None:  # at the best reward, where a table begins too
            trainer.policy.begin_high(trainer.graphs.features, float(states.space.log_reward.max()))
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
        before, trainer = self.config.reward, self.trainer
        config = trainer.config = changed(self.config, values)
        if isinstance(trainer, Trainer):
            trainer.repeats = config.batch_size
        if config.reward == before:
            return
        trainer.config = replace(config, epochs=self.step_number + self._planned)
        self.states.set_reward(self._space(self.states.space.dag, config))
        if isinstance(trainer, TableTrainer):
            trainer.set_reward(self.states.space)
        else:
            trainer.set_reward(Reward(trainer.predictor, config.reward))

    # What is shown

    def _see(self, sampled: Any) -> None:
        if isinstance(self.trainer, TableTrainer):
            self.states.see(self.trainer.table.paths.orders(sampled, self.config.max_nodes))
        else:
            self.states.see(sampled[0].order.cpu().numpy())

    def scene(self, first: int = 0) -> Json:
        """The instance, its states and what is exactly true of them, from a frame on; see `Scene`."""
        atoms = bool(self.instance.node_names) and self.predictor is not None
        return {
            "from": first,
            "start": self.start,
            "classes": list(self.instance.info.class_names(len(self.probabilities))),
            "predicted": int(self.probabilities.argmax()),
            "probability": round(float(self.probabilities.max()), 4),
            "has_truth": self._has_truth,
            **instance_part(self.instance, self._has_truth, atoms),
            **as_json(self.states.scene_part()),
        }

    @property
    def _has_truth(self) -> bool:
        """Whether it is known which edges are the reason for the prediction."""
        return self.instance.has_reason(int(self.probabilities.argmax()))

    @torch.no_grad()
    def frame(self, scene: int = 0) -> Json:
        """What the policy does now; see `Frame`."""
        trainer, states, instance, flows = self.trainer, self.states, self.instance, self.flows()
        part = states.frame_part(states.space.walk(*flows), *flows, self.config.parents is Parents.SEQUENCE)
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
        """The log-flow along each edge of the listed states, and from each state to STOP. [E], [S]"""
        if isinstance(self.trainer, TableTrainer):
            return self.trainer.table.flows()
        return ListedStates(self.trainer.graphs, self.states.space).flows(self.trainer.policy)

    # What comes of it

    def save(self) -> TrainedPolicy | None:
        """The policy, where it is a network."""
        if isinstance(self.trainer, TableTrainer):
            return None
        trained = TrainedPolicy.of(self.trainer, self.question.dataset, self.question.gnn)
        return replace(trained, made=trained.made | {"epochs": self.step_number, "trained_on": self.question.title})


def session_of(training: Training) -> Session:
    """The session of a training."""
    if isinstance(training.question, LessonGraph):
        return Session(training, None, 0)
    subject = load(training.question)
    return Session(training, subject.predictor("cpu"), start_of(subject))
