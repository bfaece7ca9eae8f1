"""What lessons 4 and 7 keep in the URL about a training, and the widgets that change it."""

from collections.abc import Callable
from typing import TypeVar

import streamlit as st

from gfx_core.teaching.glossary import find, tooltip
from pages.ui.lessons.frame import keep, preset

LEARNING_RATES = (0.01, 0.03, 0.1, 0.3, 1.0)
MAX_SEED = 999
_TURN = "training:turn"

T = TypeVar("T")


def learning_rate() -> float:
    """From the URL."""
    return preset("lr", 0.3, lambda text: LEARNING_RATES[LEARNING_RATES.index(float(text))])


def seed() -> int:
    """From the URL."""
    return preset("seed", 0, lambda text: range(MAX_SEED + 1).index(int(text)))


def running() -> bool:
    """Whether "Train" was pressed, now or in the link."""
    return preset("run", False, lambda text: text == "1")


def frame() -> int | None:
    """The snapshot that the link opens."""
    return preset("frame", None, lambda text: range(1000).index(int(text)))


def turn() -> int:
    """How often "Train" was pressed: each time the training is played again."""
    return int(st.session_state.get(_TURN, 0))


def train(**settings: str | float | None) -> None:
    """Start a training from its beginning."""
    st.session_state[_TURN] = turn() + 1
    keep(run=1, frame=None, **settings)


def pick_learning_rate(key: str) -> None:
    """The slider of the learning rate."""
    _bound(key, learning_rate())
    st.select_slider(
        "Learning rate",
        LEARNING_RATES,
        key=key,
        help="How far one step changes the flows. Too small: it does not arrive. Too large: it overshoots.",
        on_change=changed(key, "lr"),
    )


def pick_seed(key: str) -> None:
    """The box of the seed."""
    _bound(key, seed())
    st.number_input(
        "Seed",
        0,
        MAX_SEED,
        key=key,
        help="Which random trajectories are drawn. The same seed gives the same training.",
        on_change=changed(key, "seed"),
    )


def pick_number(
    key: str, label: str, name: str, value: float, low: float, high: float, step: float, about: str
) -> None:
    """A slider for one number of the URL."""
    _bound(key, value)
    st.slider(label, low, high, step=step, key=key, help=about, on_change=changed(key, name))


def about(name: str, otherwise: str) -> str:
    """What the glossary says about a symbol."""
    return tooltip(name) if find(name) is not None else otherwise


def changed(key: str, name: str) -> Callable[[], None]:
    """Writes a widget's value into the URL; another training has other snapshots."""

    def write() -> None:
        value = st.session_state[key]
        keep(frame=None, **{name: f"{value:g}" if isinstance(value, float) else str(value)})

    return write


def _bound(key: str, value: T) -> None:
    """The URL decides what a widget shows."""
    st.session_state[key] = value
