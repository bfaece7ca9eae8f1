"""Home: what this is, and the data sets to start from. Drawn without torch."""

from dataclasses import replace

import streamlit as st

from gfx_core.config import Task
from gfx_core.datasets import words
from gfx_core.datasets.info import DatasetInfo
from gfx_core.datasets.registry import DATASETS
from gfx_core.errors import UserError
from gfx_core.question import Question
from pages.ui.components.player import player
from pages.ui.explorer import facts, loaders
from pages.ui.router import through_app
from pages.ui.text import plain

SHOWN = Question("tree_grid", "700")  # a shipped trace, which plays here


def card(info: DatasetInfo) -> None:
    """One data set: its motif, what it asks, and how well the GNN answers."""
    with st.container(border=True, key=f"card-{info.name}"):
        with st.container(horizontal=True, vertical_alignment="center", wrap=False, key=f"head-{info.name}"):
            with st.container(gap="xsmall"):
                st.subheader(plain(info.title), anchor=False)
                st.badge(words.task_name(info.task), color="violet" if info.task is Task.GRAPH else "blue")
            st.image(facts.motif_picture(info), alt=f"To be found: {info.motif_names}")
        st.markdown(plain(info.description))
        with st.container(gap="xsmall", key=f"numbers-{info.name}"):
            numbers(info)
            st.page_link(
                "pages/datasets.py",
                label=f"Explore {plain(info.title)}",
                icon=":material/arrow_forward:",
                icon_position="right",
                query_params={"dataset": info.name},
            )


def numbers(info: DatasetInfo) -> None:
    """Statistics and accuracy, as the checkpoint recorded them."""
    kinds = loaders.trained_kinds(info.name)
    if not kinds:
        st.caption(f"GNN {loaders.training_hint(info.name)}")
        return
    try:
        header = loaders.header(info.name, kinds[0])
    except UserError as error:
        st.caption(f":material/warning: {plain(error)}")
        return
    st.caption(plain(words.statistics_line(info, header.statistics)))
    st.markdown(f"GNN test accuracy **{facts.accuracy(header)}**, trained on {facts.trained_on(header)}")


through_app()
said, picture = st.columns([5, 6], gap="large", vertical_alignment="center")
with said:
    st.title("See how a GFlowNet explains a GNN", anchor=False)
    st.markdown(
        "A graph neural network (GNN) answers, but does not say why. **GFlowExplainer** learns to build, node by node, "
        "the small connected subgraphs that carry its answer. In the data sets below the true reason, a planted "
        "*motif* or a chemical group, is known, so every explanation can be checked."
    )
    st.page_link(
        "pages/explain.py",
        label="Look inside this explanation",
        icon=":material/play_circle:",
        query_params={"dataset": SHOWN.dataset, SHOWN.source: SHOWN.name},
    )
    st.page_link("pages/learn.py", label="New to GFlowNets? Learn them in 15 minutes", icon=":material/school:")
    st.page_link("pages/results.py", label="How good is it? What was measured", icon=":material/leaderboard:")
with picture:
    if (trace := loaders.trace(SHOWN)) is not None:
        player(replace(trace, masks=()), key="shown", compact=True, height=380)
with st.container(key="cards"):
    for dataset in DATASETS.values():
        card(dataset)
