"""Explain: the player of a trace, what stands beside it, how subgraphs are sampled, and all predictions as a table."""

import math
import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import streamlit as st

from gfx_core import limits
from gfx_core.config import FlowSource, FragmentModel
from gfx_core.datasets.registry import sources_of
from gfx_core.datasets.source import Numbered
from gfx_core.drawing.masks import trace_picture
from gfx_core.errors import UserError
from gfx_core.explanation.many import NamedQuestions, Row
from gfx_core.explanation.question import Question, options
from gfx_core.gfn.knobs import knobs
from gfx_core.gfn.settings import RewardConfig
from gfx_core.jobs import requests
from gfx_core.jobs.job import JobCancelledError, JobError, Request
from gfx_core.teaching.glossary import tooltip
from gfx_core.text.answers import flow_words, things, truth_words, what_may_help
from gfx_core.text.numbers import counted, percent
from gfx_core.trace import serialize
from gfx_core.trace.edit import along_reason, trace_by_hand, way_to
from gfx_core.trace.schema import TUNED, SampledSubgraph, Step, Trace
from pages.ui import jobs, sessions
from pages.ui.address import bind, pick_one, whole
from pages.ui.components.browser import save_button
from pages.ui.components.player import player
from pages.ui.components.svg_views import Card, gallery
from pages.ui.explorer.parameters import (
    BESIDE,
    BY_HAND,
    DATASET,
    EXPLORER,
    GNN,
    OPTIONS,
    ORDER,
    REASON,
    STEP,
    STOPPED,
    go_to_number,
)
from pages.ui.presenting import PRESENT, present
from pages.ui.text import file_name, plain
from pages.ui.uploads import find_upload, upload_field
from pages.ui.widgets import WORDS, in_row, pick_knob, widget

if TYPE_CHECKING:
    from gfx_core.drawing.export import States
    from gfx_core.drawing.state_graph import PolicyDag

TAKE_S = 20.0  # as long does a file wait for the states
_WORDS = WORDS["explain"]


def show(trace: Trace, question: Question, *, few: bool) -> Trace:
    """The player; returns the trajectory that it shows.

    Args:
        trace: The explanation of the prediction.
        question: What it answers.
        few: Whether the player shows few tools: then nothing stands below it, and it may be higher.
    """
    stage = st.container(key="stage")
    with st.container(key="following"):  # below, so that the player stays where it is
        trajectory = _trajectory(trace, question)
    request = requests.list_states(question.policy, trajectory.steps[-1].members)
    states = jobs.cached_result(request) if BESIDE.read() else None
    with stage:
        if STOPPED.read():
            chance = math.exp(trajectory.final.log_trajectory_probability)
            st.markdown(_WORDS["stopped"].format(flows=trajectory.flows, chance=chance))
        elif BY_HAND.read():
            st.markdown(_WORDS["turn"])
        _play(trace, trajectory, states, few)
    with st.container(key="listing"):
        if BESIDE.read() and states is None and jobs.run_job("Listing the states", request, slot="states") is not None:
            st.rerun()  # the player is there already: it is given them now
    return trajectory


def _trajectory(trace: Trace, question: Question) -> Trace:
    """The trace along the trajectory in the link, if any; along the one before while that is computed."""
    order = tuple(ORDER.read() or ())
    if len(set(order)) < len(order) or any(node >= len(trace.nodes) for node in order):
        order = ()  # no trajectory
    if BY_HAND.read():
        order = order or (trace.start,)
    if not order:
        return along_reason(trace, REASON.read() or 0)
    steps = _known_steps(trace, question, order)
    steps = steps or jobs.run_job("Following the trajectory", requests.follow(question.policy, order), slot="steps")
    steps = steps or _known_steps(trace, question, order[:-1])
    return trace_by_hand(trace, steps) if steps else trace


