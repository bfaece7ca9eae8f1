"""How subgraphs are sampled: the widgets."""

import random
from typing import Any

import streamlit as st

from gfx_core.config import FlowSource, FragmentModel
from gfx_core.explanation.question import Question, tuning_plan
from gfx_core.gfn.knobs import knobs
from gfx_core.gfn.settings import RewardConfig
from gfx_core.teaching.glossary import tooltip
from pages.ui.address import bind, pick_one
from pages.ui.explorer.parameters import OPTIONS
from pages.ui.wording import WORDS, widget

COUNTS = (16, 64, 256)


def pick_sampling(question: Question, settings: dict[str, Any], num_nodes: int, usual: FlowSource) -> None:
    """The widgets.

    Args:
        question: What the link is about.
        settings: How the policy was trained.
        num_nodes: Of the instance: how long a training on it takes.
        usual: The flows where the link has none.
    """
    with st.popover(**widget("sampling-list")):
        samples = sorted({*COUNTS, question.samples})
        bind(st.select_slider, "Samples (N)", OPTIONS["samples"], samples, shown=question.samples)
        _other_policy(question, settings)
    st.button(**widget("again"), on_click=lambda: OPTIONS["seed"].write(random.randrange(1, 10_000)))
    if question.edits:
        usual = FlowSource.EXACT
    elif question.flows not in (None, FlowSource.LEARNED):
        usual = question.flows
    flows = {flows: flows.capitalize() for flows in FlowSource}
    pick_one(**widget("flows"), parameter=OPTIONS["flows"], titles=flows, shown=OPTIONS["flows"].read(usual), own=usual)
    if usual is FlowSource.EXACT or question.fragments is not FragmentModel.AUTO:
        models = {model: model.capitalize() for model in FragmentModel}
        pick_one(**widget("fragments"), parameter=OPTIONS["fragments"], titles=models)
    if usual is FlowSource.LEARNED or question.tuned:  # exact flows need no training
        epochs, seconds = tuning_plan(num_nodes)
        bind(st.toggle, parameter=OPTIONS["tuned"], own=False, **widget("tune", epochs=epochs, seconds=seconds))


def _other_policy(question: Question, settings: dict[str, Any]) -> None:
    """Fewer nodes or another reward than those that the policy was trained with."""
    most, reward = int(settings["max_nodes"]), RewardConfig.from_dict(settings["reward"])
    about = f"{tooltip('k-m')} The policy was trained with {most}; you can choose fewer."
    size = min(question.max_nodes or most, most)
    bind(st.slider, "Most nodes", OPTIONS["max_nodes"], 2, most, shown=size, own=most, help=about)
    if settings["stop"] != "reward":
        return
    follow = WORDS["explain"]["learned-stay"]
    if question.flows not in (None, FlowSource.LEARNED):
        follow = WORDS["explain"]["flows-follow"].format(flows=question.flows.capitalize())
    for name in ("beta", "node_price"):
        knob = knobs(RewardConfig)[name]
        trained, chosen = knob.of(reward), getattr(question, name)
        value = trained if chosen is None else chosen
        words = f"{tooltip(knob.term) if knob.term else knob.help} The policy was trained with {trained:g}. {follow}"
        texts = {"format_func": "{:g}".format, "help": words}
        marks = sorted({*knob.marks, trained, value})
        bind(st.select_slider, knob.label, OPTIONS[name], marks, shown=value, own=trained, **texts)
