"""Captures: which parts of a training are recorded as CUDA graphs, with a way back where that cannot be done."""

import logging
from collections.abc import Callable
from typing import Any, TypeVar

import torch
from torch import Tensor

from gfx_core.gfn.captured import CapturedRegression, CapturedSampler, CapturedStep, Learn
from gfx_core.gfn.instances import Episodes
from gfx_core.gfn.objectives import LossTerms
from gfx_core.gfn.pairs import Room
from gfx_core.gfn.policy import pair_masks
from gfx_core.gfn.seen import Seen
from gfx_core.gfn.states import States

_log = logging.getLogger(__name__)

Made = TypeVar("Made")


class Captures:
    """The recorded work of a training: for each batch of episodes how it is sampled and how it is learned from.

    Everything here returns None where nothing can be recorded; then the work is to be done as usual.

    Args:
        samples: Whether sampling can be recorded: all its shapes are fixed.
        learns: Whether steps can be too.
        snapshot: Remembers weights and Adam's state; returns what puts them back.
    """

    def __init__(self, samples: bool, learns: bool, snapshot: Callable[[], Callable[[], None]]) -> None:
        self.samples, self.learns, self._snapshot = samples, learns, snapshot
        self._most = [0, 0, 0]  # rows of each kind that any batch has needed so far
        self.forget()

    def forget(self) -> None:
        """Begin anew, with other batches."""
        self._samplers: dict[int, CapturedSampler] = {}
        self._steps: dict[int, CapturedStep] = {}
        self._regression: CapturedRegression | None = None
        self._rows: list[tuple[int, Tensor]] = []
        self._pool: Any = None

    def sampler(self, episodes: Episodes, make: Callable[[Any], CapturedSampler]) -> CapturedSampler | None:
        """What samples from these episodes; it is made from the memory that all share."""
        if not self.samples:
            return None
        key = _key(episodes)
        if key not in self._samplers:
            made = self._made(lambda pool: make(pool))
            if made is None:
                return None
            self._samplers[key] = made
        return self._samplers[key]

    def step(self, learn: Learn, seen: Seen, luck: int, generator: torch.Generator) -> LossTerms | None:
        """One step of gradient descent on a batch that was sampled here.

        Args:
            learn: The step.
            seen: The batch.
            luck: How many listed states are drawn in each step.
            generator: Draws them.
        """
        key = _key(seen.trajectories.episodes)
        if not (self.samples and self.learns) or key not in self._samplers:
            return None
        if key not in self._steps:
            counts = [max(pair) for pair in zip(_count(seen), self._most, strict=True)]
            undo = self._snapshot()
            made = self._made(lambda pool: CapturedStep(learn, seen, Room.for_counts(counts), luck, undo, pool), undo)
            if made is None:
                return None
            self._steps[key] = made
        terms = self._steps[key](seen, generator)
        assert terms.rows is not None
        self._rows.append((key, terms.rows))
        return terms

    def regression(self, learn: Callable[[Tensor], Tensor], luck: int, generator: torch.Generator) -> Tensor | None:
        """One step of gradient descent on listed states alone; the arguments are those of :meth:`step`."""
        if not (self.samples and self.learns):
            return None
        if self._regression is None:
            undo = self._snapshot()
            self._regression = self._made(
                lambda pool: CapturedRegression(learn, luck, generator.device, undo, pool), undo
            )
        return None if self._regression is None else self._regression(generator)

    def lost_rows(self) -> bool:
        """Whether there was too little room for some step since the last time; then it is recorded anew, with more."""
        done, self._rows = self._rows, []
        if not done:
            return False
        lost = False
        for (key, _), counts in zip(done, torch.stack([rows for _, rows in done]).tolist(), strict=True):
            self._most = [max(pair) for pair in zip(counts, self._most, strict=True)]
            if key in self._steps and not self._steps[key].room.holds(counts):
                del self._steps[key]
                lost = True
        return lost

    def _made(self, make: Callable[[Any], Made], undo: Callable[[], None] | None = None) -> Made | None:
        try:
            self._pool = self._pool or _new_pool()
            return make(self._pool)
        except torch.OutOfMemoryError:
            raise
        except RuntimeError as error:
            self.samples = False
            self.forget()
            if undo is not None:
                undo()
            _log.warning("this training cannot be recorded on the GPU and goes on without (%s)", _first_line(error))
            return None


def _new_pool() -> Any:
    return torch.cuda.graph_pool_handle()


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def _key(episodes: Episodes) -> int:
    """Names a batch: copies with other start nodes share this tensor."""
    return id(episodes.instance)


@torch.no_grad()
def _count(seen: Seen) -> list[int]:
    """Rows of each kind that a batch needs."""
    given = seen.trajectories
    states = States.along(given.episodes, given.episode, given.order, given.order.shape[1])
    masks = pair_masks(states, seen.parents.flatten(0, 1), given.visited.flatten())
    counts: list[int] = torch.stack([mask.sum() for mask in masks]).tolist()
    return counts
