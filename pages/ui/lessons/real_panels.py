"""The three parts of lesson 6: one subgraph, all of them, and another GNN. Each draws what stands beside the graph."""

import math

import numpy as np
import streamlit as st

from gfx_core.datasets.instance import Instance
from gfx_core.drawing.subsets import subset_svg
from gfx_core.gnn.checkpoint import model_path, read_header
from gfx_core.teaching import real
from gfx_core.teaching.glossary import tooltip
from gfx_core.teaching.real import Answers
from pages.ui import bars, loaders
from pages.ui.components.gallery import Card, gallery
from pages.ui.lessons.frame import hidden, keep
from pages.ui.lessons.real_settings import BETAS, DISTANCE_PRICES, EDGE_PRICES, FEWEST, Settings, keep_set

SHOWN = 5


def percent(share: float) -> str:
    """A probability for people, never broken at the end of a line."""
    return bars.percent(share).replace(" ", "\u00a0")


def number(value: float) -> str:
    """A signed number for people, with a real minus."""
    return f"{value:.3f}".replace("-", "−") if abs(value) < 0.1 else f"{value:.2f}".replace("-", "−")


def label(instance: Instance, nodes: frozenset[int]) -> str:
    return ", ".join(instance.node_label(node) for node in sorted(nodes))


# Part 1


def one_subgraph(settings: Settings, mine: Answers, table: Answers) -> None:
    """The reward of the student's subgraph, and how far it is from the best."""
    instance, dag = real.real_instance(settings.index), real.real_states(settings.index)
    log_reward = float(real.log_rewards(mine, settings.prices)[0])
    everything = real.up_to(dag, real.log_rewards(table, settings.prices), settings.max_nodes)
    allowed = everything[np.isfinite(everything)]
    name = ("tree", "cycle")[table.explained]
    below = int((allowed < log_reward - real.SAME * settings.prices.beta).sum())
    with st.container(horizontal=True, horizontal_alignment="distribute"):
        st.metric(f"GNN says “{name}”", percent(float(mine.probabilities[0, table.explained])), width="content")
        st.metric(
            "log R", number(log_reward), help=f"0 is perfect, lower is worse. {tooltip('reward')}", width="content"
        )
        st.metric(
            "Better than",
            f"{below} of {len(allowed)}",
            help="Of all subgraphs that could be built.",
            width="content",
        )
    _terms(settings, mine, log_reward)
    _warn(settings, instance)
    _best(settings, instance, log_reward, everything)


def _terms(settings: Settings, mine: Answers, log_reward: float) -> None:
    """log R with this subgraph's numbers in it."""
    prices, terms = settings.prices, [f"{mine.cross_entropy[0]:.3f}"]
    words = ["cross-entropy"]
    if prices.size:
        terms.append(f"{prices.size:g} · {mine.edges[0]:.0f}")
        words.append("price · edges")
    if prices.similarity:
        terms.append(f"{prices.similarity:g} · {mine.distance[0]:.3f}")
        words.append("price · distance")
    st.markdown(
        f"log R = −β · ({' + '.join(words)})  \n= −{prices.beta:g} · ({' + '.join(terms)}) = **{number(log_reward)}**",
        help=f"Cross-entropy: −log of the GNN’s probability. {tooltip('beta')}",
    )
    size, edges = len(settings.chosen), round(float(mine.edges[0]))
    counted = f"{size} node{'s' if size != 1 else ''}, {edges} edge{'s' if edges != 1 else ''}"
    st.caption(f"{counted}, distance {mine.distance[0]:.2f}.")


def _warn(settings: Settings, instance: Instance) -> None:
    loose = settings.chosen - real.reached(instance, settings.chosen)
    if loose:
        st.info(
            f"Not joined to the pink node: {label(instance, loose)}. No message gets from there to "
            f"{settings.index}, so the answer is the same without, and no GFlowNet builds such a set.",
            icon=":material/link_off:",
        )
    elif len(settings.chosen) > settings.max_nodes:
        st.info(f"This is larger than K_M = {settings.max_nodes}: it is never built.", icon=":material/block:")


