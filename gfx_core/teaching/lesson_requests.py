"""What lessons and the lab ask of the crew. Needs no torch; what a request imports to be answered does."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gfx_core.crew.context import JobContext
from gfx_core.crew.request import Request

if TYPE_CHECKING:
    from gfx_core.teaching.real import Answers


@dataclass(frozen=True)
class AskAll(Request["dict[str, Answers]"]):
    """See `gfx_core.teaching.real_tasks.ask_all`."""

    index: int
    short = True

    def answer(self, job: JobContext) -> "dict[str, Answers]":
        from gfx_core.teaching.real_tasks import ask_all

        return ask_all(job, index=self.index)


@dataclass(frozen=True)
class AskOne(Request["dict[str, Answers]"]):
    """See `gfx_core.teaching.real_tasks.ask_one`."""

    index: int
    nodes: tuple[int, ...]
    short = True

    def answer(self, job: JobContext) -> "dict[str, Answers]":
        from gfx_core.teaching.real_tasks import ask_one

        return ask_one(job, index=self.index, nodes=list(self.nodes))


@dataclass(frozen=True, kw_only=True)
class TrainPractice(Request[dict[str, Any]]):
    """See `gfx_core.teaching.training.train_practice`."""

    practice: str
    lr: float
    epsilon: float
    beta: float
    seed: int
    short = True

    def answer(self, job: JobContext) -> dict[str, Any]:
        from gfx_core.teaching.training import train_practice

        return train_practice(job, **vars(self))


@dataclass(frozen=True, kw_only=True)
class CompareBalance(Request[dict[str, Any]]):
    """See `gfx_core.teaching.balance.compare_balance`."""

    starts: tuple[int, ...]
    lr: float
    seed: int
    short = True

    def answer(self, job: JobContext) -> dict[str, Any]:
        from gfx_core.teaching.balance import compare_balance

        return compare_balance(job, starts=list(self.starts), lr=self.lr, seed=self.seed)


@dataclass(frozen=True)
class GrowSteps(Request[dict[str, Any]]):
    """See `gfx_core.teaching.cut_lab.grow_steps`."""

    names: tuple[str, ...]
    edges: tuple[tuple[int, int], ...]
    order: tuple[int, ...]
    short = True
    device = "cpu"

    def answer(self, job: JobContext) -> dict[str, Any]:
        from gfx_core.teaching.cut_lab import grow_steps

        edges = [list(edge) for edge in self.edges]
        return grow_steps(job, names=list(self.names), edges=edges, order=list(self.order))


@dataclass(frozen=True)
class Race(Request[dict[str, Any]]):
    """See `gfx_core.teaching.cut_lab.race`."""

    kind: str
    seed: int
    dataset: str = ""
    index: int = 0
    device = "cpu"

    def answer(self, job: JobContext) -> dict[str, Any]:
        from gfx_core.teaching.cut_lab import race

        return race(job, **vars(self))
