"""What each chosen explainer has so far: an answer, that it is being computed, or that it would have to learn first."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import streamlit as st

from gfx_core.baselines.registry import METHODS, learns_first, learnt_path
from gfx_core.config import FlowSource
from gfx_core.errors import UserError
from gfx_core.explanation.question import Question
from gfx_core.jobs import requests
from gfx_core.jobs.job import JobState, Request
from gfx_core.trace.schema import MethodMask, Trace
from pages.ui import jobs
from pages.ui.components.svg_views import Card
from pages.ui.text import plain


@dataclass(frozen=True)
class MethodResult:
    """One explainer.

    Attributes:
        method: Its name.
        request: What gives its scores.
        mask: Its scores; None while they are not there.
        problem: Why there are none, a sentence.
    """

    method: str
    request: Request[MethodMask]
    mask: MethodMask | None = None
    problem: str = ""

    @property
    def computing(self) -> bool:
        return self.mask is None and (job := jobs.find_job(self.request)) is not None and not job.finished

    @property
    def card(self) -> Card:
        """A card without a picture: it is being computed, or would be after a click on its button."""
        title = METHODS[self.method].title
        if self.computing:
            return Card("", title, busy=True)
        if self.problem:
            return Card("", title, (), self.problem, "Try again", careful=True)
        return Card("", title, (), "learns first, a minute or more", "Let it learn", careful=True)


def gather(methods: Sequence[str], trace: Trace, question: Question) -> list[MethodResult]:
    """What the methods have, in their order; what is neither known nor has to be learned first is begun at once."""
    shipped = {mask.method: mask for mask in trace.masks}
    results = [MethodResult(name, requests.score_edges(question, name), shipped.get(name)) for name in methods]
    refused: dict[str, str] = {}
    for result in results:
        late = result.mask is None and jobs.find_job(result.request) is None
        if late and not learns_first(result.method, question.dataset, question.gnn):
            try:
                jobs.submit(result.request)
            except UserError as error:
                refused[result.method] = str(error)
    jobs.wait_for([result.request for result in results if result.computing])
    return [_outcome(result, refused.get(result.method, "")) for result in results]


def _outcome(result: MethodResult, refused: str) -> MethodResult:
    job = jobs.find_job(result.request)
    if result.mask is not None or job is None or not job.finished:
        return replace(result, problem=refused)
    if job.state is JobState.DONE:
        return replace(result, mask=job.result())
    return replace(result, problem=job.status.sentence or "cancelled")


def begin(result: MethodResult) -> None:
    """Have it computed after all."""
    try:
        jobs.submit(result.request)
    except UserError as error:
        st.toast(plain(error), icon=":material/hourglass_disabled:")


def learned_words(method: str, question: Question, trace: Trace) -> str:
    """That what is shipped of a method has learned before; nothing where it does not learn.

    GFlowExplainer's answer may have other flows all the same.
    """
    if not METHODS[method].learns or not learnt_path(method, question.dataset, question.gnn).is_file():
        return ""
    ours = method == "gflowexplainer"
    if ours and trace.flows is not FlowSource.LEARNED:
        return f"{trace.flows} flows, not the trained policy"
    return "trained beforehand" + ", on these predictions too" * ours
