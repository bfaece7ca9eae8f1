"""Lesson 4: flow matching. Balance one state by hand, then watch a table of flows balance all of them."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from gfx_core.drawing.colours import role_css
from gfx_core.gfn.knobs import knobs
from gfx_core.gfn.settings import GFNConfig
from gfx_core.jobs.requests import RecordTraining
from gfx_core.teaching.glossary import term, tooltip
from gfx_core.teaching.lesson_texts import LESSONS
from gfx_core.teaching.lesson_views import view_data
from gfx_core.teaching.practice import Practice, final_states
from gfx_core.teaching.questions import QUESTIONS
from gfx_core.training.lesson_graphs import FIRST_FLOW, TITLES, LessonGraph
from gfx_core.training.recording import Assembler, Recording
from gfx_core.training.training import Training, defaults_for
from pages.ui.address import bind, catch_up, numbers, one_of, real, spell_number, spell_numbers
from pages.ui.components.mount import component, style
from pages.ui.components.train_view import Live, train_view
from pages.ui.jobs import run_job
from pages.ui.lessons.frame import Lesson, LessonAddress, TrainingControls, ask, hidden, part_of, pick_part, verdict

HAND = view_data("hand")
PARTS = ("Balance one state", "Let it learn")
REPAIR = 0.2
VIEWS = ("dag", "stop", "graph")
"""Of the training, besides its curves."""
CLOSE = 0.01
"""A total variation below this counts as learned."""
_hand = component("components/hand_view", '<div class="kit hand"></div>', role_css("hand") + style("hand_view"))
"""One state and the flows around it, to be set by hand: drag a pipe, or use the arrow keys on it."""

ADDRESS = LessonAddress(4)
PART = part_of(ADDRESS, PARTS)
_flows = numbers(len(HAND["flows"]), HAND["step"], HAND["most"])
FLOWS = ADDRESS.parameter("f", HAND["flows"], _flows, spell=spell_numbers)
GRAPH = ADDRESS.parameter("graph", Practice.TOY, one_of(list(Practice)))
EPSILON = ADDRESS.parameter("eps", REPAIR, real(0.0, 0.5), spell=spell_number)
BETA = ADDRESS.parameter("beta", 1.0, real(0.5, 2.0), spell=spell_number)
TRAINING = TrainingControls(ADDRESS, "l4", GRAPH, EPSILON, BETA)


def show() -> None:
    """One of the two parts, and the question."""
    by_itself = PART.read() == 1
    if not hidden("controls"):
        with st.container(horizontal=True, vertical_alignment="center", key="l4-bar"):
            pick_part("l4-part", PART, PARTS)
            if by_itself:
                controls()
    if by_itself:
        learn()
    else:
        by_hand()
    ask("lesson-4-question", QUESTIONS[4]())


# By hand


def set_flows(values: Sequence[float]) -> None:
    """Keep the flows from the parents, then those to the children."""
    if not hidden("controls") and len(values) == len(HAND["flows"]):
        FLOWS.write(tuple(map(float, values)))


def by_hand() -> None:
    """One state, its pipes, and whether it is in balance."""
    flows, fixed = FLOWS.read(), hidden("controls")
    _hand(key="l4-hand", data={**HAND, "flows": flows, "fixed": fixed}, heard={"flows": set_flows})
    inward = len(HAND["parents"])
    apart = sum(flows[:inward]) - sum(flows[inward:]) - HAND["reward"]
    if apart:
        st.markdown(f"**{abs(apart):g}** more flows {'in than out' if apart > 0 else 'out than in'}.")
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        verdict(True, LESSONS[4]["balanced"])
        if not fixed:
            start = {"icon": ":material/arrow_forward:", "on_click": TRAINING.train, "args": ({PART: 1},)}
            st.button("Now let it learn", key="l4-on", type="primary", **start)


# The learner


def settings() -> dict[str, float]:
    """The knobs of the training that can be set here."""
    return {"epsilon": EPSILON.read(), "beta": BETA.read(), "lr": TRAINING.rate.read(), "seed": TRAINING.seed.read()}


def training() -> Training:
    """What is trained, and how."""
    return defaults_for(LessonGraph(GRAPH.read())).changed(settings())


def learn() -> None:
    """The training and what came of it. Where the controls are hidden nothing could start it: it runs."""
    planned = training()
    config, run = planned.config, repr(planned)
    if not TRAINING.running.read() and not hidden("controls"):
        values = {"first": FIRST_FLOW, "epochs": config.epochs, "batch": config.batch_size}
        how = "" if hidden("theory") else LESSONS[4]["how"].format_map(values)
        st.info(f"Press “Train”. {how}", icon=":material/model_training:")
        return

    def meanwhile(events: list[dict[str, Any]]) -> None:
        assembler = Assembler(planned.title)
        assembler.feed(events)
        if assembler.length:
            live = Live(running=True, steered=False)
            train_view(assembler.as_dict(), key="l4-learning", token=run, live=live, only=VIEWS)

    def rest(step: int | None) -> None:
        catch_up()
        if run == repr(training()):  # else it was replaced before this was heard of
            TRAINING.step.write(step)

    trained = run_job("Training a table of flows", RecordTraining(planned), slot="lesson-4", meanwhile=meanwhile)
    if trained is None:
        st.caption("The picture follows the training, then replays it. The first one takes a few seconds longer.")
        return
    step = TRAINING.step.read()
    train_view(trained, key="l4-training", token=run, step=step, only=VIEWS, heard={"step": rest})
    recording = Recording.from_dict(trained)
    if step == recording.lanes[0].frames[-1].step and not hidden("theory"):  # it was played to its end
        verdict(*training_verdict(recording))


def training_verdict(recording: Recording) -> tuple[bool, str]:
    """Whether the flows were learned, and which state is furthest off if not."""
    distance = recording.lanes[0].frames[-1].total_variation or 0.0
    if distance < CLOSE:
        return True, (
            f"In the end every state is in balance and the {term('total variation')} "
            f"is {distance:.4f}: walks stop at each state in proportion to its reward."
        )
    worst = max(final_states(recording), key=lambda state: state.target - state.drawn[0])
    often = {0: "never visited", 1: "visited once"}.get(worst.visits, f"visited {worst.visits:,} times")
    return False, (
        f"In the end the {term('total variation')} is {distance:.3f}. **{worst.name}** should get "
        f"{100 * worst.target:.1f} % of the walks and gets {100 * worst.drawn[0]:.1f} %. It was {often}."
    )


def controls() -> None:
    """Train, the two presets, and all that the training depends on."""
    TRAINING.train_button("Train")
    for epsilon, looks in zip((0.0, REPAIR), LESSONS[4]["presets"], strict=True):
        usual = dict.fromkeys((TRAINING.rate, BETA, TRAINING.seed))
        changes = {GRAPH: Practice.TWO_MODES, EPSILON: epsilon, **usual}
        st.button(**looks, on_click=TRAINING.train, args=(changes,))
    with st.popover("Settings", icon=":material/tune:"):
        bind(st.selectbox, "Graph", GRAPH, list(Practice), key="l4-graph", format_func=TITLES.__getitem__)
        bind(st.slider, "ε, random steps", EPSILON, 0.0, 0.5, step=0.05, key="l4-eps", help=tooltip("epsilon"))
        sharper = f"The learner gets R to the power of β: above 1 good states are better still. {tooltip('beta')}"
        bind(st.slider, "β, sharper rewards", BETA, 0.5, 2.0, step=0.25, key="l4-beta", help=sharper)
        TRAINING.pick()


def links() -> dict[str, dict[str, str]]:
    """The same training in Train; Explain with its seed."""
    own = knobs(GFNConfig)
    train = {f"{own[name].link}1": own[name].spell(value) for name, value in settings().items()}
    return {
        "explain": {"dataset": "tree_cycles", "index": "612", "seed": str(TRAINING.seed.read())},
        "train": {"story": "none", "graph": str(GRAPH.read()), **train},
    }


LESSON = Lesson(show, links)
