"""CUDA graphs: what a training does over and over on a GPU, recorded once and replayed.

Sampling a batch of trajectories and a step of gradient descent on listed states are hundreds of tiny kernels each, and
launching them one by one takes far longer than running them. Their shapes are fixed and they ask the device nothing, so
they are recorded, and replayed with new randomness, new start nodes and the weights as they are by then. (A step on the
visited states is not: how many there are is known only on the device.) Only `Recorder` is made from outside.
"""

import logging
import warnings
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import torch
from torch import Tensor

from gfx_core.gfn.instances import Episodes
from gfx_core.gfn.sampler import Noise, Trajectories, parent_nodes, sample

_log = logging.getLogger(__name__)

Result = TypeVar("Result")


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


class Recorder:
    """Lets a trainer sample and regress by recorded work, with its own methods as the way back.

    Args:
        trainer: The `gfx_core.gfn.trainer.Trainer` on a GPU, which knows this module.
    """

    def __init__(self, trainer: Any) -> None:
        self._trainer, self._sample, self._regress = trainer, trainer.sample, trainer.regress
        self.works = True
        self._forget()
        trainer.sample, trainer.regress = self.sample, self.regress

    def _forget(self) -> None:
        """Begin anew, with the batches as they are now."""
        self._batches = self._trainer.batches
        self._recorded: dict[int, tuple[list[Tensor], CudaGraph[Any]]] = {}  # each with its random numbers
        self._pool: Any = None

    def sample(self, episodes: Episodes, generator: torch.Generator) -> tuple[Trajectories, Tensor]:
        """What :meth:`Trainer.sample` gives; it is overwritten by the next call."""
        trainer = self._trainer
        if self._batches is not trainer.batches:  # made anew, where the memory did not suffice
            self._forget()

        def make() -> tuple[list[Tensor], Callable[[], Any], None]:
            policy, config, device = trainer.policy, trainer.config, episodes.instance.device
            noise = Noise.empty(policy.max_nodes, len(episodes), episodes.width + 1, device)
            each = torch.arange(len(episodes), device=device)

            def work() -> tuple[Trajectories, Tensor]:
                found = sample(policy, episodes, each, trainer.reward, epsilon=config.epsilon, generator=noise)
                return found, parent_nodes(found, config.parents)

            return [noise.actions, noise.explores], work, None

        found = None
        if trainer.repeats == 1 and trainer.objective.wants_parents:
            key = id(episodes.instance)  # copies with other start nodes share this tensor
            found = self._replay(key, generator, make)
        return self._sample(episodes, generator) if found is None else found

    def regress(self) -> Tensor:
        """What :meth:`Trainer.regress` gives."""
        trainer = self._trainer

        def make() -> tuple[list[Tensor], Callable[[], Any], Callable[[], None]]:
            exact, steps = trainer.exact, trainer.steps
            noise = torch.empty(trainer.config.learning.exact_states, dtype=torch.float64, device=trainer.device)
            return [noise], lambda: steps.descend(exact.loss(trainer.policy, exact.pick(noise))), steps.snapshot()

        loss = self._replay(0, trainer.generator, make)
        return self._regress() if loss is None else loss.clone()

    def _replay(
        self,
        key: int,
        generator: torch.Generator,
        make: Callable[[], tuple[list[Tensor], Callable[[], Any], Callable[[], None] | None]],
    ) -> Any:
        """What some work gives with randomness that is drawn anew; nothing, from now on, where the device refuses.

        Args:
            key: Names the work.
            generator: Of the randomness.
            make: Where it is to be recorded: its random numbers, the work, and what undoes it.
        """
        if self.works and key not in self._recorded:
            noise, work, undo = make()
            for each in noise:
                each.fill_(0.5)  # what is drawn while recording does not matter
            try:
                self._pool = self._pool or torch.cuda.graph_pool_handle()
                self._recorded[key] = noise, CudaGraph(work, undo, self._pool)
            except torch.OutOfMemoryError:
                raise
            except RuntimeError as error:
                self.works = False
                self._forget()
                if undo is not None:
                    undo()
                reason = (str(error).splitlines() or [type(error).__name__])[0]
                _log.warning("this training cannot be recorded on the GPU and goes on without (%s)", reason)
        if key not in self._recorded:
            return None
        noise, run = self._recorded[key]
        for each in noise:
            each.uniform_(generator=generator)
        return run()
