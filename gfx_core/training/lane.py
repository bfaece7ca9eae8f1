"""A lane: one training that can be taken on some steps at a time, looked at, changed on the way and put back.

This module is imported in workers: it needs torch.
"""

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from gfx_core.explainers.answers import kept_policy
from gfx_core.gfn.gradient_steps import LAST
from gfx_core.gfn.instances import FlowGraphs
from gfx_core.gfn.policy import SCALE, FlowPolicy
from gfx_core.gfn.policy_file import TrainedPolicy
from gfx_core.gfn.settings import Stop
from gfx_core.question import Question
from gfx_core.training.place import Place
from gfx_core.training.setting import Begin, LaneSetting


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


class Lane(ABC):
    """One training.

    Args:
        setting: How.
        place: Where.

    Attributes:
        setting: As it is now.
        step: Gradient steps so far.
        seconds: Of training so far.
        loss: Of the latest step.
    """

    def __init__(self, setting: LaneSetting, place: Place) -> None:
        self.setting, self.place = setting, place
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
        if self._good is None or (self.step >= self._good[0] + KEPT_EVERY and self._is_sane):
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

    @property
    def _is_sane(self) -> bool:
        return self.loss is None or self.loss <= SANE * self._smallest

    def _forget_good(self) -> None:
        """The reward is another one: losses and flows of before say nothing any more."""
        self._good, self._smallest, self.loss = None, math.inf, None

    @abstractmethod
    def _learn(self) -> float:
        """One gradient step; returns the loss, also where it is no number."""

    @abstractmethod
    def change(self, setting: LaneSetting) -> None:
        """Go on under another setting, of which only what is live differs."""

    @abstractmethod
    def scene(self, first: int) -> dict[str, Any]:
        """The instance, its states and what is exactly true of them, from a frame on; see `Scene`."""

    @abstractmethod
    def frame(self, scene: int) -> dict[str, Any]:
        """What the policy does now; see `Frame`."""

    @abstractmethod
    def snapshot(self) -> Callable[[], None]:
        """Remember where it is; returns what puts it back there."""

    @abstractmethod
    def trained(self) -> TrainedPolicy | None:
        """The policy, where it is a network."""

    def rate(self) -> float:
        """Which share of the learning rate this step has: it falls along a cosine."""
        return LAST + (1 - LAST) * (0.5 + 0.5 * math.cos(math.pi * self.step / self.setting.steps))
