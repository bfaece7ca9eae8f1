"""Lesson 9: guess the rule. A hidden GNN, ten questions about graphs that one draws, then the reveal."""

import networkx as nx
import numpy as np
import streamlit as st

from gfx_core.datasets.info import HOUSE
from gfx_core.drawing.pictures import form_picture
from gfx_core.explanation.rules import ClassRules, Form
from gfx_core.gnn.checkpoint import read_header
from gfx_core.jobs.requests import AskHiddenGnn, RevealHiddenGnn
from gfx_core.layout.stress import graph_layout
from gfx_core.teaching.hidden_gnns import HIDDEN_GNNS, MOST, all_graphs, hidden_gnn_path, read_graph, spell_graph
from gfx_core.teaching.questions import about_the_rule
from gfx_core.text.names import shape_name
from gfx_core.text.numbers import about_percent, counted, percent
from pages.ui import jobs
from pages.ui.address import one_of, pick_one
from pages.ui.components.graph_editor import Sketch, graph_editor
from pages.ui.components.svg_views import Card, gallery
from pages.ui.lessons.frame import Lesson, LessonAddress, ask, hidden

QUESTIONS = 10
_SHEET = "lesson-9-sheet"  # session state: how many sheets were begun, and what is drawn on the last one
_WIDE, _HIGH, _EDGE = 800, 320, 90  # of the sheet, and an edge at most
_STARTS = {
    "Path": nx.path_graph(4),
    "Ring": nx.cycle_graph(4),
    "Star": nx.star_graph(3),
    "House": nx.Graph(HOUSE.edges),
}
"""What a sheet can begin with."""


_SOME = tuple(
    spell_graph(nx.convert_node_labels_to_integers(graph))
    for graph in (*_STARTS.values(), nx.star_graph(4), nx.cycle_graph(3), nx.path_graph(6), nx.cycle_graph(6))
)
"""What is asked about for those who cannot draw, because a teacher's link hides the controls."""


def _read_tried(text: str) -> tuple[str, ...]:
    return tuple(spell_graph(read_graph(part)) for part in text.split(".")[:QUESTIONS])


ADDRESS = LessonAddress(9)
GNN = ADDRESS.parameter("gnn", next(iter(HIDDEN_GNNS)), one_of(list(HIDDEN_GNNS)))
TRIED = ADDRESS.parameter("asked", (), _read_tried, spell=lambda tried: ".".join(tried) or None, under=(GNN,))
"""The graphs that were asked about, in the graph6 format."""
REVEAL = ADDRESS.switch("reveal", under=(GNN,))


def show() -> None:
    """The sheet, what the GNN predicts of what was asked, the question, and the reveal."""
    name, tried = GNN.read(), TRIED.read()
    if hidden("controls"):
        right, tried = st.container(), tried or _SOME
    else:
        pick_one("Hidden GNN", GNN, {each: f"GNN {each}" for each in HIDDEN_GNNS}, key="l9-gnn", unlabelled=True)
        left, right = st.columns([5, 4], gap="medium")
        with left:
            _sheet(tried)
    with right:
        _answers(name, tried)
    question, key = about_the_rule(name), f"lesson-9-question-{name}"
    ask(key, question)
    answer = st.session_state.get(f"{key}:answer")
    if REVEAL.read() or (answer == question.right and not hidden("question")):
        _reveal(name)
    elif answer is not None and not hidden("controls"):
        st.button("Show its rule", key="l9-reveal", icon=":material/visibility:", on_click=REVEAL.write, args=(True,))


# Asking


def _sketch(graph: nx.Graph) -> Sketch:
    """A graph in the middle of the sheet."""
    graph = nx.convert_node_labels_to_integers(graph)
    ends = np.array([*graph.edges, *((v, u) for u, v in graph.edges)], dtype=np.int64).reshape(-1, 2).T
    points = graph_layout(len(graph), ends)
    wide, high = np.abs(points).max(axis=0, initial=1e-9)
    unit = min(0.42 * _WIDE / wide, 0.42 * _HIGH / high, _EDGE)  # pixels
    places = tuple((0.5 + unit * float(x) / _WIDE, 0.5 - unit * float(y) / _HIGH) for x, y in points)
    return Sketch(places, (0,) * len(graph), tuple((int(u), int(v)) for u, v in graph.edges))


