"""Session: the one way to train on one prediction, watched or not.

``Session(question, config)`` takes a step at a time, shows what it does (`scene`, `frame`), can be changed on the way,
and gives the policy (`save`). What learns is one of the `learners`. Where the loss runs away it goes back to the last
good flows and says so. This module is imported in workers: it needs torch.
"""

import math
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from gfx_core.device import provenance
from gfx_core.errors import UserError
from gfx_core.exact.enumeration import StateDag, TooManyStates, enumerate_states
from gfx_core.explanation.question import Question
from gfx_core.explanation.subject import kept_policy
from gfx_core.gfn.checkpoint import TrainedPolicy
from gfx_core.gfn.settings import Begin, FlowModel, GFNConfig
from gfx_core.gfn.trainer import EpochReport
from gfx_core.metrics.edges import pooled_auc
from gfx_core.training.environment import Environment
from gfx_core.training.frames import instance_part, rounded
from gfx_core.training.learners import FlowLearner, ListedLearner, SampledLearner
from gfx_core.training.training import Subject, Training

FRAME_BYTES = 40_000.0
"""The most that a frame of all states may weigh: larger DAGs are not listed."""
MOST_STATES = 4000
"""No more are listed, however little a frame may weigh."""
STATE_BYTES, LINK_BYTES = 8.0, 8 / 3
"""What a state and a link take in a frame: three numbers, and one."""

RUNAWAY = 1e6
"""A loss beyond this will not come back: flows are a thousand nats from where they should be."""
SANE = 100.0
"""Flows are good to go back to while the loss is no more than so many times the smallest so far."""
KEPT_EVERY = 10
"""Steps between two moments to which a training that diverges goes back."""


class DivergedError(UserError):
    """The loss ran away or stopped being a number; the sentence says what was kept."""


