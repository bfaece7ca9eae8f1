"""CUDA graphs: what a training does over and over on a GPU, recorded once and replayed.

Sampling a batch of trajectories and a step of gradient descent on listed states are hundreds of tiny kernels each, and
launching them one by one takes far longer than running them. Their shapes are fixed and they ask the device nothing, so
they are recorded, and replayed with new randomness, new start nodes and the weights as they are by then.
"""

import logging
import warnings
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

import torch
from torch import Tensor

_log = logging.getLogger(__name__)

Result = TypeVar("Result")
Work = Callable[[Tensor], Result]
"""A function of uniform noise. It reads and writes the same memory each time, and waits for no value of the device."""


class CudaGraphs:
    """Runs functions of noise: on a GPU by replaying what was recorded, elsewhere and where it refuses by calling them.

    Args:
        works: Whether they compute on a GPU and ask it nothing.
    """

    def __init__(self, works: bool) -> None:
        self.works = works
        self.forget()

    def forget(self) -> None:
        """Record anew from now on: the memory that functions read has moved."""
        self._recorded: dict[Hashable, tuple[Tensor, Callable[[], Any]]] = {}
        self._pool: Any = None

    def run(
        self,
        name: Hashable,
        work: Work[Result],
        noise: Tensor,
        generator: torch.Generator,
        snapshot: Callable[[], Callable[[], None]] | None = None,
    ) -> Result:
        """What a function returns, which the next call of that name overwrites.

        Args:
            name: Of the function with all that it reads.
            work: The function.
            noise: Room for its noise.
            generator: Of the noise.
            snapshot: Returns what puts back all that the function changes: it is called once before it is recorded.
        """
        if self.works and name not in self._recorded:
            undo = None if snapshot is None else snapshot()
            try:
                self._recorded[name] = noise, self._record(work, noise.fill_(0.5), undo)
            except torch.OutOfMemoryError:
                raise
            except RuntimeError as error:
                self.works = False
                self.forget()
                if undo is not None:
                    undo()
                reason = (str(error).splitlines() or [type(error).__name__])[0]
                _log.warning("this training cannot be recorded on the GPU and goes on without (%s)", reason)
        noise, replay = self._recorded.get(name, (noise, lambda: work(noise)))
        noise.uniform_(generator=generator)
        result: Result = replay()
        return result

    def _record(self, work: Work[Result], noise: Tensor, undo: Callable[[], None] | None) -> Callable[[], Result]:
        self._pool = self._pool or torch.cuda.graph_pool_handle()
        main, side, graph = torch.cuda.current_stream(), torch.cuda.Stream(), torch.cuda.CUDAGraph()
        side.wait_stream(main)
        with torch.cuda.stream(side), warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*capturable=True")  # it will be captured in a moment
            work(noise)  # libraries allocate on first use: not while capturing
        main.wait_stream(side)
        if undo is not None:
            undo()
        try:
            with torch.cuda.graph(graph, pool=self._pool):
                result = work(noise)
        finally:
            torch.cuda.set_stream(main)  # a capture that fails leaves another one behind

        def replay() -> Result:
            graph.replay()
            return result

        return replay