def _known_steps(trace: Trace, question: Question, order: tuple[int, ...]) -> tuple[Step, ...]:
    """The steps that add some nodes in this order, where a trajectory of the trace begins so, or a worker had them."""
    for reason in (trace, *trace.reasons):
        if reason.steps and reason.steps[-1].members[: len(order)] == order:
            return reason.steps[: len(order)]
    return jobs.cached_result(requests.follow(question.policy, order)) or ()


def _play(trace: Trace, trajectory: Trace, states: "PolicyDag | None", few: bool) -> None:
    """The player with a trace, along a trajectory chosen by hand or a reason."""
    by_hand, ordered = BY_HAND.read(), ORDER.read() is not None

    def choose(number: int) -> None:
        EXPLORER.change({REASON: number, ORDER: None, STEP: None})

    def take(node: int | None, at: int) -> None:
        members = trajectory.steps[min(at, len(trajectory.steps) - 1)].members
        order = members if node is None else (*members, node)
        EXPLORER.change({ORDER: order, STEP: None, STOPPED: node is None})

    def explain(node: int) -> None:
        go_to_number(trace.dataset, trace.nodes[node].id)

    def play_way(state: int) -> None:
        """Play a way to a state that is not on the trajectory."""
        if states is not None and (box := states.picture.box_of(state)) is not None:
            EXPLORER.change({ORDER: way_to(trajectory, box.nodes), BY_HAND: None})

    heard = {"view": BESIDE.write, "way": play_way, "present": present}
    if by_hand:
        heard["take"] = take
    else:
        heard |= {"step": STEP.write, "reason": choose, "explain": None if trace.target is None else explain}
    player(
        trajectory if by_hand or ordered else trace,
        key="player",
        step=None if by_hand else STEP.read(),
        heard=heard,
        ended=STOPPED.read() or not by_hand,
        atAnswer=not ordered,
        states=None if states is None else {"picture": asdict(states.picture), "words": state_words(states)},
        view=BESIDE.read(),
        presenting=PRESENT.read(),
        few=few,
        reason=None if ordered else REASON.read(),
        height=900 if few else 550,
    )


def states_for_file(trace: Trace, question: Question) -> "Callable[[], States | None]":
    """Gets the states for a file; the page need not have listed them."""
    request = requests.list_states(question.policy, trace.steps[-1].members)
    workers, client = jobs.pool(), sessions.client()

    def get() -> "States | None":
        with suppress(UserError, JobError, JobCancelledError, TimeoutError):
            states = workers.submit(request, client).result(TAKE_S)
            return states.picture, state_words(states)
        return None

    return get


def state_words(states: "PolicyDag") -> str:
    """What the picture of the states means, as plain text."""
    if states.total_variation is None:
        return _WORDS["many-states"].format(cap=states.cap, max_nodes=states.max_nodes)
    return _WORDS["states"].format(
        count=counted(states.picture.num_states, "state"),
        part="all shown" if states.picture.whole else "only those around the trajectory shown",
        flows=states.flows,
        max_nodes=states.max_nodes,
        total_variation=states.total_variation,
    )


SAMPLES = 12
"""Sampled subgraphs that are drawn."""
_UPLOAD = "upload"


def question_line(trace: Trace) -> None:
    """What is being explained, whether it is right, and what to try where nothing explains the prediction."""
    name = plain(trace.classes[trace.prediction.predicted])
    question = f"Why does the GNN predict **{name}** for this {things(trace).instance}?"
    st.markdown(f"{question} {plain(truth_words(trace))}".rstrip(), help=_WORDS["how"])
    if hint := what_may_help(trace):
        st.caption(_WORDS["hint"].format(plain(hint)))


