"""All that pages ask of the workers. Needs no torch; what a request imports to be answered does."""

import sys
from dataclasses import dataclass
from importlib import import_module
from itertools import chain
from pathlib import Path
from types import ModuleType
from typing import Any

from gfx_core.arrays import Floats
from gfx_core.baselines.registry import METHODS, learning
from gfx_core.datasets.edits import Counterfactual
from gfx_core.datasets.registry import load_dataset
from gfx_core.device import COMPILER
from gfx_core.drawing.state_graph import PolicyDag
from gfx_core.errors import UserError
from gfx_core.explanation.many import NamedQuestions, Row, explain_all
from gfx_core.explanation.question import Question, options
from gfx_core.explanation.rules import Rules, find_rules
from gfx_core.gfn.own_policies import policy_file, policy_path
from gfx_core.gnn.checkpoint import model_path
from gfx_core.job_context import JobContext
from gfx_core.jobs.job import Request, T
from gfx_core.limits import MAX_SECONDS
from gfx_core.trace.schema import MethodMask, Step, Trace
from gfx_core.training.training import TIME_UP, Training
from gfx_core.training.user_gnn_setting import GnnReport, GnnSetting
from gfx_core.user_data.draft import ColumnRoles, Preview

# About one prediction


def import_pyg() -> None:
    """Import PyTorch and PyG, without what PyG loads besides and nothing here uses.

    It loads PyTorch's compiler only to recognise compiled models, and pandas, if there is one, for data sets of its
    own. Both are loaded as usual where they are imported afterwards: the compiler by PyTorch itself, when it is first
    needed. Meant for a process that does nothing else yet: for a moment these modules are hidden.
    """
    import_module("torch")
    hidden: dict[str, Any] = {"pandas": None, COMPILER: ModuleType(COMPILER)}
    hidden = {name: module for name, module in hidden.items() if name not in sys.modules}
    sys.modules.update(hidden)
    try:
        import_module("torch_geometric")
    finally:
        for name in hidden:
            del sys.modules[name]


@dataclass(frozen=True)
class Load(Request[None]):
    """Import PyTorch, PyG and some more modules."""

    modules: tuple[str, ...]

    def answer(self, job: JobContext) -> None:
        import_pyg()
        for module in self.modules:
            import_module(module)


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
    """Explain it by GFlowExplainer; by learned flows where exact ones are wanted but there are too many states.

    Where the policy is first trained on this prediction, it emits what is to be seen of that, see `TrainingWatcher`.
    """

    @property
    def short(self) -> bool:
        """Unless the policy is trained on this one first; a worker that has to train something else puts it back."""
        return not self.question.tuned

    def answer(self, job: JobContext) -> Trace:
        from gfx_core.explanation.run import explain

        if self.question.tuned:
            from gfx_core.training.live import TrainingWatcher

            job.watch = TrainingWatcher(self.question, job)
        return explain(self.question, job)


WARMUPS = (
    Load(("gfx_core.explanation.run", "scipy.sparse.csgraph")),  # layouts need the latter
    Explain(Question("tree_cycles", "511")),
    Explain(Question("mutagenicity", "Ethanol", "compound")),
    Load((COMPILER,)),  # a training needs it
)
"""What a worker gets ready for, the first before all else; RDKit too, so that the first real molecule is fast."""


@dataclass(frozen=True)
class Flip(_About[Counterfactual]):
    """Find a smallest set of removed edges, or one changed atom, that changes it."""

    function = "gfx_core.explanation.counterfactual.flip"
    short = True  # it looks for a few seconds at most


@dataclass(frozen=True)
class ExplainMany(_About[tuple[Row, ...]]):
    """Explain it and others of its data set in the same way: a row of a table for each.

    Attributes:
        first: The number of the first.
        count: How many, as far as there are so many.
    """

    first: int
    count: int

    def answer(self, job: JobContext) -> tuple[Row, ...]:
        about = self.question
        how = {name: getattr(about, name) for name, option in options().items() if option.travels}
        questions = NamedQuestions(about.dataset, about.gnn, options=how)
        indices = range(load_dataset(about.dataset).num_instances)[self.first : self.first + self.count]
        return tuple(explain_all(questions, indices, job=job))


