"""What pages ask of the crew. Needs no torch; what a request imports to be answered does."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gfx_core.config import GNNKind
from gfx_core.crew.context import JobContext
from gfx_core.crew.request import Request, T
from gfx_core.gfn.paths import policy_path
from gfx_core.gnn.checkpoint import model_path

if TYPE_CHECKING:
    from gfx_core.teaching.real import Answers


@dataclass(frozen=True)
class Prepare(Request[None]):
    """Have a worker import torch and go once through all that an explanation needs."""

    def answer(self, job: JobContext) -> None:
        from gfx_core.jobs import tasks

        tasks.prepare(job.device)


@dataclass(frozen=True, kw_only=True)
class _About(Request[T]):
    """Something about one prediction; for the fields see `gfx_core.jobs.tasks.explain_trace`."""

    dataset: str
    index: int | None = None
    smiles: str | None = None
    kind: str = GNNKind.SUM

    def files(self) -> tuple[Path, ...]:
        if self.kind not in list(GNNKind):
            return ()  # the worker will say so
        return model_path(self.dataset, GNNKind(self.kind)), policy_path(self.dataset, self.kind)


@dataclass(frozen=True, kw_only=True)
class ExplainTrace(_About[str]):
    """See `gfx_core.jobs.tasks.explain_trace`."""

    seed: int = 0
    samples: int = 64
    choice: str = "sample"
    start: int | None = None
    beta: float | None = None
    max_nodes: int | None = None
    tuned: bool = False

    @property
    def short(self) -> bool:
        return not self.tuned

    def answer(self, job: JobContext) -> str:
        from gfx_core.jobs import tasks

        return tasks.explain_trace(job, **vars(self))


@dataclass(frozen=True, kw_only=True)
class MethodMask(_About[dict[str, Any]]):
    """See `gfx_core.jobs.tasks.method_mask`."""

    method: str
    seed: int = 0

    @property
    def short(self) -> bool:
        from gfx_core.explainers.registry import METHODS

        return self.method in METHODS and not METHODS[self.method].learns

    def answer(self, job: JobContext) -> dict[str, Any]:
        from gfx_core.jobs import tasks

        return tasks.method_mask(job, **vars(self))


@dataclass(frozen=True, kw_only=True)
class _Along(_About[T]):
    """Something along a trajectory."""

    order: tuple[int, ...]
    beta: float | None = None
    max_nodes: int | None = None
    tuned: bool = False
    short = True

    def arguments(self) -> dict[str, Any]:
        return vars(self) | {"order": list(self.order)}


@dataclass(frozen=True, kw_only=True)
class StepsByHand(_Along[list[dict[str, Any]]]):
    """See `gfx_core.jobs.tasks.steps_by_hand`."""

    def answer(self, job: JobContext) -> list[dict[str, Any]]:
        from gfx_core.jobs import tasks

        return tasks.steps_by_hand(job, **self.arguments())


@dataclass(frozen=True, kw_only=True)
class StateSpace(_Along[dict[str, Any]]):
    """See `gfx_core.jobs.state_space.state_space`."""

    def answer(self, job: JobContext) -> dict[str, Any]:
        from gfx_core.jobs.state_space import state_space

        return state_space(job, **self.arguments())


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
