"""LiveLane: one training that can be taken on some steps at a time, looked at, changed on the way and put back.

It trains in an Environment: the instance, its GNN, the start node, and all states where they can be listed. This module
is imported in workers: it needs torch.
"""

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
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
from gfx_core.device import provenance
from gfx_core.errors import UserError
from gfx_core.exact.enumeration import StateDag, TooManyStates, enumerate_states
from gfx_core.explanation.question import Question
from gfx_core.explanation.run import kept_model, kept_policy, start_of
from gfx_core.gfn.checkpoint import TrainedPolicy
from gfx_core.gfn.instances import FlowGraphs
from gfx_core.gfn.own_policies import policy_path
from gfx_core.gfn.policy import SCALE, FlowPolicy, StartLocator
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.settings import GFNConfig, LearningConfig, PolicyConfig, RewardConfig, Stop
from gfx_core.gfn.trainer import LAST, EpochReport
from gfx_core.gnn.predict import Predictions, Predictor, SubgraphPredictor, Subgraphs
from gfx_core.metrics.edges import instance_auc
from gfx_core.training.frames import instance_part, rounded
from gfx_core.training.lesson_graphs import checked_practice, practice_rewards
from gfx_core.training.setting import Begin, LaneSetting, LessonGraph, NetworkKind

HIDDEN = 64
"""Width of a network that learns one instance."""
LISTED = 256
"""Listed states of a step that is told exact flows."""


def reward_config(setting: LaneSetting) -> RewardConfig:
    """β and the prices."""
    return RewardConfig(setting.beta, {"nodes": setting.node_price, "similarity": setting.similarity})


def trainer_config(setting: LaneSetting, shipped: GFNConfig | None = None) -> GFNConfig:
    """All choices of a trainer; the network is that of the shipped policy where it begins with it."""
    lesson = isinstance(setting.question, LessonGraph)
    node_task = lesson or setting.question.info.task is Task.NODE  # type: ignore[union-attr]
    config = GFNConfig(
        max_nodes=setting.max_nodes,
        reward=reward_config(setting),
        policy=PolicyConfig(hidden=HIDDEN, context=setting.network is NetworkKind.OURS),
        loss=setting.loss,
        parents=setting.parents,
        stop=setting.stop,
        delta=30.0 if node_task else None,
        epsilon=setting.epsilon,
        epochs=setting.steps,
        batch_size=setting.batch,
        lr=setting.lr,
        seed=setting.seed,
        learning=LearningConfig(),
    )
    if shipped is None or setting.begin is not Begin.SHIPPED:
        return config
    return replace(config, policy=shipped.policy, delta=shipped.delta)


def policy_of_size(policy: FlowPolicy, max_nodes: int) -> FlowPolicy:
    """The policy for sets of at most so many nodes, of which it must have seen some."""
    if max_nodes > policy.max_nodes:
        raise UserError(f"The shipped policy knows sets of at most {policy.max_nodes} nodes: choose a smaller K_M.")
    return policy if max_nodes == policy.max_nodes else policy.smaller(max_nodes)


MOST_STATES = 4000
"""No more are listed, however little a frame may weigh."""
STATE_BYTES, LINK_BYTES = 8.0, 8 / 3
"""What a state and a link take in a frame: three numbers, and one."""


class Environment:
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
            model = kept_model(self.question.dataset, setting.gnn)
            self.instance = self.question.instance(model.hops)
            self.instance.check_start(self.question.start)
            self.predictor = SubgraphPredictor(model, [self.instance], "cpu")
        self.start = _start(self.question, self.instance)
        self.dag: StateDag | None = None  # all states, where there are few enough to be shown
        with suppress(TooManyStates):
            dag = enumerate_states(self.instance, self.start, self.max_nodes, cap=MOST_STATES)
            if dag.num_states * STATE_BYTES + dag.num_edges * LINK_BYTES <= room:
                self.dag = dag

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
            log_reward = np.log(practice_rewards(checked_practice(self.question.name), self.instance, dag))
            return setting.beta * (log_reward - setting.node_price * dag.size)
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
    return start_of(question) if isinstance(question, Question) else instance.target or 0


class _NoGnn(Predictor):
    """A lesson's graph for a policy network: its nodes are known by their names alone, and nobody predicts."""

    def __init__(self, instance: Instance) -> None:
        super().__init__(Task.NODE, [instance], "cpu")

    @cached_property
    def node_embedding(self) -> Tensor:
        return self.graphs.x

    def evaluate(self, subgraphs: Subgraphs) -> Predictions:
        raise NotImplementedError


@torch.no_grad()
def begin_high(policy: FlowPolicy, graphs: FlowGraphs, log_reward: float) -> None:
    """Let all flows of a new network begin at some reward; else hundreds of steps go into finding their size."""
    policy.begin_at(graphs.features, log_reward, 1 / SCALE)
    if policy.stop is Stop.LEARNED:
        *_, last = policy.stop_head.modules()
        assert isinstance(last, nn.Linear)
        last.bias.fill_(log_reward)


