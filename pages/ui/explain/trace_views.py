"""What a page shows of a trace beside the player: the prediction, the samples, how likely they are, and its files."""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

from gfx_core import limits
from gfx_core.drawing.masks import trace_picture
from gfx_core.text.answers import flow_words, things, truth_words, what_may_help
from gfx_core.text.numbers import counted, percent
from gfx_core.trace import serialize
from gfx_core.trace.schema import TUNED, SampledSubgraph, Trace
from pages.ui.components.browser import save_button
from pages.ui.components.player import player
from pages.ui.components.svg_views import Card, gallery
from pages.ui.text import file_name, plain
from pages.ui.uploads import Upload, find_upload, upload_field
from pages.ui.wording import WORDS

if TYPE_CHECKING:
    from gfx_core.drawing.export import States

SAMPLES = 12
"""Sampled subgraphs that are drawn."""
_WORDS: dict[str, str] = WORDS["explain"]
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
    reasons = [] if trace.answer is None else [set(reason.nodes) for reason in trace.answer.reasons]
    samples = sorted(trace.samples, key=lambda sample: (-sample.count, -sample.log_reward))[:SAMPLES]
    cards = []
    for sample in samples:
        facts = [("sampled", f"{sample.count} × ({percent(sample.count / trace.num_drawn)})")]
        chances = {"learned probability": sample.log_probability, "exact, R/Z": sample.log_probability_exact}
        facts += [(name, percent(math.exp(min(0.0, log)))) for name, log in chances.items() if log is not None]
        facts.append(("log R", f"{sample.log_reward:.2f}"))
        is_playing, nodes = tuple(sample.nodes) == playing, set(sample.nodes)
        size = f"{counted(len(sample.nodes), things(trace).node)}, {counted(len(sample.edges), things(trace).edge)}"
        look = {"size": (300.0, 220.0)}
        cards.append(
            Card(
                trace_picture(trace, size, nodes=sample.nodes, **look).svg(),
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
        from gfx_core.drawing.gif import gif

        return gif(trace)

    def text() -> bytes:
        return serialize.to_json(trace).encode()

    with st.container(horizontal=True, key="exports"):
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
    upload: Upload[Trace] | None = find_upload(_UPLOAD)
    return None if upload is None else upload.value


def show_loaded(trace: Trace, presenting: bool = False) -> None:
    """A trace that was loaded: what it explains, what to know of it, the player, and its files."""
    question_line(trace)
    if trace.notes:
        st.markdown(plain(" ".join(trace.notes)))
    player(trace, key="player", atAnswer=True, presenting=presenting)
    export_buttons(trace)
