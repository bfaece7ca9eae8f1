"""What the Compare page lets one choose: the explainers, how edges become an explanation, and the order."""

from collections.abc import Sequence

import streamlit as st

from gfx_core.explainers.registry import METHODS
from gfx_core.metrics.fidelity import COUNTED_EDGES
from gfx_core.text.answers import things
from gfx_core.trace.schema import Trace
from pages.ui.address import bind, one_of, real, spell_number, whole
from pages.ui.compare.rows import COLUMNS, TITLES, Cut
from pages.ui.explorer.parameters import EXPLORER

OWN = "gflowexplainer"
DEFAULT = (OWN, "degree", "gnnexplainer", "pgexplainer", "most_links")
FIRST_THRESHOLD = 0.5


def _methods(text: str) -> list[str]:
    """In the registry's order."""
    return [name for name in METHODS if name in text.split(",")] or list(DEFAULT)


CHOSEN = EXPLORER.parameter("methods", list(DEFAULT), _methods, spell=lambda names: ",".join(names) or None)
EDGES = EXPLORER.parameter("edges", None, whole(1, COUNTED_EDGES))
THRESHOLD = EXPLORER.parameter("threshold", FIRST_THRESHOLD, real(0.0, 1.0), spell=spell_number)
SORT = EXPLORER.parameter("sort", COLUMNS[0], one_of(COLUMNS))


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
    st.session_state["cut"] = "threshold" if THRESHOLD.given else "top"

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
    if THRESHOLD.given:
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
