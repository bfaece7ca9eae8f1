"""CUDA graphs: what a training does over and over on a GPU, recorded once and replayed.

Sampling a batch of trajectories and a step of gradient descent on listed states are hundreds of tiny kernels each, and
launching them one by one takes far longer than running them. Their shapes are fixed and they ask the device nothing, so
they are recorded, and replayed with new randomness, new start nodes and the weights as they are by then. (A step on the
visited states is not: how many there are is known only on the device.) Only :func:`record` is called from outside.
"""

import logging
import warnings
from collections.abc import Callable
from typing import Any, Generic, Protocol, TypeVar

import torch
from torch import Tensor

from gfx_core.gfn.exact_targets import ExactTargets
from gfx_core.gfn.instances import Episodes
from gfx_core.gfn.objectives import Objective
from gfx_core.gfn.policy import FlowPolicy
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.sampler import Noise, Trajectories, parent_nodes, sample
from gfx_core.gfn.settings import GFNConfig

_log = logging.getLogger(__name__)

Result = TypeVar("Result")
Recording = TypeVar("Recording")


class Training(Protocol):
    """What is recorded of a trainer, which knows this module."""

    policy: FlowPolicy
    config: GFNConfig
    reward: Reward
    exact: ExactTargets | None
    objective: Objective
    repeats: int
    device: torch.device
    generator: torch.Generator

    @property
    def batches(self) -> list[Episodes]: ...
    @property
    def steps(self) -> "Steps": ...
    def sample(self, episodes: Episodes, generator: torch.Generator) -> tuple[Trajectories, Tensor]: ...
    def regress(self) -> Tensor: ...


class Steps(Protocol):
    """Gradient descent whose beginning can be put back."""

    def descend(self, loss: Tensor) -> Tensor: ...
    def snapshot(self) -> Callable[[], None]: ...


def record(trainer: Training) -> None:
    """Let a trainer on a GPU sample and regress by recorded work, with its own methods as the way back."""
    recorder = TrainingRecorder(trainer)
    trainer.sample = recorder.sample  # type: ignore[method-assign]
    trainer.regress = recorder.regress  # type: ignore[method-assign]


class CudaGraph(Generic[Result]):
    """Some work on the GPU, recorded once.

    Args:
        work: The work. It reads and writes the same memory each time, and asks the device nothing.
        undo: Puts back what doing the work once has changed: it is done once before it is recorded.
        pool: Memory that is shared with other recorded work.
    """

    def __init__(self, work: Callable[[], Result], undo: Callable[[], None] | None = None, pool: Any = None) -> None:
        here = torch.cuda.current_stream()
        aside = torch.cuda.Stream()
        aside.wait_stream(here)
        with torch.cuda.stream(aside), warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*capturable=True")  # it will be captured in a moment
            work()  # libraries allocate on first use: not while capturing
        here.wait_stream(aside)
        if undo is not None:
            undo()
        self._graph = torch.cuda.CUDAGraph()
        try:
            with torch.cuda.graph(self._graph, pool=pool):
                self._result = work()
        finally:
            torch.cuda.set_stream(here)  # a capture that fails leaves another one behind

    def __call__(self) -> Result:
        """Do the work again; what it returns is overwritten by the next call."""
        self._graph.replay()
        return self._result


class RecordedSampler:
    """Samples one trajectory from each of some fixed episodes.

    Args:
        trainer: Its policy, reward and configuration; weights may change in place between calls.
        episodes: Instances and start nodes; the start nodes may change in place.
        pool: Memory that is shared with other recorded work.
    """

    def __init__(self, trainer: Training, episodes: Episodes, pool: Any = None) -> None:
        policy, config, device = trainer.policy, trainer.config, episodes.instance.device
        self._noise = Noise.empty(policy.max_nodes, len(episodes), episodes.width + 1, device)
        each = torch.arange(len(episodes), device=device)

        def run() -> tuple[Trajectories, Tensor]:
            found = sample(policy, episodes, each, trainer.reward, epsilon=config.epsilon, generator=self._noise)
            return found, parent_nodes(found, config.parents)

        self._noise.actions.fill_(0.5)  # what is drawn while recording does not matter
        self._noise.explores.fill_(0.5)
        self._run = CudaGraph(run, pool=pool)

    def __call__(self, generator: torch.Generator) -> tuple[Trajectories, Tensor]:
        """Trajectories and the parents of their states; both are overwritten by the next call."""
        self._noise.fill(generator)
        return self._run()


class RecordedRegression:
    """One step of gradient descent on listed states alone.

    Args:
        trainer: With exact targets.
        undo: Puts weights and Adam's state back where they are now.
        pool: Memory that is shared with other recorded work.
    """

    def __init__(self, trainer: Training, undo: Callable[[], None], pool: Any = None) -> None:
        exact, count = trainer.exact, trainer.config.learning.exact_states
        assert exact is not None
        noise = torch.full((count,), 0.5, dtype=torch.float64, device=trainer.device)
        self._noise = noise
        self._run = CudaGraph(lambda: trainer.steps.descend(exact.loss(trainer.policy, exact.pick(noise))), undo, pool)

    def __call__(self, generator: torch.Generator) -> Tensor:
        """Learn from states that are drawn anew; returns the loss."""
        self._noise.uniform_(generator=generator)
        return self._run().clone()


class TrainingRecorder:
    """The recorded work of a training; where something cannot be recorded, the trainer's own methods do it.

    Args:
        trainer: The training.
    """

    def __init__(self, trainer: Training) -> None:
        self._trainer, self._sample, self._regress = trainer, trainer.sample, trainer.regress
        self.works = True
        self._forget()

    def _forget(self) -> None:
        """Begin anew, with the batches as they are now."""
        self._batches = self._trainer.batches
        self._samplers: dict[int, RecordedSampler] = {}
        self._regression: RecordedRegression | None = None
        self._pool: Any = None

    def sample(self, episodes: Episodes, generator: torch.Generator) -> tuple[Trajectories, Tensor]:
        """What :meth:`Trainer.sample` gives; it is overwritten by the next call."""
        trainer = self._trainer
        if self._batches is not trainer.batches:  # made anew, where the memory did not suffice
            self._forget()
        if not self.works or trainer.repeats > 1 or not trainer.objective.wants_parents:
            return self._sample(episodes, generator)
        key = id(episodes.instance)  # copies with other start nodes share this tensor
        if key not in self._samplers:
            sampler = self._recorded(lambda pool: RecordedSampler(trainer, episodes, pool))
            if sampler is None:
                return self._sample(episodes, generator)
            self._samplers[key] = sampler
        return self._samplers[key](generator)

    def regress(self) -> Tensor:
        """What :meth:`Trainer.regress` gives."""
        trainer = self._trainer
        if self.works and self._regression is None:
            undo = trainer.steps.snapshot()
            self._regression = self._recorded(lambda pool: RecordedRegression(trainer, undo, pool), undo)
        return self._regress() if self._regression is None else self._regression(trainer.generator)

    def _recorded(self, make: Callable[[Any], Recording], undo: Callable[[], None] | None = None) -> Recording | None:
        """Recorded work, or nothing, from now on, where the device refuses."""
        try:
            self._pool = self._pool or _new_pool()
            return make(self._pool)
        except torch.OutOfMemoryError:
            raise
        except RuntimeError as error:
            self.works = False
            self._forget()
            if undo is not None:
                undo()
            reason = (str(error).splitlines() or [type(error).__name__])[0]
            _log.warning("this training cannot be recorded on the GPU and goes on without (%s)", reason)
            return None


def _new_pool() -> Any:
    return torch.cuda.graph_pool_handle()
