"""Lesson 7: four ways to balance, on one graph with one truth, and what each of them needs."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import streamlit as st

from gfx_core.arrays import Doubles
from gfx_core.bench.claims import claims
from gfx_core.bench.tables import tables
from gfx_core.drawing.charts import Series, curves_figure, levels_figure
from gfx_core.drawing.colours import ROLES
from gfx_core.errors import UserError
from gfx_core.jobs.requests import CompareBalance
from gfx_core.teaching.glossary import term
from gfx_core.teaching.lesson_texts import LESSONS
from gfx_core.teaching.practice import COMPARING_BATCH, COMPARING_STEPS, Practice, ground
from gfx_core.teaching.questions import QUESTIONS
from gfx_core.text.numbers import listed
from pages.ui.address import bind, one_of, pick_one
from pages.ui.jobs import run_job
from pages.ui.lessons.frame import Lesson, LessonAddress, TrainingControls, ask, hidden

START_NODES = {"a": "a alone", "ae": "a and e", "abcde": "all five"}
WAYS = LESSONS[7]["ways"]
"""Losses: how each is drawn, and what is said of it."""
Snapshots = Sequence[Mapping[str, Any]]
"""As of `gfx_core.teaching.lesson_jobs.compare_balance`."""

ADDRESS = LessonAddress(7)
STARTS = ADDRESS.parameter("starts", "a", one_of(list(START_NODES)))
LEARNED = ADDRESS.switch("pb")
TRAINING = TrainingControls(ADDRESS, "l7", STARTS, LEARNED)


def show() -> None:
    """Settings, the four trainings, the question, what came of them, and what each needs."""
    if not hidden("controls"):
        controls()
    verdict = ""
    if TRAINING.running.read() or hidden("controls"):  # without a button it could not be started
        verdict = watch(STARTS.read())
    else:
        st.info("Press “Train all four”.", icon=":material/model_training:")
    ask("lesson-7-question", QUESTIONS[7]())
    if not hidden("theory"):
        st.markdown(verdict)
        describe_ways()
        describe_study()


def controls() -> None:
    """Train and the start nodes; after the first training P_B, the learning rate and the seed."""
    with st.container(horizontal=True, vertical_alignment="center", key="l7-controls"):
        TRAINING.train_button("Train all four")
        st.markdown("Start nodes:", width="content")
        about = "Each start node has its own walks and its own sum of rewards Z. All are trained at once."
        pick_one("Start nodes", STARTS, START_NODES, key="l7-starts", unlabelled=True, help=about)
        if not TRAINING.running.read():
            return
        about = "The probability of each parent of a state. Flow matching has no P_B."
        backward = {False: "P_B uniform", True: "P_B learned"}
        pick_one("P_B", LEARNED, backward, key="l7-pb", unlabelled=True, help=about)
        with st.popover("Settings", icon=":material/tune:"):
            TRAINING.pick()


def watch(word: str) -> str:
    """Show the four trainings side by side: while they learn, and then at any step; returns what came of them."""
    request = CompareBalance(
        starts=ground(Practice.TOY).nodes_of(word),
        lr=TRAINING.rate.read(),
        seed=TRAINING.seed.read(),
        learned_backward=LEARNED.read(),
    )

    def meanwhile(events: list[dict[str, Any]]) -> None:
        draw(word, events, len(events) - 1, "l7-learning")

    snapshots = run_job("Training four tables of flows", request, slot="lesson-7", meanwhile=meanwhile)
    if snapshots is None:
        st.caption("The picture follows the trainings. The first time takes longer.")
        return ""
    steps = [snapshot["step"] for snapshot in snapshots]
    wanted, picture = TRAINING.step.read(), st.container()
    step = wanted if wanted in steps else steps[-1]
    if not hidden("controls"):
        step = bind(st.select_slider, "Training step", TRAINING.step, steps, shown=step, own=steps[-1], key="l7-step")
    with picture:
        draw(word, snapshots, steps.index(step), "l7-training")
    return comparison_verdict(snapshots)


def draw(word: str, snapshots: Snapshots, at: int, key: str) -> None:
    """log Z of each start node at one snapshot, and the distances from R/Z until there."""
    now, dots, curves = snapshots[at], [], []
    for way in WAYS:
        loss, colour = way["loss"], ROLES[way["role"]].colour
        dots.append(Series(way["short"], colour, way["mark"], now[loss]["log_z"]))
        curves.append(Series(way["short"], colour, way["dash"], mean_distance(snapshots, loss)[: at + 1]))
    levels = levels_figure(list(word), now["log_partition"], dots)
    distances = curves_figure([snapshot["step"] for snapshot in snapshots], curves, last=COMPARING_STEPS)
    left, right = st.columns([2, 3], gap="medium")
    left.markdown("**log Z of each start node; thick bars: the truth**")
    left.plotly_chart(levels, key=f"{key}-levels", config={"displayModeBar": False})
    right.markdown("**Total variation to R / Z, mean over the start nodes; logarithmic scale**")
    right.plotly_chart(distances, key=f"{key}-curves", config={"displayModeBar": False})


def mean_distance(snapshots: Snapshots, loss: str) -> Doubles:
    """Total variation to R/Z in each snapshot, mean over the start nodes. [T]"""
    means: Doubles = np.array([snapshot[loss]["total_variation"] for snapshot in snapshots]).mean(axis=1)
    return means


def comparison_verdict(snapshots: Snapshots) -> str:
    """How far each way to train is from the truth in the end."""
    ends = [f"**{way['title']}** {mean_distance(snapshots, way['loss'])[-1]:.3f}" for way in WAYS]
    return f"In the end the total variation is {listed(ends)}. Near 0 is learned."


def describe_ways() -> None:
    """What each of the four compares, what it needs and where it fails."""
    for column, way in zip(st.columns(len(WAYS), gap="small"), WAYS, strict=True):
        with column, st.container(border=True, height="stretch"):
            left, right = way["sides"]
            st.markdown(f"**{term(way['title'])}** · {way['short']}")
            st.latex(rf"\begin{{aligned}} &\textstyle {left} \\ &\textstyle = {right} \end{{aligned}}")
            st.markdown(f"*Compares* {way['compares']}\n\n*Needs* {way['needs']}\n\n*Fails* {way['fails']}")


def describe_study() -> None:
    """Whether flow matching, against which general libraries advise, is the best here, as the study measured it."""
    try:
        decided = {claim.name: claim for claim in claims(tables(studies=["policies"]))}
        share = decided["networks_fm"].values["share"]
    except (UserError, KeyError):  # there are no records
        return
    with st.expander("Which of the four is best?", icon=":material/table_chart:", type="compact"):
        values = {"steps": COMPARING_STEPS, "batch": COMPARING_BATCH, "share": share}
        st.markdown(LESSONS[7]["study"].format_map(values))
        about = {"label": "See the study", "icon": ":material/table_chart:", "query_params": {"study": "policies"}}
        st.page_link("pages/results.py", **about)


LESSON = Lesson(show)