def _best(settings: Settings, instance: Instance, log_reward: float, everything: np.ndarray) -> None:
    if not hidden("controls"):
        _best_buttons(settings, instance)
    if settings.best:
        states = best_sets(settings, everything)
        best = float(everything.max())
        equal = log_reward >= best - real.SAME * settings.prices.beta
        said = "You found a best one." if equal else f"Yours {number(log_reward)}, best {number(best)}."
        small = states[0]
        st.markdown(f"**{said}** The best: {label(instance, small)}{_is_cycle(instance, small)}.")
        if len(states) > 1 and not hidden("theory"):
            others = len(states) - 1
            st.caption(
                f"{others} {'other subgraph has' if others == 1 else 'other subgraphs have'} the same reward: the GNN "
                "looks only three steps far, and to it they look alike."
            )


def _best_buttons(settings: Settings, instance: Instance) -> None:
    tried = len(settings.chosen) > 1
    assert instance.target is not None
    start = instance.target
    with st.container(horizontal=True):
        st.button(
            "Show the best",
            key="l6-best",
            icon=":material/trophy:",
            disabled=not tried or settings.best,
            help=None if tried else "First try one of your own.",
            on_click=lambda: keep(best=1),
        )
        st.button(
            "Start again",
            key="l6-again",
            icon=":material/restart_alt:",
            disabled=not tried and not settings.best,
            on_click=lambda: (keep_set(frozenset(), start), keep(best=None)),
        )


def _is_cycle(instance: Instance, nodes: frozenset[int]) -> str:
    return ", the whole cycle" if nodes == frozenset(np.flatnonzero(instance.own_nodes).tolist()) else ""


def best_sets(settings: Settings, everything: np.ndarray) -> list[frozenset[int]]:
    """The node sets with the highest reward, the smallest first."""
    dag = real.real_states(settings.index)
    best = real.best_states(dag, everything, settings.prices.beta)
    return [frozenset(np.flatnonzero(dag.members[state]).tolist()) for state in best]


# Part 2


def sliders(settings: Settings) -> None:
    """β, K_M and, out of the way, the other prices."""
    left, right, more = st.columns([5, 4, 2], vertical_alignment="bottom")
    st.session_state["l6-beta"] = settings.prices.beta
    left.select_slider(
        "β", BETAS, key="l6-beta", format_func="{:g}".format, help=tooltip("beta"), on_change=lambda: _kept("beta", 1.0)
    )
    st.session_state["l6-k"] = settings.max_nodes
    right.slider(
        "K_M", FEWEST, real.MAX_NODES, key="l6-k", help=tooltip("k-m"), on_change=lambda: _kept("k", real.MAX_NODES)
    )
    with more.popover("More", icon=":material/tune:", help="Other prices in the reward"):
        st.session_state["l6-edges"] = settings.prices.size
        st.select_slider(
            "Price of an edge",
            EDGE_PRICES,
            key="l6-edges",
            format_func="{:g}".format,
            on_change=lambda: _kept("edges", 0.0),
        )
        st.session_state["l6-distance"] = settings.prices.similarity
        st.select_slider(
            "Price of a changed embedding",
            DISTANCE_PRICES,
            key="l6-distance",
            format_func="{:g}".format,
            help="How far the GNN’s inner picture of the node is from that in the whole graph, relative to its length.",
            on_change=lambda: _kept("distance", 0.0),
        )


def _kept(name: str, usual: float) -> None:
    value = st.session_state[f"l6-{name}"]
    keep(**{name: None if value == usual else f"{value:g}"})


def weighed(settings: Settings, table: Answers) -> np.ndarray:
    """P ∝ R of every state under these settings. [S]"""
    dag = real.real_states(settings.index)
    return real.probabilities(real.up_to(dag, real.log_rewards(table, settings.prices), settings.max_nodes))


