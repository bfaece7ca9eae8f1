"""What each chosen explainer has to say so far: an answer, that it is at it, that it would have to learn first."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from gfx_core.baselines.registry import METHODS, learning_seconds, learning_time, learns_each, learns_first
from gfx_core.device import detect_device
from gfx_core.errors import UserError
from gfx_core.explanation.question import Question
from gfx_core.jobs.job import Job, JobState, JobStatus
from gfx_core.jobs.requests import Explain, ScoreEdges, ScoreEdgesTogether
from gfx_core.text.numbers import duration, listed
from gfx_core.trace.schema import MethodMask, Trace
from pages.ui import jobs
from pages.ui.components.gallery import Card
from pages.ui.text import plain

_TOGETHER = "compared-together"  # session state: the requests for several methods, of the latest prediction
_ScoreRequest = ScoreEdges | ScoreEdgesTogether


@dataclass(frozen=True)
class MethodResult:
    """One explainer.

    Attributes:
        method: Its name.
        question: What is explained.
        request: What is asked of the workers, for this method or for several together.
        mask: Its scores; None while they are not there.
        status: Of the job that computes them; None if none was begun.
        refused: Why none could be begun.
    """

    method: str
    question: Question
    request: _ScoreRequest
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
        return self.refused or f"learns first, {learning_words(self.method, self.question)}"

    @property
    def action(self) -> str:
        """What a click would do about it."""
        return "Let it learn" if self.status is None and not self.refused else "Try again"


def learning_words(method: str, question: Question) -> str:
    """How long it would learn, for people."""
    device = detect_device()
    seconds = learning_seconds(method, question.dataset, device.name if device.is_gpu else device.kind)
    return "a minute or more" if seconds is None else f"about {duration(seconds)}"


def learnt_words(method: str, question: Question) -> str:
    """That what is shipped of a method has learnt before, and for how long; nothing where it does not learn."""
    if not METHODS[method].learns or learns_each(method, question.dataset, question.gnn):
        return ""
    found = learning_time(method, question.dataset, question.gnn)
    if found is None:
        return "had learnt before"
    return f"had learnt before, for {duration(found.seconds)} on {'a CPU' if found.device == 'cpu' else found.device}"


def gather(methods: Sequence[str], trace: Trace, question: Question) -> list[MethodResult]:
    """What the methods have to say, in their order.

    Whatever is not known yet is begun at once: the quick methods together, so that many visitors cost few jobs and few
    drawings of the page, and each slow one by itself, so that nobody waits for it. One that has to learn first takes
    its time: it waits to be asked for.
    """
    shipped = {mask.method: mask for mask in trace.masks}
    missing = [method for method in methods if method not in shipped]
    begun, refused = _begin(missing, question)
    jobs.wait_for(begun)
    refused |= _begin(missing, question)[1]  # what several could not answer together is asked alone
    requests = _requests(missing, question)
    found = []
    for method in methods:
        if method in shipped:
            found.append(MethodResult(method, question, ScoreEdges(question.prediction, method), shipped[method]))
            continue
        request, job = requests[method]
        status = None if job is None else job.status
        mask = None
        if job is not None and status is not None and status.state is JobState.DONE:
            done = job.result()
            mask = done[method] if isinstance(done, dict) else done
        found.append(MethodResult(method, question, request, mask, status, refused.get(method, "")))
    return found


def begin_ahead(methods: Sequence[str], question: Question) -> None:
    """Have the methods begin while GFlowExplainer is at it: they need none of its answer, only the page does."""
    job = jobs.find_job(Explain(question))
    if job is not None and not job.finished:
        _begin(methods, question)


def _groups(question: Question) -> dict[ScoreEdgesTogether, Job[Any]]:
    """What was asked of several methods together about this prediction."""
    groups = [each for each in st.session_state.get(_TOGETHER, ()) if each.question == question.prediction]
    return {each: job for each in groups if (job := jobs.find_job(each)) is not None}


def _requests(methods: Sequence[str], question: Question) -> dict[str, tuple[_ScoreRequest, Job[Any] | None]]:
    """What is asked of the workers for each method, with its job if it was begun.

    That is what was asked of several together, unless it found nothing.
    """
    found: dict[str, tuple[_ScoreRequest, Job[Any] | None]] = {}
    for group, job in _groups(question).items():
        done = job.result() if job.finished and job.status.state is JobState.DONE else None
        found |= {method: (group, job) for method in group.methods if done is None or method in done}
    alone = {method: ScoreEdges(question.prediction, method) for method in methods if method not in found}
    return found | {method: (request, jobs.find_job(request)) for method, request in alone.items()}


def _begin(methods: Sequence[str], question: Question) -> tuple[list[Job[Any]], dict[str, str]]:
    """Begin what was not begun and need not learn first: the jobs, and why there is none, by method.

    GFlowExplainer is asked alone where it has no policy, as it may have to train one.
    """
    known = _requests(methods, question)
    new = [
        each for each in methods if known[each][1] is None and not learns_first(each, question.dataset, question.gnn)
    ]
    if not new:
        return [], {}
    groups = tuple(_groups(question))
    tried = {method for group in groups for method in group.methods}
    about = (question.dataset, question.gnn)
    quick = [each for each in new if not (METHODS[each].slow or each in tried or learns_each(each, *about))]
    alone = new if len(quick) < 2 else [each for each in new if each not in quick]
    requests: list[_ScoreRequest] = [ScoreEdges(question.prediction, each) for each in alone]
    if len(quick) > 1:
        requests.insert(0, together := ScoreEdgesTogether(question.prediction, tuple(quick)))
        st.session_state[_TOGETHER] = (*groups, together)
    begun: list[Job[Any]] = []
    refused: dict[str, str] = {}
    for request in requests:
        try:
            begun.append(jobs.submit(request))
        except UserError as error:
            refused |= dict.fromkeys(_methods(request), str(error))
    return begun, refused


def _methods(request: _ScoreRequest) -> tuple[str, ...]:
    return request.methods if isinstance(request, ScoreEdgesTogether) else (request.method,)


def going(results: Sequence[MethodResult]) -> dict[str, _ScoreRequest]:
    """What is being computed, by its title for people; what is computed together once."""
    requests = dict.fromkeys(result.request for result in results if result.going)
    return {listed([METHODS[name].title for name in _methods(request)], 4): request for request in requests}


def card(result: MethodResult) -> Card:
    """A card without a picture: it is being computed, or would be after a click on its button."""
    title = METHODS[result.method].title
    if result.going:
        return Card("", title, busy=True)
    return Card("", title, (), result.note, result.action, careful=True)


def begin(result: MethodResult) -> None:
    """Have it computed after all: somebody has asked for just this one, and is told if that cannot be."""
    try:
        jobs.submit(result.request)
    except UserError as error:
        st.toast(plain(str(error)), icon=":material/hourglass_disabled:")
