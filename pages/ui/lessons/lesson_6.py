"""Lesson 6: rewards of subgraphs of a real graph, P ∝ R over all of them, and GNNs that know less than others."""

import math

import numpy as np
import streamlit as st

from gfx_core.drawing.masks import marginals_picture, subset_picture
from gfx_core.exact.state_space import StateSpace
from gfx_core.gfn.settings import RewardConfig
from gfx_core.gnn.kinds import kind_of
from gfx_core.jobs.requests import AskAll, AskOne
from gfx_core.layout.instances import instance_layout
from gfx_core.teaching import known_subgraphs as known
from gfx_core.teaching.glossary import reward_in_words, tooltip
from gfx_core.teaching.known_subgraphs import SHIPPED, SubgraphAnswers, Weighing
from gfx_core.teaching.questions import about_the_best
from gfx_core.text.numbers import counted, signed, solid_percent
from pages.ui import jobs
from pages.ui.address import bind, nodes, one_of, pick_one, spell_nodes, spell_number, whole
from pages.ui.components.graph_view import edges_of, graph_view, nodes_of
from pages.ui.components.svg_views import Card, gallery, network_view
from pages.ui.explorer import loaders
from pages.ui.lessons.frame import Lesson, LessonAddress, ask, hidden, part_of, pick_part, verdict

# What the link keeps: the instance, the student's node set, and how subgraphs are weighed.


def _with_shipped(name: str, *prices: float) -> tuple[float, ...]:
    """Prices to choose from; that of the shipped policies is always among them."""
    return tuple(sorted({*prices, SHIPPED.price(name)}))


BETAS = tuple(sorted({0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0, SHIPPED.beta}))
NODE_PRICES = _with_shipped("nodes", 0.0, 0.01, 0.03, 0.1, 0.3)
EDGE_PRICES = _with_shipped("size", 0.0, 0.001, 0.003, 0.01, 0.03, 0.1)
DISTANCE_PRICES = _with_shipped("similarity", 0.0, 0.1, 0.3, 1.0)
PARTS = ("Try one", "Weigh all", "Other GNN", "Fragments")
FEWEST = 2  # the smallest K_M of the slider


def _node_set(text: str) -> frozenset[int]:
    found = frozenset(nodes(text))
    if not found <= set(range(known.real_instance(INDEX.read()).num_nodes)):
        raise ValueError(text)
    return found


ADDRESS = LessonAddress(6)
PART = part_of(ADDRESS, PARTS)
INDEX = ADDRESS.parameter("index", known.INDICES[0], one_of(known.INDICES))
"""The explained node, by its id in the data set."""
OTHERS = ADDRESS.parameter(
    "set", frozenset(), _node_set, spell=lambda found: spell_nodes(sorted(found)), under=(INDEX,)
)
"""The student's node set, local ids, without the explained node."""
BEST = ADDRESS.switch("best", under=(INDEX,))
"""Whether the best subgraph was asked for."""
_SPELT = {"plain": "whole", "sum": "fragments"}
GNN = ADDRESS.parameter(
    "trained", "sum", {text: name for name, text in _SPELT.items()}.__getitem__, spell=_SPELT.__getitem__
)
"""Which of the two GNNs that add up is asked; links tell what it was trained on."""
BETA = ADDRESS.parameter("beta", 1.0, one_of(BETAS), spell=spell_number)
NODE_PRICE = ADDRESS.parameter("nodes", 0.0, one_of(NODE_PRICES), spell=spell_number)
EDGE_PRICE = ADDRESS.parameter("edges", 0.0, one_of(EDGE_PRICES), spell=spell_number)
DISTANCE_PRICE = ADDRESS.parameter("distance", 0.0, one_of(DISTANCE_PRICES), spell=spell_number)
LARGEST = ADDRESS.parameter("k", known.MAX_NODES, whole(FEWEST, known.MAX_NODES))


def weighing() -> Weighing:
    """The instance and the reward that the link describes."""
    prices = {"nodes": NODE_PRICE.read(), "size": EDGE_PRICE.read(), "similarity": DISTANCE_PRICE.read()}
    return Weighing(INDEX.read(), RewardConfig(BETA.read(), prices), LARGEST.read())


def weigh_as_shipped() -> None:
    """Set the reward of the shipped policies."""
    ADDRESS.change(
        {
            BETA: SHIPPED.beta,
            NODE_PRICE: SHIPPED.price("nodes") or None,
            EDGE_PRICE: SHIPPED.price("size") or None,
            DISTANCE_PRICE: SHIPPED.price("similarity") or None,
        }
    )


def chosen() -> frozenset[int]:
    """The student's node set, the explained node among them."""
    return OTHERS.read() | {Weighing(INDEX.read()).start}


def take(node: int) -> None:
    """Take a node into the student's set, or out of it."""
    OTHERS.write(OTHERS.read() ^ {node})


# The parts: one subgraph, all of them, another GNN, fragments. Each draws what stands beside the graph.


SHOWN = 5


