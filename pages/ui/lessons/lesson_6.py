"""Lesson 6: rewards of subgraphs of a real graph, P ∝ R over all of them, and GNNs that know less than others."""

import math
from collections.abc import Mapping
from typing import Any

import streamlit as st

from gfx_core.config import read_content
from gfx_core.drawing.pictures import marginals_picture, subset_picture
from gfx_core.exact.state_space import StateSpace
from gfx_core.jobs import requests
from gfx_core.layout.instances import instance_layout
from gfx_core.teaching import known_subgraphs as known
from gfx_core.teaching.glossary import tooltip
from gfx_core.teaching.known_subgraphs import SHIPPED, SubgraphAnswers, Weighing
from gfx_core.teaching.lesson_views import rewards
from gfx_core.teaching.questions import about_the_best
from gfx_core.text.numbers import counted, power_of_ten, signed, solid_percent
from pages.ui import jobs
from pages.ui.address import bind, one_of, spell_number, whole
from pages.ui.components.svg_views import Card, gallery, network_view
from pages.ui.explorer import loaders
from pages.ui.lessons.frame import Lesson, LessonAddress, ask, browser_view, hidden
from pages.ui.widgets import widget

TEXTS = read_content("subgraphs")
Tables = Mapping[str, SubgraphAnswers]
"""The predictions of each GNN, by its name in `GNNS`."""
GNN_OF_PART = ("sum", "sum", "gcn", "sum-plain")
LIKELIEST = 5
BETAS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)

ADDRESS = LessonAddress(6)
BETA = ADDRESS.parameter("beta", 1.0, one_of(BETAS), spell=spell_number)
LARGEST = ADDRESS.parameter("k", known.MAX_NODES, whole(2, known.MAX_NODES))
try_one = browser_view(ADDRESS, "rewards", ["set", "best"])
"""Part 1: click a subgraph together, and see its reward."""


def show() -> None:
    """The parts, what the GNN predicts of the whole, one of the parts, and the question."""
    part = ADDRESS.part.read()
    if not hidden("controls"):
        ADDRESS.pick_part()
    tables = jobs.run_job("Evaluating the GNNs on every subgraph", requests.lesson("ask_all"))
    if tables is None:
        return
    table = tables["sum"]
    name, sure = known.CLASS_NAMES[table.explained], solid_percent(float(table.whole.max()))
    words = TEXTS["prediction"].format(name=name, sure=sure, index=known.INDEX)
    st.markdown(words, help=tooltip("fragments"))
    if part == 1:
        try_one(rewards(table), key="lesson-rewards")
    else:
        weighing = Weighing(BETA.read(), max_nodes=LARGEST.read())
        left, right = st.columns([6, 7], gap="medium")
        with left:
            picture(weighing, table)
        with right:
            if part == 2:
                all_subgraphs(weighing, table)
            else:
                compare_gnns(tables, TEXTS["gnns"][part - 3])
    ask(about_the_best(table))


def picture(weighing: Weighing, table: SubgraphAnswers) -> None:
    """The instance, and how likely a sample contains each edge."""
    instance, space = known.real_instance(), StateSpace(known.real_states(), weighing.log_rewards(table))
    shares = space.edge_marginals(instance, weighing.probabilities(table))
    drawn = marginals_picture(instance, instance_layout(instance), shares, TEXTS["marginals"])
    network_view(drawn.svg(), key="l6-marginals", enlarge=0.88)
    st.caption(TEXTS["marginals"])


def all_subgraphs(weighing: Weighing, table: SubgraphAnswers) -> None:
    """Part 2: how the probability is shared, and the likeliest subgraphs."""
    if not hidden("controls"):
        left, right = st.columns(2, vertical_alignment="bottom")
        bind(left.select_slider, **widget("l6-beta"), parameter=BETA, options=BETAS)
        bind(right.slider, **widget("l6-k"), parameter=LARGEST, max_value=known.MAX_NODES)
    probability = weighing.probabilities(table)
    cycle = solid_percent(float(probability[known.growing_ring()[-1]]))
    count = known.number_sharing(probability)
    st.markdown(TEXTS["share"].format(count=count, allowed=weighing.allowed, cycle=cycle))
    instance, cards = known.real_instance(), []
    for state in weighing.likeliest(table, LIKELIEST):
        words = counted(int(known.real_states().size[state]), "node")
        drawn = subset_picture(instance, instance_layout(instance), known.nodes_of(int(state)), words)
        sure = solid_percent(math.exp(-table.cross_entropy[state]))
        cards.append(Card(drawn.svg(), solid_percent(float(probability[state])), (("GNN", sure),), words))
    gallery(cards, key="l6-likeliest", wide=6.2)


def compare_gnns(tables: Tables, content: Mapping[str, Any]) -> None:
    """Parts 3 and 4: how sure GNNs are of a cycle while its ring grows, and what that does to the shipped reward."""
    weighing = Weighing(SHIPPED.beta, SHIPPED.price("nodes"))
    ring = known.growing_ring()
    growing = [f"{count} nodes of its ring" for count in range(2, len(ring))]
    table = {"It is shown …": ["The pink node alone", *growing, *TEXTS["rows"]]}
    for gnn, title in content["columns"].items():
        answers = tables[gnn]
        sure = [*answers.cycle[ring], answers.whole[known.CYCLE], weighing.probabilities(answers)[ring[-1]]]
        table[title] = [*map(solid_percent, sure), signed(weighing.log_rewards(answers)[ring[-1]])]
    st.markdown(TEXTS["sure"])
    st.table(table, hide_index=True)
    if not hidden("theory"):
        gcn = tables["gcn"].cycle
        headers = {gnn: loaders.readable_header(known.DATASET, gnn) for gnn in ("sum", "gcn")}
        values = {
            "alone": {gnn: solid_percent(answers.cycle[0]) for gnn, answers in tables.items()},
            "apart": power_of_ten(abs(gcn[ring[-1]] - gcn[0])),
            "agreement": solid_percent(tables["student"].agreement),
            "share": solid_percent(known.share_on_cycles()),
            "right": {gnn: header.accuracy["test"] for gnn, header in headers.items() if header is not None},
        }
        st.markdown(content["text"].format_map(values))


def links() -> dict[str, dict[str, str]]:
    """The same node, GNN and reward in Explain."""
    reward = {"flows": "exact", "beta": spell_number(BETA.read()), "price": "0", "k": str(LARGEST.read())}
    gnn = GNN_OF_PART[ADDRESS.part.read() - 1]
    return {"explain": {"dataset": known.DATASET, "index": str(known.INDEX), "gnn": gnn, **reward}}


LESSON = Lesson(ADDRESS, show, links)
