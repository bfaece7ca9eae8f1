"""Lesson 6: rewards of subgraphs of a real graph, P ∝ R over all of them, and GNNs that know less than others."""

import math
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from gfx_core.config import ASSETS
from gfx_core.drawing.masks import marginals_picture, subset_picture
from gfx_core.exact.state_space import StateSpace
from gfx_core.gnn.kinds import kind_of
from gfx_core.jobs.requests import AskAll
from gfx_core.layout.instances import instance_layout
from gfx_core.teaching import known_subgraphs as known
from gfx_core.teaching.glossary import reward_in_words, tooltip
from gfx_core.teaching.known_subgraphs import SHIPPED, SubgraphAnswers, Weighing
from gfx_core.teaching.lesson_views import rewards
from gfx_core.teaching.questions import about_the_best
from gfx_core.text.numbers import counted, power_of_ten, signed, solid_percent
from pages.ui import jobs
from pages.ui.address import bind, one_of, spell_number, whole
from pages.ui.components.svg_views import Card, gallery, network_view
from pages.ui.explorer import loaders
from pages.ui.lessons.frame import Lesson, LessonAddress, ask, browser_view, hidden, part_of, pick_part

SENTENCES = tomllib.loads((ASSETS / "content" / "subgraphs.toml").read_text(encoding="utf-8"))
Tables = Mapping[str, SubgraphAnswers]
"""The predictions of each GNN, by its name in `GNNS`."""
PARTS = ("Try one", "Weigh all", "Other GNN", "Fragments")
GNN_OF_PART = ("sum", "sum", "gcn", "student")
COLUMNS = {
    "plain": "trained on whole graphs only",
    "student": "the same, through a student",
    "sum": "trained on fragments too",
}
LIKELIEST = 5
FEWEST = 2  # the smallest K_M of the slider
BETAS = tuple(sorted({0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0, SHIPPED.beta}))
PRICES = tuple(sorted({0.0, 0.01, 0.03, 0.1, 0.3, SHIPPED.price("nodes")}))


def say(sentence: str, **values: Any) -> str:
    """A sentence with its numbers."""
    text: str = SENTENCES[sentence]
    return text.format(**values)


ADDRESS = LessonAddress(6)
PART = part_of(ADDRESS, PARTS)
INDEX = ADDRESS.parameter("index", known.INDICES[0], one_of(known.INDICES))
"""The explained node, by its id in the data set."""
BETA = ADDRESS.parameter("beta", 1.0, one_of(BETAS), spell=spell_number)
PRICE = ADDRESS.parameter("nodes", 0.0, one_of(PRICES), spell=spell_number)
LARGEST = ADDRESS.parameter("k", known.MAX_NODES, whole(FEWEST, known.MAX_NODES))
try_one = browser_view(ADDRESS, "rewards", ["set", "best"], under=(INDEX,))
"""Part 1: click a subgraph together, and see its reward."""


def weighing() -> Weighing:
    """The instance and the reward that the link describes."""
    return Weighing(INDEX.read(), BETA.read(), PRICE.read(), LARGEST.read())


# The parts: all subgraphs, another GNN, fragments. Each draws what stands beside the graph.


def all_subgraphs(now: Weighing, tables: Tables) -> None:
    """Part 2: how the probability is shared, and the likeliest subgraphs."""
    table = tables["sum"]
    if not hidden("controls"):
        left, middle, right = st.columns(3, vertical_alignment="bottom")
        bind(
            left.select_slider, "β, how sharp the reward is", BETA, BETAS, key="l6-beta", help=tooltip("beta"), own=1.0
        )
        most = known.MAX_NODES
        bind(middle.slider, "Most nodes", LARGEST, FEWEST, most, key="l6-k", help=tooltip("k-m"), own=most)
        bind(right.select_slider, "Price of a node", PRICE, PRICES, key="l6-nodes", help=tooltip("price"), own=0.0)
    probability = now.probabilities(table)
    cycle = solid_percent(float(probability[now.cycle]))
    st.markdown(say("share", count=known.number_sharing(probability), allowed=now.allowed, cycle=cycle))
    points, cards = instance_layout(now.instance), []
    for state in now.likeliest(table, LIKELIEST):
        words = counted(int(now.dag.size[state]), "node")
        picture = subset_picture(now.instance, points, now.nodes(int(state)), words).svg()
        sure = solid_percent(math.exp(-table.cross_entropy[state]))
        cards.append(Card(picture, solid_percent(float(probability[state])), (("GNN", sure),), words))
    gallery(cards, key="l6-likeliest", wide=6.2)


def cycle_table(now: Weighing, tables: Tables, columns: Mapping[str, str], ring: Sequence[int]) -> None:
    """How sure GNNs are of a cycle, shown some states of a growing ring, and all of it."""
    names = ["The pink node alone", *(f"{now.dag.size[state]} nodes of its ring" for state in ring[1:-1])]
    states = dict(zip([*names, "**The whole cycle**"], ring, strict=True))
    rows = {name: [tables[gnn].cycle[state] for gnn in columns] for name, state in states.items()}
    rows["All it can see"] = [tables[gnn].whole[known.CYCLE] for gnn in columns]
    cells = {name: [solid_percent(float(share)) for share in shares] for name, shares in rows.items()}
    st.markdown(f"{SENTENCES['sure']}\n\n{markdown_table('It is shown …', columns, cells)}")


