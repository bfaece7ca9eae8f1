"""Lesson 4: flow matching. Balance one state by hand, then watch a table of flows balance all of them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from gfx_core.drawing import colours
from gfx_core.gfn.exact import Doubles, target_distribution
from gfx_core.teaching.glossary import term
from gfx_core.teaching.lesson_requests import TrainPractice
from gfx_core.teaching.practice import (
    FAR,
    FIRST_FLOW,
    TRAINING_STEPS,
    WALKS,
    Ground,
    Practice,
    ground,
    residual,
    sharpened,
)
from pages.ui.components.hand_view import hand_view
from pages.ui.components.training_view import bars_panel, flow_panel, lines_panel, series, training_view
from pages.ui.jobs import run_job
from pages.ui.lessons import training_settings as settings
from pages.ui.lessons.frame import Lesson, choice_question, hidden, keep, pick_part, preset

STATE = "abc"
MAX_FLOW, FLOW_STEP = 12.0, 0.5
FIRST_TRY = (1.0, 1.0, 2.0)
PARTS = ("Balance one state", "Let it learn")
GRAPHS = {Practice.TOY: "Triangle with a tail", Practice.TWO_MODES: "Path with two good ends"}
REPAIR = 0.2


@dataclass(frozen=True)
class Settings:
    """Everything the lesson shows depends on this."""

    part: int
    practice: Practice
    epsilon: float
    beta: float
    flows: tuple[float, ...]


def read_settings() -> Settings:
    """From the URL; what makes no sense there is left at its default."""
    return Settings(
        part=preset("part", 0, lambda text: range(1, len(PARTS) + 1).index(int(text))),
        practice=preset("graph", Practice.TOY, Practice),
        epsilon=preset("eps", REPAIR, lambda text: _within(text, 0.0, 0.5)),
        beta=preset("beta", 1.0, lambda text: _within(text, 0.5, 2.0)),
        flows=preset("f", FIRST_TRY, _flows),
    )


def _within(text: str, low: float, high: float) -> float:
    value = float(text)
    if not low <= value <= high:
        raise ValueError(text)
    return value


def _flows(text: str) -> tuple[float, ...]:
    values = tuple(float(part) for part in text.split("_"))
    if len(values) != len(FIRST_TRY) or not all(FLOW_STEP <= value <= MAX_FLOW for value in values):
        raise ValueError(text)
    return values


@st.fragment
def show() -> None:
    """One of the two parts, and the question."""
    now = read_settings()
    if not hidden("controls"):
        with st.container(horizontal=True, vertical_alignment="center", key="l4-bar"):
            pick_part("l4-part", PARTS, now.part)
            if now.part == 1:
                buttons()
    if now.part == 0:
        by_hand(now)
    else:
        learn(now)
    question()


# By hand


def by_hand(now: Settings) -> None:
    """One state, its pipes, and whether it is in balance."""
    place = ground(Practice.TOY)
    dag, names = place.dag, place.names
    state = names.index(STATE)
    parents = [names[p] for p in dag.parent[dag.child == state]]
    children = [names[c] for c in dag.child[dag.parent == state]]
    reward = float(place.reward[state])
    hand_view(
        STATE,
        parents,
        children,
        reward,
        now.flows,
        key="l4-hand",
        most=MAX_FLOW,
        step=FLOW_STEP,
        on_flows=None if hidden("controls") else lambda flows: keep(f="_".join(f"{flow:g}" for flow in flows)),
    )
    inward, outward = now.flows[: len(parents)], now.flows[len(parents) :]
    off = residual(inward, outward, reward)
    apart = sum(inward) - sum(outward) - reward
    with st.container(horizontal=True, horizontal_alignment="center", vertical_alignment="center"):
        if off == 0:
            st.markdown(
                ":green[:material/check_circle:] **Balanced.** There are many ways to do it. "
                "Training must do it for every state at once, and pipes are shared."
            )
            st.button(
                "Now let it learn",
                key="l4-on",
                type="primary",
                icon=":material/arrow_forward:",
                on_click=settings.train,
                kwargs={"part": 2},
            )
        else:
            side = "more flows in than out" if apart > 0 else "more flows out than in"
            st.markdown(f"**{abs(apart):g}** {side}. Drag the number on a pipe, or use the arrow keys on it.")


# The learner


def learn(now: Settings) -> None:
    """Settings, the training, and what came of it."""
    if not hidden("controls"):
        controls(now)
    if not settings.running():
        st.info(
            f"Press “Train”. All flows begin at {FIRST_FLOW:g}. In each of {TRAINING_STEPS} steps the learner draws "
            f"{WALKS} walks with its own flows. It changes the flows around the states it met so that in-flow and "
            "out-flow come closer.",
            icon=":material/model_training:",
        )
        return
    request = TrainPractice(
        practice=str(now.practice),
        lr=settings.learning_rate(),
        epsilon=now.epsilon,
        beta=now.beta,
        seed=settings.seed(),
    )
    trained = run_job("Training a table of flows", request, slot="lesson-4")
    if trained is None:
        st.caption("The training is computed first and then played. The first one takes a few seconds longer.")
        return
    place = ground(now.practice)
    log_reward = sharpened(place.reward, now.beta)
    target = np.exp(target_distribution(log_reward))
    training_view(
        trained["steps"],
        [
            flow_panel("Flows and residuals", place.dag, place.names, np.exp(log_reward).tolist(), trained),
            bars_panel("Where walks stop", place.names, target.tolist(), trained["probability"]),
            lines_panel(
                "Distance from learned to exact",
                [series("total variation", colours.PARENT.colour, "line", trained["total_variation"])],
                top=1.0,
            ),
        ],
        key="l4-training",
        turn=settings.turn(),
        frame=settings.frame(),
        on_frame=lambda number: keep(frame=number),
    )
    if not hidden("theory"):
        st.markdown(verdict(place, target, trained))


def buttons() -> None:
    """Train, and the two presets."""
    st.button("Train", key="l4-train", type="primary", icon=":material/model_training:", on_click=settings.train)
    for key, label, icon, epsilon, about in (
        (
            "l4-fail",
            "Make it fail: ε = 0",
            ":material/heart_broken:",
            0.0,
            "A path whose two ends are equally good, one near and one far, and no random steps.",
        ),
        (
            "l4-repair",
            f"Repair it: ε = {REPAIR:g}",
            ":material/healing:",
            REPAIR,
            "The same path, but one step in five is taken at random.",
        ),
    ):
        changes = {"graph": Practice.TWO_MODES, "eps": f"{epsilon:g}", "lr": None, "beta": None, "seed": None}
        st.button(label, key=key, icon=icon, help=about, on_click=settings.train, kwargs=changes)


def controls(now: Settings) -> None:
    """The graph and the sliders."""
    graph, rate, epsilon, beta, seed = st.columns([1.5, 1, 1, 1, 0.8], gap="medium")
    with graph:
        st.session_state["l4-graph"] = now.practice
        st.selectbox(
            "Graph",
            list(GRAPHS),
            key="l4-graph",
            format_func=GRAPHS.__getitem__,
            on_change=settings.changed("l4-graph", "graph"),
        )
    with rate:
        settings.pick_learning_rate("l4-lr")
    with epsilon:
        told = settings.about("epsilon", "The share of steps that are taken at random.")
        settings.pick_number("l4-eps", "ε", "eps", now.epsilon, 0.0, 0.5, 0.05, told)
    with beta:
        told = settings.about("beta", "The reward is R to the power of β: above 1, good states become better still.")
        settings.pick_number("l4-beta", "β", "beta", now.beta, 0.5, 2.0, 0.25, told)
    with seed:
        settings.pick_seed("l4-seed")


def verdict(place: Ground, target: Doubles, trained: dict[str, Any]) -> str:
    """What came of the training, in its own numbers."""
    learned, visits = np.asarray(trained["probability"][-1]), np.asarray(trained["visits"][-1])
    distance = trained["total_variation"][-1]
    worst = int((target - learned).argmax())
    if distance < 0.01:
        return (
            f":green[:material/check_circle:] In the end every state is in balance and the {term('total variation')} "
            f"is {distance:.4f}: walks stop at each state as often as its reward says."
        )
    seen = {0: "It was never visited", 1: "It was visited once"}.get(
        int(visits[worst]), f"It was visited {visits[worst]:,} times"
    )
    return (
        f":orange[:material/warning:] In the end the {term('total variation')} is {distance:.3f}. "
        f"**{place.names[worst]}** should get {100 * target[worst]:.1f} % of the walks and gets "
        f"{100 * learned[worst]:.1f} %. {seen}."
    )


def question() -> None:
    """Why ε = 0 fails."""
    choice_question(
        "lesson-4-question",
        f"You made the learner fail: with ε = 0 it never stops at the far good end, **{FAR}**. Why?",
        (
            "The learning rate is too small.",
            f"The reward of {FAR} is smaller than that of the near end.",
            "It only corrects states it visits, and its own flows never lead it there.",
            "Flow matching has no solution when there are two good ends.",
        ),
        right=2,
        why=(
            "Try it: press “Make it fail” and move the learning rate up. The near end is learned sooner, "
            "and the far one still is not found.",
            "Both ends have the reward 10: look at the upright marks in “Where walks stop”. They are equal.",
            "Right. The flows begin small, the near end is found first, and then nearly all walks go there or stop. "
            f"A random step now and then, ε > 0, is enough to meet {FAR}, and then its flow grows.",
            "There is one, and the upright marks show where it ends. With ε = 0.2 the learner reaches it.",
        ),
    )


LESSON = Lesson(
    number=4,
    slug="balance",
    title="Flow matching by hand",
    idea=(
        "Nobody knows the right flows of a large graph. But one rule can be checked in each state alone: what flows "
        f"in must flow out, to larger states or to STOP, where it equals the reward R. How far a state is from that is "
        f"its {term('residual')}. Make all residuals zero, and walks stop in proportion to R."
    ),
    task=(
        f"balance **{STATE}** by hand. Then let the learner do it for all states, make it fail with "
        f"{term('epsilon', 'ε')} = 0, and repair it."
    ),
    show=show,
    explain={"dataset": "tree_cycles", "index": "612"},
)
