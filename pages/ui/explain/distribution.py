"""The subgraphs that were drawn: what they look like, how likely each is, and how likely it should be."""

import math
from collections.abc import Callable

import streamlit as st

from gfx_core.config import FlowSource
from gfx_core.drawing.masks import scores_svg, subgraph_svg
from gfx_core.trace.schema import TUNED, SampledSubgraph, Trace
from pages.ui.components.gallery import Card, gallery
from pages.ui.components.network_view import network_view

SHOWN = 12
FAR = 0.2  # a difference that is worth a training


def drawn_subgraphs(trace: Trace, playing: tuple[int, ...], on_play: Callable[[SampledSubgraph], None]) -> None:
    """The distinct node sets that were drawn, the most frequent first; a click plays one."""
    total = sum(sample.count for sample in trace.samples)
    st.markdown(
        f"**{total} subgraphs were drawn, {len(trace.samples)} of them different.** GFlowExplainer draws a subgraph "
        "with a probability proportional to its reward: " + _verdict(trace)
    )
    samples = sorted(trace.samples, key=lambda sample: (-sample.count, -sample.log_reward))[:SHOWN]

    def card(sample: SampledSubgraph) -> Card:
        facts = [("drawn", f"{sample.count} × ({100 * sample.count / total:.1f} %)")]
        if sample.log_probability is not None and trace.flows is FlowSource.LEARNED:
            facts.append(("learnt probability", _percent(sample.log_probability)))
        if sample.log_probability_exact is not None:
            facts.append(("exact, R/Z", _percent(sample.log_probability_exact)))
        facts.append(("log R", f"{sample.log_reward:.2f}"))
        selected = tuple(sample.nodes) == playing
        return Card(
            subgraph_svg(trace, sample.nodes, f"{len(sample.nodes)} nodes", (300.0, 220.0)),
            f"{len(sample.nodes)} nodes, {len(sample.edges)} edges",
            tuple(facts),
            action="playing" if selected else "Play",
            selected=selected,
        )

    gallery([card(sample) for sample in samples], key="samples-gallery", on_pick=lambda at: on_play(samples[at]))
    if len(trace.samples) > SHOWN:
        st.caption(f"The {SHOWN} most frequent of {len(trace.samples)}.")


def _verdict(trace: Trace) -> str:
    known = [s for s in trace.samples if s.log_probability is not None and s.log_probability_exact is not None]
    if not known or trace.num_states_exact is None:
        return "this instance has too many subgraphs to list them all, so the exact probabilities are not known."
    listed = f"all {trace.num_states_exact:,} possible subgraphs were listed, so "
    if trace.flows is FlowSource.EXACT and trace.total_variation is not None:
        return (
            f"{listed}these come from R/Z itself: the total variation between what is drawn and R/Z is "
            f"{trace.total_variation:.2g}."
        )
    if trace.total_variation is not None:
        apart = trace.total_variation
        return (
            f"{listed}it can be checked. The total variation between what the policy draws and R/Z is {apart:.3f}."
            f"{_tuning(trace, apart)}"
        )
    apart = sum(abs(math.exp(s.log_probability or 0) - math.exp(s.log_probability_exact or 0)) for s in known) / 2
    return (
        f"{listed}it can be checked. Over those drawn, half of the summed differences between learnt and exact "
        f"probability is {apart:.3f}.{_tuning(trace, apart)}"
    )


def _tuning(trace: Trace, apart: float) -> str:
    """What training on this one did, or that it might help."""
    told = trace.made.get("policy", {}).get(TUNED)
    if told is not None:
        first, last = told["residuals"][0], told["residuals"][-1]
        return (
            f" The policy was trained on this one for {told['epochs']} epochs ({told['seconds']:.0f} s): its mean "
            f"residual went from {first:.2f} to {last:.2f}."
        )
    return " Turn on **Train on this one** above to bring them together." if apart > FAR else ""


def _percent(log_probability: float) -> str:
    share = 100 * math.exp(min(0.0, log_probability))
    return f"{share:.1f} %" if share >= 0.1 else "< 0.1 %"


def marginals(trace: Trace) -> None:
    """The share of drawn subgraphs that hold each edge, as the width of the edge."""
    one_start = trace.flows is FlowSource.EXACT and trace.target is None
    only = " With exact flows all of them grow from the one start node that is shown." if one_start else ""
    st.markdown(
        "**Edge marginals.** The wider an edge, the larger the share of drawn subgraphs that hold it. By this score "
        f"GFlowExplainer is compared with other explainers.{only}"
    )
    network_view(
        scores_svg(trace, trace.edge_marginals, "Share of drawn subgraphs that hold each edge"), key="marginals"
    )
