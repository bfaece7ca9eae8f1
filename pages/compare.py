"""Compare: the same instance, the same layout, explained by several methods side by side."""

import streamlit as st

from gfx_core.drawing.masks import truth_svg
from gfx_core.explainers.registry import METHODS
from gfx_core.jobs import requests
from gfx_core.metrics.fidelity import COUNTED_EDGES
from gfx_core.trace.schema import MethodMask, Trace
from pages.ui import comparing, explaining, jobs, pickers
from pages.ui.chrome import through_app
from pages.ui.components.copy_link import copy_link
from pages.ui.components.gallery import Card, gallery
from pages.ui.sampling import Sampling, policy_settings, say_untrained
from pages.ui.selection import choose, read_selection
from pages.ui.subject import find_subject

DEFAULT = ("gflowexplainer", "degree", "gnnexplainer", "pgexplainer", "most_links")


def chosen_methods() -> list[str]:
    """The methods that the URL names, in the registry's order."""
    named = st.query_params.get("methods", ",".join(DEFAULT)).split(",")
    return [name for name in METHODS if name in named] or list(DEFAULT)


def pick_methods(methods: list[str]) -> None:
    st.session_state["methods"] = methods
    st.multiselect(
        "Explainers",
        list(METHODS),
        key="methods",
        format_func=lambda name: METHODS[name].title,
        on_change=lambda: choose(methods=",".join(st.session_state["methods"]) or None),
        width=560,
    )


def mask_of(method: str, trace: Trace, asked: explaining.Asked) -> MethodMask | None:
    """A method's scores: shipped with the trace, or computed by a worker; None while that goes on."""
    shipped = next((mask for mask in trace.masks if mask.method == method), None)
    if shipped is not None:
        return shipped
    found = jobs.run_job(METHODS[method].title, requests.MethodMask(**asked.arguments(), method=method))
    return None if found is None else comparing.as_mask(found)


def pick_cut(trace: Trace) -> tuple[str, float]:
    """How edges become an explanation: the k best, or all above a threshold."""
    most = max(1, min(COUNTED_EDGES, len(trace.edges)))
    wanted = sum(bool(edge.in_motif) for edge in trace.edges) or min(10, most)
    by = "threshold" if "threshold" in st.query_params else "top"
    st.session_state["cut"] = by
    st.segmented_control(
        "An explanation is",
        ["top", "threshold"],
        key="cut",
        format_func={"top": "the k best edges", "threshold": "all above a threshold"}.__getitem__,
        required=True,
        on_change=lambda: choose(edges=None, threshold="0.5" if st.session_state["cut"] == "threshold" else None),
    )
    if by == "threshold":
        st.session_state["threshold"] = _share(st.query_params["threshold"])
        value = st.slider(
            "Threshold, from the lowest to the highest score",
            0.0,
            1.0,
            key="threshold",
            step=0.05,
            on_change=lambda: choose(threshold=f"{st.session_state['threshold']:g}"),
            width=360,
        )
        return by, float(value)
    text = st.query_params.get("edges", "")
    st.session_state["edges"] = min(most, max(1, int(text) if text.isdecimal() and len(text) < 5 else wanted))
    if most == 1:
        return by, 1
    value = st.slider(
        f"k, edges kept (the motif has {wanted})" if any(e.in_motif for e in trace.edges) else "k, edges kept",
        1,
        most,
        key="edges",
        on_change=lambda: choose(edges=st.session_state["edges"]),
        width=360,
    )
    return by, int(value)


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        return 0.5
    return min(1.0, max(0.0, value)) if value == value else 0.5


def pick_order() -> str:
    by = st.query_params.get("sort", "auc_own")
    st.session_state["sort"] = by if by in comparing.COLUMNS else "auc_own"
    st.selectbox(
        "Sort by",
        comparing.COLUMNS,
        key="sort",
        format_func=comparing.TITLES.__getitem__,
        on_change=lambda: choose(sort=st.session_state["sort"]),
        width=220,
    )
    return st.session_state["sort"]


through_app()
st.title("Compare explainers", anchor=False)
st.markdown(
    "The same prediction, the same layout: **green** edges of the true motif were found, **dashed** ones missed, "
    "**orange** ones should not be there."
)
selection = read_selection()
for problem in selection.problems:
    st.warning(problem, icon=":material/link_off:")
with st.container(horizontal=True, vertical_alignment="bottom", key="pickers"):
    pickers.pick_dataset(selection)
    subject = find_subject(selection)
    explaining.pick_interesting(selection.dataset)
    kind = pickers.pick_gnn(selection)
    copy_link()
if subject is None or kind is None:
    st.stop()
if policy_settings(selection.dataset, kind) is None:
    say_untrained(selection.dataset, kind)
    st.stop()
asked = explaining.asked_for(selection, kind, subject.instance.index, subject.dataset is not None)
trace = explaining.shipped_trace(asked, Sampling()) or explaining.computed_trace(asked, Sampling())
if trace is None:
    st.stop()
methods = chosen_methods()
pick_methods(methods)
with st.container(horizontal=True, vertical_alignment="bottom", key="cuts"):
    cut, amount = pick_cut(trace)
    by = pick_order()

masks = [mask for method in methods if (mask := mask_of(method, trace, asked)) is not None]
rows = []
for mask in masks:
    kept = (
        comparing.above_threshold(mask.scores, amount)
        if cut == "threshold"
        else comparing.kept_edges(mask.scores, int(amount))
    )
    rows.append(comparing.row(mask, subject.instance, kept))
rows = comparing.sort(rows, by)
known = any(edge.in_motif is not None for edge in trace.edges)
truth = [Card(truth_svg(trace, "The true motif"), "Ground truth", (), "what should be found")] if known else []
cards = [comparing.card(row, trace, "Play" if row.mask.method == "gflowexplainer" else "") for row in rows]


def go_and_play(_: int) -> None:
    st.session_state["go-to-explain"] = True


gallery([*truth, *cards], key="methods-gallery", on_pick=go_and_play, wide=16.0)
if st.session_state.pop("go-to-explain", False):
    st.switch_page("pages/explain.py", query_params=st.query_params.to_dict())
if rows:
    comparing.show_table(rows, f"comparison-{asked.dataset}-{asked.name}")
    st.page_link(
        "pages/results.py",
        label="Is that typical? All explainers on all predictions",
        icon=":material/leaderboard:",
        query_params={"dataset": asked.dataset},
    )
jobs.crew()  # PyTorch is loaded in the background while the visitor looks
