"""All states of an instance beside the player: asked of a worker, and told in words."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from gfx_core.config import FlowSource
from gfx_core.jobs.requests import ListStates
from gfx_core.question import Question
from gfx_core.text.numbers import counted, percent
from gfx_core.trace.edit import way_to
from gfx_core.trace.schema import Trace
from pages.ui import jobs
from pages.ui.explorer.parameters import BESIDE, BY_HAND, EXPLORER, ORDER, TAB

if TYPE_CHECKING:
    from gfx_core.drawing.export import States
    from gfx_core.drawing.state_space import PolicyDag

STATES = "states"
TAKE_S = 20.0  # as long does a file wait for them


def beside() -> str:
    """What the link asks for beside the graph; in older links the state space was a tab below."""
    return BESIDE.read() or (STATES if TAB.text == STATES else "")


def put_beside(name: str) -> None:
    """Write what stands beside the graph into the link."""
    EXPLORER.change({BESIDE: name, **({TAB: None} if TAB.text == STATES else {})})


def request(trace: Trace, question: Question) -> ListStates:
    """What is asked of a worker: the states of an instance, around the trajectory that is shown."""
    return ListStates(question.policy, trace.steps[-1].members)


def listed(trace: Trace, question: Question) -> "PolicyDag | None":
    """The states, if they are asked for and known."""
    return jobs.finished(request(trace, question)) if beside() == STATES else None


def list_states(trace: Trace, question: Question) -> bool:
    """Have them listed where they are asked for and not known; returns whether they are known now."""
    if beside() != STATES or listed(trace, question) is not None:
        return False
    return jobs.run_job("Listing the states", request(trace, question), slot="states") is not None


def play_way(trace: Trace, found: "PolicyDag", state: int) -> None:
    """Play a way to a state that is not on the trajectory."""
    box = found.picture.box_of(state)
    if box is not None:
        EXPLORER.change({ORDER: way_to(trace, box.nodes), BY_HAND: None})


def to_take_along(trace: Trace, question: Question) -> "Callable[[], States | None]":
    """Gets the states for a file; the page need not have listed them."""
    ask = jobs.later(request(trace, question), TAKE_S)

    def get() -> "States | None":
        found = ask()
        return None if found is None else (found.picture, in_words(found, "Click one on the way to go there."))

    return get


def in_words(found: "PolicyDag", then: str = "Click a state to go there.") -> str:
    """What is seen, and what can be done then, as plain text."""
    most = f"of at most {counted(found.max_nodes, 'node')}"
    if found.total_variation is None:
        return (
            f"More than {found.cap:,} states {most}, too many to list: here are those of the trajectory with their "
            "parents and children. Width is the flow that the policy has learnt."
        )
    picture = found.picture
    who = (
        "exact flows go that way, a green bar how likely they stop"
        if found.flows is FlowSource.EXACT
        else "the policy goes that way, a green bar how likely it stops"
    )
    part = "all drawn" if picture.whole else "too many to draw: those around the trajectory are"
    states = "1 state" if picture.num_states == 1 else f"{picture.num_states:,} states"
    return (
        f"{states} {most}, {part}, from small to large. Width is how likely {who}, the dark tick how likely that "
        f"should be: R/Z. Total variation between the two: {percent(found.total_variation)}. {then}"
    )
