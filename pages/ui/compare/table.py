"""What Compare lets one choose, and what it shows of each method: its mask over the motif, its metrics in a table."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st

from gfx_core.baselines.registry import METHODS
from gfx_core.bench.tables import CLOSE, is_control
from gfx_core.datasets.instance import Instance
from gfx_core.drawing.masks import nodes_at, trace_picture
from gfx_core.explanation.question import Question
from gfx_core.metrics.edges import best_edges, connected_share
from gfx_core.metrics.summary import COUNTED_EDGES, METRICS
from gfx_core.text.answers import things
from gfx_core.text.numbers import counted, listed
from gfx_core.trace.schema import COLLAPSED, SAME, MethodMask, Reason, Trace
from pages.ui.address import bind, one_of, whole
from pages.ui.components.browser import save_button
from pages.ui.components.html_blocks import BEST, Head, Line, Place, as_csv, number_table
from pages.ui.components.svg_views import Card
from pages.ui.explorer.parameters import EXPLORER, FOLDED, PREDICTION
from pages.ui.text import file_name

HEADS = {
    name: Head(METRICS[name].title, good, METRICS[name].sentence, anchor)
    for name, good, anchor in (
        ("auc_own", "near the truth ↑", "auc"),
        ("topk_own", "near the truth ↑", "top-k"),
        ("fidelity_plus", "necessary ↑", "fidelity-plus"),
        ("fidelity_minus", "sufficient ↓", "fidelity-minus"),
        ("sparsity", "small ↑", "sparsity"),
        ("connected_share", "connected ↑", "connectedness"),
    )
}
HEADS["seconds"] = Head(
    "Time, s", "quick ↓", "Seconds to explain this one instance, without the time of earlier training."
)
"""What can be sorted by, and what the table shows: with what a good number means, and whether that is a high one."""
COLUMNS = tuple(HEADS)
LOWER_IS_BETTER = tuple(name for name, head in HEADS.items() if head.hint.endswith("↓"))
ABOUT_TRUTH = ("auc_own", "topk_own")
"""What needs to know the true motif."""
QUALITIES = {
    "fidelity_minus": "Most sufficient (alone it keeps the prediction best)",
    "fidelity_plus": "Most necessary (without it the prediction falls most)",
    "auc_own": "Best ranking of the motif’s edges",
}
"""What the sentence above the pictures speaks of."""
GFLOWEXPLAINER = "gflowexplainer"
DEFAULT_METHODS = (GFLOWEXPLAINER, "degree", "gnnexplainer", "pgexplainer", "most_links")
FIRST = Question("tree_grid", "682")
"""What opens first: of the shipped clear cases with a known motif, the one that separates the explainers most.

No control is level with the best of them, and fidelity− of those that ask the GNN has the widest range.
"""


def leaders(by_name: Mapping[str, float], low: bool = False) -> set[str]:
    """The names with the highest number, or the lowest, and all that are level with it."""
    sign = -1 if low else 1
    top = max((sign * number for number in by_name.values()), default=0.0)
    return {name for name, number in by_name.items() if top - sign * number <= CLOSE + 1e-9}


def _methods(text: str) -> list[str]:
    """In the registry's order."""
    return [name for name in METHODS if name in text.split(",")] or list(DEFAULT_METHODS)


CHOSEN = EXPLORER.parameter("methods", list(DEFAULT_METHODS), _methods, spell=lambda names: ",".join(names) or None)
EDGES = EXPLORER.parameter("edges", None, whole(1, COUNTED_EDGES), under=PREDICTION)
"""How many edges each explanation has, where it is another number than the answer's."""
SORT = EXPLORER.parameter("sort", COLUMNS[0], one_of(COLUMNS))


def in_link() -> bool:
    """Whether the link chooses explainers, their size or their order."""
    return any(parameter.in_link for parameter in (CHOSEN, EDGES, SORT))


_NAMED = 4  # more explainers than this are not named one by one
_USUAL = 3  # edges of each explanation where the answer has none


