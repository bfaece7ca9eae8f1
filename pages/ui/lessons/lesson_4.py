"""Lesson 4: flow matching. Balance one state by hand, then watch a table of flows balance all of them."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import streamlit as st

from gfx_core.drawing.pictures import instance_picture
from gfx_core.drawing.templates import render
from gfx_core.jobs.job import Request
from gfx_core.layout.instances import sketch_layout
from gfx_core.teaching.lesson_texts import LESSONS
from gfx_core.teaching.lesson_views import view_data
from gfx_core.teaching.practice import Practice, final_states, toy_ground
from gfx_core.teaching.questions import QUESTIONS
from gfx_core.text.numbers import percent
from gfx_core.training.lesson_graphs import LessonGraph
from gfx_core.training.recording import Recording
from gfx_core.training.training import defaults_for
from pages.ui.address import bind, one_of, spell_number, whole, within
from pages.ui.components.mount import component, style
from pages.ui.components.player import train_view
from pages.ui.components.svg_views import network_view
from pages.ui.jobs import run_job
from pages.ui.lessons.frame import Lesson, LessonAddress, ask, hidden
from pages.ui.widgets import in_row, widget

CONTENT = LESSONS[4]
HAND = view_data("hand")
VIEWS = ("dag", "stop", "graph")
"""Of the training, besides its curves."""
CLOSE = 0.01
"""A total variation below this counts as learned."""
_hand = component(
    "components/hand_view", '<div class="kit hand"></div>', render("pages/roles.css", scope="hand") + style("hand_view")
)
"""One state and the flows around it, to be set by hand: drag a pipe, or use the arrow keys on it."""

ADDRESS = LessonAddress(4)
_flow = within(float, HAND["step"], HAND["most"])


def _flows(text: str) -> tuple[float, ...]:
    """Reads the flows of all edges from ``1_0.5_2``."""
    flows = tuple(map(_flow, text.split("_")))
    if len(flows) != len(HAND["flows"]):
        raise ValueError
    return flows


FLOWS = ADDRESS.parameter("f", HAND["flows"], _flows, spell=lambda flows: "_".join(map(spell_number, flows)))
GRAPH = ADDRESS.parameter("graph", Practice.TOY, one_of(list(Practice)))
EPSILON = ADDRESS.parameter("eps", 0.2, within(float, 0.0, 0.5), spell=spell_number)
RUNNING = ADDRESS.switch("run")
STEP: Any = ADDRESS.parameter("at", None, whole(0, 999), under=(GRAPH, EPSILON))


def show() -> None:
    """One of the two parts, and the question."""
    learning = ADDRESS.part.read() == 2
    if not hidden("controls"):
        with in_row("l4-bar"):
            ADDRESS.pick_part()
            if learning:
                controls()
    if learning:
        learn()
    else:
        by_hand()
    ask(QUESTIONS[4]())


def by_hand() -> None:
    """One state, its pipes, and a way on once it is in balance."""
    flows, fixed = FLOWS.read(), hidden("controls")

    def set_flows(values: Sequence[float]) -> None:
        if not fixed and len(values) == len(flows):
            FLOWS.write(tuple(map(float, values)))

    with st.container(horizontal=True, horizontal_alignment="center", vertical_alignment="center"):
        with st.container(width=180):
            network_view(_graph(), key="l4-graph-by-hand", enlarge=1)
        st.caption(CONTENT["graph"].format(state=HAND["state"]), width="content")
    _hand(key="l4-hand", data={**HAND, "flows": flows, "fixed": fixed}, heard={"flows": set_flows})
    inward = len(HAND["parents"])
    if sum(flows[:inward]) == sum(flows[inward:]) + HAND["reward"]:
        st.success(CONTENT["balanced"], icon=":material/check_circle:")
        if not fixed:
            onward = {ADDRESS.part: 2, RUNNING: True}
            st.button(**widget("l4-on"), on_click=ADDRESS.change, args=(onward,))


@cache
def _graph() -> str:
    """The graph in which the nodes of the state are shaded."""
    toy = toy_ground()
    picture = instance_picture(toy.instance, sketch_layout(toy.instance))
    inside = toy.nodes_of(HAND["state"])
    looks = [replace(look, styles=("held" if at in inside else "away",)) for at, look in enumerate(picture.looks)]
    return replace(picture, looks=looks, size=(150.0, 90.0)).svg()


def controls() -> None:
    """The trainings to begin with, and ε."""
    for preset in CONTENT["presets"]:
        begin = {GRAPH: Practice(preset["graph"]), EPSILON: preset["epsilon"], RUNNING: True, STEP: None}
        st.button(**preset["button"], on_click=ADDRESS.change, args=(begin,))
    bind(st.slider, **widget("l4-eps"), parameter=EPSILON)


def learn() -> None:
    """The training and what came of it. Where the controls are hidden nothing could start it: it runs."""
    if not RUNNING.read() and not hidden("controls"):
        st.info(CONTENT["how"], icon=":material/model_training:")
        return
    planned = defaults_for(LessonGraph(GRAPH.read())).changed({"epsilon": EPSILON.read()})
    request = Request[dict[str, Any]]("gfx_core.training.live:record_lesson", {"training": planned}, device="cpu")
    trained = run_job("Training a table of flows", request, slot="lesson-4")
    if trained is None:
        return
    step = STEP.read()
    train_view(trained, key="l4-training", token=repr(planned), step=step, only=VIEWS, heard={"step": STEP.write})
    recording = Recording.from_dict(trained)
    if step == recording.lanes[0].frames[-1].step and not hidden("theory"):  # it was played to its end
        st.markdown(verdict(recording))


def verdict(recording: Recording) -> str:
    """Whether the flows were learned, and which state is furthest off if not."""
    distance = recording.lanes[0].frames[-1].total_variation or 0.0
    worst = max(final_states(recording), key=lambda state: state.target - state.drawn[0])
    words: str = CONTENT["learned" if distance < CLOSE else "failed"]
    return words.format(distance=distance, worst=worst, target=percent(worst.target), drawn=percent(worst.drawn[0]))


def links() -> dict[str, dict[str, str]]:
    """The same training in Train."""
    return {"train": {"story": "none", "graph": str(GRAPH.read()), "eps1": spell_number(EPSILON.read())}}


LESSON = Lesson(ADDRESS, show, links)
