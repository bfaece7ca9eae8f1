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
from gfx_core.teaching.practice import Practice, final_states, final_visits, ground, residual
from gfx_core.teaching.questions import about_exploring
from gfx_core.training.lesson_graphs import FIRST_FLOW, LessonGraph
from gfx_core.training.recording import Assembler, Recording
from gfx_core.training.training import Training, defaults_for
from pages.ui.address import bind, catch_up, numbers, one_of, real, spell_number, spell_numbers
from pages.ui.components.component_files import component, style
from pages.ui.components.graph_view import edges_of, graph_view, nodes_of
from pages.ui.components.train_view import Live, train_view
from pages.ui.jobs import run_job
from pages.ui.lessons.frame import Lesson, LessonAddress, TrainingControls, ask, hidden, part_of, pick_part, verdict

STATE = "abc"
MAX_FLOW, FLOW_STEP = 12.0, 0.5
FIRST_TRY = (1.0, 1.0, 2.0)
PARTS = ("Balance one state", "Let it learn")
GRAPHS = {Practice.TOY: "Triangle with a tail", Practice.TWO_MODES: "Path with two good ends"}
REPAIR = 0.2
VIEWS = ("dag", "stop", "graph")
"""Of the training, besides its curves."""
CLOSE = 0.01
"""A total variation below this counts as learned."""
SHARPER = f"The learner gets R to the power of β: above 1 good states are better still. {tooltip('beta')}"

_hand = component("hand_view", '<div class="kit hand"></div>', role_css("hand") + style("hand_view.css"))
"""One state and the flows around it, to be set by hand: drag a pipe, or use the arrow keys on it."""

ADDRESS = LessonAddress(4)
PART = part_of(ADDRESS, PARTS)
FLOWS = ADDRESS.parameter("f", FIRST_TRY, numbers(len(FIRST_TRY), FLOW_STEP, MAX_FLOW), spell=spell_numbers)
GRAPH = ADDRESS.parameter("graph", Practice.TOY, one_of(list(GRAPHS)))
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
                buttons()
                with st.popover("Settings", icon=":material/tune:"):
                    controls()
    if by_itself:
        learn()
    else:
        by_hand()
    ask("lesson-4-question", about_exploring())


# By hand


def set_flows(values: Sequence[float]) -> None:
    """What was set by hand: the flows from the parents, then those to the children."""
    if not hidden("controls") and len(values) == len(FIRST_TRY):
        FLOWS.write(tuple(map(float, values)))


def by_hand() -> None:
    """One state, its pipes, and whether it is in balance."""
    place, flows = ground(Practice.TOY), FLOWS.read()
    state = place.names.index(STATE)
    parents = [place.names[p] for p in place.dag.parent[place.dag.child == state]]
    children = [place.names[c] for c in place.dag.child[place.dag.parent == state]]
    reward = float(place.reward[state])
    left, right = st.columns([1, 4], gap="medium", vertical_alignment="center")
    with left:
        nodes = nodes_of(place.instance, start=[place.dag.start], member=place.read_nodes(STATE))
        about = f"A graph with the nodes {', '.join(node.label for node in nodes)}"
        edges = edges_of(place.instance)
        graph_view(nodes, edges, key="l4-graph-by-hand", description=about, height=110, bare=True)
        st.caption(f"The graph. Shaded: {STATE}.")
    with right:
        state_data = {"state": STATE, "parents": parents, "children": children, "reward": reward, "flows": flows}
        range_data = {"most": MAX_FLOW, "step": FLOW_STEP, "fixed": hidden("controls")}
        _hand(key="l4-hand", data=state_data | range_data, heard={"flows": set_flows})
    inward, outward = flows[: len(parents)], flows[len(parents) :]
    with st.container(horizontal=True, horizontal_alignment="center", vertical_alignment="center"):
        if residual(inward, outward, reward) == 0:
            verdict(
                True,
                "**Balanced.** There are many ways to do it. "
                "Training must do it for every state at once, and pipes are shared.",
            )
            if not hidden("controls"):
                icon = ":material/arrow_forward:"
                start = {"on_click": TRAINING.train, "args": ({PART: 1},)}
                st.button("Now let it learn", key="l4-on", type="primary", icon=icon, **start)
        else:
            apart = sum(inward) - sum(outward) - reward
            side = "more flows in than out" if apart > 0 else "more flows out than in"
            how = "" if hidden("controls") else " Drag the slider of a pipe, or use the arrow keys on it."
            st.markdown(f"**{abs(apart):g}** {side}.{how}")


# The learner


def training() -> Training:
    """What is trained, and how."""
    chosen = {"epsilon": EPSILON.read(), "beta": BETA.read(), "lr": TRAINING.rate.read(), "seed": TRAINING.seed.read()}
    return defaults_for(LessonGraph(GRAPH.read())).changed(chosen)