def _begin(start: str) -> None:
    number, _ = st.session_state.get(_SHEET, (0, None))
    st.session_state[_SHEET] = number + 1, _sketch(_STARTS[start])


def _sheet(tried: tuple[str, ...]) -> None:
    """Draw a graph, and ask about it."""
    if _SHEET not in st.session_state:
        _begin("Path")
    number, drawn = st.session_state[_SHEET]

    def changed(sketch: Sketch) -> None:
        st.session_state[_SHEET] = number, sketch

    graph_editor(drawn, key=f"l9-editor-{number}", most=MOST, on_change=changed)
    graph: nx.Graph = nx.Graph(drawn.edges)
    graph.add_nodes_from(range(len(drawn.points)))
    problem = ""
    if len(graph) < 2 or not nx.is_connected(graph):
        problem = f"Draw one connected graph of 2 to {MOST} nodes."
    elif any(nx.is_isomorphic(graph, read_graph(each)) for each in tried):
        problem = "The GNN has answered this. Change the graph: click two nodes to link them, or to remove their link."
    with st.container(horizontal=True, vertical_alignment="center", key="l9-controls"):
        st.button(
            f"Ask the GNN ({counted(QUESTIONS - len(tried), 'question')} left)",
            key="l9-ask",
            type="primary",
            icon=":material/help:",
            disabled=bool(problem) or len(tried) >= QUESTIONS,
            on_click=lambda: TRIED.write((*tried, spell_graph(graph))),
        )
        for start in _STARTS:
            st.button(start, key=f"l9-start-{start}", on_click=_begin, args=(start,))
    if len(tried) >= QUESTIONS:
        problem = "You have used your ten questions. What is its rule?"
    st.caption(
        problem or "Click the sheet or press **Add a node**. Click two nodes to link them, or to remove their link."
    )


def _card(graph: nx.Graph, share: float) -> Card:
    title = f"{'Yes' if share > 0.5 else 'No'} ({percent(max(share, 1 - share))})"
    form = Form((), tuple((min(edge), max(edge)) for edge in graph.edges), (), ())
    kind = shape_name(graph).text
    return Card(form_picture(form, kind).svg(), title, note=kind)


def _answers(name: str, tried: tuple[str, ...]) -> None:
    """What the GNN predicts of each graph that was asked about, the last one first."""
    st.markdown(f"**What GNN {name} predicts**")
    if not tried:
        st.caption("No questions yet. Which graphs separate two rules?")
        return
    shares = jobs.run_job("Evaluating the hidden GNN", AskHiddenGnn(name, tried), slot="lesson-9")
    if shares is not None:
        cards = [_card(read_graph(text), share) for text, share in zip(tried, shares, strict=True)]
        gallery(cards[::-1], key="l9-answers", wide=6.2)


# The reveal


def _reveal(name: str) -> None:
    """What it was trained for, how well it learned that, and what explains its predictions."""
    question = about_the_rule(name)
    share, total = read_header(hidden_gnn_path(name)).accuracy["all"], len(all_graphs())
    with st.container(border=True, key="l9-revealed"):
        st.markdown(
            f"**GNN {name}** was trained to predict *yes* {question.options[question.right]}. It follows this rule on "
            f"{round(share * total):,} of all {total:,} connected graphs of 2 to {MOST} nodes."
        )
        rules = jobs.run_job("Finding its rule", RevealHiddenGnn(name), slot="lesson-9-reveal")
        if rules is None:
            return
        found: ClassRules = rules["yes"]
        few = "We explain all graphs with at most as many edges as nodes."
        st.markdown(f"GFlowExplainer does not know this rule. {few} **{found.sentence}**")
        cards = [
            Card(
                form_picture(rule.forms[0], rule.title).svg() if rule.forms else "",
                rule.title,
                ((about_percent(found.share(rule)), counted(len(rule.instances), "graph")),),
            )
            for rule in found.rules
        ]
        gallery(cards, key="l9-rules", wide=8)
        letters = list(HIDDEN_GNNS)
        following = letters[(letters.index(name) + 1) % len(letters)]
        st.button(
            f"Play GNN {following}", key="l9-next", icon=":material/skip_next:", on_click=GNN.write, args=(following,)
        )


LESSON = Lesson(show)
