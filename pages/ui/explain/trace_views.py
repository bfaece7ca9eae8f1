"""What a page shows of a trace beside the player: the prediction, the samples, how likely they are, and its files."""

import math
from collections.abc import Callable
from statistics import fmean
from typing import TYPE_CHECKING

import streamlit as st

from gfx_core import limits
from gfx_core.config import FlowSource
from gfx_core.drawing.masks import trace_picture
from gfx_core.gnn.checkpoint import ModelHeader
from gfx_core.teaching.glossary import tooltip
from gfx_core.text.answers import flow_words, of_start, things, truth_words, what_may_help
from gfx_core.text.numbers import counted, percent
from gfx_core.trace import serialize
from gfx_core.trace.schema import TUNED, SampledSubgraph, Trace
from pages.ui.components.browser import save_button
from pages.ui.components.player import alone, player
from pages.ui.components.svg_views import Card, gallery, network_view
from pages.ui.explorer import loaders
from pages.ui.explorer.parameters import FOLDED
from pages.ui.text import file_name, plain
from pages.ui.uploads import Upload, find_upload, upload_field

if TYPE_CHECKING:
    from gfx_core.drawing.export import States

SHOWN = 12
FAR = 0.2  # a difference that is worth a training
_HOW = "We sample many subgraphs, group those that agree and outline the most probable of each large group."
_UPLOAD = "upload"


def question_line(trace: Trace, gnn: ModelHeader | None = None, tools: bool = False) -> None:
    """What is being explained, and how; where the truth is not known, how often the GNN is right.

    How probable the prediction is, the answer says.

    Args:
        trace: What is explained.
        gnn: The header of the GNN, if it is one of ours.
        tools: Whether all tools are shown: then what the GNN was trained on is said as well.
    """
    truth, second = plain(truth_words(trace, gnn and gnn.accuracy.get("test"))), "" if tools else _HOW
    if truth and trace.prediction.true is None:
        truth, second = "", truth
    trained = "" if gnn is None or not tools else f" (trained on {loaders.trained_on(gnn)})"
    name = plain(trace.classes[trace.prediction.predicted])
    with st.container(horizontal=True, key="question"):
        st.markdown(
            f"Why does the GNN{trained} predict **{name}** for this {things(trace).instance}? {truth}".rstrip(),
            help=tooltip("fragments") if trained else None,
            width="content",
        )
        if second:
            st.markdown(second, width="content")


def hints_line(trace: Trace, tools: bool) -> None:
    """What to try where nothing was found that explains the prediction, and where that is if it is not shown."""
    if hint := what_may_help(trace):
        plainer = "To remove or change parts yourself, turn on **All tools** and **What if**."
        st.caption(f":material/lightbulb: {plain(hint) if tools else plainer}")


def flows_line(trace: Trace) -> None:
    """What exact flows are, and that they are exact, as computed."""
    if trace.flows is FlowSource.EXACT:
        compared = any(step.other is not None for step in trace.steps)
        beside = " The thin marks in the player’s policy show what the learned one would do." if compared else ""
        st.caption(flow_words(trace) + beside)


def sampled_subgraphs(trace: Trace, playing: tuple[int, ...], on_play: Callable[[SampledSubgraph], None]) -> None:
    """The distinct node sets that were sampled, the most frequent first; a click plays one."""
    total = trace.num_drawn
    st.markdown(
        f"**{samples_text(trace)}** GFlowExplainer samples a subgraph with a probability proportional to its reward: "
        + verdict(trace)
    )
    reasons = [] if trace.answer is None else [set(reason.nodes) for reason in trace.answer.reasons]
    called, noun = things(trace), "reason" if trace.answer is not None and trace.answer.explains else "part"
    samples = sorted(trace.samples, key=lambda sample: (-sample.count, -sample.log_reward))[:SHOWN]

    def card(sample: SampledSubgraph) -> Card:
        facts = [("sampled", f"{sample.count} × ({percent(sample.count / total)})")]
        if sample.log_probability is not None and trace.flows is FlowSource.LEARNED:
            facts.append(("learned probability", _share(sample.log_probability)))
        if sample.log_probability_exact is not None:
            facts.append(("exact, R/Z", _share(sample.log_probability_exact)))
        facts.append(("log R", f"{sample.log_reward:.2f}"))
        selected = tuple(sample.nodes) == playing
        nodes, edges = counted(len(sample.nodes), called.node), counted(len(sample.edges), called.edge)
        return Card(
            trace_picture(trace, nodes, nodes=sample.nodes, size=(300.0, 220.0), folded=FOLDED.read()).svg(),
            f"{nodes}, {edges}",
            tuple(facts),
            f"{noun} {reasons.index(set(sample.nodes)) + 1}" if set(sample.nodes) in reasons else "",
            action="playing" if selected else "Play",
            selected=selected,
        )

    gallery([card(sample) for sample in samples], key="samples-gallery", on_pick=lambda at: on_play(samples[at]))
    if len(trace.samples) > SHOWN:
        st.caption(f"The {SHOWN} most frequent of {len(trace.samples)}.")


