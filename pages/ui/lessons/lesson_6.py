"""Lesson 6: the reward of a subgraph of a real graph, P ∝ R over all of them, and a GNN that cannot see a cycle."""

from collections.abc import Iterator, Mapping

import numpy as np
import streamlit as st

from gfx_core.drawing.subsets import marginals_svg
from gfx_core.gfn import exact
from gfx_core.gfn.config import RewardConfig
from gfx_core.teaching import real
from gfx_core.teaching.glossary import term
from gfx_core.teaching.real import Answers
from pages.ui import jobs, loaders
from pages.ui.components.graph_view import edges_of, graph_view, nodes_of
from pages.ui.components.network_view import network_view
from pages.ui.lessons import real_panels as panels
from pages.ui.lessons.frame import Lesson, choice_question, hidden, keep, pick_part
from pages.ui.lessons.real_panels import percent
from pages.ui.lessons.real_settings import PARTS, Settings, keep_set, read_settings

ASK_ALL = "gfx_core.teaching.real_tasks:ask_all"
ASK_ONE = "gfx_core.teaching.real_tasks:ask_one"
_MOVED = "l6-moved"  # session state: another instance was picked


class _ThisInstance(Mapping[str, str]):
    """What "Open this in Explain" opens: the instance that the URL names when it is asked."""

    def __getitem__(self, name: str) -> str:
        return {"dataset": real.DATASET, "index": str(read_settings().index)}[name]

    def __iter__(self) -> Iterator[str]:
        return iter(("dataset", "index"))

    def __len__(self) -> int:
        return 2


@st.fragment
def show() -> None:
    """The instance, the three parts, and the question."""
    if st.session_state.pop(_MOVED, False):
        st.rerun()  # the link to Explain, outside this fragment, leads to another instance now
    settings = read_settings()
    if not hidden("controls"):
        with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="bottom"):
            pick_part("l6-part", PARTS, settings.part)
            _pick_instance(settings)
    picture, beside = st.columns([6, 7], gap="medium")
    with beside:
        tables = jobs.run_job(
            "Asking the GNNs about every subgraph",
            ASK_ALL,
            {"index": settings.index},
            key=f"lesson-6:{settings.index}",
            short=True,
        )
    with picture:
        if settings.part == 1 and tables is not None:
            _marginals(settings, tables["sum"])
        else:
            _graph(settings, tables)
    if tables is None:
        beside.caption("The GNNs are being loaded; meanwhile you can already click nodes.")
        return
    with beside:
        _prediction(settings, tables["sum"])
        if settings.part == 1:
            if not hidden("controls"):
                panels.sliders(settings)
            panels.all_subgraphs(settings, tables["sum"])
        else:
            _about_mine(settings, tables)
    _question(settings, tables["sum"])


def _pick_instance(settings: Settings) -> None:
    def picked() -> None:
        keep(index=st.session_state["l6-index"], set=None, best=None)
        st.session_state[_MOVED] = True

    def told(index: int) -> str:
        return f"Node {index}: {real.real_states(index).num_states} subgraphs"

    st.session_state["l6-index"] = settings.index
    st.selectbox(
        "Node of Tree-Cycles",
        real.INDICES,
        key="l6-index",
        format_func=told,
        label_visibility="collapsed",
        width=260,
        on_change=picked,
    )


def _prediction(settings: Settings, table: Answers) -> None:
    name = ("tree", "cycle")[table.explained]
    st.markdown(
        f"The GNN takes node {settings.index} for **{name}** ({percent(float(table.whole[table.explained]))}), "
        "seeing all of this."
    )


