"""What is trained and how: the story, the prediction, and of each lane its knobs.

Sliders act on the running training, other choices begin it anew.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Any

import streamlit as st

from gfx_core.datasets.registry import dataset_info
from gfx_core.errors import UserError
from gfx_core.explanation.question import MAX_SEED, Question
from gfx_core.gfn.settings import Loss, Parents, Stop
from gfx_core.teaching.glossary import tooltip
from gfx_core.text.numbers import duration
from gfx_core.training.lesson_graphs import TITLES
from gfx_core.training.setting import (
    SOON_S,
    WORDS,
    Begin,
    FlowModel,
    LaneSetting,
    LearnsFrom,
    LessonGraph,
    NetworkKind,
    Subject,
    shorter,
    step_seconds,
)
from gfx_core.training.stories import STORIES
from pages.ui.address import Parameter, bind
from pages.ui.explorer import loaders, pickers
from pages.ui.explorer.parameters import BY_NUMBER, DATASET, EXPLORER, GNN, NAMES, PredictionQuery, read_query
from pages.ui.explorer.pickers import pick_instance
from pages.ui.explorer.traces import pick_interesting
from pages.ui.text import plain, shortened
from pages.ui.train.link import COUNT, FIELDS, GRAPH, STORY, Plan, story_name, story_subject

STYLE = Path(__file__).with_name("train.css")
_LONGEST = 40  # letters of a lane's name on its button
AT_ONCE = "Acts at once on the running training."
ANEW = "Begins the training anew."
_LIVE: tuple[tuple[str, str, tuple[float, ...], str], ...] = (
    ("epsilon", "ε", (0.0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0), "epsilon"),
    ("lr", "Learning rate", (1e-4, 3e-4, 1e-3, 3e-3, 6e-3, 1e-2, 3e-2, 0.1, 0.3, 1.0), ""),
    ("beta", "β", (1.0, 3.0, 10.0, 30.0, 50.0, 100.0), "beta"),
    ("node_price", "Node price", (0.0, 0.02, 0.05, 0.1, 0.12, 0.2, 0.5), ""),
    ("batch", "Batch", (1, 4, 16, 32, 64, 128, 256), ""),
)
_NOTES = {
    "lr": "How far one step changes the weights. Too small: it does not arrive. Too large: it jumps about or diverges, "
    "and then the last good policy is kept.",
    "node_price": "What a node must bring to be worth it: so much is taken off for each node, before β.",
    "batch": "How many trajectories are sampled for each step: more are slower and less noisy.",
}
_NEW_TARGET = " It changes the reward, and so the target: the clock gets a mark."
_CHOICES: tuple[tuple[str, str, type[StrEnum], str], ...] = (
    ("learner", "What learns", FlowModel, "A network sees the graph and can generalise; a table has one free number "
     "for each edge of the state DAG."),
    ("learns_from", "Learns from", LearnsFrom, "Its own trajectories, as in practice; or all states at once, where "
     "they can be listed: a network is then told their exact flows."),
    ("loss", "Loss", Loss, "What training makes small."),
    ("parents", "Which parents count", Parents, "**GFlowExplainer** counts every valid parent of a state, "
     "**GFlow-Sequence** only the last step taken, **GFlow-Graph** every node but the start, connected or not."),
    ("stop", "STOP", Stop, "Whether the flow to STOP is the reward itself, or is learned."),
    ("network", "Network", NetworkKind, "Ours sees the whole set; in the paper’s a node’s score depends on its own "
     "neighbourhood only."),
    ("begin", "Begins", Begin, "From random weights, or from the policy that was trained on the whole data set."),
)  # fmt: skip
_SHORT = {
    Loss.FLOW_MATCHING: "flow matching (log)",
    Loss.FLOW_MATCHING_LINEAR: "flow matching (linear)",
    Loss.TRAJECTORY_BALANCE: "trajectory balance, constant log Z",
    Loss.TRAJECTORY_BALANCE_CONDITIONAL: "trajectory balance, conditional log Z",
    Stop.LEARNED: "learned",
    Stop.REWARD: "the reward",
    NetworkKind.OURS: "ours",
    NetworkKind.PAPER: "the paper’s",
    LearnsFrom.TRAJECTORIES: "its trajectories",
    LearnsFrom.ALL: "all states",
}
_KINDS = ("A prediction", "A lesson’s graph")
_FIRST = "tree_cycles"
_NAMED = (DATASET, BY_NUMBER, *NAMES.values())


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


def say_story(plan: Plan) -> None:
    """What to watch."""
    if plan.story is None:
        st.markdown("**Watch** P(stop) come to R/Z, state by state, and turn a knob while it learns.")
        return
    st.markdown(f"**Watch:** {plain(plan.story.watch)}")


def pick_subject() -> Subject | None:
    """A popover with the pickers; what they pick, or ``None``, with a sentence on the page, if it cannot be had."""
    story = story_subject()
    graph = story if isinstance(story, LessonGraph) else LessonGraph(GRAPH.read()) if GRAPH.read() else None
    view = _view(story) if isinstance(story, Question) else read_query()
    if graph is None:
        pickers.say_problems(view)
    label = graph.title if graph else f"{view.info.title} {shortened(view.name or '', 24)}"
    with st.popover(plain(label.strip()), icon=":material/adjust:", key="train-prediction", help="What is trained on"):
        _pick_kind(graph)
        found = _pick_graph(graph) if graph else _pick_prediction(view)
    if found is None:
        st.warning(
            f"This prediction cannot be had: open “{plain(label.strip())}” to see why, and pick another.",
            icon=":material/link_off:",
        )
    return found


def _view(about: Question) -> PredictionQuery:
    """A story's prediction, as if the link named it."""
    view = read_query()
    return replace(
        view, info=dataset_info(about.dataset), source=about.origin, name=about.name, gnn=GNN.read(about.gnn)
    )