def markdown_table(corner: str, columns: Mapping[str, str], rows: Mapping[str, Sequence[str]]) -> str:
    """A table whose numbers stand at the right."""
    lines = [[corner, *columns.values()], ["---", *["--:"] * len(columns)]]
    lines += [[name, *cells] for name, cells in rows.items()]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def another_gnn(now: Weighing, tables: Tables) -> None:
    """Part 3: the same questions to a GNN that averages instead of adding up."""
    gcn, ring = tables["gcn"], known.growing_ring(now.index)
    cycle_table(now, tables, {"sum": "GNN that adds up", "gcn": "normalised GCN"}, [ring[0], ring[-1]])
    apart = power_of_ten(abs(float(gcn.cycle[now.cycle] - gcn.cycle[0])))
    st.markdown(say("blind", alone=solid_percent(float(gcn.cycle[0])), apart=apart))
    if not hidden("theory"):
        adds, means = (loaders.header(known.DATASET, name).accuracy["test"] for name in ("sum", "gcn"))
        st.markdown(say("reason", adds=adds, means=means))


def fragments(now: Weighing, tables: Tables) -> None:
    """Part 4: the same GNN, trained on whole graphs only, through its student, and trained on fragments too."""
    cycle_table(now, tables, COLUMNS, known.growing_ring(now.index))
    if not hidden("theory"):
        alone = {gnn: solid_percent(float(tables[gnn].cycle[0])) for gnn in COLUMNS}
        st.markdown(say("student", agreement=solid_percent(tables["student"].agreement)))
        st.markdown(say("lone", share=solid_percent(known.share_on_cycles()), **alone))
        st.markdown(SENTENCES["open"])
    st.markdown(SENTENCES["consequences"])
    weighing = Weighing(now.index, SHIPPED.beta, SHIPPED.price("nodes"))
    log_rewards = [weighing.log_rewards(tables[gnn]) for gnn in COLUMNS]
    shares = [weighing.probabilities(tables[gnn]) for gnn in COLUMNS]
    rows = {
        "log R, whole cycle": [signed(float(log_reward[now.cycle])) for log_reward in log_rewards],
        "P(whole cycle)": [f"**{solid_percent(float(share[now.cycle]))}**" for share in shares],
    }
    st.markdown(markdown_table(reward_in_words(SHIPPED), COLUMNS, rows))


# The lesson


def show() -> None:
    """The instance, the parts, and the question."""
    now, part = weighing(), PART.read()
    if not hidden("controls"):
        with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="bottom"):
            pick_part("l6-part", PART, PARTS)
            titles = {
                index: f"Node {index}: {known.real_states(index).num_states} subgraphs" for index in known.INDICES
            }
            about = {
                "key": "l6-index",
                "format_func": titles.__getitem__,
                "label_visibility": "collapsed",
                "width": 260,
            }
            bind(st.selectbox, "Node of Tree-Cycles", INDEX, known.INDICES, **about)
    tables = jobs.run_job("Evaluating the GNNs on every subgraph", AskAll(now.index))
    if tables is None:
        st.caption("The GNNs are being loaded.")
        return
    table = tables["sum"]
    name, sure = known.CLASS_NAMES[table.explained], solid_percent(float(table.whole.max()))
    st.markdown(say("prediction", name=name, sure=sure, index=now.index), help=tooltip("fragments"))
    if part == 0:
        try_one(rewards(now.index, table), key=f"lesson-rewards-{now.index}")
    else:
        left, right = st.columns([6, 7], gap="medium")
        with left:
            picture(now, table if part == 1 else None)
        with right:
            (all_subgraphs, another_gnn, fragments)[part - 1](now, tables)
    ask("l6-question", about_the_best(now.index, table))


def node_title(index: int) -> str:
    return f"Node {index}: {known.real_states(index).num_states} subgraphs"


def picture(now: Weighing, table: SubgraphAnswers | None) -> None:
    """The instance: with a table how likely a sample contains each edge, else the true cycle."""
    points = instance_layout(now.instance)
    if table is None:
        drawn = subset_picture(now.instance, points, now.nodes(now.cycle), "The true cycle")
        network_view(drawn.svg(), key="l6-cycle", enlarge=0.88)
        return
    shares = StateSpace(now.dag, now.log_rewards(table)).edge_marginals(now.instance, now.probabilities(table))
    drawn = marginals_picture(now.instance, points, shares, "Probability that a sample from P ∝ R contains each edge")
    network_view(drawn.svg(), key="l6-marginals", enlarge=0.88)
    st.caption("Each edge shows how likely a sample contains it. Green: the true cycle.")


def links() -> dict[str, dict[str, str]]:
    """The same node, GNN and reward in Explain; a reward that was changed here needs exact flows."""
    now = weighing()
    gnn, model = known.GNNS[GNN_OF_PART[PART.read()]]
    link = {"dataset": known.DATASET, "index": str(now.index), "gnn": gnn}
    if kind_of(gnn).name != gnn:  # any other GNN has a policy
        link["fragments"] = str(model)
    if now != Weighing(now.index):
        link |= {"flows": "exact", "beta": f"{now.beta:g}", "price": f"{now.price:g}", "k": str(now.max_nodes)}
    return {"explain": link}


LESSON = Lesson(show, links, PART)
