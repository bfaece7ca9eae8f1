"""What is trained and how: the story, the prediction, and of each training its knobs.

Sliders act on the running training, other choices begin it anew.
"""

from pathlib import Path
from typing import Any

import streamlit as st

from gfx_core.config import read_content
from gfx_core.explanation.question import Question
from gfx_core.gfn.knobs import Knob
from gfx_core.teaching.glossary import tooltip
from gfx_core.training.lesson_graphs import TITLES, LessonGraph
from gfx_core.training.training import STORIES, Subject
from pages.ui.address import Parameter, bind
from pages.ui.explorer import loaders, pickers
from pages.ui.explorer.parameters import EXPLORER, NAMED, read_query
from pages.ui.text import plain, shortened
from pages.ui.train.link import FIELDS, GRAPH, KNOBS, STORY, TWO, Plan, linked_story
from pages.ui.wording import widget

TEXTS = read_content("train")
STYLE = Path(__file__).with_name("train.css")
_LONGEST = 40  # letters of a training's name on its button


def pick_story() -> None:
    """A list of the stories, and one's own training."""
    story = linked_story()
    st.session_state["train-story"] = story.name if story else ""
    titles = {**{name: story.title for name, story in STORIES.items()}, "": "No story: a training of my own"}
    looks = {"format_func": titles.__getitem__, "label_visibility": "collapsed", "width": 340}

    def change() -> None:
        EXPLORER.start_anew({STORY: st.session_state["train-story"]})

    st.selectbox("Story", list(titles), key="train-story", on_change=change, **looks)


def pick_subject() -> Subject | None:
    """A popover with the pickers; what they pick, or ``None``, with a sentence on the page, if it cannot be had."""
    story = linked_story()
    subject = story.trainings[-1].question if story else LessonGraph(GRAPH.read()) if GRAPH.read() else None
    graph = subject if isinstance(subject, LessonGraph) else None
    view = read_query(subject if isinstance(subject, Question) else None)
    label = plain((graph.title if graph else f"{view.info.title} {shortened(view.name or '', 24)}").strip())
    selection, gnn = None, loaders.selected_gnn(view.info.name, view.gnn)
    if graph is None:
        selection = pickers.find_instance(view)
    with st.popover(**widget("train-prediction", label=label)):
        titles = {"": "A prediction", **TITLES}
        choice = {"shown": graph.name if graph else "", "drops": NAMED, "format_func": titles.__getitem__}
        bind(st.selectbox, "Trained on", GRAPH, list(titles), key="train-graph", **choice)
        if graph is None:
            pickers.pick_dataset(view)
            pickers.pick_instance(view, selection)
            pickers.pick_example(view.info.name, selection, gnn)
            pickers.pick_gnn(view)
    if graph is not None:
        return graph
    if selection is None or gnn is None:
        st.warning(TEXTS["missing"].format(label=label), icon=":material/link_off:")
        return None
    return Question(selection.instance.dataset, selection.name, selection.source.parameter, gnn)


def training_row(number: int, plan: Plan, name: str) -> None:
    """One training: the knobs of its reward in a row, and a popover with all others.

    Args:
        number: 1 or 2; where there are two they stand above their views, side by side.
        plan: What is trained.
        name: What it is called.
    """
    with st.container(horizontal=True, vertical_alignment="bottom", key=f"lane-{number}"):
        label = f"**{'AB'[number - 1]}** {plain(shortened(name, _LONGEST))}"
        with st.popover(label, icon=":material/tune:", key=f"setting-{number}", width=240, help=plain(name)):
            if number == 1:
                two, usual = len(plan.trainings) == 2, plan.story is not None and len(plan.story.trainings) == 2
                bind(st.toggle, "Two trainings, on one clock", TWO, shown=two, own=usual, key="train-two")
            _knobs(number, plan, in_row=False)
        _knobs(number, plan, in_row=True)


def _knobs(number: int, plan: Plan, *, in_row: bool) -> None:
    """A widget for each knob that stands in the row, or in the popover."""
    training, base = plan.trainings[number - 1], plan.base[number - 1]
    for name, knob in KNOBS.items():
        if (knob.live and knob.rewards) is in_row and not (knob.gnn and training.is_lesson):
            _pick_knob(knob, FIELDS[number][name], knob.of(training.config), knob.of(base.config))


def _pick_knob(knob: Knob, parameter: Parameter[Any], value: Any, usual: Any) -> None:
    """The widget of a knob, which shows its value; the usual one is in no link."""
    acts = TEXTS["reward" if knob.rewards else "live"] if knob.live else TEXTS["anew"]
    words = tooltip(knob.term) if knob.term else knob.help
    settings = {"shown": value, "own": usual, "help": f"{acts} {words}"}
    if knob.values:
        bind(st.selectbox, knob.label, parameter, list(knob.values), format_func=knob.values.__getitem__, **settings)
    elif knob.marks:
        marks = {*knob.marks, value, usual} | ({None} if knob.optional else set())
        values = sorted(marks, key=lambda mark: (mark is None, mark or 0))
        settings["format_func"] = lambda mark: "none" if mark is None else f"{mark:g}"
        bind(st.select_slider, knob.label, parameter, values, **settings)
    else:
        bind(st.number_input, knob.label, parameter, knob.kind(knob.low), knob.kind(knob.high), **settings)