def _pick_kind(graph: LessonGraph | None) -> None:
    st.session_state["train-kind"] = _KINDS[graph is not None]

    def change() -> None:
        lesson = st.session_state["train-kind"] == _KINDS[1]
        first = next(iter(TITLES)) if lesson else None
        dataset = None if lesson else _FIRST
        EXPLORER.change({**dict.fromkeys(_NAMED), DATASET: dataset, GRAPH: first and str(first)})

    st.segmented_control(
        "Trained on", _KINDS, key="train-kind", required=True, label_visibility="collapsed", on_change=change
    )


def _pick_graph(graph: LessonGraph) -> LessonGraph:
    st.session_state["train-graph"] = graph.name
    names = {str(name): title for name, title in TITLES.items()}

    def change() -> None:
        EXPLORER.change({**dict.fromkeys(_NAMED), GRAPH: st.session_state["train-graph"]})

    st.selectbox("Graph", list(names), key="train-graph", format_func=names.__getitem__, on_change=change)
    st.caption("Five nodes, rewards that are given, and so few states that all of them can be seen.")
    return graph


def _pick_prediction(view: PredictionQuery) -> Question | None:
    pickers.pick_dataset(view)
    found = pick_instance(view)
    pick_interesting(view.info.name)
    kind = pickers.pick_gnn(view)
    if found is None or kind is None:
        return None
    return Question(found.instance.dataset, found.name, found.source.parameter, kind)


def pick_count(plan: Plan) -> None:
    """Whether there is a second lane."""
    key = "train-two"
    st.session_state[key] = len(plan.lanes) > 1
    usual = len(plan.story.lanes) if plan.story else 1

    def change() -> None:
        count = 2 if st.session_state[key] else 1
        COUNT.write(None if count == usual else count)

    st.toggle("Two lanes", key=key, on_change=change, help="The same prediction under two settings, on one clock.")