def samples_text(trace: Trace) -> str:
    """How many subgraphs were sampled, and how many different ones."""
    total, different = trace.num_drawn, len(trace.samples)
    if total == 1:
        return "We took 1 sample."
    return f"We took {total} samples, {'all the same' if different == 1 else f'{different} different ones'}."


def verdict(trace: Trace) -> str:
    """How far what is sampled is from P ∝ R: the total variation over all states, or that it cannot be known."""
    if trace.total_variation is None or trace.num_states_exact is None:
        text = "this instance has too many to list, so the distance of the samples from R/Z is not known."
        if trace.residuals:
            text += f" We know the flows’ error on the way: a mean residual of {fmean(trace.residuals):.2f}."
        return text + _tuning(trace, 0.0)
    count = trace.num_states_exact
    listed = "there is only one" if count == 1 else f"we listed all {count:,}{of_start(trace)}"
    if len({sample.order[0] for sample in trace.samples}) > 1:
        starts = f"samples start at different {things(trace).node}s, and the flows are those of one start"
        if trace.flows is FlowSource.EXACT:
            return f"{starts}: {listed}."
        listed = f"{starts}. To check these, {listed}"
    if trace.flows is FlowSource.EXACT:
        return f"{listed}, so these come from R/Z itself: the total variation from it is {trace.total_variation:.2g}."
    return (
        f"{listed}, so we can check it. The policy’s total variation from R/Z is "
        f"{trace.total_variation:.3f}.{_tuning(trace, trace.total_variation)}"
    )


def _tuning(trace: Trace, apart: float) -> str:
    """What training on this one did, or that it might help."""
    tuning = trace.made.get("policy", {}).get(TUNED)
    if tuning is not None:
        distances, residuals = tuning.get("distances", ()), tuning["residuals"]
        went = (
            f"its total variation from R/Z went from {distances[0]:.3f} to {min(distances):.3f}"
            if len(distances) == 2  # else the states are too many, or they were not listed
            else f"its mean residual went from {residuals[0]:.2f} to {residuals[-1]:.2f}"
        )
        for_long = f"{counted(tuning['epochs'], 'epoch')} ({tuning['seconds']:.0f} s)"
        return f" The policy was trained on this one for {for_long}: {went}."
    return " Turn on **Train on this one** to reduce it." if apart > FAR else ""


def _share(log_probability: float) -> str:
    return percent(math.exp(min(0.0, log_probability)))


def marginals(trace: Trace) -> None:
    """The share of sampled subgraphs that contain each edge, as the width of the edge."""
    one_start = trace.flows is FlowSource.EXACT and trace.target is None
    only = " With exact flows all samples grow from the start node that is shown." if one_start else ""
    st.markdown(
        "**Edge marginals.** The wider an edge, the more samples contain it. This score compares GFlowExplainer with "
        f"other explainers.{only}"
    )
    title = "Share of samples that contain each edge"
    network_view(trace_picture(trace, title, scores=trace.edge_marginals, folded=FOLDED.read()).svg(), key="marginals")


def export_buttons(trace: Trace, states: "Callable[[], States | None]" = lambda: None) -> None:
    """Download buttons; a file is made when its button is pressed.

    Args:
        trace: What is taken along.
        states: Gets its state space for the page that plays offline, where that can be had.
    """
    name = file_name("gflowexplainer", trace.dataset, trace.name)

    def page() -> bytes:
        from gfx_core.drawing.export import player_html

        return player_html(trace, states()).encode()

    def animation() -> bytes:
        from gfx_core.drawing.gif import gif

        return gif(trace)

    with st.container(horizontal=True, key="exports"):
        offline = (
            "One HTML file with the whole player in it, and all states where they can be listed: open it anywhere, "
            "without a network."
        )
        save_button("Page that plays offline", page, f"{name}.html", "web", help=offline)
        save_button("GIF", animation, f"{name}.gif", "gif_box")
        again = "The trace itself, with all numbers and how it was made. It can be loaded again below."
        save_button("JSON", lambda: serialize.to_json(trace).encode(), f"{name}.json", "data_object", help=again)
    st.caption("A picture of the current step, as PNG or SVG, is in the player’s own menu.")


def load_trace(label: str = "Load a trace (JSON)") -> None:
    """Bring a trace back from a JSON file."""
    about = {"types": ["json"], "key": _UPLOAD, "most_mb": limits.TRACE_MB, "help_text": "A file saved here."}
    upload_field(label, serialize.from_json, **about)


def show_loaded(trace: Trace, presenting: bool = False) -> None:
    """A trace that was brought back: what it explains, what to know of it, the player, and its files."""
    question_line(trace)
    if trace.notes:
        st.markdown(plain(" ".join(trace.notes)))
    flows_line(trace)
    player(alone(trace), key="player", atAnswer=True, presenting=presenting)
    export_buttons(trace)


def loaded_trace() -> Trace | None:
    """The trace that was brought back, as long as its file is there."""
    found: Upload[Trace] | None = find_upload(_UPLOAD)
    return None if found is None else found.value