@dataclass(frozen=True)
class MethodRow:
    """One method on one instance, with an explanation of so many edges.

    Attributes:
        mask: Its scores.
        kept: The edges that are its explanation. [E]
        values: Its metrics by the names in `COLUMNS`; None where undefined.
        reaches: Whether its edges reach the explained node: else the GNN predicts it as without any edge.
    """

    mask: MethodMask
    kept: np.ndarray
    values: dict[str, float | None]
    reaches: bool

    @property
    def can_be_best(self) -> bool:
        """Whether it can be best: it asks the GNN, and its mask has not collapsed."""
        return not is_control(self.mask.method) and COLLAPSED not in self.mask.metrics


def pick_methods() -> list[str]:
    """The explainers that are compared."""
    return bind(
        st.multiselect,
        "Explainers",
        CHOSEN,
        list(METHODS),
        format_func=lambda name: METHODS[name].title,
        help="An explainer that must be trained first says so on its card and waits for its button.",
        width=760,
    )


def compared_reason(trace: Trace) -> Reason | None:
    """What is compared of GFlowExplainer's answer: its first reason that has edges; None where none has."""
    reasons = () if trace.answer is None else trace.answer.reasons
    return next((reason for reason in reasons if reason.edges), None)


def answer_edges(trace: Trace) -> int:
    """How many edges that has."""
    reason = compared_reason(trace)
    return 0 if reason is None else len(reason.edges)


def pick_count(trace: Trace) -> int:
    """How many edges each explanation has: as many as the answer, unless somebody chooses another number."""
    most = max(1, min(COUNTED_EDGES, len(trace.edges)))
    usual = min(most, answer_edges(trace) or _USUAL)
    shown = min(most, EDGES.read() or usual)
    if most > 1:
        label = f"{things(trace).edge.capitalize()}s in each explanation"
        bind(st.slider, label, EDGES, 1, most, shown=shown, own=usual, width=300)
    return shown


def say_count(trace: Trace, count: int) -> None:
    """How large the explanations are, and why."""
    _, node, edge = things(trace)
    answer, reason = trace.answer, compared_reason(trace)
    true = sum(bool(each.in_motif) for each in trace.edges)
    if answer is None:
        why = ""
    elif reason is None:
        why = f"; GFlowExplainer’s answer is a single {node}, without any {edge}"
    else:
        at = answer.reasons.index(reason)
        which = f"part {at + 1} of GFlowExplainer’s answer" if at else "GFlowExplainer’s answer"
        why = f", as many as {which}" if count == len(reason.edges) else f"; {which} has {len(reason.edges)}"
        why += f" (part 1 of {len(answer.reasons)} is a single {node})" * bool(at)
    motif = f" The motif has {counted(true, edge)}." if true and true != count else ""
    st.markdown(f"Each explanation has **{counted(count, edge)}**{why}.{motif}")


def pick_order(columns: Sequence[str]) -> str:
    """By which of the numbers the explainers are sorted."""
    shown = SORT.read() if SORT.read() in columns else columns[0]
    titles = {column: HEADS[column].title for column in columns}
    return bind(st.selectbox, "Sort by", SORT, columns, shown=shown, format_func=titles.__getitem__, width=220)


def row(mask: MethodMask, instance: Instance, k: int, trace: Trace) -> MethodRow:
    """A method's metrics for the edges it keeps: its k best; of GFlowExplainer its answer, where that has k edges.

    Args:
        mask: Its scores.
        instance: What was explained.
        k: How many edges are an explanation.
        trace: Has the answer, and whether it is known what should be found.
    """
    kept = best_edges(np.asarray(mask.scores, dtype=np.float64), k)
    plus = mask.plus[k - 1] if 0 < k <= len(mask.plus) else None
    minus = mask.minus[k - 1] if 0 < k <= len(mask.minus) else None
    reason, prediction = compared_reason(trace), trace.prediction
    if mask.method == GFLOWEXPLAINER and reason is not None and k == len(reason.edges):
        kept = np.isin(np.arange(len(kept)), reason.edges)
        plus = prediction.probability - reason.without[prediction.predicted]
        minus = prediction.probability - reason.alone[prediction.predicted]
    values: dict[str, float | None] = {
        "auc_own": mask.metrics.get("auc_own") if trace.has_truth else None,
        "topk_own": mask.metrics.get("topk_own") if trace.has_truth else None,
        "fidelity_plus": plus,
        "fidelity_minus": minus,
        "sparsity": 1 - k / len(kept) if len(kept) else None,
        "connected_share": connected_share(instance, kept),
        "seconds": mask.seconds,
    }
    return MethodRow(mask, kept, values, trace.target is None or trace.target in nodes_at(trace, kept))


