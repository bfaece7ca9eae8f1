"""Lesson 9: guess the rule. A hidden GNN, ten questions about graphs that one draws, then the reveal."""

import networkx as nx
import streamlit as st

from gfx_core.drawing.pictures import form_picture
from gfx_core.gnn.checkpoint import read_header
from gfx_core.jobs import requests
from gfx_core.teaching.hidden_gnns import (
    HIDDEN_GNNS,
    MOST,
    all_graphs,
    answer_card,
    hidden_gnn_path,
    read_graph,
    spell_graph,
)
from gfx_core.teaching.lesson_texts import LESSONS
from gfx_core.teaching.questions import LessonQuestion, about_the_rule
from gfx_core.text.numbers import about_percent, counted
from pages.ui import jobs
from pages.ui.address import one_of, pick_one
from pages.ui.components.graph_editor import Sketch, graph_editor
from pages.ui.components.svg_views import Card, gallery
from pages.ui.lessons.frame import Lesson, LessonAddress, ask, hidden
from pages.ui.widgets import in_row, widget

CONTENT = LESSONS[9]
QUESTIONS = 10
_SHEET = "lesson-9-sheet"  # session state: how many sheets were begun, and what is drawn on the last one


def _read_graphs(text: str) -> tuple[str, ...]:
    return tuple(spell_graph(read_graph(part)) for part in text.split(".")[:QUESTIONS])


ADDRESS = LessonAddress(9)
GNN = ADDRESS.parameter("gnn", next(iter(HIDDEN_GNNS)), one_of(list(HIDDEN_GNNS)))
TRIED = ADDRESS.parameter("asked", (), _read_graphs, spell=".".join, under=(GNN,))
"""The graphs that were asked about, in the graph6 format."""
REVEAL = ADDRESS.switch("reveal", under=(GNN,))


def show() -> None:
    """The sheet, what the GNN predicts of what was asked, the question, and the reveal."""
    name, graphs = GNN.read(), TRIED.read()
    if hidden("controls"):
        predictions(name, graphs or tuple(CONTENT["asked"]))
    else:
        pick_one(**widget("l9-gnn"), parameter=GNN, titles={name: f"GNN {name}" for name in HIDDEN_GNNS})
        left, right = st.columns([5, 4], gap="medium")
        with left:
            sheet(graphs)
        with right:
            predictions(name, graphs)
    question = about_the_rule(name)
    answer = ask(question, f"-{name}")
    if REVEAL.read() or (answer == question.right and not hidden("question")):
        reveal(name, question)
    elif answer is not None and not hidden("controls"):
        st.button(**widget("l9-reveal"), on_click=REVEAL.write, args=(True,))


def begin(start: str) -> None:
    """A new sheet with a graph on it."""
    number, _ = st.session_state.get(_SHEET, (0, None))
    st.session_state[_SHEET] = number + 1, Sketch(**CONTENT["starts"][start])


def sheet(graphs: tuple[str, ...]) -> None:
    """Draw a graph, and ask about it."""
    if _SHEET not in st.session_state:
        begin("Path")
    number, drawn = st.session_state[_SHEET]

    def changed(sketch: Sketch) -> None:
        st.session_state[_SHEET] = number, sketch

    graph_editor(drawn, key=f"l9-editor-{number}", most=MOST, on_change=changed)
    graph: nx.Graph = nx.Graph(drawn.edges)
    graph.add_nodes_from(range(len(drawn.points)))
    words = "how"
    if len(graphs) >= QUESTIONS:
        words = "used"
    elif len(graph) < 2 or not nx.is_connected(graph):
        words = "apart"
    elif any(nx.is_isomorphic(graph, read_graph(other)) for other in graphs):
        words = "again"
    with in_row("l9-controls"):
        texts = widget("l9-ask", left=counted(QUESTIONS - len(graphs), "question"))
        st.button(**texts, on_click=lambda: TRIED.write((*graphs, spell_graph(graph))), disabled=words != "how")
        for start in CONTENT["starts"]:
            st.button(start, key=f"l9-start-{start}", on_click=begin, args=(start,))
    st.caption(CONTENT["sheet"][words].format(most=MOST))


def predictions(name: str, graphs: tuple[str, ...]) -> None:
    """What the GNN predicts of each graph that was asked about, the last one first."""
    st.markdown(f"**What GNN {name} predicts**")
    if not graphs:
        st.caption("No questions yet. Which graphs separate two rules?")
        return
    request = requests.lesson("ask_hidden_gnn", name=name, graphs=graphs)
    shares = jobs.run_job("Evaluating the hidden GNN", request, slot="lesson-9")
    if shares is not None:
        cards = [answer_card(read_graph(text), share) for text, share in zip(graphs, shares, strict=True)]
        gallery([Card(svg, title, note=kind) for svg, title, kind in reversed(cards)], key="l9-answers", wide=6.2)


def reveal(name: str, question: LessonQuestion) -> None:
    """What it was trained for, how well it learned that, and what explains its predictions."""
    total = len(all_graphs())
    follows = round(read_header(hidden_gnn_path(name)).accuracy["all"] * total)
    rule = question.options[question.right]
    with st.container(border=True, key="l9-revealed"):
        st.markdown(CONTENT["rule"].format(name=name, rule=rule, follows=follows, total=total, most=MOST))
        request = requests.lesson("reveal_hidden_gnn", name=name)
        rules = jobs.run_job("Finding its rule", request, slot="lesson-9-reveal")
        if rules is None:
            return
        yes = rules["yes"]
        st.markdown(CONTENT["explained"].format(sentence=yes.sentence))
        cards = []
        for rule in yes.rules:
            picture = form_picture(rule.forms[0], rule.title).svg() if rule.forms else ""
            fact = (about_percent(yes.share(rule)), counted(len(rule.instances), "graph"))
            cards.append(Card(picture, rule.title, (fact,)))
        gallery(cards, key="l9-rules", wide=8)


LESSON = Lesson(ADDRESS, show)
