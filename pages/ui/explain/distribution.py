"""The subgraphs that were drawn: what they look like, how likely each is, and how likely it should be."""

import math
from collections.abc import Callable

import streamlit as st

from gfx_core.config import FlowSource
from gfx_core.drawing.masks import scores_svg, subgraph_svg
from gfx_core.text.answers import things
from gfx_core.text.numbers import counted, percent
from gfx_core.trace.schema import TUNED, SampledSubgraph, Trace
from pages.ui.components.gallery import Card, gallery
from pages.ui.components.network_view import network_view
from pages.ui.explorer.parameters import FOLDED

SHOWN = 12
FAR = 0.2  # a difference that is worth a training


def drawn_subgraphs(trace: Trace, playing: tuple[int, ...], on_play: Callable[[SampledSubgraph], None]) -> None:
    """The distinct node sets that were drawn, the most frequent first; a click plays one."""
    total = trace.num_drawn
    st.markdown(
        f"**{_how_many(trace)}** GFlowExplainer draws a subgraph with a probability proportional to its reward: "
        + verdict(trace)
    )
    agreed = set() if trace.answer is None else set(trace.answer.nodes)
    called = things(trace)
    samples = sorted(trace.samples, key=lambda sample: (-sample.count, -sample.log_reward))[:SHOWN]

    def card(sample: SampledSubgraph) -> Card:
        facts = [("drawn", f"{sample.count} × ({percent(sample.count / total)})")]
        if sample.log_probability is not None and trace.flows is FlowSource.LEARNED:
            facts.append(("learnt probability", _share(sample.log_probability)))
        if sample.log_probability_exact is not None:
            facts.append(("exact, R/Z", _share(sample.log_probability_exact)))
        facts.append(("log R", f"{sample.log_reward:.2f}"))
        selected = tuple(sample.nodes) == playing
        nodes, edges = counted(len(sample.nodes), called.node), counted(len(sample.edges), called.edge)
        return Card(
            subgraph_svg(trace, sample.nodes, nodes, (300.0, 220.0), folded=FOLDED.read()),
            f"{nodes}, {edges}",
            tuple(facts),
            "the answer" if set(sample.nodes) == agreed else "",
            action="playing" if selected else "Play",
            selected=selected,
        )

    gallery([card(sample) for sample in samples], key="samples-gallery", on_pick=lambda at: on_play(samples[at]))
    if len(trace.samples) > SHOWN:
        st.caption(f"The {SHOWN} most frequent of {len(trace.samples)}.")


def _how_many(trace: Trace) -> str:
    total, different = trace.num_drawn, len(trace.samples)
    if total == 1:
        return "1 subgraph was drawn."
    return (
        f"{total} subgraphs were drawn, {'all of them the same' if different == 1 else f'{different} different ones'}."
    )


def verdict(trace: Trace) -> str:
    """How far what is drawn is from P ∝ R: the total variation over all states, or that it cannot be known."""
    if trace.total_variation is None or trace.num_states_exact is None:
        return _unknown(trace)
    count = trace.num_states_exact
    listed = "there is only one" if count == 1 else f"all {count:,} possible ones were listed"
    if trace.flows is FlowSource.EXACT:
        return (
            f"{listed}, so these come from R/Z itself: the total variation between what is drawn and R/Z is "
            f"{trace.total_variation:.2g}."
        )
    return (
        f"{listed}, so it can be checked. The total variation between what the policy draws and R/Z is "
        f"{trace.total_variation:.3f}.{_tuning(trace, trace.total_variation)}"
    )


def _unknown(trace: Trace) -> str:
    """What can be said where the states are too many to be listed, or were not."""
    residual = trace.mean_residual
    told = (
        "" if residual is None else f" What is known is the flows’ error on the way: a mean residual of {residual:.2f}."
    )
    return (
        "this instance has too many to list them all, so how far the draws are from R/Z cannot be known."
        f"{told}{_tuning(trace, 0.0)}"
    )


def _tuning(trace: Trace, apart: float) -> str:
    """What training on this one did, or that it might help."""
    told = trace.made.get("policy", {}).get(TUNED)
    if told is not None:
        distances, residuals = told.get("distances", ()), told["residuals"]
        went = (
            f"its total variation from R/Z went from {distances[0]:.3f} to {min(distances):.3f}"
            if len(distances) == 2  # else the states are too many, or nobody looked
            else f"its mean residual went from {residuals[0]:.2f} to {residuals[-1]:.2f}"
        )
        for_long = f"{counted(told['epochs'], 'epoch')} ({told['seconds']:.0f} s)"
        return f" The policy was trained on this one for {for_long}: {went}."
    return " Turn on **Train on this one** to bring them together." if apart > FAR else ""


def _share(log_probability: float) -> str:
    return percent(math.exp(min(0.0, log_probability)))


def marginals(trace: Trace) -> None:
    """The share of drawn subgraphs that hold each edge, as the width of the edge."""
    one_start = trace.flows is FlowSource.EXACT and trace.target is None
    only = " With exact flows all of them grow from the one start node that is shown." if one_start else ""
    st.markdown(
        "**Edge marginals.** The wider an edge, the larger the share of drawn subgraphs that hold it. By this score "
        f"GFlowExplainer is compared with other explainers.{only}"
    )
    network_view(
        scores_svg(trace, trace.edge_marginals, "Share of drawn subgraphs that hold each edge", folded=FOLDED.read()),
        key="marginals",
    )