def one_subgraph(weighing: Weighing, mine: SubgraphAnswers, table: SubgraphAnswers) -> None:
    """Part 1: the reward of the student's subgraph, and how far it is from the best."""
    nodes = chosen()
    log_reward = float(known.log_rewards(mine, weighing.prices)[0])
    everything = weighing.log_rewards(table)
    allowed = everything[np.isfinite(everything)]
    above = int((allowed > log_reward + known.SAME * weighing.prices.beta).sum())
    sure = solid_percent(float(mine.probabilities[0, table.explained]))
    perfect = f"0 is perfect, lower is worse. {tooltip('reward')}"
    with st.container(horizontal=True, horizontal_alignment="distribute"):
        for label, value, hint in (
            (f"GNN predicts “{known.CLASS_NAMES[table.explained]}”", sure, None),
            ("log R", signed(log_reward), perfect),
            ("Better ones", f"{above} of {len(allowed)}", "Of all subgraphs that could be built."),
        ):
            st.metric(label, value, help=hint, width="content")
    hint = f"Cross-entropy: −log of the GNN’s probability. {tooltip('beta')}"
    st.markdown(known.reward_formula(weighing, mine), help=hint)
    st.caption(known.size_words(weighing, mine))
    if loose := known.loose_words(weighing, nodes):
        st.info(loose, icon=":material/link_off:")
    elif len(nodes) > weighing.max_nodes:
        most = counted(weighing.max_nodes, "node")
        st.info(f"Subgraphs have at most {most} here: this one is never built.", icon=":material/block:")
    elif not above:
        verdict(True, "**You found a best one.**")
    tried, shown = len(nodes) > 1, BEST.read()
    if not hidden("controls"):
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
    if shown:
        best, also = known.best_words(weighing, mine, table)
        st.markdown(best)
        if also and not hidden("theory"):
            st.caption(also)


def sliders() -> None:
    """Part 2: β, the most nodes and, out of the way, the other prices."""
    left, right, more = st.columns([5, 4, 3], vertical_alignment="bottom")
    sharp = {"help": tooltip("beta"), "own": 1.0, "format_func": spell_number}
    bind(left.select_slider, "β, how sharp the reward is", BETA, BETAS, key="l6-beta", **sharp)
    most = known.MAX_NODES
    bind(right.slider, "Most nodes", LARGEST, FEWEST, most, key="l6-k", help=tooltip("k-m"), own=most)
    with more.popover("Prices", icon=":material/tune:", help="Other prices in the reward"):
        free = {"own": 0.0, "format_func": spell_number}
        bind(
            st.select_slider, "Price of a node", NODE_PRICE, NODE_PRICES, key="l6-nodes", help=tooltip("price"), **free
        )
        bind(st.select_slider, "Price of an edge", EDGE_PRICE, EDGE_PRICES, key="l6-edges", **free)
        hint = "The distance of the node’s embedding from its embedding in the whole graph, relative to its length."
        label = "Price of a changed embedding"
        bind(st.select_slider, label, DISTANCE_PRICE, DISTANCE_PRICES, key="l6-distance", help=hint, **free)
    shipped = known.SHIPPED
    st.button(
        f"As the shipped policy: {reward_in_words(shipped)}",
        key="l6-shipped",
        icon=":material/balance:",
        disabled=weighing().prices == shipped,
        on_click=weigh_as_shipped,
    )


def all_subgraphs(weighing: Weighing, table: SubgraphAnswers) -> None:
    """Part 2: how the probability is shared, and the likeliest subgraphs."""
    st.markdown(known.share_words(weighing, table))
    probability = weighing.probabilities(table)
    points = instance_layout(weighing.instance)

    def card(state: int) -> Card:
        nodes = weighing.nodes(state)
        words = counted(len(nodes), "node")
        return Card(
            subset_picture(weighing.instance, points, nodes, words).svg(),
            solid_percent(float(probability[state])),
            (("GNN", solid_percent(math.exp(-table.cross_entropy[state]))),),
            words,
        )

    likeliest = known.likeliest(weighing.dag, probability, SHOWN)
    gallery([card(int(state)) for state in likeliest], key="l6-likeliest", wide=6.2)


def another_gnn(weighing: Weighing, mine: dict[str, SubgraphAnswers], tables: dict[str, SubgraphAnswers]) -> None:
    """Part 3: the same questions to a GNN that averages instead of adding up."""
    gnn = GNN.read()
    st.markdown(known.both_gnns_table(weighing, mine, tables, gnn))
    if blind := known.blindness_words(weighing, tables["gcn"]):
        st.markdown(blind)
    if not hidden("theory"):
        right = [loaders.header(known.DATASET, known.GNNS[name][0]).accuracy["test"] for name in (gnn, "gcn")]
        st.markdown(known.blindness_reason(weighing, right))


def fragments(weighing: Weighing, mine: dict[str, SubgraphAnswers], tables: dict[str, SubgraphAnswers]) -> None:
    """Part 4: the same GNN, trained on whole graphs only, through its student, and trained on fragments too."""
    st.markdown(known.ring_table(weighing, mine, tables))
    if not hidden("theory"):
        st.markdown(known.student_words(tables))
        st.markdown(known.lone_node_words(tables))
        st.markdown(known.open_ring_words(weighing, tables))