def _graph(settings: Settings, tables: dict[str, Answers] | None) -> None:
    """The instance; a click takes a node in or out."""
    instance = real.real_instance(settings.index)
    assert instance.target is not None
    start = instance.target
    joined = real.reached(instance, settings.chosen)
    touched = {int(b) for a, b in instance.edge_index.T if int(a) in joined}
    best: frozenset[int] = frozenset()
    if settings.best and settings.part == 0 and tables is not None:
        rewards = real.log_rewards(tables["sum"], settings.prices)
        best = panels.best_sets(settings, real.up_to(real.real_states(settings.index), rewards, settings.max_nodes))[0]

    def toggle(node: int) -> None:
        keep_set(settings.chosen ^ {node}, start)

    graph_view(
        nodes_of(
            instance,
            loaders.layout(instance, str(settings.index)),
            start=[start],
            member=settings.chosen,
            frontier=touched - settings.chosen,
            outside=set(range(instance.num_nodes)) - touched - settings.chosen,
            right=best,
        ),
        edges_of(instance),
        key=f"l6-graph-{settings.index}",
        on_node=None if hidden("controls") else toggle,
        clickable=set(range(instance.num_nodes)) - {start},
        highlighted=[(a, b) for a, b in edges_of(instance) if {a, b} <= settings.chosen],
        description=f"{instance.num_nodes} nodes around node {settings.index}; "
        f"{len(settings.chosen)} of them are in your subgraph.",
        height=350,
    )


def _marginals(settings: Settings, table: Answers) -> None:
    instance, dag = real.real_instance(settings.index), real.real_states(settings.index)
    marginals = exact.edge_marginals(dag, instance, panels.weighed(settings, table))
    title = "Probability that each edge is in a subgraph drawn from P ∝ R"
    points = loaders.layout(instance, str(settings.index))
    network_view(marginals_svg(instance, points, marginals, title), key="l6-marginals", enlarge=1.0)
    st.caption("On each edge: how likely a drawn subgraph holds it. Green: the true cycle; orange: the rest.")


def _about_mine(settings: Settings, tables: dict[str, Answers]) -> None:
    """What the GNNs say of the student's subgraph: a live call."""
    nodes = sorted(settings.chosen)
    mine = jobs.run_job(
        "Asking the GNNs about your subgraph",
        ASK_ONE,
        {"index": settings.index, "nodes": nodes},
        key=f"lesson-6:{settings.index}:{nodes}",
        slot="lesson-6",
        short=True,
    )
    if mine is None:
        return
    if settings.part == 0:
        panels.one_subgraph(settings, mine["sum"], tables["sum"])
    else:
        panels.another_gnn(settings, mine, tables)


def _question(settings: Settings, table: Answers) -> None:
    dag, cycle = real.real_states(settings.index), real.cycle_state(settings.index)
    plain = real.log_rewards(table, RewardConfig())
    probability = real.probabilities(plain)
    near = int((plain >= plain[cycle] - 0.05).sum()) - 1
    drawn, sure = percent(float(probability[cycle])), percent(float(np.exp(plain[cycle])))
    orders = round(float(np.exp(exact.orderings(dag)[cycle])))
    choice_question(
        "l6-question",
        f"With β = 1 and K_M = {real.MAX_NODES} no subgraph has a higher reward than the whole cycle. "
        f"Yet it is drawn in only {drawn} of cases. Why?",
        [
            "The GNN is not sure of the cycle.",
            "Many other subgraphs are almost as good, and together they take most of the probability.",
            "The GFlowNet has not learnt long enough.",
            "The cycle can be built in few orders only.",
        ],
        1,
        [
            f"It is: shown the cycle alone, it says “cycle” with {sure}. Look at what it says of the others.",
            f"Right. {near} of the {dag.num_states - 1} others have a log R within 0.05 of the cycle’s. "
            "P ∝ R gives each its share. A larger β or a smaller K_M leaves fewer of them: try it in part 2.",
            "Nothing was learnt here: these are the exact probabilities, R(s)/Z, over all subgraphs.",
            f"It can be built in {orders} orders, but orders do not count: P ∝ R is about sets (lesson 3).",
        ],
    )


LESSON = Lesson(
    number=6,
    slug="rewards",
    title="From rewards to explanations",
    idea="An explanation is a small part of the graph that alone makes the GNN say what it says. "
    f"The {term('reward')} R measures how well it does.",
    task="click nodes until the reward is as high as you can get it. Then go on to parts 2 and 3.",
    show=show,
    explain=_ThisInstance(),
)
