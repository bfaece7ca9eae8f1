"""All states of an instance, with the trajectory that is shown: the state DAG on the Explain page."""

from typing import TYPE_CHECKING

import streamlit as st

from gfx_core.config import FlowSource
from gfx_core.number_words import percent
from gfx_core.question import Question
from gfx_core.requests import ListStates
from gfx_core.trace.by_hand import way_to
from gfx_core.trace.schema import Trace
from pages.ui import jobs
from pages.ui.components.dag_view import StateChoice, dag_view
from pages.ui.explorer.link import BY_HAND, EXPLORER, ORDER

if TYPE_CHECKING:
    from gfx_core.drawing.policy_dag import PolicyDag


def state_space(trace: Trace, question: Question) -> None:
    """Show the states of an explained instance; a click on one plays a way to it.

    Args:
        trace: What is shown above: its trajectory is highlighted.
        question: What is explained.
    """
    found = jobs.run_job("Listing the states", ListStates(question.policy, trace.steps[-1].members), slot="states")
    if found is None:
        return
    picture = found.picture
    st.markdown(in_words(found))

    def play(state: int) -> None:
        box = picture.box_of(state)
        if box is not None:
            EXPLORER.change({ORDER: way_to(trace, box.nodes), BY_HAND: None})

    choice = StateChoice(picture.path[-1], play, "play a way to it")
    dag_view(picture, key="state-space", choice=choice, height=440)


def in_words(found: "PolicyDag") -> str:
    """What is seen."""
    if found.total_variation is None:
        return (
            f"This instance has more than {found.cap:,} states of at most {found.max_nodes} nodes, too many to "
            "list: here are the states of the trajectory above with their parents and children. Width is the flow "
            "that the policy has learnt."
        )
    picture = found.picture
    who = (
        "exact flows go that way, a green bar how likely they stop"
        if found.flows is FlowSource.EXACT
        else "the policy goes that way, a green bar how likely it stops"
    )
    part = "All of them are" if picture.whole else "They are too many to draw: those around the trajectory are"
    return (
        f"This instance has **{picture.num_states:,} states** of at most {found.max_nodes} nodes. {part} below, "
        f"from small to large. Width is how likely {who}, the dark tick how likely that should be: R/Z. Total "
        f"variation between the two: {percent(found.total_variation)}."
    )
