"""What each chosen explainer has to say so far: an answer, that it is at it, that it would have to learn first."""

from collections.abc import Sequence
from dataclasses import dataclass

from gfx_core.crew.job import Job, JobState, JobStatus
from gfx_core.datasets.own.store import is_own
from gfx_core.device import detect_device
from gfx_core.errors import UserError
from gfx_core.explainers.learning import learning_seconds, learns_first, learnt
from gfx_core.explainers.registry import METHODS
from gfx_core.question import Question
from gfx_core.requests import Explain, ScoreEdges
from gfx_core.trace.schema import MethodMask, Trace
from pages.ui import jobs
from pages.ui.components.gallery import Card


@dataclass(frozen=True)
class Answer:
    """One explainer.

    Attributes:
        method: Its name.
        request: What is asked of the crew.
        mask: Its scores; None while they are not there.
        status: Of the job that computes them; None if none was begun.
        refused: Why none could be begun.
    """

    method: str
    request: ScoreEdges
    mask: MethodMask | None = None
    status: JobStatus | None = None
    refused: str = ""

    @property
    def going(self) -> bool:
        """Whether it is being computed."""
        return self.mask is None and self.status is not None and not self.status.finished

    @property
    def note(self) -> str:
        """Why there is no picture yet."""
        if self.status is not None and self.status.state is JobState.CANCELLED:
            return "cancelled"
        if self.status is not None and self.status.state is JobState.FAILED:
            return self.status.sentence
        return self.refused or f"learns first, {learning_words(self.method, self.request.question)}"

    @property
    def action(self) -> str:
        """What a click would do about it."""
        return "Let it learn" if self.status is None and not self.refused else "Try again"


def learning_words(method: str, question: Question) -> str:
    """How long it would learn, for people."""
    device = detect_device()
    seconds = learning_seconds(method, question.dataset, device.name if device.is_gpu else device.kind)
    return "a minute or more" if seconds is None else f"about {jobs.duration(seconds)}"


def learnt_words(method: str, question: Question) -> str:
    """That what is shipped of a method has learnt before, and for how long; nothing where it does not learn."""
    if not METHODS[method].learns or (method == "gflowexplainer" and is_own(question.dataset)):
        return ""  # own data are explained each by itself
    found = learnt(method, question.dataset, question.gnn)
    if found is None:
        return "had learnt before"
    return (
        f"had learnt before, for {jobs.duration(found.seconds)} on {'a CPU' if found.device == 'cpu' else found.device}"
    )


def gather(methods: Sequence[str], trace: Trace, question: Question) -> list[Answer]:
    """What the methods have to say, in their order.

    Whatever is not known yet is begun at once, each method by itself, so that the first answers are shown while others
    are computed. One that has to learn first takes its time: it waits to be asked for.
    """
    shipped = {mask.method: mask for mask in trace.masks}
    begun, refused = _begin([method for method in methods if method not in shipped], question)
    jobs.wait_for(begun)
    found = []
    for method in methods:
        request = ScoreEdges(question.prediction, method)
        if method in shipped:
            found.append(Answer(method, request, shipped[method]))
            continue
        job = jobs.begun(request)
        status = None if job is None else job.status
        done = job.result() if job is not None and status is not None and status.state is JobState.DONE else None
        found.append(Answer(method, request, done, status, refused.get(method, "")))
    return found


def ask_ahead(methods: Sequence[str], question: Question) -> None:
    """Have the methods begin while GFlowExplainer is at it: they need none of its answer, only the page does."""
    job = jobs.begun(Explain(question))
    if job is not None and not job.status.finished:
        _begin(methods, question)


def _begin(methods: Sequence[str], question: Question) -> tuple[list[Job[MethodMask]], dict[str, str]]:
    """Begin what was not begun and need not learn first: the jobs, and why there is none, by method."""
    begun: list[Job[MethodMask]] = []
    refused: dict[str, str] = {}
    for method in methods:
        request = ScoreEdges(question.prediction, method)
        if not _learns(method, question) and jobs.begun(request) is None:
            try:
                begun.append(jobs.begin(request))
            except UserError as error:
                refused[method] = str(error)
    return begun, refused


def _learns(method: str, question: Question) -> bool:
    return learns_first(method, question.dataset, question.gnn)


def card(answer: Answer) -> Card:
    """A card without a picture: it is being computed, or would be after a click on its button."""
    title = METHODS[answer.method].title
    if answer.going:
        return Card("", title, busy=True)
    return Card("", title, (), answer.note, answer.action, careful=True)


def begin(answer: Answer) -> None:
    """Have it computed after all: somebody has asked for just this one."""
    try:
        jobs.begin(answer.request)
    except UserError:
        return  # the card says the same again