class Session:
    """One training.

    Args:
        question: The prediction, or a lesson's graph; ``None`` where an environment is given that has no name.
        config: How.
        environment: Where; by default the one that the question names.
        begin: The policy to begin with; by default as the configuration says.
        frame_bytes: The most that a frame of all states may weigh.

    Attributes:
        config: As it is now.
        step_number: Steps so far.
        seconds: Of training so far.
        loss: Of the latest step.
        distance: The total variation from R/Z at the latest `report`, where all states are listed.

    Raises:
        UserError: There can be no such training; the sentence says why.
    """

    def __init__(
        self,
        question: Subject | None,
        config: GFNConfig,
        environment: Environment | None = None,
        begin: TrainedPolicy | None = None,
        frame_bytes: float = FRAME_BYTES,
    ) -> None:
        self.question = question
        if begin is None and config.begin is Begin.SHIPPED:
            assert isinstance(question, Question)
            begin = kept_policy(question.dataset, question.gnn)
        if begin is not None:
            config = replace(config, policy=begin.config.policy, delta=begin.config.delta)
        self.config = config
        if environment is None:
            assert question is not None
            environment = Environment.of(question)
        self.environment = environment
        self.step_number, self.seconds = 0, 0.0
        self.loss: float | None = None
        self.distance: float | None = None
        self._report: EpochReport | None = None
        self._smallest = math.inf
        self._good: tuple[int, Callable[[], None]] | None = None
        self.learner = self._make(_listed(self.environment, config, frame_bytes), begin)

    def _make(self, dag: StateDag | None, begin: TrainedPolicy | None) -> FlowLearner:
        on_cpu = self.environment.predictor.device.type == "cpu"
        if dag is not None and on_cpu:
            return ListedLearner(self.environment, self.config, dag, begin)
        if self.config.flow_model is FlowModel.TABLE:
            raise TooManyStates(
                "There are too many states for a table: lower K_M, choose a smaller instance, or train a network."
            )
        return SampledLearner(self.environment, self.config, begin)

    @property
    def done(self) -> bool:
        """Whether it has come to where it ends by itself."""
        return self.step_number >= self.config.epochs

    def step(self, cancelled: Callable[[], bool] = lambda: False) -> bool:
        """Take a step; False, and nothing is counted, if it was cancelled meanwhile.

        Raises:
            DivergedError: The loss ran away or stopped being a number; the last good flows were put back.
        """
        began = time.perf_counter()
        sane = self.loss is None or self.loss <= SANE * self._smallest
        if self._good is None or (self.step_number >= self._good[0] + KEPT_EVERY and sane):
            self._good = self.step_number, self.snapshot()
        loss = self.learner.learn(self.step_number + 1, cancelled)
        self.seconds += time.perf_counter() - began
        if loss is None:
            return False
        if not abs(loss) <= RUNAWAY:  # also what is no number
            failed, (kept, restore) = self.step_number + 1, self._good
            restore()
            raise DivergedError(
                f"The loss diverged in step {failed}; the flows of step {kept} were kept. "
                "Try a smaller learning rate or β."
            )
        self.step_number += 1
        self.loss, self._smallest = loss, min(self._smallest, loss)
        return True

    def advance(self, steps: int) -> None:
        """Take some steps, at most as many as are left."""
        for _ in range(min(steps, self.config.epochs - self.step_number)):
            self.step()

    def run(self, after: Callable[["Session"], None], cancelled: Callable[[], bool] = lambda: False) -> None:
        """Take the steps that are left, until it is cancelled or its loss runs away; then what was good is kept.

        Args:
            after: Called before the first step and after each.
            cancelled: Asked before each gradient step.
        """
        after(self)
        with suppress(DivergedError):
            while not self.done and self.step(cancelled):
                after(self)

    def change(self, config: GFNConfig) -> None:
        """Go on under another configuration, of which only what is live differs.

        Under another reward it takes as many steps as were planned once more.
        """
        last = self.config.epochs
        if config.reward != self.config.reward:  # losses and flows of before say nothing any more
            self._good, self._smallest, self.loss = None, math.inf, None
            last = self.step_number + config.epochs
        self.config = replace(config, policy=self.config.policy, delta=self.config.delta, epochs=last)
        self.learner.change(self.config)

    def snapshot(self) -> Callable[[], None]:
        """Remember where it is; returns what puts it back there."""
        put_back, rest = self.learner.snapshot(), (self.step_number, self.seconds, self.loss)

        def restore() -> None:
            put_back()
            self.step_number, self.seconds, self.loss = rest

        return restore

    # What is shown

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
            **self.learner.states(),
        }

    def frame(self, scene: int = 0) -> dict[str, Any]:
        """What the policy does now; see `Frame`."""
        instance, flows, auc = self.environment.instance, self.learner.flows_now(), None
        head = {"step": self.step_number, "seconds": round(self.seconds, 3), "scene": scene, "loss": rounded(self.loss)}
        if self.environment.has_truth:
            auc = rounded(pooled_auc([instance], [instance.both_directions(flows["marginals"])]))
        return head | flows | {"auc": auc}

    def report(self) -> EpochReport:
        """The numbers of the latest step; what is known of `distance` is measured with them."""
        if self.learner.curve:
            return self.learner.curve[-1]
        if self._report is None or self._report.epoch != self.step_number:
            now, step, epochs = self.learner.flows_now(), self.step_number, self.config.epochs
            self.distance = now["total_variation"]
            residual, log_reward, size = (float(now[name] or 0.0) for name in ("residual", "log_reward", "size"))
            each = self.seconds / max(1, step)
            rest = each * (epochs - step)
            self._report = EpochReport(step, epochs, self.loss or 0.0, residual, log_reward, size, each, rest)
        return self._report

    # What comes of it

    def save(self) -> TrainedPolicy | None:
        """The policy, where it is a network."""
        if self.learner.policy is None:
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
        curve = tuple(self.learner.curve)
        return TrainedPolicy(self.config, self.learner.policy.eval(), environment.locator, dataset, gnn, curve, made)


def _listed(environment: Environment, config: GFNConfig, frame_bytes: float) -> StateDag | None:
    """All states, where there are few enough to be shown."""
    with suppress(TooManyStates):
        dag = enumerate_states(environment.instance, environment.start, config.max_nodes, cap=MOST_STATES)
        if dag.num_states * STATE_BYTES + dag.num_edges * LINK_BYTES <= frame_bytes:
            return dag
    return None


def session_of(training: Training, frame_bytes: float = FRAME_BYTES) -> Session:
    """The session of a training."""
    return Session(training.question, training.config, frame_bytes=frame_bytes)
