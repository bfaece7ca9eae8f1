"""The parts of lesson 6: one subgraph, all of them, another GNN, fragments. Each draws what stands beside the graph."""

import math

import numpy as np
import streamlit as st

from gfx_core.drawing.subsets import subset_svg
from gfx_core.teaching import fragment_words, reward_words
from gfx_core.teaching import known_subgraphs as known
from gfx_core.teaching.glossary import reward_in_words, tooltip
from gfx_core.teaching.known_subgraphs import Answers, Weighing
from gfx_core.text.numbers import counted, signed, solid_percent
from pages.ui.address import bind, spell_number
from pages.ui.components.gallery import Card, gallery
from pages.ui.explorer import loaders
from pages.ui.lessons.frame import hidden
from pages.ui.lessons.lesson_6_settings import (
    ADDRESS,
    BEST,
    BETA,
    BETAS,
    DISTANCE_PRICE,
    DISTANCE_PRICES,
    EDGE_PRICE,
    EDGE_PRICES,
    FEWEST,
    GNN,
    LARGEST,
    NODE_PRICE,
    NODE_PRICES,
    OTHERS,
    chosen,
    weigh_as_shipped,
    weighing,
)

SHOWN = 5


def one_subgraph(weighing: Weighing, mine: Answers, table: Answers) -> None:
    """Part 1: the reward of the student's subgraph, and how far it is from the best."""
    nodes = chosen()
    log_reward = float(known.log_rewards(mine, weighing.prices)[0])
    everything = weighing.log_rewards(table)
    allowed = everything[np.isfinite(everything)]
    below = int((allowed < log_reward - known.SAME * weighing.prices.beta).sum())
    sure = solid_percent(float(mine.probabilities[0, table.explained]))
    perfect = f"0 is perfect, lower is worse. {tooltip('reward')}"
    with st.container(horizontal=True, horizontal_alignment="distribute"):
        for label, value, told in (
            (f"GNN says “{known.CLASS_NAMES[table.explained]}”", sure, None),
            ("log R", signed(log_reward), perfect),
            ("Better than", f"{below} of {len(allowed)}", "Of all subgraphs that could be built."),
        ):
            st.metric(label, value, help=told, width="content")
    told = f"Cross-entropy: −log of the GNN’s probability. {tooltip('beta')}"
    st.markdown(reward_words.formula(weighing, mine), help=told)
    st.caption(reward_words.size(nodes, mine))
    if loose := reward_words.loose(weighing, nodes):
        st.info(loose, icon=":material/link_off:")
    elif len(nodes) > weighing.max_nodes:
        most = counted(weighing.max_nodes, "node")
        st.info(f"Subgraphs have at most {most} here: this one is never built.", icon=":material/block:")
    if not hidden("controls"):
        _best_buttons(tried=len(nodes) > 1, shown=BEST.read())
    if BEST.read():
        said, also = reward_words.best(weighing, mine, table)
        st.markdown(said)
        if also and not hidden("theory"):
            st.caption(also)


def _best_buttons(*, tried: bool, shown: bool) -> None:
    with st.container(horizontal=True):
        st.button(
            "Show the best",
            key="l6-best",
            icon=":material/trophy:",
            disabled=not tried or shown,
            help=None if tried else "First try one of your own.",
            on_click=BEST.write,
            args=(True,),
        )
        st.button(
            "Start again",
            key="l6-again",
            icon=":material/restart_alt:",
            disabled=not tried and not shown,
            on_click=ADDRESS.change,
            args=({OTHERS: None, BEST: None},),
        )


def sliders() -> None:
    """Part 2: β, the most nodes and, out of the way, the other prices."""
    left, right, more = st.columns([5, 4, 3], vertical_alignment="bottom")
    sharp = {"help": tooltip("beta"), "own": 1.0, "format_func": spell_number}
    bind(left.select_slider, "β, how much better counts", BETA, BETAS, key="l6-beta", **sharp)
    most = known.MAX_NODES
    bind(right.slider, "Most nodes", LARGEST, FEWEST, most, key="l6-k", help=tooltip("k-m"), own=most)
    with more.popover("Prices", icon=":material/tune:", help="Other prices in the reward"):
        free = {"own": 0.0, "format_func": spell_number}
        bind(
            st.select_slider, "Price of a node", NODE_PRICE, NODE_PRICES, key="l6-nodes", help=tooltip("price"), **free
        )
        bind(st.select_slider, "Price of an edge", EDGE_PRICE, EDGE_PRICES, key="l6-edges", **free)
        told = "How far the GNN’s inner picture of the node is from that in the whole graph, relative to its length."
        label = "Price of a changed embedding"
        bind(st.select_slider, label, DISTANCE_PRICE, DISTANCE_PRICES, key="l6-distance", help=told, **free)
    shipped = fragment_words.SHIPPED
    st.button(
        f"As the shipped policy: {reward_in_words(shipped)}",
        key="l6-shipped",
        icon=":material/balance:",
        disabled=weighing().prices == shipped,
        on_click=weigh_as_shipped,
    )


def all_subgraphs(weighing: Weighing, table: Answers) -> None:
    """Part 2: how the probability is shared, and the likeliest subgraphs."""
    st.markdown(reward_words.shares(weighing, table))
    probability = weighing.probabilities(table)
    points = loaders.layout(weighing.instance, str(weighing.index))

    def card(state: int) -> Card:
        nodes = weighing.nodes(state)
        words = counted(len(nodes), "node")
        return Card(
            subset_svg(weighing.instance, points, sorted(nodes), words),
            solid_percent(float(probability[state])),
            (("GNN", solid_percent(math.exp(-table.cross_entropy[state]))),),
            words,
        )

    likeliest = known.likeliest(weighing.dag, probability, SHOWN)
    gallery([card(int(state)) for state in likeliest], key="l6-likeliest", wide=6.2)


def another_gnn(weighing: Weighing, mine: dict[str, Answers], tables: dict[str, Answers]) -> None:
    """Part 3: the same questions to a GNN that averages instead of adding up."""
    gnn = GNN.read()
    st.markdown(reward_words.both_gnns(weighing, mine, tables, gnn))
    if blind := reward_words.blindness(weighing, tables["gcn"]):
        st.markdown(blind)
    if not hidden("theory"):
        right = [loaders.header(known.DATASET, *known.GNNS[name]).accuracy["test"] for name in (gnn, "gcn")]
        st.markdown(reward_words.why_blind(weighing, right))


def fragments(weighing: Weighing, mine: dict[str, Answers], tables: dict[str, Answers]) -> None:
    """Part 4: the same GNN, trained on whole graphs only and on fragments too."""
    st.markdown(fragment_words.growing(weighing, mine, tables))
    if not hidden("theory"):
        st.markdown(fragment_words.lone_node(tables))
        st.markdown(fragment_words.open_ring(weighing, tables))


def what_follows(weighing: Weighing, tables: dict[str, Answers]) -> None:
    """Part 4, below: what the training makes of rewards and probabilities."""
    st.markdown("**What this does to R, and to P ∝ R**")
    shown = fragment_words.consequences(weighing, tables)
    for place, table in zip(st.columns(2, gap="medium"), shown, strict=False):
        place.markdown(table)