@dataclass(frozen=True)
class FindRules(_About[Rules]):
    """By which kinds of subgraph its GNN predicts a class of its data set.

    Attributes:
        of: The class.
    """

    of: int

    def answer(self, job: JobContext) -> Rules:
        questions = NamedQuestions(self.question.dataset, self.question.gnn)
        return find_rules(questions, self.of, job=job)


@dataclass(frozen=True)
class ScoreEdges(_About[dict[str, MethodMask | str]]):
    """Explain it by some methods: the mask of each, by name, or in a sentence why there is none."""

    methods: tuple[str, ...]

    @property
    def short(self) -> bool:
        """Unless a method has to learn first."""
        about = self.question
        known = [each for each in self.methods if each in METHODS]
        return not any(learning(each, about.dataset, about.gnn, about.seed).first for each in known)

    def answer(self, job: JobContext) -> dict[str, MethodMask | str]:
        from gfx_core.baselines.masks import score_edges

        found: dict[str, MethodMask | str] = {}
        for number, method in enumerate(self.methods):
            inside = job
            if len(self.methods) > 1:  # the bar tells how many of them are done
                job.report(number / len(self.methods), f"explaining by {METHODS[method].title}")
                inside = JobContext(job.device, cancelled=job.cancelled)
            try:
                found[method] = score_edges(self.question, method, inside)
            except UserError as error:
                found[method] = str(error)
        return found


@dataclass(frozen=True)
class Follow(_About[tuple[Step, ...]]):
    """What the policy, or exact flows, make of a trajectory: local nodes in order, the start node first."""

    function = "gfx_core.explanation.run.follow"
    order: tuple[int, ...]
    short = True


@dataclass(frozen=True)
class ListStates(_About[PolicyDag]):
    """List all states of the instance, or those around a trajectory."""

    function = "gfx_core.drawing.state_graph.policy_dag"
    order: tuple[int, ...]
    short = True


@dataclass(frozen=True)
class _AskGnn(Request[T]):
    """Ask a GNN that is kept in a file."""

    checkpoint: str
    short = True

    def files(self) -> tuple[Path, ...]:
        return (Path(self.checkpoint),)


@dataclass(frozen=True)
class AskGnn(_AskGnn[tuple[float, ...]]):
    """Its probability of each class for one instance."""

    function = "gfx_core.explanation.run.ask"
    question: Question


@dataclass(frozen=True)
class AskGnnAboutAll(_AskGnn[Floats]):
    """The same of every node or graph of a data set. [num_instances, C]"""

    function = "gfx_core.explanation.run.ask_about_all"
    dataset: str


# About a visitor's own data. Files are put into the room of the visit before a request names them: a request says where
# they lie, so it is small, and a reader that goes wrong brings down a worker and never the server.


@dataclass(frozen=True)
class LookAt(Request[Preview]):
    """Read some files and make a data set of them, if one can be made.

    Attributes:
        visit: Whose files.
        names: What they are called.
        paths: Where they lie.
        meaning: What their columns mean; guessed by default.
        title: What the data set is to be called.
    """

    visit: str
    names: tuple[str, ...]
    paths: tuple[str, ...]
    meaning: ColumnRoles | None = None
    title: str = ""
    short = True
    device = "cpu"  # where a worker has a memory limit
    deadline_s = MAX_SECONDS

    def files(self) -> tuple[Path, ...]:
        return tuple(map(Path, self.paths))

    def answer(self, job: JobContext) -> Preview:
        from gfx_core.user_data.build import preview
        from gfx_core.user_data.draft import DataFile

        job.report(0.1, "reading")
        try:
            files = [DataFile(name, path.read_bytes()) for name, path in zip(self.names, self.files(), strict=True)]
        except OSError as error:
            raise UserError("The uploaded file has been deleted: upload it again.") from error
        return preview(files, self.visit, self.meaning, self.title)


