"""What a live training comes to, and how long it waits for somebody. Needs no torch."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]

LEFT_S = 60.0
"""A training of which nobody has been heard for so long ends, unless it was asked to stay."""
PAUSED_S = 600.0
"""A paused training gives its worker back after so long."""
TIME_UP = {"do": "end", "why": "time"}
"""The command that ends a training which has had its time while others wait."""


@dataclass(frozen=True)
class TrainedLane:
    """What became of a lane.

    Attributes:
        setting: As it was in the end.
        step: Gradient steps that it took.
        end: How it ended, a sentence.
        policy: The policy as the bytes of a safetensors file with its header; ``None`` for a table.
    """

    setting: dict[str, Any]
    step: int
    end: str
    policy: "Bytes | None" = None