def learn() -> None:
    """The training and what came of it. Where the controls are hidden nobody could start it: it runs."""
    planned, run = training(), TRAINING.run
    config = planned.config
    if not TRAINING.running.read() and not hidden("controls"):
        how = (
            f" All flows begin at {FIRST_FLOW:g}. In each of {config.epochs} steps the learner samples "
            f"{config.batch_size} walks with its own flows. It changes the flows around the states it met: in-flow and "
            "out-flow come closer."
        )
        st.info(f"Press “Train”.{'' if hidden('theory') else how}", icon=":material/model_training:")
        return

    def meanwhile(events: list[dict[str, Any]]) -> None:
        assembler = Assembler(planned.title)
        assembler.feed(events)
        if assembler.length:
            live = Live(running=True, steered=False)
            train_view(assembler.as_dict(), key="l4-learning", token=run, live=live, only=VIEWS)

    trained = run_job("Training a table of flows", RecordTraining(planned), slot="lesson-4", meanwhile=meanwhile)
    if trained is None:
        st.caption("The picture follows the training, then replays it. The first one takes a few seconds longer.")
        return
    if play(trained, run) and not hidden("theory"):
        verdict(*training_verdict(Recording.from_dict(trained)))


def play(trained: dict[str, Any], run: str) -> bool:
    """Show the training; returns whether it was played to its end."""

    def rest(step: int | None) -> None:
        catch_up()
        if run == TRAINING.run:  # else it was replaced before this was heard of
            TRAINING.step.write(step)

    step = TRAINING.step.read()
    train_view(trained, key="l4-training", token=run, step=step, only=VIEWS, heard={"step": rest})
    if TRAINING.step.read() == trained["lanes"][0]["frames"][-1]["step"]:
        st.session_state["l4:ended"] = run
    return bool(st.session_state.get("l4:ended") == run)


def training_verdict(recording: Recording) -> tuple[bool, str]:
    """Whether the flows were learned, and which state is furthest off if not."""
    distance = recording.lanes[0].frames[-1].total_variation or 0.0
    if distance < CLOSE:
        return True, (
            f"In the end every state is in balance and the {term('total variation')} "
            f"is {distance:.4f}: walks stop at each state in proportion to its reward."
        )
    every = zip(final_states(recording), final_visits(recording), strict=True)
    worst, visits = max(every, key=lambda each: each[0].target - each[0].drawn[0])
    often = {0: "never visited", 1: "visited once"}.get(visits, f"visited {visits:,} times")
    return False, (
        f"In the end the {term('total variation')} is {distance:.3f}. **{worst.name}** should get "
        f"{100 * worst.target:.1f} % of the walks and gets {100 * worst.drawn[0]:.1f} %. It was {often}."
    )


def buttons() -> None:
    """Train, and the two presets."""
    TRAINING.train_button("Train")
    for key, label, icon, epsilon, about in (
        (
            "l4-fail",
            "Make it fail: other graph",
            ":material/heart_broken:",
            0.0,
            "It changes the graph: to a path whose two ends are equally good, one near the start and one far. "
            "It also takes no random steps.",
        ),
        (
            "l4-repair",
            f"Repair it: ε = {REPAIR:g}",
            ":material/healing:",
            REPAIR,
            "The same path, but one step in five is random.",
        ),
    ):
        usual = dict.fromkeys((TRAINING.rate, BETA, TRAINING.seed))
        changes = {GRAPH: Practice.TWO_MODES, EPSILON: epsilon, **usual}
        st.button(label, key=key, icon=icon, help=about, on_click=TRAINING.train, args=(changes,))


def controls() -> None:
    """All that the training depends on."""
    bind(st.selectbox, "Graph", GRAPH, list(GRAPHS), key="l4-graph", format_func=GRAPHS.__getitem__)
    bind(st.slider, "ε, random steps", EPSILON, 0.0, 0.5, step=0.05, key="l4-eps", help=tooltip("epsilon"))
    bind(st.slider, "β, sharper rewards", BETA, 0.5, 2.0, step=0.25, key="l4-beta", help=SHARPER)
    TRAINING.pick_rate()
    TRAINING.pick_seed()


def in_train() -> dict[str, str]:
    """The link that opens the same training in Train."""
    config, known = training().config, knobs(GFNConfig)
    shown = ("epsilon", "lr", "beta", "batch_size", "epochs", "seed")
    link = {f"{known[name].link}1": known[name].spell(known[name].of(config)) for name in shown}
    return {"story": "none", "graph": str(GRAPH.read()), **link}


LESSON = Lesson(
    **LESSONS[4],
    show=show,
    explain=lambda: {"dataset": "tree_cycles", "index": "612", "seed": str(TRAINING.seed.read())},
    train=in_train,
)
