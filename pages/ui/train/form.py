"""What is trained and how: the story, the prediction, and of each training its knobs.

Sliders act on the running training, other choices begin it anew.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

from gfx_core.errors import UserError
from gfx_core.explanation.question import Question
from gfx_core.gfn.knobs import Knob
from gfx_core.teaching.glossary import tooltip
from gfx_core.text.numbers import counted, duration
from gfx_core.training.lesson_graphs import TITLES, LessonGraph
from gfx_core.training.training import SOON_S, STORIES, Subject, Training, shorter, step_seconds
from pages.ui.address import Parameter, bind
from pages.ui.explorer import loaders, pickers
from pages.ui.explorer.parameters import (
    DATASET,
    EXPLORER,
    NAMED,
    NAMES,
    PredictionQuery,
    read_query,
    remember_prediction,
)
from pages.ui.explorer.pickers import Selection
from pages.ui.text import plain, shortened
from pages.ui.train.link import COUNT, EVERY, FIELDS, GRAPH, KNOBS, PLAIN, STORY, Plan, story_name, story_subject

STYLE = Path(__file__).with_name("train.css")
_LONGEST = 40  # letters of a training's name on its button
AT_ONCE = "Acts at once on the running training."
ANEW = "Restarts the training."
_NEW_TARGET = " It changes the reward, and so the target: the clock gets a mark."
_KINDS = ("A prediction", "A lesson’s graph")
_FIRST = "tree_cycles"


def pick_story() -> None:
    """A list of the stories, and one's own training."""
    st.session_state["train-story"] = story_name()

    def change() -> None:
        name = st.session_state["train-story"]
        if not name:
            EXPLORER.change({STORY: name, **_same_subject()})
        else:
            EXPLORER.start_anew({STORY: name})

    st.selectbox(
        "Story",
        [*STORIES, ""],
        key="train-story",
        format_func=lambda name: STORIES[name].title if name else "No story: a training of my own",
        on_change=change,
        label_visibility="collapsed",
        width=340,
    )


def _same_subject() -> dict[Parameter[Any], Any]:
    """What the link has to say for the prediction of a story to stay when the story goes."""
    about = story_subject()
    if isinstance(about, LessonGraph):
        return {GRAPH: about.name}
    return {} if about is None else {DATASET: about.dataset, NAMES[about.source]: about.name}


def say_story(plan: Plan, *, own: bool = False, departures: str = "") -> None:
    """What to watch.

    Args:
        plan: The story, if it is one.
        own: Whether a training of the visitor's own is shown.
        departures: How that is not the story's; the story's words are then not about it.
    """
    watch = "**Watch** P(stop) come to R/Z, state by state, and turn a knob while it learns."
    if plan.story is not None:
        watch = f"**Watch:** {plain(plan.story.watch)}"
    st.markdown(f"{'**Your training.** ' * own}{plain(departures) or watch}")


def pick_subject() -> Subject | None:
    """A popover with the pickers; what they pick, or ``None``, with a sentence on the page, if it cannot be had."""
    story = story_subject()
    graph = story if isinstance(story, LessonGraph) else LessonGraph(GRAPH.read()) if GRAPH.read() else None
    view = read_query(story if isinstance(story, Question) else None)
    selection = None if graph else pickers.find_instance(view)
    label = graph.title if graph else f"{view.info.title} {shortened(view.name or '', 24)}"
    with st.popover(plain(label.strip()), icon=":material/adjust:", key="train-prediction", help="What is trained on"):
        _pick_kind(graph)
        found = _pick_graph(graph) if graph else _pick_prediction(view, selection)
    if found is None:
        st.warning(
            f"This prediction is not available: open “{plain(label.strip())}” and pick another.",
            icon=":material/link_off:",
        )
    return found


def _pick_kind(graph: LessonGraph | None) -> None:
    st.session_state["train-kind"] = _KINDS[graph is not None]

    def change() -> None:
        lesson = st.session_state["train-kind"] == _KINDS[1]
        first = next(iter(TITLES)) if lesson else None
        dataset = None if lesson else _FIRST
        EXPLORER.change({**dict.fromkeys(NAMED), DATASET: dataset, GRAPH: first and str(first)})

    st.segmented_control(
        "Trained on", _KINDS, key="train-kind", required=True, label_visibility="collapsed", on_change=change
    )


def _pick_graph(graph: LessonGraph) -> LessonGraph:
    settings = {"shown": graph.name, "drops": NAMED, "key": "train-graph", "format_func": TITLES.__getitem__}
    bind(st.selectbox, "Graph", GRAPH, list(map(str, TITLES)), **settings)
    st.caption("Five nodes, rewards that are given, and so few states that all of them can be seen.")
    return graph


