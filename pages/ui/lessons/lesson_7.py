"""Lesson 7: flow matching against trajectory balance, with one log Z for all start nodes or one for each."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import streamlit as st

from gfx_core.arrays import Doubles
from gfx_core.drawing import colours
from gfx_core.drawing.charts import Series, curves_figure, levels_figure
from gfx_core.gfn.settings import Loss
from gfx_core.jobs.requests import CompareBalance
from gfx_core.teaching.glossary import term
from gfx_core.teaching.practice import COMPARING_STEPS, Practice, ground
from gfx_core.teaching.questions import about_one_constant
from gfx_core.text.numbers import listed
from pages.ui.address import bind, one_of, pick_one
from pages.ui.jobs import run_job
from pages.ui.lessons.frame import Lesson, LessonAddress, TrainingControls, ask, hidden

START_NODES = {"a": "a alone", "ae": "a and e", "abcde": "all five"}
METHODS = {  # name, colour, dash of the curve, mark of log Z
    Loss.FLOW_MATCHING: ("Flow matching", colours.PARENT.colour, "solid", "circle"),
    Loss.TRAJECTORY_BALANCE_CONDITIONAL: (
        "TB, one log Z for each start node",
        colours.CUT_VERTEX.colour,
        "dash",
        "square",
    ),
    Loss.TRAJECTORY_BALANCE: ("TB, one constant log Z", colours.MISTAKE.colour, "dot", "line"),
}
CLOSE = 0.01
"""A total variation below this counts as learned."""
Snapshots = Sequence[Mapping[str, Any]]
"""As of `gfx_core.teaching.lesson_jobs.compare_balance`."""

ADDRESS = LessonAddress(7)
STARTS = ADDRESS.parameter("starts", "a", one_of(list(START_NODES)))
TRAINING = TrainingControls(ADDRESS, "l7", STARTS)


def show() -> None:
    """Settings, the three trainings, what came of them, and the question."""
    if not hidden("controls"):
        controls()
    if TRAINING.running.read() or hidden("controls"):  # where no button is to be seen nobody could start it
        watch(STARTS.read())
    else:
        how = (
            f" Each gets the same graph, the same rewards and {COMPARING_STEPS} steps. Flow matching compares in-flow "
            "and out-flow of every state. Trajectory balance (TB) compares whole walks: Z times the probability of the "
            "walk, against R of its end times the probability to walk back, that is, to take its nodes away again one "
            "by one, each time any of those that may go. So it must learn log Z too."
        )
        st.info(f"Press “Train all three”.{'' if hidden('theory') else how}", icon=":material/model_training:")
    ask("lesson-7-question", about_one_constant())


def controls() -> None:
    """Train, the start nodes, and out of the way the learning rate and the seed."""
    with st.container(horizontal=True, vertical_alignment="center", key="l7-controls"):
        TRAINING.train_button("Train all three")
        st.markdown("Start nodes:", width="content")
        about = "Each start node has its own walks and its own sum of rewards Z. All are trained at once."
        pick_one("Start nodes", STARTS, START_NODES, key="l7-starts", unlabelled=True, help=about)
        with st.popover("Settings", icon=":material/tune:"):
            TRAINING.pick_rate()
            TRAINING.pick_seed()


def watch(word: str) -> None:
    """Show the three trainings side by side: while they learn, and then at any step."""
    starts = ground(Practice.TOY).read_nodes(word)
    request = CompareBalance(starts=starts, lr=TRAINING.rate.read(), seed=TRAINING.seed.read())

    def meanwhile(events: list[dict[str, Any]]) -> None:
        draw(word, events, len(events) - 1, "l7-learning")

    snapshots = run_job("Training three tables of flows", request, slot="lesson-7", meanwhile=meanwhile)
    if snapshots is None:
        st.caption("The trainings are drawn while they learn. The first time takes longer.")
        return
    steps = [snapshot["step"] for snapshot in snapshots]
    wanted, place = TRAINING.step.read(), st.container()
    step = wanted if wanted in steps else steps[-1]
    if not hidden("controls"):
        step = bind(st.select_slider, "Training step", TRAINING.step, steps, shown=step, own=steps[-1], key="l7-step")
    with place:
        draw(word, snapshots, steps.index(step), "l7-training")
    if not hidden("theory"):
        st.markdown(comparison_verdict(snapshots))


def draw(word: str, snapshots: Snapshots, at: int, key: str) -> None:
    """log Z of each start node at one snapshot, and the distances from R/Z until there."""
    steps = [snapshot["step"] for snapshot in snapshots]
    dots = [
        Series(title, colour, mark, snapshots[at][loss]["log_z"]) for loss, (title, colour, _, mark) in METHODS.items()
    ]
    curves = [
        Series(title, colour, dash, mean_distance(snapshots, loss)[: at + 1])
        for loss, (title, colour, dash, _) in METHODS.items()
    ]
    left, right = st.columns([2, 3], gap="medium")
    with left:
        st.markdown("**log Z of each start node; thick bars: the truth**")
        figure = levels_figure(list(word), snapshots[at]["log_partition"], dots)
        st.plotly_chart(figure, key=f"{key}-levels", config={"displayModeBar": False})
    with right:
        st.markdown("**Total variation to R / Z, mean over the start nodes**")
        figure = curves_figure(steps, curves, last=COMPARING_STEPS)
        st.plotly_chart(figure, key=f"{key}-curves", config={"displayModeBar": False})


def mean_distance(snapshots: Snapshots, loss: Loss) -> Doubles:
    """Total variation to R/Z in each snapshot, mean over the start nodes. [T]"""
    means: Doubles = np.array([snapshot[loss]["total_variation"] for snapshot in snapshots]).mean(axis=1)
    return means


def comparison_verdict(snapshots: Snapshots) -> str:
    """From which step on each way to train is close, and which never is."""
    arrived, missed = [], []
    for loss, (title, *_) in METHODS.items():
        distance = mean_distance(snapshots, loss)
        far = np.flatnonzero(distance >= CLOSE)
        if distance[-1] < CLOSE:
            arrived.append((snapshots[far[-1] + 1 if len(far) else 0]["step"], title))
        else:
            missed.append(f"**{title}** ends at {distance[-1]:.3f}")
    parts = [f"**{title}** from step {step}" for step, title in sorted(arrived)]
    words = [f"The total variation stays below {CLOSE:g} for {listed(parts)}."] if parts else []
    if missed:
        words.append(f"{listed(missed)} and {'does' if len(missed) == 1 else 'do'} not get there.")
    if len(arrived) == 2:
        words.append("In a table, TB with a log Z for each start node is as right.")
    words.append("(The paper's networks on BA-Shapes: AUC .99 with flow matching, .5 to .8 with TB.)")
    return " ".join(words)


LESSON = Lesson(
    title="Flow matching against trajectory balance",
    idea=(
        f"{term('trajectory balance', 'Trajectory balance')}, another way to learn the same flows, checks whole walks "
        f"instead of single states. For that it must learn log {term('partition', 'Z')}, too."
    ),
    look="the curves: who comes close to the truth, and who cannot.",
    task="train with one start node, then with two and with all five. Which log Z meets the thick bars, the truth?",
    show=show,
    train=lambda: {"story": "log-z"},
)