def sort(rows: Sequence[MethodRow], by: str) -> list[MethodRow]:
    """Best first; undefined values last."""
    sign = 1 if by in LOWER_IS_BETTER else -1

    def place(row: MethodRow) -> tuple[bool, float]:
        value = row.values.get(by)
        return value is None, 0.0 if value is None else sign * value

    return sorted(rows, key=place)


def columns_of(trace: Trace) -> tuple[str, ...]:
    """The numbers that can be told of a prediction: where the truth is not known, none that speaks of it."""
    return tuple(name for name in COLUMNS if name not in ABOUT_TRUTH or trace.has_truth)


def best(rows: Sequence[MethodRow], column: str) -> set[str]:
    """The methods that are best by a number, with all that are level with them; nobody where all are level.

    Only rows count that can be best. By fidelity+ nobody is where no explanation is necessary.
    """
    low = column in LOWER_IS_BETTER
    known, counting = _numbers(rows, column), _numbers([row for row in rows if row.can_be_best], column)
    firsts = leaders(counting, low)
    level = leaders(known, low) == set(known) or (len(counting) > 1 and firsts == set(counting))
    return set() if level or (column == "fidelity_plus" and max(known.values()) < SAME) else firsts


def _numbers(rows: Sequence[MethodRow], column: str) -> dict[str, float]:
    """What is known of a number, by method; what does not reach the explained node is not sufficient for anything."""
    rows = [row for row in rows if row.reaches or column != "fidelity_minus"]
    return {row.mask.method: value for row in rows if (value := row.values.get(column)) is not None}


def reading(rows: Sequence[MethodRow], exactly: bool = False) -> str:
    """Whose explanation is best by what, and whether that means anything; empty where nothing can be said.

    Args:
        rows: The methods.
        exactly: Whether GFlowExplainer's answer has exact flows, which no trained policy gave.
    """
    titles = {name: info.title for name, info in METHODS.items()}
    titles[GFLOWEXPLAINER] += " (exact flows)" * exactly
    found, blind, beaten = [], dict[str, set[str]](), list[set[str]]()
    for column, words in QUALITIES.items():
        level = leaders(_numbers(rows, column), column in LOWER_IS_BETTER)
        blind[column] = {name for name in level if is_control(name)}
        if firsts := best(rows, column):
            beaten.append(blind[column])
            found.append(f"{words}: {listed([title for name, title in titles.items() if name in firsts], _NAMED)}.")
    if controls := [f"“{titles[name]}”" for name in METHODS if any(name in some for some in beaten)]:
        where = "in each" if all(beaten) else f"in {sum(map(bool, beaten))} of these"
        ignore, are = ("ignores", "is") if len(controls) == 1 else ("ignore", "are")
        found.append(f"{listed(controls)} {ignore} the GNN and {are} as good or better {where}.")
    alike = not found and len(_numbers([row for row in rows if row.can_be_best], "fidelity_minus")) > 1
    falls = _numbers(rows, "fidelity_plus").values()
    if falls and max(falls) < SAME:
        found.append(f"No explanation is necessary: without it the prediction falls by less than {SAME}.")
    if alike or blind["fidelity_minus"]:
        found.append("This prediction cannot separate explainers.")
    return " ".join(found)


def nodes_of(rows: Sequence[MethodRow], trace: Trace) -> frozenset[int]:
    """All nodes of all explanations: every picture has room for them, so that all show the same part of the graph."""
    return frozenset().union(*(nodes_at(trace, row.kept) for row in rows))


