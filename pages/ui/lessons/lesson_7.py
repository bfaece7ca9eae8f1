"""Lesson 7: flow matching against trajectory balance, with one log Z for all start nodes or one for each."""

from typing import Any

import numpy as np
import streamlit as st

from gfx_core.drawing import colours
from gfx_core.gfn.exact import log_partition
from gfx_core.gfn.state_dag import enumerate_states
from gfx_core.teaching.glossary import term
from gfx_core.teaching.lesson_requests import CompareBalance
from gfx_core.teaching.practice import COMPARING_STEPS
from gfx_core.teaching.toy import toy_instance, toy_rewards
from pages.ui.components.training_view import levels_panel, lines_panel, series, training_view
from pages.ui.jobs import run_job
from pages.ui.lessons import training_settings as settings
from pages.ui.lessons.frame import Lesson, choice_question, hidden, keep, preset

STARTS = {"a": "a alone", "ae": "a and e", "abcde": "all five"}
CLOSE = 0.01
METHODS = {  # as the task names them: name, colour, mark of the curve, mark of log Z
    "fm": ("Flow matching", colours.PARENT.colour, "line", "dot"),
    "tb-conditional": ("TB, one log Z for each start node", colours.CUT_VERTEX.colour, "dash", "square"),
    "tb-constant": ("TB, one constant log Z", colours.MISTAKE.colour, "level", "level"),
}


def read_starts() -> str:
    """The start nodes of the URL, as one word."""
    return preset("starts", "a", lambda text: next(word for word in STARTS if word == text) if text in STARTS else "a")


def start_nodes(word: str) -> list[int]:
    """Their local ids."""
    instance = toy_instance()
    return [node for node in range(instance.num_nodes) if instance.node_label(node) in word]


def true_log_z(word: str) -> float:
    """log Z of one start node of the toy graph, exactly."""
    instance = toy_instance()
    dag = enumerate_states(instance, start_nodes(word)[0])
    return log_partition(np.log(toy_rewards(instance, dag)))


@st.fragment
def show() -> None:
    """Settings, the three trainings, what came of them, and the question."""
    word = read_starts()
    if not hidden("controls"):
        controls(word)
    if settings.running():
        watch(word)
    else:
        st.info(
            "Press “Train all three”. Each gets the same graph, the same rewards and "
            f"{COMPARING_STEPS} steps. Flow matching compares "
            "in-flow and out-flow of every state. Trajectory balance (TB) compares whole walks: log Z + log of the "
            "walk's probability against log R of its end + log of the chance to walk back. So it must learn log Z too.",
            icon=":material/model_training:",
        )
    question()


def controls(word: str) -> None:
    """Train, the start nodes, and the learning rate."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="l7-controls"):
        st.button(
            "Train all three",
            key="l7-train",
            type="primary",
            icon=":material/model_training:",
            on_click=settings.train,
        )
        st.session_state["l7-starts"] = word
        st.segmented_control(
            "Start nodes",
            list(STARTS),
            key="l7-starts",
            format_func=STARTS.__getitem__,
            required=True,
            help="Each start node has its own walks and its own sum of rewards Z. All are trained at once.",
            on_change=settings.changed("l7-starts", "starts"),
        )
        with st.container(width=220):
            settings.pick_learning_rate("l7-lr")
        with st.container(width=130):
            settings.pick_seed("l7-seed")


def watch(word: str) -> None:
    """Play the three trainings side by side."""
    request = CompareBalance(starts=tuple(start_nodes(word)), lr=settings.learning_rate(), seed=settings.seed())
    trained = run_job("Training three tables of flows", request, slot="lesson-7")
    if trained is None:
        st.caption("The trainings are computed first and then played. The first time takes a few seconds longer.")
        return
    curves, dots = [], []
    for name, (title, colour, line, dot) in METHODS.items():
        distance = np.asarray(trained[name]["total_variation"]).mean(axis=1)
        curves.append(series(title, colour, line, distance))
        dots.append(series(title, colour, dot, trained[name]["log_z"]))
    training_view(
        trained["fm"]["steps"],
        [
            levels_panel("log Z of each start node", list(word), trained["log_partition"], dots),
            lines_panel("Total variation to R / Z, mean over the start nodes", curves),
        ],
        key="l7-training",
        turn=settings.turn(),
        frame=settings.frame(),
        on_frame=lambda number: keep(frame=number),
    )
    if not hidden("theory"):
        st.markdown(verdict(trained))


def verdict(trained: dict[str, Any]) -> str:
    """From which step on each is close, and which never is."""
    arrived, missed = [], []
    for name, (title, *_) in METHODS.items():
        distance = np.asarray(trained[name]["total_variation"]).mean(axis=1)
        far = np.flatnonzero(distance >= CLOSE)
        if distance[-1] < CLOSE:
            arrived.append((trained[name]["steps"][far[-1] + 1 if len(far) else 0], title))
        else:
            missed.append(f"**{title}** ends at {distance[-1]:.3f}")
    parts = [f"**{title}** from step {step}" for step, title in sorted(arrived)]
    words = [f"The total variation stays below {CLOSE:g} for {_listed(parts)}."] if parts else []
    if missed:
        words.append(f"{_listed(missed)} and {'does' if len(missed) == 1 else 'do'} not get there.")
    if len(arrived) == 2:
        words.append("In a table, TB with its own log Z for each start node is as right as flow matching.")
    words.append(
        "The paper trains networks; on BA-Shapes it reports an AUC of .99 for flow matching, .5 to .6 for TB with a "
        "constant log Z and .5 to .8 with a conditional one."
    )
    return " ".join(words)


def _listed(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]


def question() -> None:
    """What one constant can do."""
    choice_question(
        "lesson-7-question",
        f"Walks start at a or at e. The true log Z is {true_log_z('a'):.2f} for a and {true_log_z('e'):.2f} for e. "
        "What becomes of **one constant** log Z?",
        (
            "It finds the larger one: the smaller fits in.",
            "It ends between the two, and walks from both nodes stop in wrong proportions.",
            "It ends between the two, but that does no harm: the probabilities are normalised anyway.",
            "It changes with the start node of each walk.",
        ),
        right=1,
        why=(
            "Then walks from e would be judged by a log Z that is too large, and their error would pull it down again. "
            "Train with “a and e” and look where the dotted line ends.",
            "Right. TB must then make up for the wrong log Z with the probabilities of the walks, so these are bent. "
            "One log Z for each start node, or flow matching, which needs none, has no such trouble.",
            "It ends between the two, that is true. But the error does not vanish: the probabilities of the walks are "
            "bent to make up for it. Look at the total variation with “a and e”.",
            "That would be a conditional log Z, one for each start node. A constant is one number for all.",
        ),
    )


LESSON = Lesson(
    number=7,
    slug="fm-tb",
    title="Flow matching against trajectory balance",
    idea=(
        "There is another way to learn the same flows. Trajectory balance checks whole walks instead of single states. "
        f"For that it must know log {term('z', 'Z')}, the log of the sum of all rewards, and learns it as a number of "
        "its own."
    ),
    task="train with one start node, then with two and with all five. Which log Z meets the thick bars, the truth?",
    show=show,
)
