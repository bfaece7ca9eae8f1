"""All states of an instance, with the trajectory that is shown: the state DAG on the Explain page."""

from typing import Any

import streamlit as st

from gfx_core.drawing.state_dag import DagPicture
from gfx_core.jobs.requests import StateSpace
from gfx_core.trace.schema import Trace
from pages.ui import jobs
from pages.ui.bars import percent
from pages.ui.components.dag_view import dag_view
from pages.ui.explaining import Asked, write_order
from pages.ui.sampling import Sampling


def state_space(trace: Trace, asked: Asked, sampling: Sampling) -> None:
    """Show the states of an explained instance; a click on one plays a way to it.

    Args:
        trace: What is shown above: its trajectory is highlighted.
        asked: What is explained.
        sampling: With which β and K_M.
    """
    request = StateSpace(**asked.arguments(), **sampling.policy_arguments(), order=trace.steps[-1].members)
    found = jobs.run_job("Listing the states", request, slot="states")
    if found is None:
        return
    picture: DagPicture = found["picture"]
    st.markdown(in_words(found, picture))

    def play(state: int) -> None:
        box = picture.box_of(state)
        if box is not None:
            write_order(way_to(trace, set(box.nodes)), mode=None, stop=None)

    dag_view(
        picture, key="state-space", on_state=play, selected=picture.path[-1], action="play a way to it", height=440
    )


def in_words(found: dict[str, Any], picture: DagPicture) -> str:
    """What is seen."""
    if not found["listed"]:
        return (
            f"This instance has more than {found['cap']:,} states of at most {found['max_nodes']} nodes, too many to "
            "list: here are the states of the trajectory above with their parents and children. Width is the flow "
            "that the policy has learnt."
        )
    part = "All of them are" if picture.whole else "They are too many to draw: those around the trajectory are"
    return (
        f"This instance has **{picture.num_states:,} states** of at most {found['max_nodes']} nodes. {part} below, "
        "from small to large. Width is how likely the policy goes that way, a green bar how likely it stops, the dark "
        f"tick how likely it should: R/Z. Total variation between the two: {percent(found['total_variation'])}."
    )


def way_to(trace: Trace, nodes: set[int]) -> list[int]:
    """An order in which a connected set can be built, along the trajectory as far as that goes."""
    adjacent: dict[int, set[int]] = {}
    for edge in trace.edges:
        adjacent.setdefault(edge.source, set()).add(edge.target)
        adjacent.setdefault(edge.target, set()).add(edge.source)
    rank = {node: k for k, node in enumerate(trace.steps[-1].members)}
    way, left = [trace.start], nodes - {trace.start}
    while left:
        near = [node for node in left if adjacent.get(node, set()) & set(way)]
        if not near:
            break
        way.append(min(near, key=lambda node: (rank.get(node, len(rank)), node)))
        left.discard(way[-1])
    return way
