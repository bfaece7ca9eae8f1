"""Home: one explanation that plays and ends in its answer, a field for one's own, and the data sets. Without torch."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from gfx_core.datasets.info import DatasetInfo
from gfx_core.datasets.registry import find_typed, listed
from gfx_core.datasets.source import Typed
from gfx_core.drawing.hero import HERO, TERMS
from gfx_core.drawing.templates import render
from gfx_core.errors import UserError
from gfx_core.explanation.question import SHIPPED, Question
from gfx_core.teaching.tour import stops
from gfx_core.text import instance_words
from gfx_core.text.answers import typed_prediction
from gfx_core.trace.schema import Trace
from pages.ui import classes, jobs
from pages.ui.address import Address, bind
from pages.ui.components.player import hero
from pages.ui.explorer import loaders, parameters
from pages.ui.text import plain
from pages.ui.widgets import in_row, page_link, widget

HOME = Address()
TYPED = HOME.parameter("try", "", str)


def typed(text: str, below: DeltaGenerator) -> tuple[Question, Trace] | None:
    """The explanation of a typed molecule or sentence; ``None`` while it is computed, or if there is none.

    Args:
        text: What was typed.
        below: Where to note what is to be known of the answer.
    """
    from gfx_core.jobs import requests

    try:
        dataset, source, name = find_typed(text)
        question = Question(dataset, name, source)
    except UserError as error:
        st.error(plain(error), icon=":material/edit:")
        return None
    request = requests.explain(question)
    trace = loaders.trace(question) or jobs.run_job(f"Explaining {question.title}", request, slot="home")
    if trace is None:
        return None
    header = loaders.readable_header(question.dataset, question.gnn)
    st.markdown(typed_prediction(trace, header and header.accuracy.get("test")))
    note = question.origin.note(question.name) if isinstance(question.origin, Typed) else ""
    for text in filter(None, (*trace.notes, note)):
        show = st.warning if text.endswith(instance_words.DISTRUST) else below.caption
        show(plain(text))
    parameters.remember_prediction(question.dataset, question.source, question.name)
    return question, trace


def numbers(info: DatasetInfo) -> tuple[str, ...]:
    """The task, and the accuracy as the checkpoint recorded it."""
    gnn = loaders.selected_gnn(info.name, None)
    header = None if gnn is None else loaders.readable_header(info.name, gnn)
    if header is None:
        return (f"GNN {loaders.training_hint(info)}",)
    return f"{info.task.capitalize()} classification", f"GNN accuracy {loaders.accuracy(header)}"


top = st.container(key="top")
cards = [(info, loaders.motif_picture(info), numbers(info)) for info in listed().values()]
st.html(render("html/datasets.html", cards=cards))  # before what takes longer to come
intro, picture = top.columns([5, 6], gap="large")
with intro:
    st.title("See how a GFlowNet explains a GNN", anchor=False)
    with st.container(key="purpose"):
        st.markdown(stops()[0].sentence)
    st.html(render("html/terms.html", terms=TERMS))
    start = in_row("start")
    ask = st.container(key="ask")
    if classes.joined() is None:
        with st.container(key="inside"):  # whose links keep the visitor's session, see history.js
            st.markdown("In a class? [Join it with its code](/classroom)")
with picture:
    room, notes = st.container(key="hero-room"), st.container(key="hero-notes")
with ask:
    text = bind(st.text_input, **widget("try"), parameter=TYPED)
    st.markdown("The GNN predicts whether a molecule damages genes, or whether an English sentence praises a film.")
    answer = typed(text, notes) if text.strip() else None
with start:
    led, see = (answer[0], "Open in Explain") if answer else (SHIPPED[0], "See one")  # a clear case
    link = {"dataset": led.dataset, led.source: led.name}
    page_link("prediction", link, label=see)
    page_link("tour", {"tour": "1"})
    page_link("learn")
    page_link("own")
with room:
    if answer:
        hero(answer[1], key="hero", seek=True)
    elif not text.strip() and (trace := loaders.trace(HERO)):  # nothing plays below an error
        hero(trace, key="hero")
        notes.caption(plain(" ".join(trace.notes)))
jobs.warm_up()  # PyTorch is loaded in the background while the visitor looks
