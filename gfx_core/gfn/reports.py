"""What a training says of itself."""

from dataclasses import dataclass

from gfx_core.errors import UserError


@dataclass(frozen=True)
class EpochReport:
    """What one epoch did.

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
