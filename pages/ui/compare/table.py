"""What Compare lets one choose, and what it shows of each method: its mask over the motif, its metrics in a table."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st

from gfx_core.baselines.registry import METHODS
from gfx_core.bench.tables import CLOSE, is_control, leaders
from gfx_core.datasets.instance import Instance
from gfx_core.drawing.masks import ends_of, mask_svg
from gfx_core.metrics.edges import above_threshold, best_edges, connectedness
from gfx_core.metrics.fidelity import COUNTED_EDGES
from gfx_core.metrics.summary import METRICS
from gfx_core.teaching.glossary import find
from gfx_core.text.answers import things
from gfx_core.text.numbers import counted, listed
from gfx_core.trace.schema import COLLAPSED, MethodMask, Trace
from pages.ui.address import bind, flag, one_of, real, spell_flag, spell_number, whole
from pages.ui.components.browser import save_button
from pages.ui.components.gallery import Card
from pages.ui.components.html_blocks import BEST, Head, Line, Place, as_csv, number_table
from pages.ui.explorer.parameters import EXPLORER, FOLDED

COLUMNS = ("auc_own", "topk_own", "fidelity_plus", "fidelity_minus", "sparsity", "connected_share", "seconds")
"""What can be sorted by, and what the table shows."""

ABOUT_TRUTH = ("auc_own", "topk_own")
"""What needs to know the true motif."""

TITLES = {name: METRICS[name].title for name in COLUMNS if name in METRICS} | {"seconds": "Time, s"}
_TERMS = {
    "auc_own": "auc",
    "topk_own": "top-k",
    "fidelity_plus": "fidelity-plus",
    "fidelity_minus": "fidelity-minus",
    "sparsity": "sparsity",
    "connected_share": "connectedness",
}
"""What the glossary calls them."""

GOOD = {
    "auc_own": "near the truth ↑",
    "topk_own": "near the truth ↑",
    "fidelity_plus": "necessary ↑",
    "fidelity_minus": "sufficient ↓",
    "sparsity": "small ↑",
    "connected_share": "in one piece ↑",
    "seconds": "quick ↓",
}
"""What a good number means, and whether that is a high one or a low one."""

LOWER_IS_BETTER = ("fidelity_minus", "seconds")
"""All other numbers are the better, the higher they are."""

QUALITIES = {
    "fidelity_minus": "the most sufficient",
    "fidelity_plus": "the most necessary",
    "auc_own": "nearest to the benchmark’s truth",
}
"""What the sentence above the pictures speaks of."""

HELP = {name: METRICS[name].sentence for name in COLUMNS if name in METRICS} | {
    "seconds": "Seconds to explain this one instance, without what was learnt beforehand."
}
GFLOWEXPLAINER = "gflowexplainer"
DEFAULT_METHODS = (GFLOWEXPLAINER, "degree", "gnnexplainer", "pgexplainer", "most_links")
FIRST_THRESHOLD = 0.5


def _methods(text: str) -> list[str]:
    """In the registry's order."""
    return [name for name in METHODS if name in text.split(",")] or list(DEFAULT_METHODS)


CHOSEN = EXPLORER.parameter("methods", list(DEFAULT_METHODS), _methods, spell=lambda names: ",".join(names) or None)
EDGES = EXPLORER.parameter("edges", None, whole(1, COUNTED_EDGES))
THRESHOLD = EXPLORER.parameter("threshold", FIRST_THRESHOLD, real(0.0, 1.0), spell=spell_number)
SORT = EXPLORER.parameter("sort", COLUMNS[0], one_of(COLUMNS))
FIGURE = EXPLORER.parameter("figure", False, flag, spell=spell_flag)
"""Whether the paper's figure is shown."""


_NAMED = 4  # more explainers than this are not named one by one


@dataclass(frozen=True)
class MethodRow:
    """One method on one instance, with an explanation of so many edges.

    Attributes:
        mask: Its scores.
        kept: The edges that are its explanation. [E]
        values: Its metrics by the names in `COLUMNS`; None where undefined.
    """

    mask: MethodMask
    kept: np.ndarray
    values: dict[str, float | None]


@dataclass(frozen=True)
class Cut:
    """How scores become an explanation: the ``best`` so many edges, or all that reach a share of the highest score."""

    best: int | None = None
    threshold: float = 0.5

    def kept(self, scores: Sequence[float]) -> np.ndarray:
        """The edges of the explanation. bool [E]"""
        values = np.asarray(scores, dtype=np.float64)
        return above_threshold(values, self.threshold) if self.best is None else best_edges(values, self.best)


def pick_methods() -> list[str]:
    """The explainers that are compared."""
    return bind(
        st.multiselect,
        "Explainers",
        CHOSEN,
        list(METHODS),
        format_func=lambda name: METHODS[name].title,
        help="One that would have to learn first says so on its card and waits there for its button.",
        width=760,
    )


