"""Explain: watch a GFlowNet build the subgraph that explains one prediction."""

import math
from dataclasses import replace

import streamlit as st

from gfx_core.teaching.glossary import term
from gfx_core.trace.schema import SampledSubgraph, Trace
from pages.ui import distribution, explaining, exports, jobs, pickers
from pages.ui.chrome import through_app
from pages.ui.components.copy_link import copy_link
from pages.ui.components.player import player
from pages.ui.sampling import Sampling, pick_sampling, policy_settings, read_sampling, say_untrained
from pages.ui.selection import choose, choose_index, read_selection
from pages.ui.state_space import state_space
from pages.ui.subject import find_subject

# what is below the player, and what the URL calls it
TABS = {"Drawn subgraphs": None, "Edge marginals": "marginals", "State space": "states", "Save and load": "files"}


def prediction_line(trace: Trace) -> None:
    """What is being explained, in one line."""
    said = trace.prediction
    name, chance = trace.classes[said.predicted], said.probabilities[said.predicted]
    what = "this node" if trace.target is not None else "this graph"
    truth = (
        ""
        if said.true is None
        else (" It is right." if said.true == said.predicted else f" Truly it is “{trace.classes[said.true]}”.")
    )
    st.markdown(f"The GNN takes {what} for **{name}** ({100 * chance:.1f} %).{truth} Why?")


def show(trace: Trace, asked: explaining.Asked, sampling: Sampling) -> None:
    """The player, by itself or steered by hand, and everything below it."""
    by_hand = st.query_params.get("mode") == "hand"
    order = explaining.read_order(trace)
    shown: Trace | None = trace
    if by_hand and order is None:
        order = [trace.start]
    if order is not None:
        shown = explaining.trace_along(trace, asked, sampling, order)
    ended = st.query_params.get("stop") == "1"
    if shown is not None:
        if by_hand:
            hand_line(shown, ended)
        play(shown, by_hand, ended)
    below(trace, shown, asked, sampling)


def play(trace: Trace, by_hand: bool, ended: bool) -> None:
    step = st.query_params.get("step", "")

    def explain_instead(node: int) -> None:
        explaining.write_order(None)
        choose_index(trace.dataset, trace.nodes[node].id)

    def take(node: int | None, at: int) -> None:
        members = list(trace.steps[min(at, len(trace.steps) - 1)].members)
        explaining.write_order(members if node is None else [*members, node], stop=1 if node is None else None)

    player(
        replace(trace, masks=()),  # they are for the Compare page
        key="player",
        height=560,
        step=int(step) if step.isdecimal() and len(step) < 4 and not by_hand else None,
        manual=by_hand,
        ended=ended,
        on_step=None if by_hand else lambda frame: choose(step=frame),
        on_take=take,
        on_explain=None if trace.target is None or by_hand else explain_instead,
    )


def hand_line(trace: Trace, ended: bool) -> None:
    """Say what to do, and how likely what was done is."""
    likely = 100 * math.exp(trace.final.log_trajectory_probability)
    if ended:
        st.markdown(f"You stopped. The policy would take exactly these steps with a probability of **{likely:.2g} %**.")
    else:
        st.markdown("**Your turn:** click an orange node to add it, or STOP. Step back and click to go elsewhere.")


def below(trace: Trace, shown: Trace | None, asked: explaining.Asked, sampling: Sampling) -> None:
    named = {value: name for name, value in TABS.items()}
    st.session_state["below"] = named.get(st.query_params.get("tab"), named[None])
    drawn, wide, space, files = st.tabs(
        list(TABS), key="below", on_change=lambda: choose(tab=TABS[st.session_state["below"]])
    )
    with drawn:
        playing = tuple(sorted((shown or trace).final.nodes))

        def start(sample: SampledSubgraph) -> None:
            explaining.write_order(sample.order, mode=None, stop=None)

        if trace.samples:
            distribution.drawn_subgraphs(trace, playing, start)
    with wide:
        if trace.edge_marginals:
            distribution.marginals(trace)
    with space:
        if space.open:
            state_space(shown or trace, asked, sampling)
    with files:
        exports.export_buttons(shown or trace)
        exports.load_trace()


through_app()
st.title("Explain one prediction", anchor=False)
st.markdown(
    "Watch the GFlowNet grow a connected subgraph from the **pink** node until it takes STOP. "
    f"**Orange** nodes can come next. Every symbol is in the {term('state', 'glossary')}."
)
brought = exports.loaded_trace()
if brought is not None:
    st.info(
        f"This trace was loaded from a file: {brought.dataset_title} {brought.index}. Remove the file to go back.",
        icon=":material/upload_file:",
    )
    prediction_line(brought)
    player(replace(brought, masks=()), key="player")
    exports.export_buttons(brought)
    exports.load_trace()
    st.stop()

selection, sampling = read_selection(), read_sampling()
for problem in selection.problems:
    st.warning(problem, icon=":material/link_off:")
with st.container(horizontal=True, vertical_alignment="bottom", key="pickers"):
    pickers.pick_dataset(selection)
    subject = find_subject(selection)
    explaining.pick_interesting(selection.dataset)
    kind = pickers.pick_gnn(selection)
    more = st.container(horizontal=True, vertical_alignment="bottom", width="content", key="sampling")
if subject is None or kind is None:
    st.stop()
settings = policy_settings(selection.dataset, kind)
if settings is None:
    say_untrained(selection.dataset, kind)
    st.stop()
with more:
    pick_sampling(sampling, settings)
    st.session_state["by-hand"] = st.query_params.get("mode") == "hand"
    st.toggle(
        "Build by hand",
        key="by-hand",
        help=f"Choose every step of the {term('trajectory')} yourself and see what the {term('policy')} would do.",
        on_change=lambda: explaining.write_order(None, mode="hand" if st.session_state["by-hand"] else None, stop=None),
    )
    copy_link()
asked = explaining.asked_for(selection, kind, subject.instance.index, subject.dataset is not None)
found = explaining.shipped_trace(asked, sampling) or explaining.computed_trace(asked, sampling)
if found is None and sampling.tuned:  # the visitor need not look at nothing
    sampling = replace(sampling, tuned=False)
    found = explaining.known_trace(asked, sampling)
    if found is not None:
        st.caption("This is the explanation before the training on this one.")
if found is not None:
    prediction_line(found)
    show(found, asked, sampling)
jobs.crew()  # PyTorch is loaded in the background while the visitor watches
