"""Lesson 2: build a subgraph by clicking; different orders arrive at the same state."""

from dataclasses import replace

import streamlit as st

from gfx_core.drawing.state_graph import dag_picture
from gfx_core.teaching.glossary import term
from gfx_core.teaching.lesson_texts import LESSONS
from gfx_core.teaching.practice import Order, Practice, ground
from gfx_core.teaching.questions import about_orders
from pages.ui.address import Parameter
from pages.ui.components.graph_view import edges_of, graph_view, nodes_of
from pages.ui.components.state_graph_view import state_graph_view
from pages.ui.lessons.frame import Lesson, LessonAddress, ask, hidden

TARGET = "abcd"
"""The set to be reached twice."""
TOY = ground(Practice.TOY)
GOAL = TOY.names.index(TARGET)

ADDRESS = LessonAddress(2)
ORDER = ADDRESS.parameter("order", (TOY.dag.start,), TOY.read_order, spell=TOY.word)
"""The steps that were taken."""
FOUND: Parameter[frozenset[Order]] = ADDRESS.parameter(
    "found",
    frozenset(),
    lambda text: frozenset(map(TOY.read_order, text.split("."))),
    spell=lambda orders: ".".join(sorted(map(TOY.word, orders))) or None,
)
"""The orders that were gone before; not those on the way to a longer one."""


def found_orders() -> set[Order]:
    """Every order that was gone so far, with the orders on the way."""
    gone = FOUND.read() | {ORDER.read()}
    return {order[:length] for order in gone for length in range(1, len(order) + 1)}


def go(order: Order) -> None:
    """Take or take back steps; the link keeps where we are and what was gone."""
    known = found_orders() | {order}
    longest = {o for o in known if not any(o == other[: len(o)] and o != other for other in known)}
    ADDRESS.change({ORDER: order, FOUND: longest})


def show() -> None:
    """The graph to click, the DAG that follows, and the question."""
    instance, dag, tree = TOY.instance, TOY.dag, TOY.tree
    order = ORDER.read()
    path = [int(tree.state[tree.number[order[: length + 1]]]) for length in range(len(order))]
    edges = slice(int(dag.out_ptr[path[-1]]), int(dag.out_ptr[path[-1] + 1]))
    frontier = dag.node[edges].tolist()

    def to_state(state: int) -> None:
        if state in path:
            go(order[: path.index(state) + 1])
        for node, child in zip(frontier, dag.child[edges], strict=True):
            if child == state:
                go((*order, node))

    left, right = st.columns([2, 3], gap="medium")
    with left:
        outside = [node for node in range(instance.num_nodes) if node not in order and node not in frontier]
        graph_view(
            nodes_of(instance, start=[dag.start], member=[*order], frontier=frontier, outside=outside),
            edges_of(instance),
            key="l2-graph",
            description=f"The set {TOY.word(sorted(order))}; nodes that can come next: {TOY.word(frontier)}.",
            on_node=lambda node: go((*order, node)),
            clickable=frontier,
            height=215,
        )
        if not hidden("controls"):
            with st.container(horizontal=True, vertical_alignment="center"):
                for key, label, icon, earlier in (
                    ("l2-again", "Start again", ":material/restart_alt:", order[:1]),
                    ("l2-back", "Step back", ":material/undo:", order[:-1]),
                ):
                    st.button(label, key=key, icon=icon, on_click=go, args=(earlier,), disabled=len(order) == 1)
    with right:
        state_graph_view(
            replace(dag_picture(dag, instance), path=tuple(path)),
            key="l2-dag",
            chosen=path[-1],
            choose=to_state,
            action="go there in one step",
            height=250,
            beside=False,
        )
        actions = [f"add **{instance.node_label(node)}**" for node in frontier] + ["**STOP**"]
        st.markdown(
            f"You went **{TOY.arrows(order)}**. {term('state', 'State')}: **{TOY.names[path[-1]]}**. "
            f"{term('action', 'Actions')} now: {', '.join(actions)}."
        )
    score(path[-1])
    if not hidden("theory"):
        st.caption(
            f"A {term('state')} is a set of connected nodes that contains the start node a. Orange nodes are the "
            f"{term('frontier')}: they touch the set. A path through the {term('dag', 'DAG')} is a "
            f"{term('trajectory')}. The order is forgotten; only the set counts."
        )
    ask("l2-question", about_orders(TARGET))


def score(state: int) -> None:
    """Which orders arrived at the set that is to be reached."""
    ways, known = TOY.tree.orders_of(GOAL), found_orders()
    gone = [way for way in ways if way in known]
    found = f"Orders found to **{TARGET}**: **{len(gone)} of {len(ways)}**"
    listed = f" ({'; '.join(map(TOY.arrows, gone))})" if gone else ""
    if state == GOAL and len(gone) >= 2:
        st.success(
            f"Another order, the same state. {found}{listed}. In the DAG all of them end in one box.",
            icon=":material/call_merge:",
        )
    elif state == GOAL:
        again = "choose **a** in the DAG" if hidden("controls") else "press **Start again**"
        st.info(f"You arrived. {found}. Now {again} and take another way.", icon=":material/flag:")
    else:
        st.info(f"{found}{listed}.", icon=":material/route:")


LESSON = Lesson(**LESSONS[2], show=show, explain=lambda: {"dataset": "tree_cycles", "index": "612", "mode": "hand"})
