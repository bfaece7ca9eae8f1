"""Which steps of a training the lessons look at."""

import math


def is_shown(step: int, epochs: int, frames: int) -> bool:
    """Whether a step is among the about `frames` ones that are looked at; early steps, where most happens, more often.

    Frame i is step epochs·(i / frames)^1.5; the beginning and the end are always among them.
    """
    if step in (0, epochs):
        return True
    frame = frames * (step / epochs) ** (2 / 3)
    before = frames * ((step - 1) / epochs) ** (2 / 3)
    return math.floor(frame) > math.floor(before)
