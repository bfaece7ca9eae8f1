"""What each chosen explainer has to say so far: an answer, that it is at it, that it would have to learn first."""

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from gfx_core.baselines.registry import METHODS, learning
from gfx_core.config import FlowSource
from gfx_core.device import gpu_name
from gfx_core.errors import UserError
from gfx_core.explanation.question import Question
from gfx_core.gnn.kinds import KINDS
from gfx_core.jobs.job import JobState
from gfx_core.jobs.requests import Explain, ScoreEdges
from gfx_core.text.numbers import duration, listed
from gfx_core.trace.schema import MethodMask, Trace
from pages.ui import jobs
from pages.ui.components.svg_views import Card
from pages.ui.text import plain

_REQUESTED = "compared"  # session state: the latest prediction, and the requests about it, by method


@dataclass(frozen=True)
class MethodResult:
    """One explainer.

    Attributes:
        method: Its name.
        question: What is explained.
        mask: Its scores; None while they are not there.
        going: What is asked of the workers, for this method or for several together, while it is computed.
        problem: Why there is nothing, a sentence.
    """

    method: str
    question: Question
    mask: MethodMask | None = None
    going: ScoreEdges | None = None
    problem: str = ""

    @property
    def card(self) -> Card:
        """A card without a picture: it is being computed, or would be after a click on its button."""
        title = METHODS[self.method].title
        if self.going is not None:
            return Card("", title, busy=True)
        if self.problem:
            return Card("", title, (), self.problem, "Try again", careful=True)
        return Card("", title, (), f"learns first, {self._learning}", "Let it learn", careful=True)

    @property
    def _learning(self) -> str:
        """How long it would learn: as long as for another GNN of the data set, if that was on such a device."""
        name = gpu_name() or "cpu"
        others = [learning(self.method, self.question.dataset, kind) for kind in KINDS]
        seconds = next((other.seconds for other in others if other.seconds and other.device == name), None)
        return "a minute or more" if seconds is None else f"about {duration(seconds)}"


def learned_words(method: str, question: Question, trace: Trace) -> str:
    """That what is shipped of a method has learned before, and for how long; nothing where it does not learn.

    GFlowExplainer's answer may have exact flows all the same.
    """
    past = learning(method, question.dataset, question.gnn)
    if not METHODS[method].learns or past.each:
        return ""
    ours = method == "gflowexplainer"
    if ours and trace.flows is FlowSource.EXACT:
        return "exact flows, not the trained policy"
    seen = ", on these predictions too" * ours
    if past.seconds is None:
        return f"trained beforehand{seen}"
    device = "a CPU" if past.device == "cpu" else past.device
    return f"trained beforehand{seen}, for {duration(past.seconds)} on {device}"


def gather(methods: Sequence[str], trace: Trace, question: Question) -> list[MethodResult]:
    """What the methods have to say, in their order; whatever is not known yet is begun at once."""
    shipped = {mask.method: MethodResult(mask.method, question, mask) for mask in trace.masks}
    missing = [method for method in methods if method not in shipped]
    refused = _begin_all(missing, question)
    requested = _requested(question)
    jobs.wait_for([job for each in dict.fromkeys(requested.values()) if (job := jobs.find_job(each)) is not None])
    late = {method: _result(method, question, refused.get(method, "")) for method in missing}
    return [shipped.get(method) or late[method] for method in methods]


def begin_ahead(methods: Sequence[str], question: Question) -> None:
    """Have the methods begin while GFlowExplainer is at it: they need none of its answer, only the page does."""
    job = jobs.find_job(Explain(question))
    if job is not None and not job.finished:
        _begin_all(methods, question)


def _requested(question: Question) -> dict[str, ScoreEdges]:
    """What was asked of the workers about this prediction, by method."""
    about, requested = st.session_state.get(_REQUESTED, (None, {}))
    if about != question.prediction:
        _, requested = st.session_state[_REQUESTED] = (question.prediction, {})
    return requested


def _begin_all(methods: Sequence[str], question: Question) -> dict[str, str]:
    """Begin what was not begun and need not learn first; why that cannot be, by method.

    The quick methods go together, so that many visitors cost few jobs and few drawings of the page, and each slow one
    by itself, so that nobody waits for it; so does GFlowExplainer where it has no policy, as it may have to train one.
    """
    about, requested = (question.dataset, question.gnn), _requested(question)
    new = [each for each in methods if each not in requested or jobs.find_job(requested[each]) is None]
    new = [each for each in new if not learning(each, *about).first]
    quick = [each for each in new if not METHODS[each].slow and not learning(each, *about).each]
    refused: dict[str, str] = {}
    for group in ([quick] if quick else []) + [[each] for each in new if each not in quick]:
        try:
            _begin(group, question)
        except UserError as error:
            refused |= dict.fromkeys(group, str(error))
    return refused


def _begin(methods: Sequence[str], question: Question) -> None:
    request = ScoreEdges(question.prediction, tuple(methods))
    jobs.submit(request)
    _requested(question).update(dict.fromkeys(methods, request))


def _result(method: str, question: Question, refused: str) -> MethodResult:
    request = _requested(question).get(method)
    job = None if request is None else jobs.find_job(request)
    if job is None:
        return MethodResult(method, question, problem=refused)
    status = job.status
    if not status.finished:
        return MethodResult(method, question, going=request)
    if status.state is JobState.DONE:
        found = job.result()[method]
        mask = found if isinstance(found, MethodMask) else None
        return MethodResult(method, question, mask, problem="" if mask else str(found))
    return MethodResult(method, question, problem=status.sentence or "cancelled")


def going(results: Sequence[MethodResult]) -> dict[str, ScoreEdges]:
    """What is being computed, by its title for people; what is computed together once."""
    requests = dict.fromkeys(result.going for result in results if result.going is not None)
    return {listed([METHODS[name].title for name in request.methods], 4): request for request in requests}


def begin(result: MethodResult) -> None:
    """Have it computed after all: somebody has asked for just this one, and is told if that cannot be."""
    try:
        _begin([result.method], result.question)
    except UserError as error:
        st.toast(plain(str(error)), icon=":material/hourglass_disabled:")
