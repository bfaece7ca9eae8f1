"""Lesson 5: which parents are valid? Click the nodes that may be removed; cut vertices answer."""

import streamlit as st

from gfx_core.teaching import lab_graphs
from gfx_core.teaching.lab_graphs import PickMark, Puzzle, PuzzleAnswer
from gfx_core.teaching.lesson_texts import LESSONS
from gfx_core.teaching.questions import about_a_ring
from gfx_core.text.numbers import counted
from pages.ui.address import whole
from pages.ui.components.graph_view import GraphNode, graph_view
from pages.ui.lessons.frame import Lesson, LessonAddress, ask, hidden

MOST_PUZZLES = 500
RING = 6
_WORDS = {
    PickMark.WRONG: ":material/cancel: **{}** · Not removable: {}",
    PickMark.MISSED: ":material/visibility: **{}** · Missed: {}",
    PickMark.RIGHT: ":material/check_circle: **{}** · Right: {}",
}

ADDRESS = LessonAddress(5)
NUMBER = ADDRESS.parameter("state", 1, whole(1, MOST_PUZZLES))


def _picked_key(number: int) -> str:
    return f"lesson-5-picked-{number}"


def _checked_key(number: int) -> str:
    return f"lesson-5-checked-{number}"


def _pick(number: int, node: int) -> None:
    st.session_state[_picked_key(number)] ^= {node}
    st.session_state[_checked_key(number)] = False


def _open(number: int) -> None:
    st.session_state.pop(_picked_key(number), None)
    st.session_state.pop(_checked_key(number), None)
    NUMBER.write(number if number > 1 else None)


def show() -> None:
    """The set to click, what is said about it, and the question."""
    number = NUMBER.read()
    current = lab_graphs.puzzle(number)
    picked: set[int] = st.session_state.setdefault(_picked_key(number), set())
    answer = lab_graphs.check_picks(current, picked) if st.session_state.get(_checked_key(number)) else None
    left, right = st.columns([3, 2], gap="medium")
    with left:
        _picture(current, number, picked, answer)
    with right:
        extra = number - len(lab_graphs.PUZZLES)
        place = f"Extra state {extra}" if extra > 0 else f"State {number} of {len(lab_graphs.PUZZLES)}"
        st.markdown(f"**{place}.** {current.hint}")
        if not hidden("controls"):
            _buttons(number, answer)
        if answer is not None:
            _verdict(current, answer)
        elif not hidden("theory"):
            st.markdown(
                "A [valid parent](/glossary#valid-parent) of this state is what was there one node earlier: the rest, "
                "still in **one piece** and with the pink start node. A node without which the rest falls apart is a "
                "[cut vertex](/glossary#cut-vertex)."
            )
        st.page_link(
            "pages/lab.py",
            label="Open this state in the cut-vertex lab",
            icon=":material/content_cut:",
            query_params=current.link,
        )
    ask("lesson-5-question", about_a_ring(RING, lab_graphs.ring_with_a_tail(RING)))


def _picture(current: Puzzle, number: int, picked: set[int], answer: PuzzleAnswer | None) -> None:
    graph = current.graph
    nodes = [
        GraphNode(
            node,
            float(x),
            float(y),
            graph.names[node],
            lab_graphs.node_roles(current, node, picked, answer),
            tip=lab_graphs.node_tip(current, node, answer),
        )
        for node, (x, y) in enumerate(graph.points)
    ]
    names = ", ".join(graph.names[node] for node in current.order)
    graph_view(
        nodes,
        graph.edges,
        key="lesson-5-graph",
        hulls=lab_graphs.broken_pieces(current, answer),
        description=f"A graph. The set contains {names}; it starts at {graph.names[current.start]}.",
        on_node=lambda node: _pick(number, node),
        clickable=current.order,
        height=330,
    )


def _verdict(current: Puzzle, answer: PuzzleAnswer) -> None:
    if answer.perfect:
        parents = len(answer.marks)
        st.success(
            f"Correct: {counted(parents, 'valid parent')}, one for each node that you may remove.",
            icon=":material/check_circle:",
        )
    for mark, words in _WORDS.items():
        for node in answer.of(mark):
            st.markdown(words.format(current.graph.names[node], answer.reasons[node]))


def _buttons(number: int, answer: PuzzleAnswer | None) -> None:
    solved = answer is not None and answer.perfect
    with st.container(horizontal=True):
        st.button(
            "Check",
            type="secondary" if solved else "primary",
            key="lesson-5-check",
            icon=":material/check:",
            on_click=lambda: st.session_state.update({_checked_key(number): True}),
        )
        st.button(
            "Another state",
            type="primary" if solved else "secondary",
            key="lesson-5-another",
            icon=":material/skip_next:",
            on_click=_open,
            args=(min(number + 1, MOST_PUZZLES),),
        )
        if number > 1:
            st.button("Back to the first", key="lesson-5-first", on_click=_open, args=(1,))


LESSON = Lesson(**LESSONS[5], show=show)
