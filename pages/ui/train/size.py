"""Say what a training on a large instance will take, and offer a shorter one."""

import streamlit as st

from gfx_core.errors import UserError
from gfx_core.number_words import duration
from gfx_core.training.cost import SOON_S, shorter, step_seconds
from gfx_core.training.setting import LessonGraph
from pages.ui.explorer import loaders
from pages.ui.train.chosen import Chosen
from pages.ui.train.link import FIELDS


def say_size(chosen: Chosen) -> None:
    """Before it is begun; nothing where it does not take long."""
    about = chosen.lanes[0].question
    if isinstance(about, LessonGraph):
        return
    try:
        nodes = about.instance(loaders.hops(about.dataset, about.gnn)).num_nodes
    except UserError:  # whoever picks it is told
        return
    step_s = sum(step_seconds(lane, nodes) for lane in chosen.lanes)  # they train in turn
    wanted = max(lane.steps for lane in chosen.lanes)
    steps = shorter(step_s)
    if wanted * step_s <= SOON_S or steps >= wanted:
        return

    def shorten() -> None:
        for lane in range(1, len(chosen.lanes) + 1):
            FIELDS[lane]["steps"].write(steps)

    with st.container(horizontal=True, vertical_alignment="center", key="train-size"):
        st.caption(
            f"This prediction has {nodes:,} nodes: {wanted:,} steps take about {duration(wanted * step_s)} here. "
            "It can be ended at any time, and what was learnt stays."
        )
        st.button(
            f"{steps:,} steps (about {duration(steps * step_s)})",
            key="train-shorter",
            icon=":material/timer:",
            on_click=shorten,
        )
