"""Lesson 3: where orders are states of their own, a set with k orders has k times the weight."""

from functools import lru_cache

import numpy as np
import streamlit as st

from gfx_core.arrays import Doubles
from gfx_core.drawing.colours import role_css
from gfx_core.teaching.glossary import tooltip
from gfx_core.teaching.lesson_texts import LESSONS
from gfx_core.teaching.practice import Practice, ground
from gfx_core.teaching.questions import about_copies
from gfx_core.teaching.sequences import BATCH, SequenceDraws, draw, draws_words, sequence_data
from pages.ui.address import bind, one_of, pick_one
from pages.ui.components.component_files import component, style
from pages.ui.lessons.frame import Lesson, LessonAddress, ask, hidden

MOST_BATCHES = 200
REWARDS = {"equal": "All equal", "toy": "Triangle best"}
TOY = ground(Practice.TOY)
_view = component(
    "sequence_view", '<div class="kit sequences"></div>', role_css("sequences") + style("sequence_view.css")
)
"""The tree of sequences beside the state DAG, and what was drawn from either; the browser animates merging."""

ADDRESS = LessonAddress(3)
REWARD = ADDRESS.parameter("reward", "equal", one_of(list(REWARDS)))
MERGED = ADDRESS.switch("merge")
BATCHES = ADDRESS.parameter(
    "draws",
    1,
    lambda text: max(1, min(MOST_BATCHES, int(text) // BATCH)),
    spell=lambda batches: str(batches * BATCH),
    under=(REWARD,),
)
SEED = ADDRESS.parameter("seed", 0, lambda text: abs(int(text)) % 2**31)


def rewards(name: str) -> Doubles:
    """R of each set. [S]"""
    return TOY.reward if name == "toy" else np.ones(TOY.dag.num_states)


@lru_cache(maxsize=64)
def drawn(reward: str, merged: bool, batches: int, seed: int) -> SequenceDraws:
    """What the sampler gives; the same for everybody with the same settings."""
    return draw(TOY.dag, TOY.tree, rewards(reward), batches=batches, merged=merged, seed=seed)


def show() -> None:
    """The switch, the pictures, the numbers and the question."""
    if not hidden("controls"):
        controls()
    reward, merged = REWARD.read(), MERGED.read()
    draws = drawn(reward, merged, BATCHES.read(), SEED.read())
    _view(key="l3-view", data=sequence_data(TOY.instance, TOY.dag, TOY.tree, draws, merged=merged))
    if not hidden("theory"):
        st.markdown(draws_words(draws, TOY.names, rewards(reward), merged=merged))
    ask("l3-question", about_copies())


def controls() -> None:
    """The switch, more draws, and other rewards."""
    batches = BATCHES.read()

    def more(count: int) -> None:
        BATCHES.write(min(MOST_BATCHES, batches + count))

    with st.container(horizontal=True, vertical_alignment="center", key="l3-controls"):
        hint = f"Off: GFlow-Sequence. {tooltip('gflow-sequence')}"
        bind(st.toggle, "**Merge equal sets**", MERGED, key="l3-merge", help=hint)
        full = batches >= MOST_BATCHES
        st.button("Sample 1,000 more", key="l3-more", icon=":material/casino:", on_click=more, args=(1,), disabled=full)
        st.button("Sample 20,000 more", key="l3-many", on_click=more, args=(20,), disabled=full)
        pick_one("Rewards", REWARD, REWARDS, key="l3-reward", unlabelled=True, help=tooltip("reward"))


LESSON = Lesson(**LESSONS[3], show=show)
