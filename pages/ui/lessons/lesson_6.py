"""Lesson 6: rewards of subgraphs of a real graph, P ∝ R over all of them, and GNNs that know less than others."""

import streamlit as st

from gfx_core.drawing.subsets import marginals_svg
from gfx_core.gfn import exact
from gfx_core.jobs.requests import AskAll, AskOne
from gfx_core.teaching import known_subgraphs as known
from gfx_core.teaching import reward_words
from gfx_core.teaching.fragment_words import TRAINED
from gfx_core.teaching.glossary import term, tooltip
from gfx_core.teaching.known_subgraphs import Answers, Weighing
from gfx_core.teaching.questions import about_the_best
from pages.ui import jobs
from pages.ui.address import bind
from pages.ui.components.graph_view import GraphPicture, edges_of, graph_view, nodes_of
from pages.ui.components.network_view import network_view
from pages.ui.explorer import loaders
from pages.ui.lessons import lesson_6_parts as parts
from pages.ui.lessons.frame import Lesson, ask, hidden, pick_part
from pages.ui.lessons.lesson_6_settings import BEST, GNN, INDEX, PART, PARTS, chosen, take, weighing

OTHER_GNN, FRAGMENTS = 2, 3
"""The part that asks a GCN too, and the one that shows both GNNs that add up side by side."""


def show() -> None:
    """The instance, the parts, and the question."""
    if not hidden("controls"):
        _pickers()
    now, part, gnn = weighing(), PART.read(), GNN.read()
    picture, beside = st.columns([6, 7], gap="medium")
    with beside:
        tables = jobs.run_job("Asking the GNNs about every subgraph", AskAll(now.index))
    with picture:
        if part == 1 and tables is not None:
            _marginals(now, tables[gnn])
        else:
            _graph(now, tables[gnn] if tables and part == 0 and BEST.read() else None)
    if tables is None:
        beside.caption("The GNNs are being loaded; meanwhile you can already click nodes.")
        return
    with beside:
        if part < OTHER_GNN:  # the tables of the other parts tell it too
            st.markdown(reward_words.prediction(now, tables[gnn]), help=tooltip("fragments"))
        if part == 1:
            if not hidden("controls"):
                parts.sliders()
            parts.all_subgraphs(now, tables[gnn])
        else:
            _about_mine(now, tables)
    if part == FRAGMENTS:
        parts.what_follows(now, tables)
    ask("l6-question", about_the_best(now.index, tables[gnn]))


def explained() -> dict[str, str]:
    """The link to the same node, GNN and reward in Explain; a reward that was changed there needs exact flows."""
    now = weighing()
    link = {"dataset": known.DATASET, "index": str(now.index), "gnn": "gcn" if PART.read() == OTHER_GNN else "sum"}
    if now == Weighing(now.index):
        return link
    price, most = now.prices.price("nodes"), now.max_nodes
    return {**link, "flows": "exact", "beta": f"{now.prices.beta:g}", "price": f"{price:g}", "k": str(most)}


def _pickers() -> None:
    """Which part, what the GNN was trained on, and which node."""
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="bottom"):
        pick_part("l6-part", PART, PARTS)
        if PART.read() != FRAGMENTS:
            bind(
                st.segmented_control,
                "The GNN was trained on",
                GNN,
                list(TRAINED),
                key="l6-trained",
                own="sum",
                format_func=lambda name: f"trained on {TRAINED[name]}",
                label_visibility="collapsed",
                required=True,
                wrap=True,
            )
        bind(
            st.selectbox,
            "Node of Tree-Cycles",
            INDEX,
            known.INDICES,
            key="l6-index",
            format_func=lambda index: f"Node {index}: {known.real_states(index).num_states} subgraphs",
            label_visibility="collapsed",
            width=260,
        )


def _graph(now: Weighing, best_of: Answers | None) -> None:
    """The instance; a click takes a node in or out. The best subgraph is shown where its table is given."""
    instance, mine = now.instance, chosen()
    joined = known.reached(instance, mine)
    touched = {int(b) for a, b in instance.edge_index.T if int(a) in joined}
    everything = set(range(instance.num_nodes))
    picture = GraphPicture(
        nodes_of(
            instance,
            loaders.layout(instance, str(now.index)),
            start=[now.start],
            member=mine,
            frontier=touched - mine,
            outside=everything - touched - mine,
            right=now.best_sets(best_of)[0] if best_of else (),
        ),
        edges_of(instance),
        highlighted=[(a, b) for a, b in edges_of(instance) if {a, b} <= mine],
        description=f"{instance.num_nodes} nodes around node {now.index}; {len(mine)} of them are in your subgraph.",
    )
    graph_view(
        picture,
        key=f"l6-graph-{now.index}",
        on_node=None if hidden("controls") else take,
        clickable=everything - {now.start},
        height=300,
    )


def _marginals(now: Weighing, table: Answers) -> None:
    marginals = exact.edge_marginals(now.dag, now.instance, now.probabilities(table))
    title = "Probability that each edge is in a subgraph drawn from P ∝ R"
    points = loaders.layout(now.instance, str(now.index))
    network_view(marginals_svg(now.instance, points, marginals, title), key="l6-marginals", enlarge=0.88)
    st.caption("On each edge: how likely a drawn subgraph holds it. Green: the true cycle.")


def _about_mine(now: Weighing, tables: dict[str, Answers]) -> None:
    """What the GNNs say of the student's subgraph: a live call."""
    request = AskOne(now.index, tuple(sorted(chosen())))
    mine = jobs.run_job("Asking the GNNs about your subgraph", request, slot="lesson-6")
    if mine is None:
        return
    if PART.read() == 0:
        parts.one_subgraph(now, mine[GNN.read()], tables[GNN.read()])
    elif PART.read() == FRAGMENTS:
        parts.fragments(now, mine, tables)
    else:
        parts.another_gnn(now, mine, tables)


LESSON = Lesson(
    title="From rewards to explanations",
    idea="An explanation is a small part of the graph that alone makes the GNN say what it says. "
    f"The {term('reward')} R measures how well it does.",
    look="what the GNN says of this part of the graph alone, and the reward that this makes.",
    task="click nodes until the reward is as high as you can get it. Then go on to parts 2, 3 and 4.",
    show=show,
    explain=explained,
)
