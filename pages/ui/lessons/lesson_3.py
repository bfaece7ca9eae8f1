"""Lesson 3: where orders are states of their own, a set with k orders is drawn k times too often."""

from functools import lru_cache

import numpy as np
import streamlit as st

from gfx_core.gfn.exact import Doubles
from gfx_core.teaching.glossary import term, tooltip
from gfx_core.teaching.sequences import BATCH, Draws, draw
from gfx_core.teaching.toy import state_name, toy_rewards
from pages.ui.components.sequence_view import sequence_view
from pages.ui.lessons.frame import Lesson, choice_question, hidden, keep, preset
from pages.ui.lessons.toy_graph import toy

MOST_BATCHES = 200
REWARDS = {"equal": "All equal", "toy": "Triangle best"}


def rewards(name: str) -> Doubles:
    """R of each set. [S]"""
    instance, dag, _ = toy()
    return np.ones(dag.num_states) if name == "equal" else toy_rewards(instance, dag)


@lru_cache(maxsize=64)
def drawn(reward: str, merged: bool, batches: int, seed: int) -> Draws:
    """What the sampler gives; the same for everybody with the same settings."""
    _, dag, tree = toy()
    return draw(dag, tree, rewards(reward), batches=batches, merged=merged, seed=seed)


def settings() -> tuple[str, bool, int, int]:
    """Reward, whether merged, how many batches, seed."""
    reward = preset("reward", "equal", lambda text: {name: name for name in REWARDS}[text])
    merged = preset("merge", "0", str) == "1"
    batches = preset("draws", 1, lambda text: max(1, min(MOST_BATCHES, int(text) // BATCH)))
    return reward, merged, batches, preset("seed", 0, lambda text: abs(int(text)) % 2**31)


def controls(reward: str, batches: int) -> None:
    def more(count: int) -> None:
        keep(draws=min(MOST_BATCHES, batches + count) * BATCH)

    with st.container(horizontal=True, vertical_alignment="center", key="l3-controls"):
        st.session_state["l3-merge"] = settings()[1]
        st.toggle(
            "**Merge equal sets**",
            key="l3-merge",
            on_change=lambda: keep(merge=1 if st.session_state["l3-merge"] else None),
            help=f"Off: GFlow-Sequence. {tooltip('gflow-sequence')}",
        )
        full = batches >= MOST_BATCHES
        st.button("Draw 1,000 more", key="l3-more", icon=":material/casino:", on_click=more, args=(1,), disabled=full)
        st.button("Draw 20,000 more", key="l3-many", on_click=more, args=(20,), disabled=full)
        st.session_state["l3-reward"] = reward
        st.segmented_control(
            "Rewards",
            list(REWARDS),
            key="l3-reward",
            format_func=REWARDS.__getitem__,
            label_visibility="collapsed",
            on_change=lambda: keep(reward=st.session_state["l3-reward"], draws=None),
            help=tooltip("reward"),
        )


@st.fragment
def play() -> None:
    """The switch, the pictures and the numbers."""
    instance, dag, tree = toy()
    reward, merged, batches, seed = settings()
    if not hidden("controls"):
        controls(reward, batches)
    draws = drawn(reward, merged, batches, seed)
    sequence_view(instance, dag, tree, draws, merged=merged, key="l3-view")
    if not hidden("theory"):
        tell(reward, merged, draws)


def tell(reward: str, merged: bool, draws: Draws) -> None:
    """What happened to the set with the most orders, in numbers."""
    instance, dag, _ = toy()
    most = int(np.argmax(draws.orders))
    name, k = state_name(instance, dag, most), int(draws.orders[most])
    told = (
        f"Of {draws.total:,} draws, **{name}** took {100 * draws.frequency[most]:.1f} %. "
        f"It should be {100 * draws.target[most]:.1f} %. "
    )
    if merged:
        told += "Its copies are one state now, and every factor goes to 1: **P = R/Z**. "
    else:
        weighed = float(rewards(reward) @ draws.orders)
        told += (
            f"It stands in the tree {k} times, so it counts {k} times: **k·R / ΣkR** = "
            f"{k} · {rewards(reward)[most]:g} / {weighed:g} = {100 * draws.expected[most]:.1f} %. "
        )
    st.markdown(f"{told}{term('total-variation', 'Total variation')} from R/Z: **{draws.distance:.3f}**.")


def question() -> None:
    instance, dag, tree = toy()
    counts = np.bincount(tree.state, minlength=dag.num_states)
    most = int(np.argmax(counts))
    name, k = state_name(instance, dag, most), int(counts[most])
    one = state_name(instance, dag, int(np.flatnonzero((counts == 1) & (dag.size == dag.size[most] - 1))[0]))
    choice_question(
        "l3-question",
        f"In the tree, **{name}** can be built in {k} orders and **{one}** in one. If both have the same reward, "
        f"how often is **{name}** drawn?",
        [
            f"As often as {one}: they have the same reward",
            f"{k} times as often as {one}",
            f"{k} times as often, but only while few are drawn",
            f"Less often than {one}: it takes more steps",
        ],
        1,
        [
            f"That is what we want, and what the DAG gives. In the tree each of the {k} copies of {name} has the full "
            "reward of its own.",
            f"Yes. Each of the {k} copies is drawn as often as {one}, and nobody notices that they are one set. "
            "Merging them, so that a state counts all its parents, repairs it.",
            "Draw 20,000 more: the points come closer to the dashed line, not to 1. It is no bad luck but a wrong "
            "target.",
            "The number of steps does not matter: flow that ends further away was sent there from the start. "
            "Look at the bars.",
        ],
    )


def show() -> None:
    play()
    question()


LESSON = Lesson(
    number=3,
    slug="tree",
    title="A tree of sequences is not a DAG",
    idea=(
        "Suppose the order is not forgotten: abc and acb are two results. Then every set is in the tree once for each "
        "order that builds it."
    ),
    task="compare bars and lines, then switch **Merge equal sets** on and watch the factors go to 1.",
    show=show,
)
