"""Moments: where a training can be taken up again. A handful are kept, however long it runs."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gfx_core.training.setting import LaneSetting

MOST = 12
"""Moments that are kept; where there are more, every second one is dropped, but for the first and the latest."""


@dataclass(frozen=True, eq=False)
class KeptLane:
    """A lane at a moment: its setting, how many frames and scenes there were, and what puts it back."""

    setting: LaneSetting
    frames: int
    scenes: int
    restore: Callable[[], None]


@dataclass(frozen=True, eq=False)
class Moment:
    """All lanes after some step."""

    step: int
    lanes: tuple[KeptLane, ...]


class Moments:
    """What is kept of a training so that it can go on from there."""

    def __init__(self) -> None:
        self._kept: list[Moment] = []
        self._apart = 1  # steps between two moments

    @property
    def steps(self) -> list[int]:
        """Of the moments that are kept."""
        return [moment.step for moment in self._kept]

    def keep(self, step: int, lanes: Sequence[tuple[LaneSetting, int, int, Callable[[], Callable[[], None]]]]) -> None:
        """Keep this moment, unless the latest one is near. Each lane tells its setting, frames, scenes and snapshot."""
        if self._kept and step < self._kept[-1].step + self._apart:
            return
        kept = tuple(KeptLane(setting, frames, scenes, snapshot()) for setting, frames, scenes, snapshot in lanes)
        self._kept.append(Moment(step, kept))
        if len(self._kept) > MOST:
            first, *between, last = self._kept
            self._kept = [first, *between[1::2], last]
            self._apart = max(1, (last.step - first.step) // (MOST // 2))

    def before(self, step: int) -> Moment:
        """The latest moment that is not after a step; the first where there is none."""
        return self._kept[max(0, bisect_right(self.steps, step) - 1)]

    def forget_after(self, step: int) -> None:
        """What came after a moment did not happen."""
        self._kept = [moment for moment in self._kept if moment.step <= step]