def lane_row(lane: int, setting: LaneSetting, base: LaneSetting, name: str) -> None:
    """One lane: its live sliders in a row, and a popover with all that begins it anew.

    Args:
        lane: 1 or 2; where there are two they stand above their views, side by side.
        setting: How it is set.
        base: How it is set where the link changes nothing.
        name: What the lane is called.
    """
    with st.container(horizontal=True, vertical_alignment="bottom", key=f"lane-{lane}"):
        label = f"**{'AB'[lane - 1]}** {plain(shortened(name, _LONGEST))}"
        with st.popover(label, icon=":material/tune:", key=f"setting-{lane}", width=240, help=plain(name)):
            _choices(lane, setting, base)
        for field, label, usual, term in _LIVE:
            meaning = tooltip(term) if term else _NOTES[field]
            note = f"**{AT_ONCE}**{_NEW_TARGET if field in ('beta', 'node_price') else ''} {meaning}"
            _slider(lane, field, label, usual, (setting, base), note)


def _knob(
    widget: Callable[..., Any],
    lane: int,
    field: str,
    label: str,
    *options: Any,
    settings: tuple[LaneSetting, LaneSetting],
    **more: Any,
) -> None:
    """A widget for a field: it shows how it is set, and what goes without saying stands in no link."""
    parameter = FIELDS[lane][field]
    shown, own = (getattr(setting, field) for setting in settings)
    bind(widget, label, parameter, *options, key=parameter.name, shown=shown, own=own, **more)


def _slider(
    lane: int, field: str, label: str, usual: Iterable[float], settings: tuple[LaneSetting, LaneSetting], note: str
) -> None:
    """A slider over the usual values of a field, the one that is set, and the one that goes without saying."""
    values = sorted({*usual, *(getattr(setting, field) for setting in settings)})
    _knob(st.select_slider, lane, field, label, values, settings=settings, format_func=lambda v: f"{v:g}", help=note)


def _choices(lane: int, setting: LaneSetting, base: LaneSetting) -> None:
    settings = (setting, base)
    st.caption(f"{ANEW} The sliders beside it act at once.")
    for field, label, kind, note in _CHOICES:
        if not setting.is_lesson or field not in ("network", "begin"):
            words = {value: _SHORT.get(value) or WORDS[field][value] for value in kind}
            about = {"format_func": words.__getitem__, "help": f"{ANEW} {note}"}
            _knob(st.selectbox, lane, field, label, list(kind), settings=settings, **about)
    if not setting.is_lesson:
        about = {"help": f"{ANEW} The GNN that never saw a fragment. {tooltip('fragments')}"}
        _knob(st.toggle, lane, "plain", "GNN of whole graphs only", settings=settings, **about)
    _slider(lane, "max_nodes", "K_M, most nodes", range(2, 13), settings, f"{ANEW} {tooltip('k-m')}")
    ends = (100, 200, 300, 600, 1000, 2000, 5000)
    _slider(lane, "steps", "Steps", ends, settings, f"{ANEW} Where it ends by itself.")
    about = {"help": f"{ANEW} The same seed gives the same training."}
    _knob(st.number_input, lane, "seed", "Seed", 0, MAX_SEED, settings=settings, **about)


def say_size(plan: Plan) -> None:
    """What a training on a large instance will take, and a shorter one; nothing where it does not take long."""
    about = plan.lanes[0].question
    if isinstance(about, LessonGraph):
        return
    try:
        nodes = about.instance(loaders.hops(about.dataset, about.gnn)).num_nodes
    except UserError:  # whoever picks it is told
        return
    step_s = sum(step_seconds(lane, nodes) for lane in plan.lanes)  # they train in turn
    wanted = max(lane.steps for lane in plan.lanes)
    steps = shorter(step_s)
    if wanted * step_s <= SOON_S or steps >= wanted:
        return

    def shorten() -> None:
        for lane in range(1, len(plan.lanes) + 1):
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
