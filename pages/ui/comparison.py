"""What Compare lets one choose, and what each explainer has: an answer, its picture and numbers, or how it goes."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st

from gfx_core.baselines.registry import METHODS, learns_first, learnt_path
from gfx_core.bench.tables import CLOSE
from gfx_core.config import FlowSource
from gfx_core.drawing.masks import nodes_at, trace_picture, truth_of
from gfx_core.errors import UserError
from gfx_core.explanation.question import Question
from gfx_core.files import csv_text
from gfx_core.jobs import requests
from gfx_core.jobs.job import Request
from gfx_core.metrics.summary import BY_TRUTH, COUNTED_EDGES, METRICS, best_edges
from gfx_core.text.answers import things
from gfx_core.text.numbers import counted, listed
from gfx_core.trace.schema import COLLAPSED, SAME, MethodMask, Reason, Trace
from pages.ui import jobs
from pages.ui.address import bind, whole
from pages.ui.components.browser import save_button
from pages.ui.components.html_blocks import BEST, Head, number_table
from pages.ui.components.svg_views import Card
from pages.ui.explorer.parameters import EXPLORER, PREDICTION
from pages.ui.text import file_name
from pages.ui.widgets import WORDS, widget


@dataclass
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
        if self.problem:
            return Card("", title, (), self.problem, "Try again", careful=True)
        if jobs.find_job(self.request) is not None:  # at work, or done since the masks were gathered
            return Card("", title, busy=True)
        return Card("", title, (), "learns first, a minute or more", "Let it learn", careful=True)


def gather(methods: Sequence[str], trace: Trace, question: Question) -> list[MethodResult]:
    """What the methods have, in their order; what is neither known nor has to be learned first is begun at once."""
    shipped = {mask.method: mask for mask in trace.masks}
    results = [MethodResult(name, requests.score_edges(question, name), shipped.get(name)) for name in methods]
    for result in results:
        late = result.mask is None and jobs.find_job(result.request) is None
        if late and not learns_first(result.method, question.dataset, question.gnn):
            try:
                jobs.submit(result.request)
            except UserError as error:
                result.problem = str(error)
    jobs.wait_for([result.request for result in results if result.computing])
    for result in results:
        job = jobs.find_job(result.request)
        if result.mask is None and job is not None and job.finished:
            result.mask = jobs.cached_result(result.request)
            result.problem = job.status.sentence or "cancelled"
    return results


def learned_words(method: str, question: Question, trace: Trace) -> str:
    """That what is shipped of a method has learned before; nothing where it does not learn."""
    if method == GFLOWEXPLAINER:
        learned = trace.flows is FlowSource.LEARNED
    else:
        learned = METHODS[method].learns and learnt_path(method, question.dataset, question.gnn).is_file()
    return "trained beforehand" if learned else ""


HEADS = {
    name: Head(METRICS[name].title, hint, METRICS[name].sentence, anchor)
    for name, (hint, anchor) in WORDS["metrics"].items()
} | {"seconds": Head(**WORDS["seconds"])}
"""The columns of the table: each with what a good number means, and whether that is a high one."""
GFLOWEXPLAINER = "gflowexplainer"
DEFAULT_METHODS = (GFLOWEXPLAINER, "degree", "gnnexplainer", "pgexplainer", "most_links")
FIRST = Question("tree_grid", "682")
"""What opens first: of the shipped clear cases with a known motif, the one that separates the explainers most.

No control is level with the best of them, and fidelity− of those that ask the GNN has the widest range.
"""
_USUAL = 3  # edges of each explanation where the answer has none


def _methods(text: str) -> list[str]:
    """In the registry's order."""
    return [name for name in METHODS if name in text.split(",")] or list(DEFAULT_METHODS)


CHOSEN = EXPLORER.parameter("methods", list(DEFAULT_METHODS), _methods, spell=",".join)
EDGES = EXPLORER.parameter("edges", None, whole(1, COUNTED_EDGES), under=PREDICTION)
"""How many edges each explanation has, where it is another number than the answer's."""