@dataclass(frozen=True)
class TrainGnn(GnnSetting, Request[GnnReport]):
    """Train a GNN for a visitor's data set."""

    shared = False

    def answer(self, job: JobContext) -> GnnReport:
        from gfx_core.training.user_gnn import train_gnn

        return train_gnn(self, job)


@dataclass(frozen=True)
class BringGnn(Request[GnnReport]):
    """Take a GNN that was uploaded for a visitor's data set.

    Attributes:
        dataset: The data set.
        path: Where the file lies.
        turn: Another one for a second upload.
    """

    dataset: str
    path: str
    turn: int = 0
    shared = False
    short = True

    def answer(self, job: JobContext) -> GnnReport:
        from gfx_core.training.user_gnn import bring_gnn

        return bring_gnn(self.dataset, Path(self.path))


# Trainings


@dataclass(frozen=True)
class Train(Request[tuple[bytes | None, ...]]):
    """Train one or two in turn, on one clock; see `gfx_core.training.live` for events and commands.

    Attributes:
        trainings: What is trained, and how.
    """

    trainings: tuple[Training, ...]

    live = True
    stop_command = TIME_UP
    shared = False
    device = "cpu"

    def files(self) -> tuple[Path, ...]:
        questions = [training.question for training in self.trainings if not training.is_lesson]
        paths = [(model_path(about.dataset, about.gnn), policy_path(about.dataset, about.gnn)) for about in questions]
        return tuple(chain.from_iterable(paths))

    def answer(self, job: JobContext) -> tuple[bytes | None, ...]:
        from gfx_core.training.live import LiveTraining

        return LiveTraining(self.trainings, job).run()


# Lessons and the lab: functions of `gfx_core.teaching.lesson_jobs`, which says more of them

_LESSONS = "gfx_core.teaching.lesson_jobs"


@dataclass(frozen=True)
class RecordTraining(Request[dict[str, Any]]):
    """A short training from its beginning to its end: the recording as JSON; meanwhile it emits what it is made of."""

    training: Training
    short = True
    device = "cpu"

    def answer(self, job: JobContext) -> dict[str, Any]:
        from gfx_core.training.live import record

        training = self.training

        def emit(event: dict[str, Any]) -> None:
            job.emit(event)
            job.report(event["frame"]["step"] / training.config.epochs if "frame" in event else 0.0, "training")

        return record(training.question.title, [training], emit=emit).as_dict()


@dataclass(frozen=True)
class AskAll(Request[dict[str, Any]]):
    """What each of the GNNs predicts for every state of an instance."""

    function = f"{_LESSONS}.ask_all"
    index: int
    short = True


@dataclass(frozen=True)
class AskHiddenGnn(Request[list[float]]):
    """What a hidden GNN predicts for some graphs, in the graph6 format: the probability of *yes*."""

    function = f"{_LESSONS}.ask_hidden_gnn"
    name: str
    graphs: tuple[str, ...]
    short = True
    device = "cpu"


@dataclass(frozen=True)
class RevealHiddenGnn(Request[Rules]):
    """By which kinds of subgraph a hidden GNN predicts *yes*."""

    function = f"{_LESSONS}.reveal_hidden_gnn"
    name: str
    device = "cpu"


@dataclass(frozen=True, kw_only=True)
class CompareBalance(Request[list[dict[str, Any]]]):
    """Train tables by several losses."""

    function = f"{_LESSONS}.compare_balance"
    starts: tuple[int, ...]
    short = True
    device = "cpu"


@dataclass(frozen=True)
class GrowSteps(Request[list[dict[str, Any]]]):
    """𝒵 after each node of a growth."""

    function = f"{_LESSONS}.grow_steps"
    names: tuple[str, ...]
    edges: tuple[tuple[int, int], ...]
    order: tuple[int, ...]
    short = True
    device = "cpu"
