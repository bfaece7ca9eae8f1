"""What a training does over and over, in CUDA graphs: sampling a batch of trajectories, and learning from one.

Both are hundreds of tiny kernels; launching them one by one takes far longer than running them. Where shapes are fixed
and the device is asked nothing, they are recorded once and replayed: with new randomness, new start nodes and the
weights as they are by then.
"""

import warnings
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import torch
from torch import Tensor

from gfx_core.gfn.instances import Episodes
from gfx_core.gfn.objectives import LossTerms
from gfx_core.gfn.pairs import Room
from gfx_core.gfn.policy import FlowPolicy
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.sampler import Draws, Trajectories, parent_nodes, sample
from gfx_core.gfn.seen import Seen
from gfx_core.gfn.settings import Parents

Result = TypeVar("Result")


class Recorded(Generic[Result]):
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


class CapturedSampler:
    """Samples one trajectory from each of some fixed episodes.

    Args:
        policy: Where the flows come from; its weights may change in place between calls.
        episodes: Instances and start nodes; the start nodes may change in place.
        reward: Gives STOP its flow where the policy has no head for it.
        epsilon: Share of actions drawn uniformly.
        parents: Which parents are wanted.
        pool: Memory that is shared with other recorded work.
    """

    def __init__(
        self,
        policy: FlowPolicy,
        episodes: Episodes,
        reward: Reward,
        epsilon: float,
        parents: Parents,
        pool: Any = None,
    ) -> None:
        device = episodes.instance.device
        self._draws = Draws.empty(policy.max_nodes, len(episodes), episodes.width + 1, device)
        each = torch.arange(len(episodes), device=device)

        def run() -> tuple[Trajectories, Tensor]:
            trajectories = sample(policy, episodes, each, reward, epsilon=epsilon, generator=self._draws)
            return trajectories, parent_nodes(trajectories, parents)

        self._draws.noise.fill_(0.5)  # what is drawn while recording does not matter
        self._draws.explores.fill_(0.5)
        self._run = Recorded(run, pool=pool)

    def __call__(self, generator: torch.Generator) -> tuple[Trajectories, Tensor]:
        """Trajectories and the parents of their states; both are overwritten by the next call."""
        self._draws.fill(generator)
        return self._run()


Learn = Callable[[Seen, Tensor, Room | None], LossTerms]
"""One step of gradient descent on a batch, with the numbers that draw listed states, and room for rows."""


class CapturedStep:
    """One step of gradient descent on a batch of trajectories.

    Args:
        learn: The step.
        seen: A batch; its memory is where every batch to learn from is put.
        room: For how many rows.
        luck: How many listed states are drawn in each step.
        undo: Puts weights and Adam's state back where they are now.
        pool: Memory that is shared with other recorded work.
    """

    def __init__(
        self, learn: Learn, seen: Seen, room: Room, luck: int, undo: Callable[[], None], pool: Any = None
    ) -> None:
        self.room, self._seen = room, seen
        self._luck = torch.full((luck,), 0.5, dtype=torch.float64, device=seen.parents.device)
        self._run = Recorded(lambda: learn(seen, self._luck, room), undo, pool)

    def __call__(self, seen: Seen, generator: torch.Generator) -> LossTerms:
        """Learn from a batch of the same shape."""
        for own, given in zip(_memory(self._seen), _memory(seen), strict=True):
            if own.data_ptr() != given.data_ptr():
                own.copy_(given)
        self._luck.uniform_(generator=generator)
        terms = self._run()
        assert terms.rows is not None
        return LossTerms(terms.loss.clone(), terms.residual.clone(), terms.log_reward.clone(), terms.rows.clone())


def _memory(seen: Seen) -> list[Tensor]:
    """What a step reads of a batch that may be another one the next time."""
    trajectories = seen.trajectories
    rewards = [] if trajectories.log_reward is None else [trajectories.log_reward]
    return [trajectories.order, trajectories.episodes.start, seen.parents, *rewards]


class CapturedRegression:
    """One step of gradient descent on listed states alone.

    Args:
        learn: The step, from the numbers that draw the states to its loss.
        luck: How many states are drawn in each step.
        device: Where they are.
        undo: Puts weights and Adam's state back where they are now.
        pool: Memory that is shared with other recorded work.
    """

    def __init__(
        self,
        learn: Callable[[Tensor], Tensor],
        luck: int,
        device: torch.device,
        undo: Callable[[], None],
        pool: Any = None,
    ) -> None:
        self._luck = torch.full((luck,), 0.5, dtype=torch.float64, device=device)
        self._run = Recorded(lambda: learn(self._luck), undo, pool)

    def __call__(self, generator: torch.Generator) -> Tensor:
        """Learn from states that are drawn anew; returns the loss."""
        self._luck.uniform_(generator=generator)
        return self._run().clone()
