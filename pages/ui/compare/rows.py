"""What the Compare page shows of each method: its mask over the motif, its metrics, and a table of all."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from gfx_core.datasets.instance import Instance
from gfx_core.drawing.masks import mask_svg
from gfx_core.explainers.registry import METHODS
from gfx_core.metrics.connectedness import connectedness
from gfx_core.metrics.edges import above_threshold, best_edges
from gfx_core.metrics.summary import METRICS
from gfx_core.question import Question
from gfx_core.requests import ScoreEdges
from gfx_core.teaching.glossary_links import term
from gfx_core.trace.schema import COLLAPSED, MethodMask, Trace
from pages.ui import jobs
from pages.ui.components.gallery import Card

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("auc_own", "topk_own", "fidelity_plus", "fidelity_minus", "sparsity", "connected_share", "seconds")
"""What can be sorted by, and what the table shows."""

LOWER_IS_BETTER = ("fidelity_minus", "seconds")
TITLES = {name: METRICS[name].title for name in COLUMNS if name in METRICS} | {"seconds": "Time, s"}
_TERMS = dict(
    zip(COLUMNS, ("auc", "top-k", "fidelity-plus", "fidelity-minus", "sparsity", "connectedness"), strict=False)
)
HELP = {name: f"{METRICS[name].sentence} {term(anchor, 'Glossary')}" for name, anchor in _TERMS.items()} | {
    "seconds": "Seconds to explain this one instance, without what was learnt beforehand."
}


@dataclass(frozen=True)
class Row:
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


def mask_by(method: str, trace: Trace, question: Question) -> MethodMask | None:
    """A method's scores: shipped with the trace, or computed by a worker; None while that goes on."""
    shipped = next((mask for mask in trace.masks if mask.method == method), None)
    return shipped or jobs.run_job(METHODS[method].title, ScoreEdges(question.prediction, method))


def row(mask: MethodMask, instance: Instance, kept: np.ndarray) -> Row:
    """A method's metrics for the edges it keeps."""
    k = int(kept.sum())
    pieces = connectedness(instance, kept)
    values: dict[str, float | None] = {
        "auc_own": mask.metrics.get("auc_own"),
        "topk_own": mask.metrics.get("topk_own"),
        "fidelity_plus": mask.plus[k - 1] if 0 < k <= len(mask.plus) else None,
        "fidelity_minus": mask.minus[k - 1] if 0 < k <= len(mask.minus) else None,
        "sparsity": 1 - k / len(kept) if len(kept) else None,
        "connected_share": None if pieces is None else pieces.share,
        "seconds": mask.seconds,
    }
    return Row(mask, kept, values)


def sort(rows: Sequence[Row], by: str) -> list[Row]:
    """Best first; undefined values last."""
    sign = 1 if by in LOWER_IS_BETTER else -1

    def place(row: Row) -> tuple[bool, float]:
        value = row.values.get(by)
        return value is None, 0.0 if value is None else sign * value

    return sorted(rows, key=place)


def card(row: Row, trace: Trace, action: str = "") -> Card:
    """A method's picture and its numbers."""
    info = METHODS[row.mask.method]
    facts = tuple((TITLES[name], number(row.values[name])) for name in COLUMNS)
    svg = mask_svg(trace, row.mask.scores, row.kept, f"{info.title}: {int(row.kept.sum())} edges kept")
    note = "" if info.uses_gnn else "never asks the GNN"
    if COLLAPSED in row.mask.metrics:
        note = "its mask has collapsed: all edges score nearly 0, and their order means nothing"
    return Card(svg, info.title, facts, note, action)


def number(value: float | None) -> str:
    """Three significant digits, or a dash."""
    if value is None:
        return "–"
    return f"{value:.3f}" if abs(value) < 10 else f"{value:.1f}"


def table(rows: Sequence[Row]) -> "pd.DataFrame":
    """One line for each method."""
    import pandas as pd  # slow, and what is above the table does not need it

    return pd.DataFrame(
        [{"Method": METHODS[row.mask.method].title} | {TITLES[c]: row.values[c] for c in COLUMNS} for row in rows]
    )


def show_table(rows: Sequence[Row], name: str) -> None:
    """The table, and a button to take it along."""
    frame = table(rows)
    st.dataframe(
        frame,
        hide_index=True,
        column_config={TITLES[c]: st.column_config.NumberColumn(format="%.3f", help=HELP[c]) for c in COLUMNS},
        key="comparison-table",
    )
    st.download_button(
        "Table as CSV",
        frame.to_csv(index=False).encode(),
        f"{name}.csv",
        "text/csv",
        icon=":material/download:",
        on_click="ignore",
    )
