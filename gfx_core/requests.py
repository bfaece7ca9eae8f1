"""What pages ask of the crew about one prediction. Needs no torch; what a request imports to be answered does."""

import contextlib
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from gfx_core.crew.context import JobContext
from gfx_core.crew.request import Request, T
from gfx_core.device import detect_device
from gfx_core.errors import UserError
from gfx_core.explainers.learning import learning_seconds, learns_first
from gfx_core.explainers.registry import METHODS
from gfx_core.gfn.own_policies import policy_file
from gfx_core.gnn.model_file import model_path
from gfx_core.question import Question
from gfx_core.trace.schema import MethodMask, Step, Trace
from gfx_core.user_data.store import is_own

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gfx_core.drawing.state_space import PolicyDag

    Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Prepare(Request[None]):
    """Load what every answer needs, PyTorch first of all."""

    def answer(self, job: JobContext) -> None:
        from gfx_core.gnn.pyg_import import import_pyg

        import_pyg()
        import_module("gfx_core.explainers.answers")


@dataclass(frozen=True)
class Practise(Request[None]):
    """Go once through all that an explanation needs, RDKit too for a molecule, so that the first real one is fast."""

    question: Question

    def answer(self, job: JobContext) -> None:
        from gfx_core.explainers.answers import explain

        with contextlib.suppress(UserError):  # a policy may be missing
            explain(self.question, job)


@dataclass(frozen=True)
class PrepareTraining(Request[None]):
    """Load what only a training needs."""

    def answer(self, job: JobContext) -> None:
        from gfx_core.gnn.pyg_import import import_compiler

        import_compiler()


AT_LEISURE = (
    Practise(Question("tree_cycles", "511")),
    Practise(Question("mutagenicity", "Ethanol", "compound")),
    PrepareTraining(),
)
"""What a worker gets ready for while nobody asks it anything."""


@dataclass(frozen=True)
class _About(Request[T]):
    """Something about one prediction."""

    question: Question

    def files(self) -> tuple[Path, ...]:
        return model_path(self.question.dataset, self.question.gnn), policy_file(
            self.question.dataset, self.question.gnn, self.question.own
        )


@dataclass(frozen=True)
class Explain(_About[Trace]):
    """Explain it by GFlowExplainer; by learned flows where exact ones are asked for but there are too many states.

    Where the policy is first trained on this prediction, it emits what is to be seen of that, see `TuningWatch`.
    """

    @property
    def short(self) -> bool:
        """Unless a policy is trained first, as it may be on data that somebody brought."""
        return not (self.question.tuned or is_own(self.question.dataset))

    @property
    def work_kind(self) -> str:
        """A training on one prediction takes many times as long as an explanation."""
        return "Explain, tuned" if self.question.tuned else super().work_kind

    def answer(self, job: JobContext) -> Trace:
        from gfx_core.explainers.answers import explain_somehow

        if not self.question.tuned:
            return explain_somehow(self.question, job)
        from gfx_core.training.tuning_watch import TuningWatch

        return explain_somehow(self.question, job, TuningWatch(self.question, job))


@dataclass(frozen=True)
class ScoreEdges(_About[MethodMask]):
    """Explain it by any method."""

    method: str

    @property
    def short(self) -> bool:
        """Unless the method has to learn first."""
        about = self.question
        return self.method in METHODS and not learns_first(self.method, about.dataset, about.gnn, about.seed)

    @property
    def work_kind(self) -> str:
        """Each method has its own pace."""
        return f"{super().work_kind} by {self.method}"

    @property
    def expected_s(self) -> float | None:
        """As long as the same method has learnt for another GNN here, where it has to learn."""
        if self.short or self.method not in METHODS:
            return None
        here = detect_device()
        return learning_seconds(self.method, self.question.dataset, here.name if here.is_gpu else here.kind)

    def answer(self, job: JobContext) -> MethodMask:
        from gfx_core.explainers.answers import score_edges

        return score_edges(self.question, self.method, job)


@dataclass(frozen=True)
class ScoreEdgesTogether(_About[dict[str, MethodMask]]):
    """Explain it by several methods that need not learn; by name. One that cannot explain it is left out."""

    methods: tuple[str, ...]
    short = True

    def answer(self, job: JobContext) -> dict[str, MethodMask]:
        from gfx_core.explainers.answers import score_edges

        found = {}
        for number, method in enumerate(self.methods):
            job.report(number / len(self.methods), f"explaining by {METHODS[method].title}")
            with contextlib.suppress(UserError):
                found[method] = score_edges(self.question, method, JobContext(job.device, cancelled=job.cancelled))
        return found


@dataclass(frozen=True)
class Follow(_About[tuple[Step, ...]]):
    """Tell what the policy, or exact flows, make of a trajectory: local nodes in order, the start node first."""

    order: tuple[int, ...]
    short = True

    def answer(self, job: JobContext) -> tuple[Step, ...]:
        from gfx_core.explainers.answers import follow

        return follow(self.question, self.order, job)


@dataclass(frozen=True)
class ListStates(_About["PolicyDag"]):
    """List all states of the instance, or those around a trajectory."""

    order: tuple[int, ...]
    short = True

    def answer(self, job: JobContext) -> "PolicyDag":
        from gfx_core.drawing.policy_dag import policy_dag

        return policy_dag(self.question, self.order, job)


@dataclass(frozen=True)
class _AskGnn(Request[T]):
    """Ask a GNN that is kept in a file."""

    checkpoint: str
    short = True

    def files(self) -> tuple[Path, ...]:
        return (Path(self.checkpoint),)


@dataclass(frozen=True)
class AskGnn(_AskGnn[tuple[float, ...]]):
    """What it says of one instance: the probability of each class."""

    question: Question

    def answer(self, job: JobContext) -> tuple[float, ...]:
        from gfx_core.explainers.answers import ask

        return ask(self.question, Path(self.checkpoint))


@dataclass(frozen=True)
class AskGnnAboutAll(_AskGnn["Floats"]):
    """The same of every node or graph of a data set. [num_instances, C]"""

    dataset: str

    def answer(self, job: JobContext) -> "Floats":
        from gfx_core.explainers.answers import ask_about_all

        return ask_about_all(self.dataset, Path(self.checkpoint))