def pick_cut(trace: Trace) -> Cut:
    """How edges become an explanation: the k best, or all above a threshold."""
    st.session_state["cut"] = "threshold" if THRESHOLD.in_link else "top"

    def change() -> None:
        by_threshold = st.session_state["cut"] == "threshold"
        EXPLORER.change({EDGES: None, THRESHOLD: FIRST_THRESHOLD if by_threshold else None})

    st.segmented_control(
        "An explanation is",
        ["top", "threshold"],
        key="cut",
        format_func={"top": "the k best edges", "threshold": "all above a threshold"}.__getitem__,
        required=True,
        on_change=change,
    )
    if THRESHOLD.in_link:
        label = "Threshold, from the lowest to the highest score"
        return Cut(threshold=bind(st.slider, label, THRESHOLD, 0.0, 1.0, step=0.05, width=360))
    most = max(1, min(COUNTED_EDGES, len(trace.edges)))
    true = sum(bool(edge.in_motif) for edge in trace.edges)
    agreed = len(trace.answer.edges) if trace.is_sentence and trace.answer is not None else 0
    shown = min(most, EDGES.read() or true or agreed or 10)
    if most > 1:
        label = f"k, {things(trace).edge}s kept" + (f" (the motif has {true})" if true else "")
        bind(st.slider, label, EDGES, 1, most, shown=shown, width=360)
    return Cut(best=shown)


def pick_order(columns: Sequence[str]) -> str:
    """By which of the numbers the explainers are sorted."""
    shown = SORT.read() if SORT.read() in columns else columns[0]
    return bind(st.selectbox, "Sort by", SORT, columns, shown=shown, format_func=TITLES.__getitem__, width=220)


def row(mask: MethodMask, instance: Instance, kept: np.ndarray, truth: bool = True) -> MethodRow:
    """A method's metrics for the edges it keeps.

    Args:
        mask: Its scores.
        instance: What was explained.
        kept: The edges of the explanation. [E]
        truth: Whether it is known what should be found.
    """
    k = int(kept.sum())
    pieces = connectedness(instance, kept)
    values: dict[str, float | None] = {
        "auc_own": mask.metrics.get("auc_own") if truth else None,
        "topk_own": mask.metrics.get("topk_own") if truth else None,
        "fidelity_plus": mask.plus[k - 1] if 0 < k <= len(mask.plus) else None,
        "fidelity_minus": mask.minus[k - 1] if 0 < k <= len(mask.minus) else None,
        "sparsity": 1 - k / len(kept) if len(kept) else None,
        "connected_share": None if pieces is None else pieces.share,
        "seconds": mask.seconds,
    }
    return MethodRow(mask, kept, values)


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
    """The methods that are best by a number, with all that are level with them; nobody where all shown are level.

    Only those count that ask the GNN, and whose mask has not collapsed.
    """
    low = column in LOWER_IS_BETTER
    known = {row.mask.method: value for row in rows if (value := row.values.get(column)) is not None}
    if leaders(known, low) == set(known):
        return set()
    weak = {row.mask.method for row in rows if is_control(row.mask.method) or COLLAPSED in row.mask.metrics}
    return leaders({method: value for method, value in known.items() if method not in weak}, low)


def reading(rows: Sequence[MethodRow]) -> str:
    """Whose explanation is best by what, in one sentence; empty where none is."""
    qualities: dict[tuple[str, ...], list[str]] = {}
    for column, words in QUALITIES.items():
        if firsts := best(rows, column):
            qualities.setdefault(tuple(m.title for name, m in METHODS.items() if name in firsts), []).append(words)
    parts = [f"{listed(names, _NAMED)}: {listed(words)}" for names, words in qualities.items()]
    return "; ".join(parts) + "." if parts else ""


def nodes_of(rows: Sequence[MethodRow], trace: Trace) -> frozenset[int]:
    """All nodes of all explanations: every picture has room for them, so that all show the same part of the graph."""
    return frozenset().union(*(ends_of(trace, row.kept) for row in rows))


def card(row: MethodRow, trace: Trace, room: Collection[int], note: str = "", action: str = "") -> Card:
    """A method's picture, and what is to be known of it.

    Args:
        row: The method.
        trace: The graph.
        room: The nodes that all pictures beside one another have room for.
        note: What else is to be known.
        action: What can be done with it.
    """
    info = METHODS[row.mask.method]
    if COLLAPSED in row.mask.metrics:
        note = "its mask has collapsed: all edges score nearly 0, and their order means nothing"
    elif not info.uses_gnn:
        note = "never asks the GNN"
    title = f"{info.title}: {picture_text(row, trace)}"
    svg = mask_svg(trace, row.mask.scores, row.kept, title, folded=FOLDED.read(), also=room)
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


def show_table(rows: Sequence[MethodRow], columns: Sequence[str], name: str) -> None:
    """The numbers, the best of each set off, and a button to take them along."""
    firsts = {column: best(rows, column) for column in columns}

    def anchor(column: str) -> str:
        entry = find(_TERMS.get(column, ""))
        return "" if entry is None else entry.anchor

    number_table(
        "Explainer",
        [Head(TITLES[column], GOOD[column], HELP[column], anchor(column)) for column in columns],
        [
            Line(
                METHODS[row.mask.method].title,
                [Place(number(row.values[column]), row.mask.method in firsts[column]) for column in columns],
                faint=not METHODS[row.mask.method].uses_gnn or COLLAPSED in row.mask.metrics,
            )
            for row in rows
        ],
        label="The explainers in numbers",
    )
    st.caption(
        f"{BEST} the best of its column, or within {CLOSE} of it, among explainers that ask the GNN; none where all "
        "are level. What never asks the GNN, or has collapsed, is in italics and never best."
    )
    table = as_csv(
        "Method",
        [TITLES[column] for column in columns],
        [(METHODS[row.mask.method].title, [row.values[column] for column in columns]) for row in rows],
    )
    save_button("Table as CSV", table, f"{name}.csv")
