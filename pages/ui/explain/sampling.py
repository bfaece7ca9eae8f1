"""How subgraphs are sampled: the widgets."""

import random
from collections.abc import Sequence
from typing import Any

import streamlit as st

from gfx_core.config import FlowSource, FragmentModel
from gfx_core.explanation.question import EPOCHS, Choice, Question, options, tuning_plan
from gfx_core.gfn.settings import RewardConfig
from gfx_core.teaching.glossary import term, tooltip
from gfx_core.text.numbers import counted, duration
from pages.ui.address import Parameter, bind, pick_one
from pages.ui.explorer.parameters import BETA, CHOICE, FLOWS, FRAGMENTS, MAX_NODES, NODE_PRICE, SAMPLES, SEED, TUNED

CHOICES = {
    Choice.ANSWER: "The answer",
    Choice.BEST: "Best of N",
    Choice.SAMPLE: "One sample",
    Choice.GREEDY: "Greedy",
}
COUNTS = (16, 64, 256)
BETAS = (1.0, 3.0, 10.0, 30.0, 100.0)
PRICES = (0.0, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
_FLOWS_HELP = (
    "**Learned** flows are those of the trained policy and approximately balanced. **Exact** flows are computed from "
    "the list of all connected subgraphs, if there are few enough: every residual is zero, and samples follow P ∝ R."
)
_FRAGMENTS = {FragmentModel.AUTO: "Auto", FragmentModel.STUDENT: "Student", FragmentModel.AS_IS: "As is"}
_FRAGMENTS_HELP = (
    "An explanation depends on what the GNN predicts for fragments. **Student** trains a small GNN: shown a fragment, "
    "it predicts what the GNN predicts for the whole. We then explain through it. **As is** evaluates the GNN itself. "
    "**Auto** measures both and takes the student where it is better. It does not use the ground truth."
)
_HELP = (
    f"**The {term('answer')}** shows a trajectory that ends in its first reason. **Best of N** shows the sample with "
    "the highest reward, **One sample** the first sample. **Greedy** always takes the action with the largest flow."
)


def pick_sampling(
    question: Question, settings: dict[str, Any], num_nodes: int, usual: FlowSource = FlowSource.LEARNED
) -> None:
    """The widgets.

    Args:
        question: What is asked now.
        settings: How the policy was trained.
        num_nodes: Of the instance: how long a training on it takes.
        usual: The flows that go without saying.
    """
    shown = {
        Choice.ANSWER: counted(question.samples, "sample"),
        Choice.BEST: f"best of {question.samples}",
        Choice.SAMPLE: "one sample",
        Choice.GREEDY: "greedy",
    }[question.choice]
    with st.popover(f"Sampling: {shown}", icon=":material/tune:", key="sampling-list"):
        _what_is_sampled(question)
        _other_policy(question, settings)
    st.button(
        "Sample again",
        key="again",
        icon=":material/casino:",
        help="Samples with another seed.",
        on_click=lambda: SEED.write(random.randrange(1, 10_000)),
    )
    own = FlowSource.EXACT if question.edits or question.flows is FlowSource.EXACT else usual
    key = "flows-edited" if question.edits else FLOWS.name
    about = {"shown": FLOWS.read(own), "own": own, "help": f"{_FLOWS_HELP} {term('exact-flows', 'Glossary')}"}
    about["key"] = key  # another field, so that what the old one tells late, with the next edit, is not its own
    pick_one("Flows", FLOWS, {flows: flows.capitalize() for flows in FlowSource}, **about)
    if usual is FlowSource.EXACT or question.fragments is not FragmentModel.AUTO:
        pick_one("Fragments", FRAGMENTS, _FRAGMENTS, help=f"{_FRAGMENTS_HELP} {term('student', 'Glossary')}")
    if usual is FlowSource.EXACT:  # learned flows are trained on this one anyway
        return
    epochs, seconds = tuning_plan(num_nodes)
    large = f", {epochs} epochs instead of {EPOCHS} because it has {num_nodes:,} nodes" if epochs < EPOCHS else ""
    bind(
        st.toggle,
        "Train on this one",
        TUNED,
        help="The policy was trained on the whole data set. This trains it further on this prediction alone (about "
        f"{duration(seconds)} on a CPU{large}), so that its samples come closer to P ∝ R here. The result is kept. "
        f"{term('tuning', 'Glossary')}",
    )


def _what_is_sampled(question: Question) -> None:
    about = f"{_HELP} {term('policy', 'Policy')} and {term('trajectory')} in the glossary."
    pick_one("Shown in full", CHOICE, CHOICES, help=about)
    bind(
        st.number_input,
        "Seed",
        SEED,
        key=f"seed-{SEED.read()}",  # what an old field tells once more is not the new one's
        min_value=0,
        max_value=int(options()["seed"].high),
        step=1,
        help="The same seed always gives the same samples.",
    )
    shown = question.samples if question.samples in COUNTS else 64
    bind(st.select_slider, "Samples (N)", SAMPLES, COUNTS, shown=shown)


def _other_policy(question: Question, settings: dict[str, Any]) -> None:
    own_k, reward = int(settings["max_nodes"]), RewardConfig.from_dict(settings["reward"])
    exact = question.flows is FlowSource.EXACT
    bind(
        st.slider,
        "Most nodes",
        MAX_NODES,
        2,
        own_k,
        shown=min(question.max_nodes or own_k, own_k),
        own=own_k,
        help=f"{tooltip('k-m')} The policy was trained with {own_k}; you can choose fewer.",
    )
    if settings["stop"] != "reward":
        return
    follow = (
        "Exact flows follow at once."
        if exact
        else "This changes the flow to STOP, the reward, but not the learned flows: samples no longer follow P ∝ R. "
        "Exact flows would."
    )
    _number(
        "β, how sharp the reward is",
        BETA,
        (question.beta, reward.beta, BETAS),
        f"{tooltip('beta')} The policy was trained with β = {reward.beta:g}. {follow}",
    )
    _number(
        "Price per node",
        NODE_PRICE,
        (question.node_price, reward.price("nodes"), PRICES),
        "Cost subtracted for each node, before multiplying by β. The policy was trained with "
        f"{reward.price('nodes'):g}. {follow}",
    )


def _number(
    label: str, parameter: Parameter[Any], values: tuple[float | None, float, Sequence[float]], text: str
) -> None:
    """A slider over some numbers: the one that is asked for, the policy's own, and the usual ones."""
    current, own, usual = values
    choices = sorted({*usual, own} | ({current} if current is not None else set()))
    bind(
        st.select_slider,
        label,
        parameter,
        choices,
        shown=own if current is None else current,
        own=own,
        format_func=lambda value: f"{value:g}",
        help=text,
    )
