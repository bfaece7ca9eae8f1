"""Lesson 7: four ways to balance, on one graph with one truth, and what each of them needs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from gfx_core.arrays import Doubles
from gfx_core.bench.claims import claims
from gfx_core.bench.tables import tables
from gfx_core.drawing import colours
from gfx_core.drawing.charts import Series, curves_figure, levels_figure
from gfx_core.errors import UserError
from gfx_core.gfn.settings import Loss
from gfx_core.jobs.requests import CompareBalance
from gfx_core.teaching.glossary import term
from gfx_core.teaching.lesson_texts import LESSONS
from gfx_core.teaching.practice import COMPARING_BATCH, COMPARING_STEPS, Practice, ground
from gfx_core.teaching.questions import about_one_log_z
from gfx_core.text.numbers import listed
from pages.ui.address import bind, one_of, pick_one
from pages.ui.jobs import run_job
from pages.ui.lessons.frame import Lesson, LessonAddress, TrainingControls, ask, hidden

START_NODES = {"a": "a alone", "ae": "a and e", "abcde": "all five"}


@dataclass(frozen=True)
class WayToBalance:
    """A loss, how it is drawn, and what is said of it.

    Attributes:
        title: Its name.
        short: The same in charts.
        role: Whose colour it has.
        dash: Of its curve.
        mark: Of its log Z.
        sides: What has to be equal, in LaTeX.
        compares: Where that has to hold.
        needs: What must be known for it.
        fails: Where it does not serve.
    """

    title: str
    short: str
    role: colours.Role
    dash: str
    mark: str
    sides: tuple[str, str]
    compares: str
    needs: str
    fails: str


METHODS = {
    Loss.FLOW_MATCHING: WayToBalance(
        "Flow matching",
        "FM",
        colours.PARENT,
        "solid",
        "circle",
        (r"\sum_p F(p\to s)", r"R(s) + \sum_{s'} F(s\to s')"),
        "what comes into a **state** with what leaves it.",
        "the flows from all parents of the state. No P_B, no log Z.",
        "where parents are missing or made up (lessons 3 and 5), or too many to evaluate.",
    ),
    Loss.DETAILED_BALANCE: WayToBalance(
        "Detailed balance",
        "DB",
        colours.FRONTIER,
        "dash",
        "square",
        (r"F(s)\,P_F(s'|s)", r"F(s')\,P_B(s|s')"),
        "a **step** with the step back; the step STOP with R(s).",
        "the flow of both states, and P_B. No log Z.",
        "nowhere here. But a reward gets to the start one step at a time: long trajectories learn slowly.",
    ),
    Loss.TRAJECTORY_BALANCE: WayToBalance(
        "Trajectory balance",
        "TB",
        colours.MISTAKE,
        "dot",
        "line",
        (r"Z\,\prod_t P_F(s_{t+1}|s_t)", r"R(s_n)\,\prod_t P_B(s_t|s_{t+1})"),
        "a **whole trajectory** with the way back; its last step is STOP at sₙ.",
        "log Z and P_B. No flow of a state.",
        "where one log Z has to serve several start nodes: try it here. And it is noisy on long trajectories.",
    ),
    Loss.SUB_TRAJECTORY_BALANCE: WayToBalance(
        "Sub-trajectory balance",
        "SubTB",
        colours.CUT_VERTEX,
        "dashdot",
        "diamond",
        (r"F(s_i)\,\prod_t P_F(s_{t+1}|s_t)", r"F(s_j)\,\prod_t P_B(s_t|s_{t+1})"),
        "**every part** of a trajectory, sᵢ to sⱼ, with the way back, and STOP with R; n steps count λⁿ, here λ = 0.9.",
        "the flows of its states, and P_B. No log Z.",
        "nowhere here. But it has one more number to choose, λ.",
    ),
}
CLOSE = 0.01
"""A total variation below this counts as learned."""
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
    ask("lesson-7-question", about_one_log_z())
    if not hidden("theory"):
        st.markdown(verdict)
        tell_methods()
        tell_study()


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
            TRAINING.pick_rate()
            TRAINING.pick_seed()


def watch(word: str) -> str:
    """Show the four trainings side by side: while they learn, and then at any step; returns what came of them."""
    starts = ground(Practice.TOY).read_nodes(word)
    rate, seed = TRAINING.rate.read(), TRAINING.seed.read()
    request = CompareBalance(starts=starts, lr=rate, seed=seed, learned_backward=LEARNED.read())

    def meanwhile(events: list[dict[str, Any]]) -> None:
        draw(word, events, len(events) - 1, "l7-learning")

    snapshots = run_job("Training four tables of flows", request, slot="lesson-7", meanwhile=meanwhile)
    if snapshots is None:
        st.caption("The picture follows the trainings. The first time takes longer.")
        return ""
    steps = [snapshot["step"] for snapshot in snapshots]
    wanted, place = TRAINING.step.read(), st.container()
    step = wanted if wanted in steps else steps[-1]
    if not hidden("controls"):
        step = bind(st.select_slider, "Training step", TRAINING.step, steps, shown=step, own=steps[-1], key="l7-step")
    with place:
        draw(word, snapshots, steps.index(step), "l7-training")
    return comparison_verdict(snapshots)


def draw(word: str, snapshots: Snapshots, at: int, key: str) -> None:
    """log Z of each start node at one snapshot, and the distances from R/Z until there."""
    steps = [snapshot["step"] for snapshot in snapshots]
    dots = [
        Series(method.short, method.role.colour, method.mark, snapshots[at][loss]["log_z"])
        for loss, method in METHODS.items()
    ]
    curves = [
        Series(method.short, method.role.colour, method.dash, mean_distance(snapshots, loss)[: at + 1])
        for loss, method in METHODS.items()
    ]
    left, right = st.columns([2, 3], gap="medium")
    with left:
        st.markdown("**log Z of each start node; thick bars: the truth**")
        figure = levels_figure(list(word), snapshots[at]["log_partition"], dots)
        st.plotly_chart(figure, key=f"{key}-levels", config={"displayModeBar": False})
    with right:
        st.markdown("**Total variation to R / Z, mean over the start nodes; logarithmic scale**")
        figure = curves_figure(steps, curves, last=COMPARING_STEPS)
        st.plotly_chart(figure, key=f"{key}-curves", config={"displayModeBar": False})


def mean_distance(snapshots: Snapshots, loss: Loss) -> Doubles:
    """Total variation to R/Z in each snapshot, mean over the start nodes. [T]"""
    means: Doubles = np.array([snapshot[loss]["total_variation"] for snapshot in snapshots]).mean(axis=1)
    return means


def comparison_verdict(snapshots: Snapshots) -> str:
    """From which step on each way to train is close, and which never is."""
    arrived, missed = [], []
    for loss, method in METHODS.items():
        distance = mean_distance(snapshots, loss)
        far = np.flatnonzero(distance >= CLOSE)
        if distance[-1] < CLOSE:
            arrived.append((snapshots[far[-1] + 1 if len(far) else 0]["step"], method.title))
        else:
            missed.append(f"**{method.title}** ends at {distance[-1]:.3f}")
    parts = [f"**{title}** from step {step}" for step, title in sorted(arrived)]
    words = [f"The total variation stays below {CLOSE:g} for {listed(parts)}."] if parts else []
    if missed:
        words.append(f"{listed(missed)} and {'does' if len(missed) == 1 else 'do'} not get there.")
    return " ".join(words)


def tell_methods() -> None:
    """What each of the four compares, what it needs and where it fails."""
    for column, method in zip(st.columns(len(METHODS), gap="small"), METHODS.values(), strict=True):
        with column, st.container(border=True, height="stretch"):
            st.markdown(f"**{term(method.title)}** · {method.short}")
            one, other = method.sides
            st.latex(rf"\begin{{aligned}} &\textstyle {one} \\ &\textstyle = {other} \end{{aligned}}")
            st.markdown(f"*Compares* {method.compares}\n\n*Needs* {method.needs}\n\n*Fails* {method.fails}")


def tell_study() -> None:
    """Whether flow matching, against which general libraries advise, is the best here, as the study measured it."""
    if finding := measured_finding():
        with st.expander("Which of the four is best?", icon=":material/table_chart:", type="compact"):
            st.markdown(
                f"All four get the same graph, the same rewards and {COMPARING_STEPS} steps of {COMPARING_BATCH} "
                "trajectories from each start node. General libraries advise against flow matching (torchgfn’s guide "
                "to losses: slow to compute and hard to optimise). Here a state is a connected set whose cut vertices "
                f"are tracked, so all its parents are known, for the price of one pass. {finding}"
            )
            st.page_link(
                "pages/results.py",
                label="See the study",
                icon=":material/table_chart:",
                query_params={"study": "policies"},
            )


def measured_finding() -> str:
    """On how many data sets the study found no loss that is nearer than flow matching; nothing without records."""
    try:
        decided = {claim.name: claim for claim in claims(tables(studies=["policies"]))}
    except UserError:
        return ""
    if "networks_fm" not in decided:
        return ""
    share = decided["networks_fm"].values["share"]
    return f"**For networks, on {share} no loss was clearly nearer to P ∝ R than flow matching.**"


LESSON = Lesson(**LESSONS[7], show=show, train=lambda: {"story": "tb"})