def all_subgraphs(settings: Settings, table: Answers) -> None:
    """How the probability is shared, and the likeliest subgraphs."""
    instance, dag = real.real_instance(settings.index), real.real_states(settings.index)
    probability = weighed(settings, table)
    allowed = int((dag.size <= settings.max_nodes).sum())
    cycle = real.cycle_state(settings.index)
    st.markdown(
        f"**{real.number_sharing(probability)} of {allowed}** subgraphs share 90 % of the probability. "
        + (
            f"The whole cycle is drawn with **{percent(float(probability[cycle]))}**."
            if dag.size[cycle] <= settings.max_nodes
            else f"The whole cycle has {dag.size[cycle]} nodes: too large for this K_M."
        )
    )
    points = loaders.layout(instance, str(settings.index))

    def card(state: int) -> Card:
        nodes = np.flatnonzero(dag.members[state]).tolist()
        words = f"{len(nodes)} node{'s' if len(nodes) > 1 else ''}"
        return Card(
            subset_svg(instance, points, nodes, words),
            percent(float(probability[state])),
            (("GNN", percent(math.exp(-table.cross_entropy[state]))),),
            words,
        )

    gallery([card(int(state)) for state in real.likeliest(dag, probability, SHOWN)], key="l6-likeliest", wide=6.2)


# Part 3


def another_gnn(settings: Settings, mine: dict[str, Answers], tables: dict[str, Answers]) -> None:
    """The same questions to a GNN that averages instead of adding up."""
    instance, dag = real.real_instance(settings.index), real.real_states(settings.index)
    lone, cycle = 0, real.cycle_state(settings.index)
    rows = [
        ("The pink node alone", [tables[kind].cycle[lone] for kind in real.GNNS]),
        ("**The whole cycle**", [tables[kind].cycle[cycle] for kind in real.GNNS]),
        ("Your subgraph", [mine[kind].cycle[0] for kind in real.GNNS]),
        ("All it can see", [tables[kind].whole[real.CYCLE] for kind in real.GNNS]),
    ]
    st.markdown(
        "How sure is each GNN that the pink node is on a **cycle**? Keep clicking: your subgraph is in the table.\n\n"
        "| It is shown … | GNN that adds up | normalised GCN |\n|---|--:|--:|\n"
        + "\n".join(f"| {name} | {percent(float(a))} | {percent(float(b))} |" for name, (a, b) in rows)
    )
    gcn = tables["gcn"].cycle
    apart = abs(float(gcn[cycle] - gcn[lone]))
    alike = np.flatnonzero(np.abs(gcn - gcn[lone]) < real.SAME)
    if apart < real.SAME:
        st.markdown(
            f"**The GCN cannot tell the cycle from a lone node**: {100 * gcn[cycle]:.4f} % and "
            f"{100 * gcn[lone]:.4f} %, apart by {_power(apart)}, the rounding of 32-bit numbers. "
            f"{len(alike)} of {len(gcn)} subgraphs get this very answer: the lone node, "
            f"{_pairs(dag.size[alike])} and the cycle."
        )
    if not hidden("theory"):
        _why(instance)


def _pairs(sizes: np.ndarray) -> str:
    count = int((sizes == 2).sum())
    return f"{count} pairs" if count != 1 else "one pair"


def _power(value: float) -> str:
    if value == 0:
        return "nothing"
    exponent = math.floor(math.log10(value))
    return f"{value / 10**exponent:.0f}·10{str(exponent).translate(str.maketrans('-0123456789', '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'))}"


def _why(instance: Instance) -> None:
    start, cycle = [instance.target], np.flatnonzero(instance.own_nodes).tolist()
    adds = [real.gathered(instance, nodes, "sum") for nodes in (start, cycle)]
    means = [real.gathered(instance, nodes, "gcn") for nodes in (start, cycle)]
    right = [read_header(model_path(real.DATASET, kind)).accuracy["test"] for kind in real.GNNS]
    st.markdown(
        "Why? Every node here has the same features, all ones. The first GNN adds its neighbours up: a layer hears "
        f"**{adds[0]:g}** alone and **{adds[1]:g}** on the cycle. The GCN divides by the numbers of neighbours: it "
        f"hears **{means[0]:.3g}** alone and **{means[1]:.3g}** on the cycle, as wherever all nodes have equally many. "
        "To it both explain equally well, so an honest explainer of it cannot prefer the cycle. On the test nodes the "
        "first "
        f"is right in {100 * right[0]:.0f} %, the GCN in {100 * right[1]:.0f} %."
    )
