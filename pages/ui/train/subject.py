"""Pick what is trained on: any prediction that can be explained, or one of the lessons' graphs."""

from dataclasses import replace

import streamlit as st

from gfx_core.datasets.registry import dataset_info
from gfx_core.question import Question
from gfx_core.training.lesson_graphs import TITLES
from gfx_core.training.setting import LessonGraph, Subject
from pages.ui.explorer import pickers
from pages.ui.explorer.parameters import BY_NUMBER, DATASET, EXPLORER, GNN, NAMES, View, read_view
from pages.ui.explorer.pickers import pick_instance
from pages.ui.explorer.traces import pick_interesting
from pages.ui.text import plain
from pages.ui.train.chosen import lesson_graph, subject_of_story
from pages.ui.train.link import GRAPH, names_prediction

_KINDS = ("A prediction", "A lesson’s graph")
_FIRST = "tree_cycles"
_NAMED = (DATASET, BY_NUMBER, *NAMES.values())


def pick_subject() -> Subject | None:
    """A popover with the pickers; what they pick, or ``None``, with a sentence on the page, if it cannot be had."""
    story = None if names_prediction() else subject_of_story()
    graph = story if isinstance(story, LessonGraph) else lesson_graph()
    view = _view(story) if isinstance(story, Question) else read_view()
    if graph is None:
        pickers.say_problems(view)
    label = graph.title if graph else f"{view.info.title} {_short(view.name)}"
    with st.popover(plain(label.strip()), icon=":material/adjust:", key="train-prediction", help="What is trained on"):
        _pick_kind(graph)
        found = _pick_graph(graph) if graph else _pick_prediction(view)
    if found is None:
        st.warning(
            f"This prediction cannot be had: open “{plain(label.strip())}” to see why, and pick another.",
            icon=":material/link_off:",
        )
    return found


def _view(about: Question) -> View:
    """A story's prediction, as if the link named it."""
    view = read_view()
    return replace(
        view, info=dataset_info(about.dataset), source=about.origin, name=about.name, gnn=GNN.read(about.gnn)
    )


def _short(name: str | None) -> str:
    name = name or ""
    return name if len(name) <= 24 else f"{name[:24]} …"


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


def _pick_prediction(view: View) -> Question | None:
    pickers.pick_dataset(view)
    found = pick_instance(view)
    pick_interesting(view.info.name)
    kind = pickers.pick_gnn(view)
    if found is None or kind is None:
        return None
    return Question(found.instance.dataset, found.name, found.source.parameter, kind)
