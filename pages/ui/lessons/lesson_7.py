"""Lesson 7: four ways to balance, on one graph with one truth, and what each of them needs."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import streamlit as st

from gfx_core.drawing.charts import curves_figure, levels_figure
from gfx_core.jobs import requests
from gfx_core.teaching.glossary import term
from gfx_core.teaching.lesson_texts import LESSONS
from gfx_core.teaching.practice import COMPARING_STEPS, toy_ground
from gfx_core.teaching.questions import QUESTIONS
from gfx_core.text.numbers import listed
from pages.ui.address import bind, one_of, pick_one, whole
from pages.ui.jobs import run_job
from pages.ui.lessons.frame import Lesson, LessonAddress, ask, hidden
from pages.ui.widgets import in_row, widget

START_NODES = {"a": "a alone", "ae": "a and e", "abcde": "all five"}
WAYS = LESSONS[7]["ways"]
"""Losses: how each is drawn, and what is said of it."""

ADDRESS = LessonAddress(7)
STARTS = ADDRESS.parameter("starts", "a", one_of(list(START_NODES)))
RUNNING = ADDRESS.switch("run")
STEP: Any = ADDRESS.parameter("at", None, whole(0, COMPARING_STEPS), under=(STARTS,))


def show() -> None:
    """Settings, the four trainings, the question, and what each needs."""
    fixed = hidden("controls")
    if not fixed:
        with in_row("l7-controls"):
            st.button(**widget("l7-train"), on_click=RUNNING.write, args=(True,))
            pick_one(**widget("l7-starts"), parameter=STARTS, titles=START_NODES)
    verdict = watch(STARTS.read()) if RUNNING.read() or fixed else ""  # without a button it could not be started
    ask(QUESTIONS[7]())
    if not hidden("theory"):
        st.markdown(verdict)
        describe_ways()


def watch(word: str) -> str:
    """The four trainings side by side at any step; returns what came of them."""
    request = requests.lesson("compare_balance", starts=toy_ground().nodes_of(word))
    snapshots = run_job("Training four tables of flows", request, slot="lesson-7")
    if snapshots is None:
        return ""
    steps = [snapshot["step"] for snapshot in snapshots]
    step, picture = STEP.read(), st.container()
    step = step if step in steps else steps[-1]
    if not hidden("controls"):
        step = bind(st.select_slider, **widget("l7-step"), parameter=STEP, options=steps, shown=step, own=steps[-1])
    with picture:
        ends = draw(word, snapshots, steps.index(step))
    return f"In the end the total variation is {listed(ends)}. Near 0 is learned."


def draw(word: str, snapshots: Sequence[Mapping[str, Any]], at: int) -> list[str]:
    """log Z of each start node at one snapshot, and the distances from R/Z until there; returns where these end."""
    learned, curves, ends = [], [], []
    for way in WAYS:
        values = [snapshot[way["loss"]] for snapshot in snapshots]
        distances = np.array([value["total_variation"] for value in values]).mean(axis=1)
        learned.append(values[at]["log_z"])
        curves.append(distances[: at + 1])
        ends.append(f"**{way['title']}** {distances[-1]:.3f}")
    steps = [snapshot["step"] for snapshot in snapshots]
    figures = {
        "log Z of each start node; thick bars: the truth": levels_figure(
            list(word), snapshots[at]["log_partition"], WAYS, learned
        ),
        "Total variation to R / Z, mean over the start nodes; logarithmic scale": curves_figure(
            steps, WAYS, curves, last=COMPARING_STEPS
        ),
    }
    for column, (title, figure) in zip(st.columns([2, 3], gap="medium"), figures.items(), strict=True):
        column.markdown(f"**{title}**")
        column.plotly_chart(figure, key=f"l7-{title[:5]}", config={"displayModeBar": False})
    return ends


def describe_ways() -> None:
    """What each of the four compares, what it needs and where it fails."""
    for column, way in zip(st.columns(len(WAYS), gap="small"), WAYS, strict=True):
        with column, st.container(border=True, height="stretch"):
            left, right = way["sides"]
            st.markdown(f"**{term(way['title'])}** · {way['short']}")
            st.latex(rf"\begin{{aligned}} &\textstyle {left} \\ &\textstyle = {right} \end{{aligned}}")
            st.markdown(f"*Compares* {way['compares']}\n\n*Needs* {way['needs']}\n\n*Fails* {way['fails']}")


LESSON = Lesson(ADDRESS, show)