def sampled_subgraphs(trace: Trace, playing: tuple[int, ...], on_play: Callable[[SampledSubgraph], None]) -> None:
    """The distinct node sets that were sampled, the most frequent first; a click plays one.

    Args:
        trace: Has them.
        playing: The set that the player shows.
        on_play: Plays one.
    """
    tuning = trace.made.get("policy", {}).get(TUNED)
    counts = f"**We took {counted(trace.num_drawn, 'sample')} of {counted(len(trace.samples), 'subgraph')}.**"
    tuned = ""
    if tuning is not None:
        tuned = _WORDS["tuned"].format(before=tuning["residuals"][0], after=tuning["residuals"][-1], **tuning)
    st.markdown(f"{counts} {_WORDS['samples']} {flow_words(trace)} {tuned}")
    reasons = [set(reason.nodes) for reason in trace.reasons]
    samples = sorted(trace.samples, key=lambda sample: (-sample.count, -sample.log_reward))[:SAMPLES]
    cards = []
    for sample in samples:
        facts = [("sampled", f"{sample.count} × ({percent(sample.count / trace.num_drawn)})")]
        chances = {"learned probability": sample.log_probability, "exact, R/Z": sample.log_probability_exact}
        facts += [(name, percent(math.exp(min(0.0, log)))) for name, log in chances.items() if log is not None]
        facts.append(("log R", f"{sample.log_reward:.2f}"))
        is_playing, nodes = tuple(sample.nodes) == playing, set(sample.nodes)
        size = f"{counted(len(sample.nodes), things(trace).node)}, {counted(len(sample.edges), things(trace).edge)}"
        cards.append(
            Card(
                trace_picture(trace, size, nodes=sample.nodes, size=(300.0, 220.0)).svg(),
                size,
                tuple(facts),
                f"reason {reasons.index(nodes) + 1}" if nodes in reasons else "",
                action="playing" if is_playing else "Play",
                selected=is_playing,
            )
        )
    gallery(cards, key="samples-gallery", on_pick=lambda at: on_play(samples[at]))
    if len(trace.samples) > SAMPLES:
        st.caption(f"The {SAMPLES} most frequent of {len(trace.samples)}.")


def export_buttons(trace: Trace, states: "Callable[[], States | None]" = lambda: None) -> None:
    """Download buttons; a file is made when its button is pressed.

    Args:
        trace: What is saved.
        states: Gets its state space for the page that plays offline, where that can be had.
    """
    name = file_name("gflowexplainer", trace.dataset, trace.name)

    def page() -> bytes:
        from gfx_core.drawing.export import player_html

        return player_html(trace, states()).encode()

    def animation() -> bytes:
        from gfx_core.drawing.export import gif

        return gif(trace)

    def text() -> bytes:
        return serialize.to_json(trace).encode()

    with in_row("exports"):
        save_button("Page that plays offline", page, f"{name}.html", "web", help=_WORDS["offline"])
        save_button("GIF", animation, f"{name}.gif", "gif_box")
        save_button("JSON", text, f"{name}.json", "data_object", help=_WORDS["json"])
    st.caption("A picture of the current step, as PNG or SVG, is behind the player’s own buttons.")


def load_trace(label: str = "Load a trace (JSON)") -> None:
    """A field for a trace that was saved as JSON."""
    about = {"type": ["json"], "key": _UPLOAD, "most_mb": limits.TRACE_MB, "help": "A file saved here."}
    upload_field(label, serialize.from_json, **about)


def loaded_trace() -> Trace | None:
    """The trace that was loaded, as long as its file is there."""
    trace: Trace | None = find_upload(_UPLOAD)
    return trace


def show_loaded(trace: Trace, presenting: bool = False) -> None:
    """A trace that was loaded: what it explains, what to know of it, the player, and its files."""
    question_line(trace)
    if trace.notes:
        st.markdown(plain(" ".join(trace.notes)))
    player(trace, key="player", atAnswer=True, presenting=presenting)
    export_buttons(trace)


COUNTS = (16, 64, 256)


