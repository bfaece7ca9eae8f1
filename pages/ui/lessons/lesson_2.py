"""Lesson 2: build a subgraph by clicking; different orders arrive at the same state."""

import math

import numpy as np
import streamlit as st

from gfx_core.drawing.state_dag import dag_picture
from gfx_core.teaching.glossary import term
from gfx_core.teaching.sequences import SequenceTree
from gfx_core.teaching.toy import state_name
from pages.ui.components.dag_view import dag_view
from pages.ui.components.graph_view import edges_of, graph_view, nodes_of
from pages.ui.lessons.frame import Lesson, hidden, keep, number_question, preset
from pages.ui.lessons.toy_graph import Order, arrows, read_order, toy, word

TARGET = "abcd"
"""The set to be reached twice, by one of its orders."""


def target_state() -> int:
    """The set to be reached."""
    return int(toy()[2].state[toy()[2].number[read_order(TARGET)]])


def found_orders() -> set[Order]:
    """Every order that was gone so far, with the orders on the way."""
    gone: list[Order] = preset("found", [], lambda text: [read_order(part) for part in text.split(".")])
    gone = [*gone, preset("order", (), read_order)]
    return {order[:length] for order in gone for length in range(1, len(order) + 1)}


def go(order: Order) -> None:
    """Take or take back steps; the URL keeps where we are and what was gone."""
    known = found_orders() | {order}
    longest = {o for o in known if not any(o == other[: len(o)] and o != other for other in known)}
    keep(order=word(order), found=".".join(sorted(word(o) for o in longest)))


def states_along(order: Order) -> list[int]:
    """The state after each step."""
    _, _, tree = toy()
    return [int(tree.state[tree.number[order[:length]]]) for length in range(1, len(order) + 1)]


@st.fragment
def build() -> None:
    """The graph to click, and the DAG that follows."""
    instance, dag, tree = toy()
    order = preset("order", (dag.start,), read_order)
    path = states_along(order)
    edges = slice(int(dag.out_ptr[path[-1]]), int(dag.out_ptr[path[-1] + 1]))
    frontier = dag.node[edges].tolist()

    def to_state(state: int) -> None:
        if state in path:
            go(order[: path.index(state) + 1])
        for edge in range(edges.start, edges.stop):
            if dag.child[edge] == state:
                go((*order, int(dag.node[edge])))

    left, right = st.columns([2, 3], gap="medium")
    with left:
        graph_view(
            nodes_of(
                instance,
                start=[dag.start],
                member=[*order],
                frontier=frontier,
                outside=[n for n in range(instance.num_nodes) if n not in order and n not in frontier],
            ),
            edges_of(instance),
            key="l2-graph",
            on_node=lambda node: go((*order, node)),
            clickable=frontier,
            height=215,
            description=f"The set {word(tuple(sorted(order)))}; nodes that can come next: {word(tuple(frontier))}.",
        )
        if not hidden("controls"):
            with st.container(horizontal=True, vertical_alignment="center"):
                st.button(
                    "Start again",
                    key="l2-again",
                    icon=":material/restart_alt:",
                    on_click=go,
                    args=((dag.start,),),
                    disabled=len(order) == 1,
                )
                st.button(
                    "Step back",
                    key="l2-back",
                    icon=":material/undo:",
                    on_click=go,
                    args=(order[:-1] or order,),
                    disabled=len(order) == 1,
                )
    with right:
        dag_view(
            dag_picture(dag, instance),
            key="l2-dag",
            on_state=to_state,
            selected=path[-1],
            path=path,
            height=250,
            beside=False,
            action="go there in one step",
        )
        where(order, frontier, path[-1])
    score(path[-1], tree)


def where(order: Order, frontier: list[int], state: int) -> None:
    """Where we are, and what can be done there."""
    instance, dag, _ = toy()
    actions = [f"add **{instance.node_label(node)}**" for node in frontier] + ["**STOP**"]
    st.markdown(
        f"You went **{arrows(order)}**. {term('state', 'State')}: **{state_name(instance, dag, state)}**. "
        f"{term('action', 'Actions')} now: {', '.join(actions)}."
    )


def score(state: int, tree: SequenceTree) -> None:
    """Which orders arrived at the set that is to be reached."""
    instance, dag, _ = toy()
    goal = target_state()
    ways = tree.orders_of(goal)
    gone = [way for way in ways if way in found_orders()]
    found = f"Orders found to **{state_name(instance, dag, goal)}**: **{len(gone)} of {len(ways)}**"
    listed = f" ({'; '.join(arrows(way) for way in gone)})" if gone else ""
    if state == goal and len(gone) >= 2:
        st.success(
            f"Another order, the same state. {found}{listed}. In the DAG all of them end in one box.",
            icon=":material/call_merge:",
        )
    elif state == goal and len(ways) > 1:
        again = "choose **a** in the DAG" if hidden("controls") else "press **Start again**"
        st.info(f"You arrived. {found}. Now {again} and come another way.", icon=":material/flag:")
    else:
        st.info(f"{found}{listed}.", icon=":material/route:")


def question() -> None:
    """The same for another set: how many orders lead there?"""
    instance, dag, tree = toy()
    counts = np.bincount(tree.state, minlength=dag.num_states)
    asked = max((s for s in range(dag.num_states) if s != target_state()), key=lambda state: counts[state])
    name, right, others = state_name(instance, dag, asked), int(counts[asked]), int(dag.size[asked]) - 1
    all_orders = math.factorial(others)

    def hint(value: float) -> str:
        if value == right:
            return (
                f"Yes, {right}: {'; '.join(arrows(order) for order in tree.orders_of(asked))}. "
                "Each node has to touch what is already there, so not every order is possible."
            )
        if value == all_orders:
            return (
                f"{all_orders} would be all orders of the {others} nodes after a. "
                "But a node can only be added when it touches the set: d has to wait for c."
            )
        if value == 1:
            return "The DAG has one box for it. But how many paths lead into that box?"
        if value < 1:
            return "There is at least one: you can build it."
        if value < right:
            return "There are more. Try to add the far nodes before you fetch b."
        return "That is too many. Count the paths that lead to its box in the DAG, from left to right."

    number_question("l2-question", f"In how many orders can the set **{name}** be built?", right, 0.0, hint)


def show() -> None:
    build()
    if not hidden("theory"):
        st.caption(
            f"A {term('state')} is a set of connected nodes that holds the start node a. Orange nodes are the "
            f"{term('frontier')}: they touch the set. A path through the {term('dag', 'DAG')} is a "
            f"{term('trajectory')}. How you came is forgotten; only what you hold counts."
        )
    question()


LESSON = Lesson(
    number=2,
    slug="states",
    title="States, actions, frontier",
    idea="A GFlowNet builds a subgraph node by node, from a start node. What it holds so far is its state.",
    task="click orange nodes until you hold a, b, c and d. Then start again and get there in another order.",
    show=show,
    explain={"dataset": "tree_cycles", "index": "612", "mode": "hand"},
)
