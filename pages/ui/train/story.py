"""Choose a story: two trainings whose difference is worth watching, and a sentence on what to look at."""

from typing import Any

import streamlit as st

from gfx_core.training.setting import LessonGraph
from gfx_core.training.stories import STORIES
from pages.ui.address import Parameter
from pages.ui.explorer.parameters import DATASET, EXPLORER, NAMES
from pages.ui.text import plain
from pages.ui.train.chosen import Chosen, subject_of_story
from pages.ui.train.link import GRAPH, STORY, WHOLE, names_prediction, story_name

OWN = ""


def pick_story() -> None:
    """A list of the stories, and one's own training."""
    st.session_state["train-story"] = story_name()

    def change() -> None:
        name = st.session_state["train-story"]
        if name == OWN:
            EXPLORER.change({STORY: OWN, **_same_subject()})
        else:
            EXPLORER.start_anew({STORY: name}, WHOLE)

    st.selectbox(
        "Story",
        [*STORIES, OWN],
        key="train-story",
        format_func=lambda name: STORIES[name].title if name else "No story: a training of my own",
        on_change=change,
        label_visibility="collapsed",
        width=340,
    )


def _same_subject() -> dict[Parameter[Any], Any]:
    """What the link has to say for the prediction of a story to stay when the story goes."""
    about = None if names_prediction() else subject_of_story()
    if isinstance(about, LessonGraph):
        return {GRAPH: about.name}
    return {} if about is None else {DATASET: about.dataset, NAMES[about.source]: about.name}


def say_story(chosen: Chosen) -> None:
    """What to watch."""
    if chosen.story is None:
        st.markdown("**Watch** P(stop) come to R/Z, state by state, and turn a knob while it learns.")
        return
    elsewhere = "" if chosen.own else " Here it is told of another prediction, where it may go otherwise."
    st.markdown(f"**Watch:** {plain(chosen.story.watch)}{elsewhere}")