def pick_sampling(question: Question, settings: dict[str, Any]) -> None:
    """The widgets.

    Args:
        question: What the link is about.
        settings: How the policy was trained.
    """
    with st.popover(**widget("sampling-list")):
        samples = sorted({*COUNTS, question.samples})
        bind(st.select_slider, "Samples (N)", OPTIONS["samples"], samples, shown=question.samples)
        _other_policy(question, settings)
    st.button(**widget("again"), on_click=lambda: OPTIONS["seed"].write(random.randrange(1, 10_000)))
    usual = question.usual_flows
    flows = {flows: flows.capitalize() for flows in FlowSource}
    pick_one(**widget("flows"), parameter=OPTIONS["flows"], titles=flows, shown=OPTIONS["flows"].read(usual), own=usual)
    if usual is FlowSource.EXACT or question.fragments is not FragmentModel.AUTO:
        models = {model: model.capitalize() for model in FragmentModel}
        pick_one(**widget("fragments"), parameter=OPTIONS["fragments"], titles=models)
    if question.flows is not FlowSource.EXACT:
        bind(st.toggle, parameter=OPTIONS["tuned"], own=False, **widget("tune"))


def _other_policy(question: Question, settings: dict[str, Any]) -> None:
    """Fewer nodes or another reward than those that the policy was trained with."""
    most, reward = int(settings["max_nodes"]), RewardConfig.from_dict(settings["reward"])
    about = f"{tooltip('k-m')} The policy was trained with {most}; you can choose fewer."
    size = min(question.max_nodes or most, most)
    bind(st.slider, "Most nodes", OPTIONS["max_nodes"], 2, most, shown=size, own=most, help=about)
    if settings["stop"] != "reward":
        return
    follow = _WORDS["learned-stay" if question.own and question.flows is not FlowSource.EXACT else "flows-follow"]
    for name in ("beta", "node_price"):
        knob = knobs(RewardConfig)[name]
        trained, chosen = knob.of(reward), getattr(question, name)
        value = trained if chosen is None else chosen
        pick_knob(knob, OPTIONS[name], value, trained, f"{{}} The policy was trained with {trained:g}. {follow}")


COUNT = 25
"""Rows of the table."""
_HOW = [name for name, option in options().items() if option.travels]
_FIRST, _TABLE = "predictions-first", "predictions"  # session state: of these widgets
ROWS = EXPLORER.parameter(
    "rows",
    None,
    whole(0, 10**9),
    under=(DATASET, GNN, *(OPTIONS[name] for name in _HOW)),
)
"""The number of the first prediction in the table; ``None`` before it is requested."""


def all_predictions(question: Question, index: int) -> None:
    """From where on to explain, and the table once it is there.

    Args:
        question: How the prediction above is explained: the others are in the same way.
        index: Its number, where it has one.
    """
    source, noun = sources_of(question.dataset)[Numbered.parameter], plain(question.info.vocabulary.instance)
    if not source.ready:
        st.caption(WORDS["datasets"]["not-here"])
        return
    last, first = source.dataset().num_instances - 1, ROWS.read()
    with in_row("predictions-pick", "bottom"):
        st.number_input(f"From {noun}", 0, last, min(first or index, last), key=_FIRST, width=150)
        texts = widget("predictions-start", count=COUNT, noun=noun)
        st.button(**texts, on_click=lambda: ROWS.write(int(st.session_state[_FIRST])))
    if first is None:
        return
    how = {name: getattr(question, name) for name in _HOW}
    named, indices = NamedQuestions(question.dataset, question.gnn, options=how), range(last + 1)[first : first + COUNT]
    files = requests.files_of(question.dataset, question.gnn, question.own)
    about = {"questions": named, "indices": indices}
    request = Request[list[Row]]("gfx_core.explanation.many:explain_all", about, files)
    title = f"Explaining {counted(len(indices), noun)} of {plain(question.info.title)}"
    rows = jobs.run_job(title, request, slot="predictions")
    if rows is None:
        return

    def picked() -> None:
        for at in st.session_state[_TABLE].selection.rows:
            go_to_number(question.dataset, rows[at].index)

    st.dataframe(
        [asdict(row) | {"sentence": row.sentence or row.error} for row in rows],
        column_config=WORDS["predictions"],
        column_order=list(WORDS["predictions"]),
        hide_index=True,
        key=_TABLE,
        on_select=picked,
        selection_mode="single-row",
    )
    st.caption("A click on a heading sorts; a tick at the beginning of a row opens its player above.")