def card(row: MethodRow, trace: Trace, room: Collection[int], note: str = "", action: str = "") -> Card:
    """A method's picture, and what is to be known of it.

    Args:
        row: The method.
        trace: The graph.
        room: The nodes that all pictures beside one another have room for.
        note: What else is to be known.
        action: What can be done with it.
    """
    info, edge = METHODS[row.mask.method], things(trace).edge
    if not row.reaches:
        note = f"none of its {edge}s reaches the explained {things(trace).node}"
    elif row.mask.method == GFLOWEXPLAINER and trace.answer is not None and row.kept.sum() != answer_edges(trace):
        often = f"the {counted(int(row.kept.sum()), edge)} that samples contain most often"
        note = "; ".join(filter(None, [often, note]))
    elif COLLAPSED in row.mask.metrics:
        note = "its mask has collapsed: all edges score nearly 0, and their ranking is meaningless"
    elif not info.uses_gnn:
        note = "never asks the GNN"
    title = f"{info.title}: {picture_text(row, trace)}"
    svg = trace_picture(trace, title, row.kept, scores=row.mask.scores, folded=FOLDED.read(), also=room).svg()
    return Card(svg, info.title, (), note, action)


def picture_text(row: MethodRow, trace: Trace) -> str:
    """What the picture shows, for those who do not see it."""
    size = int(row.kept.sum())
    if not trace.has_truth:
        return f"{counted(size, 'edge')} kept"
    true = np.array([bool(edge.in_motif) for edge in trace.edges])
    hits = int((row.kept & true).sum())
    return f"{hits} of the {counted(int(true.sum()), 'true edge')} found, {size - hits} extra"


def number(value: float | None) -> str:
    """Three digits after the point, or a dash."""
    if value is None:
        return "–"
    return (f"{value:.3f}" if abs(value) < 10 else f"{value:.1f}").replace("-", "−")


def show_table(rows: Sequence[MethodRow], columns: Sequence[str], question: Question, trace: Trace) -> None:
    """The numbers, the best of each set off, and a button to take them along."""
    firsts = {column: best(rows, column) for column in columns}
    number_table(
        "Explainer",
        [HEADS[column] for column in columns],
        [
            Line(
                METHODS[row.mask.method].title,
                [Place(number(row.values[column]), row.mask.method in firsts[column]) for column in columns],
                faint=not row.can_be_best,
            )
            for row in rows
        ],
        label="The explainers in numbers",
    )
    st.caption(
        f"{BEST} the best of its column, or within {CLOSE} of it, among explainers that ask the GNN; none where all "
        "are level. What never asks the GNN, or has collapsed, is in italics and never best. What does not reach the "
        "explained node is never the most sufficient."
    )
    name = file_name("comparison", question.dataset, question.called)
    save_button("Table as CSV", csv_of(rows, columns, question, trace), f"{name}.csv")


def csv_of(rows: Sequence[MethodRow], columns: Sequence[str], question: Question, trace: Trace) -> bytes:
    """The table for a spreadsheet: each row says what was explained, and has its mask with the ids of the nodes."""
    edges = [f"{trace.nodes[edge.source].id}-{trace.nodes[edge.target].id}" for edge in trace.edges]
    instance = f"{question.name}, edited: {question.edits}" if question.edits else question.name
    lines = []
    for row in rows:
        kept = [edge for edge, is_kept in zip(edges, row.kept, strict=True) if is_kept]
        scores = [f"{edge}:{score:.6g}" for edge, score in zip(edges, row.mask.scores, strict=True)]
        what = [question.info.title, instance, question.gnn, len(kept)]
        values = [row.values[column] for column in columns]
        lines.append((METHODS[row.mask.method].title, [*what, *values, " ".join(kept), " ".join(scores)]))
    heads = ["Data set", "Instance", "GNN", "Edges kept", *(HEADS[column].title for column in columns)]
    return as_csv("Method", [*heads, "Kept edges", "Edge scores"], lines)
