"""Environment: where a session trains: an instance, its GNN, a start node, and what subgraphs are worth there.

This module is imported in workers: it needs torch.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from gfx_core.config import Task
from gfx_core.datasets.instance import Instance
from gfx_core.exact.enumeration import StateDag
from gfx_core.exact.state_space import StateSpace
from gfx_core.explanation.listing import start_of
from gfx_core.explanation.samplers import reward_states
from gfx_core.explanation.subject import load
from gfx_core.gfn.checkpoint import TrainedPolicy
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.settings import RewardConfig
from gfx_core.gnn.predict import Predictions, Predictor, Subgraphs
from gfx_core.training.lesson_graphs import LessonGraph, Practice, practice_rewards
from gfx_core.training.training import Subject


@dataclass(frozen=True, eq=False)
class Environment:
    """Where a session trains.

    Attributes:
        instance: The instance.
        predictor: Its GNN, on this instance alone.
        start: The node that all subgraphs contain.
        explained: The class that is explained; the GNN's own answer by default.
        practice: A lesson's graph, whose rewards are given.
        shipped: The policy that is kept for the GNN; its locator picks start nodes of whole graphs, and a session,
            which has one start node, trains none.
    """

    instance: Instance
    predictor: Predictor
    start: int
    explained: int | None = None
    practice: Practice | None = None
    shipped: TrainedPolicy | None = None

    @classmethod
    def of(cls, question: Subject) -> "Environment":
        """That of a prediction, by name, or of a lesson's graph."""
        if isinstance(question, LessonGraph):
            instance = question.instance()
            return cls(instance, NoGnn(instance), instance.target or 0, practice=Practice(question.name))
        loaded = load(question)
        return cls(loaded.instance, loaded.predictor("cpu"), start_of(loaded), shipped=loaded.policy)

    def reward(self, config: RewardConfig) -> Reward:
        """What makes a subgraph good, by the GNN."""
        return Reward(self.predictor, config, self.explained)

    def listed(self, config: RewardConfig, dag: StateDag) -> StateSpace:
        """All states with log R of each."""
        if self.practice is None:
            return reward_states(self.reward(config), dag)
        log_reward = np.log(practice_rewards(self.practice, self.instance, dag))
        return StateSpace(dag, config.beta * (log_reward - config.price("nodes") * dag.size))

    @cached_property
    def predicted(self) -> tuple[int, float]:
        """What the GNN says of the whole, and how sure it is."""
        if self.practice is not None:
            return 0, 1.0
        chances = self.predictor.whole.probabilities[0]
        return int(chances.argmax()), float(chances.max())

    @cached_property
    def classes(self) -> tuple[str, ...]:
        """What the GNN tells apart."""
        if self.practice is not None:
            return ("given rewards",)
        return self.instance.info.class_names(self.predictor.whole.logits.shape[1])

    @cached_property
    def has_truth(self) -> bool:
        """Whether it is known which edges are the reason for the prediction."""
        return self.practice is None and self.instance.has_reason(self.predicted[0])


class NoGnn(Predictor):
    """A lesson's graph for a policy network: its nodes are known by their names alone, and nothing predicts."""

    def __init__(self, instance: Instance) -> None:
        super().__init__(Task.NODE, [instance], "cpu")

    @cached_property
    def node_embedding(self) -> Tensor:
        return self.graphs.x

    def evaluate(self, subgraphs: Subgraphs) -> Predictions:
        raise NotImplementedError


class ListedReward(Reward):
    """log R of states that are all listed, from the list.

    Args:
        environment: The instance and its GNN, if it has one.
        config: The reward.
        space: All states with their rewards.
    """

    def __init__(self, environment: Environment, config: RewardConfig, space: StateSpace) -> None:
        self.predictor, self.config, self.space = environment.predictor, config, space

    def __call__(self, subsets: Tensor, instance: Tensor) -> Tensor:
        nodes, dag = subsets.numpy(), self.space.dag
        members = (nodes[..., None] == np.arange(dag.num_nodes)).any(1)
        return torch.from_numpy(self.space.log_reward[dag.indices_of(members)]).float()