# The lesson


OTHER_GNN, FRAGMENTS = 2, 3
"""The part that asks a GCN too, and the one that shows both GNNs that add up side by side."""


def show() -> None:
    """The instance, the parts, and the question."""
    now, part, gnn = weighing(), PART.read(), GNN.read()
    pickers = st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="bottom")
    picture, beside = st.columns([6, 7], gap="medium")
    with beside:
        tables = jobs.run_job("Evaluating the GNNs on every subgraph", AskAll(now.index))
    if not hidden("controls"):
        with pickers:
            _pickers(ready=BEST.read() or (tables is not None and chosen() in now.best_sets(tables[gnn])))
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
            st.markdown(known.prediction_words(now, tables[gnn]), help=tooltip("fragments"))
        if part == 1:
            if not hidden("controls"):
                sliders()
            all_subgraphs(now, tables[gnn])
        else:
            _about_mine(now, tables)
    if part == FRAGMENTS:
        st.markdown("**What this does to R, and to P ∝ R**")
        for place, table in zip(st.columns(2, gap="medium"), known.consequence_tables(now, tables), strict=False):
            place.markdown(table)
    ask("l6-question", about_the_best(now.index, tables[gnn]))


def explained() -> dict[str, str]:
    """The link to the same node, GNN and reward in Explain; a reward that was changed there needs exact flows."""
    now = weighing()
    gnn, who = known.GNNS[{OTHER_GNN: "gcn", FRAGMENTS: "student"}.get(PART.read(), GNN.read())]
    link = {"dataset": known.DATASET, "index": str(now.index), "gnn": gnn}
    if kind_of(gnn).name != gnn:  # any other GNN has a policy
        link["fragments"] = str(who)
    if now == Weighing(now.index):
        return link
    price, most = now.prices.price("nodes"), now.max_nodes
    return {**link, "flows": "exact", "beta": f"{now.prices.beta:g}", "price": f"{price:g}", "k": str(most)}


def _pickers(*, ready: bool) -> None:
    """Which part; what the GNN was trained on, where part 4 explains it or it was chosen; and which node.

    Args:
        ready: Whether the best subgraph of the first node is known: then there are others to choose.
    """
    pick_part("l6-part", PART, PARTS)
    if PART.read() == FRAGMENTS or GNN.read() != "sum":
        titles = {name: f"trained on {trained}" for name, trained in known.TRAINING_SETS.items()}
        about = {"key": "l6-trained", "own": "sum", "wrap": True, "unlabelled": PART.read() != FRAGMENTS}
        pick_one("Parts 1 to 3 ask the GNN", GNN, titles, **about)
    if ready or PART.read() or INDEX.read() != known.INDICES[0]:
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


def _graph(now: Weighing, best_of: SubgraphAnswers | None) -> None:
    """The instance; a click takes a node in or out. The best subgraph is shown where its table is given."""
    instance, mine = now.instance, chosen()
    joined = known.joined_nodes(instance, mine)
    touched = {int(b) for a, b in instance.edge_index.T if int(a) in joined}
    everything = set(range(instance.num_nodes))
    graph_view(
        nodes_of(
            instance,
            start=[now.start],
            member=mine,
            frontier=touched - mine,
            outside=everything - touched - mine,
            right=now.best_sets(best_of)[0] if best_of else (),
        ),
        edges_of(instance),
        key=f"l6-graph-{now.index}",
        highlighted=[(a, b) for a, b in edges_of(instance) if {a, b} <= mine],
        description=f"{counted(instance.num_nodes, 'node')} around node {now.index}; {len(mine)} are in your subgraph.",
        on_node=None if hidden("controls") else take,
        clickable=everything - {now.start},
        height=300,
    )


def _marginals(now: Weighing, table: SubgraphAnswers) -> None:
    marginals = StateSpace(now.dag, now.log_rewards(table)).edge_marginals(now.instance, now.probabilities(table))
    title = "Probability that a sample from P ∝ R contains each edge"
    points = instance_layout(now.instance)
    network_view(marginals_picture(now.instance, points, marginals, title).svg(), key="l6-marginals", enlarge=0.88)
    st.caption("Each edge shows how likely a sample contains it. Green: the true cycle.")


def _about_mine(now: Weighing, tables: dict[str, SubgraphAnswers]) -> None:
    """What the GNNs say of the student's subgraph: a live call."""
    request = AskOne(now.index, tuple(sorted(chosen())))
    mine = jobs.run_job("Evaluating the GNNs on your subgraph", request, slot="lesson-6")
    if mine is None:
        return
    if PART.read() == 0:
        one_subgraph(now, mine[GNN.read()], tables[GNN.read()])
    elif PART.read() == FRAGMENTS:
        fragments(now, mine, tables)
    else:
        another_gnn(now, mine, tables)


LESSON = Lesson(show, lambda: {"explain": explained()}, PART)
