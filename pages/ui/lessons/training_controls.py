"""A training that a lesson starts and plays: what the link keeps of it, and the widgets that change it."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from pages.ui.address import Address, Parameter, bind, flag, one_of, spell_flag, spell_number, whole
from pages.ui.components.training_view import Panel, training_view
from pages.ui.links import catch_up

LEARNING_RATES = (0.01, 0.03, 0.1, 0.3, 1.0)
MAX_SEED = 999
_TURN = "training:turn"  # session state: how often "Train" was pressed; each time the training is played again


class TrainingControls:
    """The parameters of a training, for lessons 4 and 7.

    Args:
        address: Of the lesson.
        key: Begins the keys of its widgets.
        settings: What else the training depends on.

    Attributes:
        rate: The learning rate.
        seed: Of the trajectories.
        running: Whether "Train" was pressed, now or in the link.
        snapshot: The one that the link opens; another training has others.
    """

    def __init__(self, address: Address, key: str, *settings: Parameter[Any]) -> None:
        self.address, self.key, self.settings = address, key, settings
        self.rate = address.parameter("lr", 0.3, one_of(LEARNING_RATES), spell=spell_number)
        self.seed = address.parameter("seed", 0, whole(0, MAX_SEED))
        self.running = address.parameter("run", False, flag, spell=spell_flag)
        under = (*settings, self.rate, self.seed)
        self.snapshot: Parameter[int | None] = address.parameter("frame", None, whole(0, 999), under=under)

    def train(self, changes: Mapping[Parameter[Any], Any] | None = None) -> None:
        """Start a training from its beginning, with other settings where some are given."""
        st.session_state[_TURN] = st.session_state.get(_TURN, 0) + 1
        self.address.change({self.running: True, self.snapshot: None, **(changes or {})})

    def train_button(self, label: str) -> None:
        icon = ":material/model_training:"
        st.button(label, key=f"{self.key}-train", type="primary", icon=icon, on_click=self.train)

    def pick_rate(self) -> None:
        told = "How far one step changes the flows. Too small: it does not arrive. Too large: it overshoots."
        bind(st.select_slider, "Learning rate", self.rate, LEARNING_RATES, key=f"{self.key}-lr", help=told)

    def pick_seed(self) -> None:
        told = "Which random trajectories are drawn. The same seed gives the same training."
        bind(st.number_input, "Seed", self.seed, 0, MAX_SEED, key=f"{self.key}-seed", help=told)

    @property
    def run(self) -> str:
        """Which training is shown: its settings, and how often "Train" was pressed."""
        return repr((st.session_state.get(_TURN, 0), *(each.read() for each in (*self.settings, self.rate, self.seed))))

    def follow(self, steps: Sequence[int], panels: Sequence[Panel]) -> None:
        """Show a training that still goes on, at its latest snapshot."""
        training_view(steps, panels, key=f"{self.key}-learning", run=self.run, live=True)

    def play(self, steps: Sequence[int], panels: Sequence[Panel]) -> bool:
        """Show the snapshots, see `training_view`; returns whether they were played to the end."""

        def heard(run: str, frame: int) -> None:
            catch_up()
            if run == self.run:  # else it was replaced before this was heard of
                self.snapshot.write(frame)

        training_view(
            steps,
            panels,
            key=f"{self.key}-training",
            turn=st.session_state.get(_TURN, 0),
            run=self.run,
            frame=self.snapshot.read(),
            on_frame=heard,
        )
        ended = f"{self.key}:ended"
        if self.snapshot.read() == len(steps) - 1:
            st.session_state[ended] = self.run
        return bool(st.session_state.get(ended) == self.run)
