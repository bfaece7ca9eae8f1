"""What a training tells while it goes on: one stream of events for whoever wants to watch.

`gfx_core.gfn.trainer.Trainer` calls each of its listeners with every event. Who listens to none costs nothing; an event
holds the trainer's own tensors, so a listener copies what it wants to keep.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from torch import Tensor

from gfx_core.errors import UserError
from gfx_core.gfn.sampler import Trajectories

# What a training says of itself.


@dataclass(frozen=True)
class EpochReport:
    """What one epoch did; the event that it is done.

    Attributes:
        epoch: Its number, from 1.
        epochs: How many there will be.
        loss: Mean loss over its batches.
        residual: Mean |log in-flow − log out-flow| over the visited states.
        log_reward: Mean log R of the final subgraphs.
        size: Mean number of their nodes.
        seconds: How long it took.
        eta: Seconds until the end at this pace.
    """

    epoch: int
    epochs: int
    loss: float
    residual: float
    log_reward: float
    size: float
    seconds: float
    eta: float


class NotANumberError(UserError, FloatingPointError):
    """The loss stopped being a number; the last good weights were put back."""


@dataclass(frozen=True, eq=False)
class BatchLearned:
    """A batch of trajectories was sampled, and the first step on it taken.

    Attributes:
        epoch: In which epoch, from 1.
        trajectories: What was sampled.
        parents: Which nodes' removal counts as a parent of each prefix; empty where parents play no part. [B, K, m]
        log_reward: Of where each trajectory ended. [B]
    """

    epoch: int
    trajectories: Trajectories
    parents: Tensor
    log_reward: Tensor


TrainingEvent: TypeAlias = BatchLearned | EpochReport
Listener: TypeAlias = Callable[[TrainingEvent], None]
