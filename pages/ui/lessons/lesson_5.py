"""Lesson 5: which parents are valid? Click the nodes that may be removed; cut vertices answer."""

import streamlit as st

from gfx_core.teaching.parents import PUZZLES, Answer, Mark, Puzzle, checked, pieces_without, puzzle, ring_with_a_tail
from pages.ui.components.graph_view import GraphNode, graph_view
from pages.ui.lessons.frame import Lesson, choice_question, hidden, keep, preset

MOST_PUZZLES = 500
RING = 6
_ICONS = {Mark.RIGHT: ":material/check_circle:", Mark.WRONG: ":material/cancel:", Mark.MISSED: ":material/visibility:"}
_TITLES = {Mark.RIGHT: "Right", Mark.WRONG: "Not removable", Mark.MISSED: "Missed"}


def _number(text: str) -> int:
    number = int(text)
    if not 1 <= number <= MOST_PUZZLES:
        raise ValueError
    return number


def _picked(number: int) -> set[int]:
    found: set[int] = st.session_state.setdefault(f"lesson-5-picked-{number}", set())
    return found


def _checked_key(number: int) -> str:
    return f"lesson-5-checked-{number}"


def _pick(number: int, node: int) -> None:
    picked = _picked(number)
    picked.symmetric_difference_update({node})
    st.session_state[_checked_key(number)] = False


def _open(number: int) -> None:
    st.session_state.pop(f"lesson-5-picked-{number}", None)
    st.session_state.pop(_checked_key(number), None)
    keep(state=number if number > 1 else None)


def _roles(asked: Puzzle, node: int, picked: set[int], answer: Answer | None) -> tuple[str, ...]:
    if node not in asked.order:
        return ("outside",)
    roles = ["member"]
    if node == asked.start:
        roles.append("start")
    mark = answer.marks.get(node) if answer else None
    if node in picked and answer is None:
        roles.append("picked")
    if mark is Mark.MISSED:
        roles.append("parent")
    elif mark is not None:
        roles.append(str(mark))
    if answer is not None and node != asked.start and node not in answer.of(Mark.RIGHT) + answer.of(Mark.MISSED):
        roles.append("cut")
    return tuple(roles)


def _tip(asked: Puzzle, node: int, answer: Answer | None) -> str:
    if node not in asked.order:
        return "outside the set"
    if answer is not None and node in answer.reasons:
        return answer.reasons[node]
    return "the start node" if node == asked.start else ""


def _picture(asked: Puzzle, number: int, answer: Answer | None) -> None:
    graph, picked = asked.graph, _picked(number)
    nodes = [
        GraphNode(
            node,
            float(x),
            float(y),
            graph.names[node],
            _roles(asked, node, picked, answer),
            tip=_tip(asked, node, answer),
        )
        for node, (x, y) in enumerate(graph.points)
    ]
    names = ", ".join(graph.names[node] for node in asked.order)
    graph_view(
        nodes,
        graph.edges,
        key="lesson-5-graph",
        on_node=lambda node: _pick(number, node),
        clickable=asked.order,
        hulls=_torn(asked, answer),
        height=330,
        description=f"A graph. The set holds {names}; it starts at {graph.names[asked.start]}.",
    )


def _torn(asked: Puzzle, answer: Answer | None) -> dict[str, set[int]]:
    """What the first wrong node would leave: the piece with the start node, and what would hang in the air."""
    wrong = [node for node in answer.of(Mark.WRONG) if node != asked.start] if answer else []
    if not wrong:
        return {}
    name, pieces = asked.graph.names[wrong[0]], pieces_without(asked.graph, asked.order, wrong[0])
    held = next(piece for piece in pieces if asked.start in piece)
    return {f"without {name}: still with the start": held, f"without {name}: in the air": set().union(*pieces) - held}


def _verdict(asked: Puzzle, answer: Answer) -> None:
    names = asked.graph.names
    if answer.perfect:
        parents = len(answer.marks)
        st.success(
            f"All right: {parents} valid parent{'s' if parents > 1 else ''}, one for each node that may go.",
            icon=":material/check_circle:",
        )
    for mark in (Mark.WRONG, Mark.MISSED, Mark.RIGHT):
        for node in answer.of(mark):
            st.markdown(f"{_ICONS[mark]} **{names[node]}** · {_TITLES[mark]}: {answer.reasons[node]}")


@st.fragment
def _play() -> None:
    number = preset("state", 1, _number)
    asked = puzzle(number)
    answer = checked(asked, _picked(number)) if st.session_state.get(_checked_key(number)) else None
    left, right = st.columns([3, 2], gap="medium")
    with left:
        _picture(asked, number, answer)
    with right:
        place = (
            f"State {number} of {len(PUZZLES)}" if number <= len(PUZZLES) else f"Extra state {number - len(PUZZLES)}"
        )
        st.markdown(f"**{place}.** {asked.hint}")
        if not hidden("controls"):
            _buttons(number, answer)
        if answer is not None:
            _verdict(asked, answer)
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
            query_params=asked.link,
        )


def _buttons(number: int, answer: Answer | None) -> None:
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


def _question() -> None:
    right = ring_with_a_tail(RING)
    reasons = {
        right - 1: "One too few. The node that holds the new one is a cut vertex now, but the new node itself may go.",
        right: f"Yes. {RING - 1} nodes of the ring could go before. The new node hangs on one of them: that one must "
        "stay now, but the new one may go. Theorem 1 makes this update without searching the whole set.",
        right + 1: "One too many. Without the node that holds it, the new node would hang in the air.",
        right + 2: "Two may not go: the start node, and the node that the new one hangs on.",
    }
    choice_question(
        "lesson-5-question",
        f"A set is a closed ring of {RING} nodes, one of them the start node. A new node is added that touches "
        f"exactly one node of the ring, not the start node. How many valid parents has this set of {RING + 1}?",
        [str(count) for count in reasons],
        list(reasons).index(right),
        list(reasons.values()),
    )


def show() -> None:
    """Draw the lesson."""
    _play()
    _question()


LESSON = Lesson(
    number=5,
    slug="parents",
    title="Which parents are valid?",
    idea="To balance the flow at a state we need every state it can come from. But not every node may be taken away.",
    task="click the nodes that you believe may be removed, then check.",
    show=show,
)
