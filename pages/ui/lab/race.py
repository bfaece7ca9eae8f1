"""The race below the lab: accumulated time of 𝒵 and of Tarjan's search, measured when somebody asks."""

import streamlit as st

from gfx_core.datasets.registry import dataset_info
from gfx_core.drawing.charts import race_figure, race_verdict
from gfx_core.jobs.requests import Race
from gfx_core.teaching.lab_graphs import GraphKind
from pages.ui.jobs import run_job
from pages.ui.lab.controls import kind_name
from pages.ui.lab.state import LabState

_ASKED = "lab-race-asked"  # session state: the races that were started


def race(state: LabState) -> None:
    """Say what is measured, start it on request, show what came out."""
    st.subheader("Is 𝒵 faster than searching anew?", anchor=False)
    st.markdown(
        f"A set grows in {_where(state)}, once alone and once with 256 sets at a time. "
        "After each added node **𝒵** is updated, or **Tarjan's** depth-first search looks through the whole set again. "
        "Both must name the same cut vertices in every state."
    )
    asked: set[Race] = st.session_state.setdefault(_ASKED, set())
    request = _request(state)
    if request not in asked:
        st.button(
            "Measure on this computer", icon=":material/timer:", on_click=asked.add, args=(request,), key="lab-race"
        )
        return
    found = run_job("Racing 𝒵 against Tarjan", request, slot="lab-race")
    if found is None:
        return
    st.plotly_chart(
        race_figure(found["results"]), width="stretch", key="lab-race-chart", config={"displayModeBar": False}
    )
    for sentence in race_verdict(found["results"]):
        st.markdown(f"- {sentence}")
    threads = "1 thread" if found["threads"] == 1 else f"{found['threads']} threads"
    st.caption(
        f"Agreed in all {found['states']:,} states. Measured on this computer's CPU with {threads}, the fastest of up "
        "to three growths each; Tarjan's search is plain Python. 𝒵 takes a fixed number of tensor operations per added "
        "node, for all sets at once: that pays off where many sets grow together, as in training; for a single set "
        "the cost of each operation dominates. The work of 𝒵 per node grows with the square of the set, that of a "
        "search only with its links: the larger the sets, the smaller the advantage."
    )


def _request(state: LabState) -> Race:
    if state.kind is GraphKind.INSTANCE:
        return Race(str(state.kind), state.seed, state.dataset, state.index)
    return Race(str(state.kind), state.seed)


def _where(state: LabState) -> str:
    if state.kind is not GraphKind.INSTANCE:
        edits = ", without your edits" if state.flips else ""
        return f"a graph of the same kind ({kind_name(state.kind).lower()}{edits}) to several hundred nodes"
    title = dataset_info(state.dataset).title
    if state.dataset == "ba_2motifs":
        return f"this graph of {title} to all its nodes"
    return f"the whole graph of {title}, from node {state.index} to several hundred nodes"