@dataclass(frozen=True)
class MethodRow:
    """One method on one instance, with an explanation of so many edges.

    Attributes:
        mask: Its scores.
        kept: The edges that are its explanation. [E]
        values: Its metrics by the names in `HEADS`; None where undefined.
        reaches: Whether its edges reach the explained node: else the GNN predicts it as without any edge.
    """

    mask: MethodMask
    kept: np.ndarray
    values: dict[str, float | None]
    reaches: bool

    @property
    def title(self) -> str:
        return METHODS[self.mask.method].title

    @property
    def flaw(self) -> str:
        """Why it can never be best, a few words; empty where it can."""
        if not self.reaches:
            return WORDS["compare"]["apart"]
        if not METHODS[self.mask.method].uses_gnn:
            return WORDS["compare"]["control"]
        return WORDS["compare"]["collapsed"] if COLLAPSED in self.mask.metrics else ""


def pick_comparison(trace: Trace) -> tuple[list[str], int]:
    """The explainers that are compared, and how many edges each explanation has."""
    in_link = CHOSEN.in_link or EDGES.in_link
    with st.expander(**widget("comparison"), expanded=in_link):
        titles = {name: info.title for name, info in METHODS.items()}
        names = bind(st.multiselect, **widget("methods"), parameter=CHOSEN, titles=titles)
        most = max(1, min(COUNTED_EDGES, len(trace.edges)))
        usual = min(most, answer_edges(trace) or _USUAL)
        count = min(most, EDGES.read() or usual)
        label = f"{things(trace).edge.capitalize()}s in each explanation"
        bind(st.slider, label, EDGES, 1, max(2, most), shown=count, own=usual, width=300)
    return names, count


def compared_reason(trace: Trace) -> Reason | None:
    """What is compared of GFlowExplainer's answer: its first reason that has edges; None where none has."""
    reasons = trace.reasons
    return next((reason for reason in reasons if reason.edges), None)


def answer_edges(trace: Trace) -> int:
    """How many edges that has, 0 without it."""
    reason = compared_reason(trace)
    return 0 if reason is None else len(reason.edges)


def row(mask: MethodMask, k: int, trace: Trace) -> MethodRow:
    """A method's metrics for the edges it keeps: its k best; of GFlowExplainer its answer, where that has k edges.

    Args:
        mask: Its scores.
        k: How many edges are an explanation.
        trace: Has the answer, and whether the true motif is known.
    """
    kept = best_edges(np.asarray(mask.scores, dtype=np.float64), k)
    plus, minus = (dict(enumerate(curve, start=1)).get(k) for curve in (mask.plus, mask.minus))
    reason, prediction = compared_reason(trace), trace.prediction
    if mask.method == GFLOWEXPLAINER and reason is not None and k == len(reason.edges):
        kept = np.isin(np.arange(len(kept)), reason.edges)
        plus = prediction.probability - reason.without[prediction.predicted]
        minus = prediction.probability - reason.alone[prediction.predicted]
    values: dict[str, float | None] = {
        **{name: mask.metrics.get(name) for name in BY_TRUTH},
        "fidelity_plus": plus,
        "fidelity_minus": minus,
        "seconds": mask.seconds,
    }
    return MethodRow(mask, kept, values, trace.target is None or trace.target in nodes_at(trace, kept))


def sort(rows: Sequence[MethodRow], trace: Trace) -> list[MethodRow]:
    """The highest value of the first column first; undefined values last."""
    values = numbers(rows, columns_of(trace)[0])
    return sorted(rows, key=lambda row: values.get(row.mask.method, -np.inf), reverse=True)


def columns_of(trace: Trace) -> tuple[str, ...]:
    """The columns for a prediction: where the truth is not known, none that compares with it."""
    return tuple(name for name in HEADS if trace.has_truth or name not in BY_TRUTH)


def numbers(rows: Sequence[MethodRow], column: str) -> dict[str, float]:
    """The values of a column by method, where they are defined."""
    return {row.mask.method: value for row in rows if (value := row.values.get(column)) is not None}