def _pick_prediction(view: PredictionQuery, selection: Selection | None) -> Question | None:
    gnn = loaders.selected_gnn(view.info.name, view.gnn)
    pickers.pick_dataset(view)
    pickers.pick_instance(view, selection)
    pickers.pick_example(view.info.name, selection, gnn)
    pickers.pick_gnn(view)
    if selection is None or gnn is None:
        return None
    remember_prediction(view.info.name, selection.source.parameter, selection.name, options=False)
    return Question(selection.instance.dataset, selection.name, selection.source.parameter, gnn)


def training_row(number: int, plan: Plan, name: str) -> None:
    """One training: its first live knobs in a row, and a popover with all that begins it anew, and with more.

    Args:
        number: 1 or 2; where there are two they stand above their views, side by side.
        plan: What is trained.
        name: What it is called.
    """
    training, base, forced = plan.trainings[number - 1], plan.base[number - 1], _names_knob(plan)
    every = EVERY.read() or forced
    with st.container(horizontal=True, vertical_alignment="bottom", key=f"lane-{number}"):
        label = f"**{'AB'[number - 1]}** {plain(shortened(name, _LONGEST))}"
        with st.popover(label, icon=":material/tune:", key=f"setting-{number}", width=240, help=plain(name)):
            if number == 1:
                _pick_count(plan)
                bind(st.toggle, "All sliders that act during training", EVERY, shown=every, disabled=forced)
            st.caption(f"{ANEW} The sliders beside it act at once.")
            knob_widgets(number, training, base, lambda knob: not knob.live)
            if not training.is_lesson:
                note = f"{ANEW} The GNN that never saw a fragment. {tooltip('fragments')}"
                shown = {"shown": training.is_plain, "own": base.is_plain}
                bind(st.toggle, "GNN of whole graphs only", PLAIN[number], **shown, help=note)
        knob_widgets(number, training, base, lambda knob: knob.live and (every or knob.rewards))


def _pick_count(plan: Plan) -> None:
    """Whether there is a second training."""
    key = "train-two"
    st.session_state[key] = len(plan.trainings) > 1
    usual = len(plan.story.trainings) if plan.story else 1

    def change() -> None:
        count = 2 if st.session_state[key] else 1
        COUNT.write(None if count == usual else count)

    st.toggle("Two trainings of this prediction, on one clock", key=key, on_change=change)


def _names_knob(plan: Plan) -> bool:
    """Whether the link sets a live knob that is not seen at first, or the trainings differ in one."""
    names = [name for name, knob in KNOBS.items() if knob.live and not knob.rewards]
    differ = any(len({KNOBS[name].of(each.config) for each in plan.trainings}) > 1 for name in names)
    return differ or any(fields[name].in_link for fields in FIELDS.values() for name in names)


def knob_widgets(number: int, training: Training, base: Training, wanted: Callable[[Knob], bool]) -> None:
    """A widget for each knob that is wanted. It shows how the knob is set; what goes without saying is in no link."""
    for name, knob in KNOBS.items():
        if not wanted(knob) or (knob.gnn and training.is_lesson):
            continue
        parameter, shown, own = FIELDS[number][name], knob.of(training.config), knob.of(base.config)
        acts = f"**{AT_ONCE}**{_NEW_TARGET if knob.rewards else ''}" if knob.live else ANEW
        more = {"shown": shown, "own": own, "help": f"{acts} {tooltip(knob.term) if knob.term else knob.help}"}
        if knob.values:
            bind(st.selectbox, knob.label, parameter, list(knob.values), format_func=knob.values.__getitem__, **more)
        elif knob.marks:
            marks = {*knob.marks, shown, own} | ({None} if knob.optional else set())
            values = sorted(marks, key=lambda value: (value is None, value or 0))
            bind(st.select_slider, knob.label, parameter, values, format_func=_short, **more)
        else:
            bind(st.number_input, knob.label, parameter, knob.kind(knob.low), knob.kind(knob.high), **more)


def _short(value: float | None) -> str:
    return "none" if value is None else f"{value:g}"


def say_size(plan: Plan) -> None:
    """What a training on a large instance will take, and a shorter one; nothing where it does not take long."""
    about = plan.subject
    if isinstance(about, LessonGraph):
        return
    try:
        nodes = about.instance(loaders.hops(about.dataset, about.gnn)).num_nodes
    except UserError:  # the page reports it when it is picked
        return
    step_s = sum(step_seconds(each.config, nodes) for each in plan.trainings)  # they train in turn
    wanted = max(each.config.epochs for each in plan.trainings)
    steps = shorter(step_s)
    if wanted * step_s <= SOON_S or steps >= wanted:
        return

    def shorten() -> None:
        EXPLORER.change({FIELDS[number]["epochs"]: steps for number in range(1, len(plan.trainings) + 1)})

    with st.container(horizontal=True, vertical_alignment="center", key="train-size"):
        st.caption(
            f"This prediction has {nodes:,} nodes: {wanted:,} steps take about {duration(wanted * step_s)} here. "
            "You can end it at any time and keep the policy."
        )
        st.button(
            f"{counted(steps, 'step')} (about {duration(steps * step_s)})",
            key="train-shorter",
            icon=":material/timer:",
            on_click=shorten,
        )
