"""Lesson 7: flow matching against trajectory balance, with one log Z for all start nodes or one for each."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from gfx_core.arrays import Doubles
from gfx_core.drawing import colours
from gfx_core.jobs.requests import CompareBalance
from gfx_core.teaching.glossary import term
from gfx_core.teaching.practice import COMPARING_STEPS, Practice, ground
from gfx_core.teaching.questions import about_one_constant
from gfx_core.teaching.snapshots import all_so_far, so_far
from gfx_core.teaching.training_verdicts import comparison_verdict, mean_distance
from pages.ui.address import bind, one_of
from pages.ui.components.training_view import Panel, levels_panel, lines_panel, series
from pages.ui.jobs import run_job
from pages.ui.lessons.frame import Lesson, LessonAddress, ask, hidden
from pages.ui.lessons.training_controls import TrainingControls

START_NODES = {"a": "a alone", "ae": "a and e", "abcde": "all five"}
METHODS = {  # as the task names them: name, colour, mark of the curve, mark of log Z
    "fm": ("Flow matching", colours.PARENT.colour, "line", "dot"),
    "tb-conditional": ("TB, one log Z for each start node", colours.CUT_VERTEX.colour, "dash", "square"),
    "tb-constant": ("TB, one constant log Z", colours.MISTAKE.colour, "level", "level"),
}

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
        bind(
            st.segmented_control,
            "Start nodes",
            STARTS,
            list(START_NODES),
            key="l7-starts",
            format_func=START_NODES.__getitem__,
            required=True,
            label_visibility="collapsed",
            help="Each start node has its own walks and its own sum of rewards Z. All are trained at once.",
        )
        with st.popover("Settings", icon=":material/tune:"):
            TRAINING.pick_rate()
            TRAINING.pick_seed()


def watch(word: str) -> None:
    """Play the three trainings side by side."""
    starts = ground(Practice.TOY).read_nodes(word)
    request = CompareBalance(starts=starts, lr=TRAINING.rate.read(), seed=TRAINING.seed.read())

    def meanwhile(events: list[dict[str, Any]]) -> None:
        truth, learning = so_far(events, "truth"), all_so_far(events, list(METHODS))
        if truth is not None and learning is not None:
            TRAINING.follow(learning["fm"]["steps"], panels(word, truth["log_partition"][0], learning))

    trained = run_job("Training three tables of flows", request, slot="lesson-7", meanwhile=meanwhile)
    if trained is None:
        st.caption("The trainings are drawn while they learn and then played. The first time takes longer.")
        return
    ended = TRAINING.play(trained["fm"]["steps"], panels(word, trained["log_partition"], trained))
    if ended and not hidden("theory"):
        st.markdown(comparison_verdict({name: title for name, (title, *_) in METHODS.items()}, trained))


def panels(word: str, log_partition: Doubles, trained: Mapping[str, Any]) -> list[Panel]:
    """log Z of each start node, and the distances from R/Z, over all snapshots there are."""
    curves, dots = [], []
    for name, (title, colour, line, dot) in METHODS.items():
        curves.append(series(title, colour, line, mean_distance(trained[name])))
        dots.append(series(title, colour, dot, trained[name]["log_z"]))
    return [
        levels_panel("log Z of each start node; thick bars: the truth", list(word), log_partition.tolist(), dots),
        lines_panel("Total variation to R / Z, mean over the start nodes", curves),
    ]


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
