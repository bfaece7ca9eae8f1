"""Place: where a lane trains. The instance, its GNN, the start node, and all states where they can be listed.

This module is imported in workers: it needs torch.
"""

from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import torch
from torch import Tensor

from gfx_core.config import Task
from gfx_core.datasets.instance import Instance
from gfx_core.explainers.answers import kept_model, kept_policy
from gfx_core.explainers.exact_sampler import ExactSampler
from gfx_core.explainers.generate import SubgraphSampler
from gfx_core.explainers.on_the_spot import locate
from gfx_core.files import stamp
from gfx_core.gfn.exact import Doubles
from gfx_core.gfn.locator import StartLocator
from gfx_core.gfn.paths import policy_path
from gfx_core.gfn.presets import policy_config
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.state_dag import StateDag, TooManyStates, enumerate_states
from gfx_core.gnn.model_file import PLAIN, load_model, model_path
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import Predictions, Predictor, SubgraphPredictor, Subgraphs
from gfx_core.question import Question
from gfx_core.training.configuration import reward_config
from gfx_core.training.lesson_graphs import checked_practice, practice_rewards
from gfx_core.training.setting import LaneSetting, LessonGraph
from gfx_core.user_data.store import is_own

MOST_STATES = 4000
"""No more are listed, however little a frame may weigh."""
STATE_BYTES, LINK_BYTES = 8.0, 8 / 3
"""What a state and a link take in a frame: three numbers, and one."""


class Place:
    """Where a lane trains.

    Args:
        setting: Of the lane.
        room: How many bytes a frame may have: larger DAGs are not listed.
    """

    def __init__(self, setting: LaneSetting, room: float) -> None:
        self.question, self.max_nodes = setting.question, setting.max_nodes
        self.predictor: Predictor
        if isinstance(self.question, LessonGraph):
            self.instance: Instance = self.question.instance()
            self.predictor = _NoGnn(self.instance)
        else:
            model = _plain(self.question) if setting.plain else kept_model(self.question.dataset, self.question.gnn)
            self.instance = self.question.instance(model.hops)
            self.instance.check_start(self.question.start)
            self.predictor = SubgraphPredictor(model, [self.instance], "cpu")
        self.start = _start(self.question, self.instance)
        self.dag = self._listed(room)

    def _listed(self, room: float) -> StateDag | None:
        """All states, where there are few enough to be shown."""
        try:
            dag = enumerate_states(self.instance, self.start, self.max_nodes, cap=MOST_STATES)
        except TooManyStates:
            return None
        return dag if dag.num_states * STATE_BYTES + dag.num_edges * LINK_BYTES <= room else None

    def all_states(self) -> StateDag:
        """All states; ``TooManyStates`` where a table would be too large to be shown."""
        if self.dag is None:
            raise TooManyStates(
                "There are too many states for a table: lower K_M, choose a smaller instance, or train a network."
            )
        return self.dag

    def reward(self, setting: LaneSetting) -> Reward:
        """What makes a subgraph good, by the GNN."""
        return Reward(self.predictor, reward_config(setting))

    def log_rewards(self, setting: LaneSetting) -> Doubles:
        """log R of every listed state. [S]"""
        dag = self.all_states()
        if isinstance(self.question, LessonGraph):
            given = np.log(practice_rewards(checked_practice(self.question.name), self.instance, dag))
            return setting.beta * (given - setting.node_price * dag.size)
        reward, subsets = self.reward(setting), torch.from_numpy(dag.subsets)
        parts = [reward(part, torch.zeros_like(part[:, 0])) for part in subsets.split(2048)]
        return torch.cat(parts).double().numpy()

    @property
    def locator(self) -> StartLocator | None:
        """What picks start nodes of whole graphs: a training on one start node has none of its own to learn."""
        about = self.question
        if self.instance.target is not None or not policy_path(about.dataset, about.gnn).is_file():
            return None
        return kept_policy(about.dataset, about.gnn).locator

    @cached_property
    def predicted(self) -> tuple[int, float]:
        """What the GNN says of the whole, and how sure it is."""
        if isinstance(self.question, LessonGraph):
            return 0, 1.0
        chances = self.predictor.whole.probabilities[0]
        return int(chances.argmax()), float(chances.max())

    @cached_property
    def classes(self) -> tuple[str, ...]:
        """What the GNN tells apart."""
        if isinstance(self.question, LessonGraph):
            return ("given rewards",)
        return self.instance.info.class_names(self.predictor.whole.logits.shape[1])

    @cached_property
    def has_truth(self) -> bool:
        """Whether it is known which edges are the reason for the prediction."""
        return not isinstance(self.question, LessonGraph) and self.instance.has_reason(self.predicted[0])


def _start(question: Question | LessonGraph, instance: Instance) -> int:
    """The start node: the explained node, a chosen one, or the one that an explanation would start from."""
    if instance.target is not None:
        return instance.target
    assert isinstance(question, Question)
    if question.start is not None:
        return question.start
    model = kept_model(question.dataset, question.gnn)  # whichever GNN is trained for: lanes can be compared
    predictor = SubgraphPredictor(model, [instance], "cpu")
    if policy_path(question.dataset, question.gnn).is_file():
        return SubgraphSampler(kept_policy(question.dataset, question.gnn), predictor, instance).locate()
    if is_own(question.dataset):
        return locate(policy_config(question.dataset), predictor, instance)
    return ExactSampler(policy_config(question.dataset), predictor, instance).locate()


def _plain(question: Question) -> GNN:
    return _kept_plain(question.dataset, question.gnn, stamp(model_path(question.dataset, question.gnn, PLAIN)))


@lru_cache(maxsize=8)
def _kept_plain(dataset: str, kind: str, version: tuple[int, int]) -> GNN:
    return load_model(dataset, kind, PLAIN)


class _NoGnn(Predictor):
    """A lesson's graph for a policy network: its nodes are known by their names alone, and nobody predicts."""

    def __init__(self, instance: Instance) -> None:
        super().__init__(Task.NODE, [instance], "cpu")

    @cached_property
    def node_embedding(self) -> Tensor:
        return self.graphs.x

    def evaluate(self, subgraphs: Subgraphs) -> Predictions:
        raise NotImplementedError

    def read(self, *_: Any) -> Predictions:
        raise NotImplementedError