def leaders(by_name: Mapping[str, float], column: str) -> set[str]:
    """The names with the best number of a column, and all that are level with it."""
    sign = -1 if HEADS[column].hint.endswith("↓") else 1
    top = max((sign * number for number in by_name.values()), default=0.0)
    return {name for name, number in by_name.items() if top - sign * number <= CLOSE + 1e-9}


def best(rows: Sequence[MethodRow], column: str) -> set[str]:
    """The methods that lead a column among those that can be best; none where all of these are level.

    By fidelity+ none is where no explanation is necessary.
    """
    counting = numbers([row for row in rows if not row.flaw], column)
    firsts = leaders(counting, column)
    needless = column == "fidelity_plus" and max(counting.values(), default=0.0) < SAME
    return set() if needless or len(firsts) == len(counting) else firsts


def reading(rows: Sequence[MethodRow]) -> str:
    """Which explanation is best by what, and which controls are as good; empty where there is none to compare with."""
    sentences = []
    for column, words in WORDS["qualities"].items():
        if firsts := best(rows, column):
            level = leaders(numbers(rows, column), column)
            titles, controls = (
                [info.title for name, info in METHODS.items() if name in names]
                for names in (firsts, {name for name in level if not METHODS[name].uses_gnn})
            )
            ignoring = f"; as good without the GNN: {listed(controls, 4)}" if controls else ""
            sentences.append(f"{words}: {listed(titles, 4)}{ignoring}.")
    comparable = sum(not row.flaw for row in rows) > 1
    return " ".join(sentences) or WORDS["compare"]["alike"] * comparable


def card(row: MethodRow, trace: Trace, room: Collection[int], note: str = "") -> Card:
    """A method's picture, and what is to be known of it.

    Args:
        row: The method.
        trace: The graph.
        room: The nodes that all pictures beside one another have room for.
        note: What else is to be known.
    """
    size, hits = int(row.kept.sum()), int((row.kept & truth_of(trace)).sum())
    title = f"{row.title}: {counted(size, things(trace).edge)}" + f", {hits} of the true motif" * trace.has_truth
    svg = trace_picture(trace, title, row.kept, scores=row.mask.scores, also=room).svg()
    return Card(svg, row.title, (), row.flaw or note, "Play" * (row.mask.method == GFLOWEXPLAINER))


def show_table(rows: Sequence[MethodRow], question: Question, trace: Trace) -> None:
    """The numbers, the best of each set off, and a button to save them."""
    columns = columns_of(trace)
    firsts = {column: {METHODS[name].title for name in best(rows, column)} for column in columns}
    texts = {
        row.title: {name: "–" if value is None else f"{value:.3f}" for name, value in row.values.items()}
        for row in rows
    }
    faint = [row.title for row in rows if row.flaw]
    heads = {column: HEADS[column] for column in columns}
    number_table("Explainer", heads, texts, firsts, label="The explainers in numbers", faint=faint)
    st.caption(WORDS["compare"]["best"].format(BEST=BEST, CLOSE=CLOSE))
    name = file_name("comparison", question.dataset, question.called)
    save_button("Table as CSV", csv_of(rows, question, trace), f"{name}.csv")


def csv_of(rows: Sequence[MethodRow], question: Question, trace: Trace) -> bytes:
    """The table for a spreadsheet: each row has what was explained, and the edges of its explanation."""
    columns, nodes = columns_of(trace), trace.nodes
    about = [question.info.title, question.name, question.edits, question.gnn]
    edges = np.array([f"{nodes[edge.source].id}-{nodes[edge.target].id}" for edge in trace.edges])
    lines = [
        [row.title, *about, *(row.values[column] for column in columns), " ".join(edges[row.kept])] for row in rows
    ]
    titles = [HEADS[column].title for column in columns]
    return csv_text([["Method", "Data set", "Instance", "Edits", "GNN", *titles, "Kept edges"], *lines]).encode()