RUNAWAY = 1e6
"""A loss beyond this will not come back: flows are a thousand nats from where they should be."""
SANE = 100.0
"""Flows are good to go back to while the loss is no more than so many times the smallest so far."""
KEPT_EVERY = 10
"""Steps between two moments to which a training that diverges goes back."""


class LaneDiverged(Exception):  # noqa: N818 (it says what happened)
    """The loss ran away or stopped being a number; the sentence says what was kept."""


class LiveLane(ABC):
    """One training.

    Args:
        setting: How.
        environment: Where.

    Attributes:
        setting: As it is now.
        step: Gradient steps so far.
        seconds: Of training so far.
        loss: Of the latest step.
    """

    def __init__(self, setting: LaneSetting, environment: Environment) -> None:
        self.setting, self.environment = setting, environment
        self.step, self.seconds = 0, 0.0
        self.loss: float | None = None
        self._smallest = math.inf
        self._good: tuple[int, Callable[[], None]] | None = None

    def _shipped(self) -> TrainedPolicy | None:
        """The policy it begins with, where that is the shipped one."""
        if self.setting.begin is not Begin.SHIPPED:
            return None
        assert isinstance(self.setting.question, Question)
        return kept_policy(self.setting.question.dataset, self.setting.question.gnn)

    @property
    def done(self) -> bool:
        """Whether it has come to where it ends by itself."""
        return self.step >= self.setting.steps

    def advance(self, steps: int = 1) -> None:
        """Take some steps, at most as many as are left.

        Raises:
            LaneDiverged: The loss ran away or stopped being a number; the last good flows were put back.
        """
        began = time.perf_counter()
        try:
            for _ in range(min(steps, self.setting.steps - self.step)):
                self._take_step()
        finally:
            self.seconds += time.perf_counter() - began

    def _take_step(self) -> None:
        sane = self.loss is None or self.loss <= SANE * self._smallest
        if self._good is None or (self.step >= self._good[0] + KEPT_EVERY and sane):
            self._good = self.step, self.snapshot()
        loss = self._learn()
        if not abs(loss) <= RUNAWAY:  # also what is no number
            failed, (kept, restore) = self.step + 1, self._good
            restore()
            raise LaneDiverged(
                f"The loss ran away in step {failed}; the flows of step {kept} were kept. "
                "Try a smaller learning rate or β."
            )
        self.step += 1
        self.loss, self._smallest = loss, min(self._smallest, loss)

    def _forget_good(self) -> None:
        """The reward is another one: losses and flows of before say nothing any more."""
        self._good, self._smallest, self.loss = None, math.inf, None

    @abstractmethod
    def _learn(self) -> float:
        """One gradient step; returns the loss, also where it is no number."""

    @abstractmethod
    def change(self, setting: LaneSetting) -> None:
        """Go on under another setting, of which only what is live differs."""

    def scene(self, first: int) -> dict[str, Any]:
        """The instance, its states and what is exactly true of them, from a frame on; see `Scene`."""
        environment = self.environment
        predicted, probability = environment.predicted
        atoms = bool(environment.instance.node_names) and not self.setting.is_lesson
        return {
            "from": first,
            **instance_part(environment.instance, environment.has_truth, atoms),
            "start": environment.start,
            "classes": list(environment.classes),
            "predicted": predicted,
            "probability": round(probability, 4),
            "has_truth": environment.has_truth,
            **self._states(),
        }

    def frame(self, scene: int) -> dict[str, Any]:
        """What the policy does now; see `Frame`."""
        instance, flows, auc = self.environment.instance, self._flows_now(), None
        head = {"step": self.step, "seconds": round(self.seconds, 3), "scene": scene, "loss": rounded(self.loss)}
        if self.environment.has_truth:
            auc = rounded(instance_auc(instance, instance.both_directions(flows["marginals"])))
        return head | flows | {"auc": auc}

    @abstractmethod
    def _states(self) -> dict[str, Any]:
        """What a scene knows of states."""

    @abstractmethod
    def _flows_now(self) -> dict[str, Any]:
        """What a frame tells of flows."""

    @abstractmethod
    def snapshot(self) -> Callable[[], None]:
        """Remember where it is; returns what puts it back there."""

    @abstractmethod
    def trained(self) -> TrainedPolicy | None:
        """The policy, where it is a network."""

    def _as_trained(self, config: GFNConfig, policy: FlowPolicy, curve: tuple[EpochReport, ...] = ()) -> TrainedPolicy:
        about = self.setting.question
        made = provenance("cpu", self.seconds) | {"instances": 1, "trained_on": about.title, "steps": self.step}
        dataset, gnn = "" if self.setting.is_lesson else about.dataset, self.setting.gnn
        return TrainedPolicy(config, policy.eval(), self.environment.locator, dataset, gnn, curve, made)

    def rate(self) -> float:
        """Which share of the learning rate this step has: it falls along a cosine."""
        return LAST + (1 - LAST) * (0.5 + 0.5 * math.cos(math.pi * self.step / self.setting.steps))
