"""The knobs of a lane: sliders that act on the running training, and choices that begin it anew."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

import streamlit as st

from gfx_core.gfn.settings import Loss, Parents, Stop
from gfx_core.question import MAX_SEED
from gfx_core.teaching.glossary import tooltip
from gfx_core.training.setting import Begin, LaneSetting, Learner, LearnsFrom, Network
from gfx_core.training.setting_words import WORDS
from pages.ui.address import bind
from pages.ui.text import plain
from pages.ui.train.link import FIELDS

_LONGEST = 40  # letters of a lane's name on its button
AT_ONCE = "Acts at once on the running training."
ANEW = "Begins the training anew."
_LIVE: tuple[tuple[str, str, tuple[float, ...], str], ...] = (
    ("epsilon", "ε", (0.0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0), "epsilon"),
    ("lr", "Learning rate", (1e-4, 3e-4, 1e-3, 3e-3, 6e-3, 1e-2, 3e-2, 0.1, 0.3, 1.0), ""),
    ("beta", "β", (1.0, 3.0, 10.0, 30.0, 50.0, 100.0), "beta"),
    ("node_price", "Node price", (0.0, 0.02, 0.05, 0.1, 0.12, 0.2, 0.5), ""),
    ("batch", "Batch", (1, 4, 16, 32, 64, 128, 256), ""),
)
_TOLD = {
    "lr": "How far one step changes the weights. Too small: it does not arrive. Too large: it jumps about or diverges, "
    "and then the last good policy is kept.",
    "node_price": "What a node must bring to be worth it: so much is taken off for each node, before β.",
    "batch": "How many trajectories are sampled for each step: more are slower and less noisy.",
}
_NEW_TARGET = " It changes the reward, and so the target: the clock gets a mark."
_CHOICES: tuple[tuple[str, str, type[StrEnum], str], ...] = (
    ("learner", "What learns", Learner, "A network sees the graph and can generalise; a table has one free number for "
     "each edge of the state DAG."),
    ("learns_from", "Learns from", LearnsFrom, "Its own trajectories, as in practice; or all states at once, where "
     "they can be listed: a network is then told their exact flows."),
    ("loss", "Loss", Loss, "What training makes small."),
    ("parents", "Which parents count", Parents, "**GFlowExplainer** counts every valid parent of a state, "
     "**GFlow-Sequence** only the last step taken, **GFlow-Graph** every node but the start, connected or not."),
    ("stop", "STOP", Stop, "Whether the flow to STOP is the reward itself, or is learned."),
    ("network", "Network", Network, "Ours sees the whole set; in the paper’s a node’s score depends on its own "
     "neighbourhood only."),
    ("begin", "Begins", Begin, "From random weights, or from the policy that was trained on the whole data set."),
)  # fmt: skip
_SHORT = {
    Loss.FLOW_MATCHING: "flow matching (log)",
    Loss.FLOW_MATCHING_LINEAR: "flow matching (linear)",
    Loss.TRAJECTORY_BALANCE: "trajectory balance, constant log Z",
    Loss.TRAJECTORY_BALANCE_CONDITIONAL: "trajectory balance, conditional log Z",
    Stop.LEARNED: "learned",
    Stop.REWARD: "the reward",
    Network.OURS: "ours",
    Network.PAPER: "the paper’s",
    LearnsFrom.TRAJECTORIES: "its trajectories",
    LearnsFrom.ALL: "all states",
}


def lane_row(lane: int, setting: LaneSetting, told: LaneSetting, name: str) -> None:
    """One lane: its live sliders in a row, and a popover with all that begins it anew.

    Args:
        lane: 1 or 2; where there are two they stand above their views, side by side.
        setting: How it is set.
        told: How it is set where the link changes nothing.
        name: What the lane is called.
    """
    with st.container(horizontal=True, vertical_alignment="bottom", key=f"lane-{lane}"):
        label = f"**{'AB'[lane - 1]}** {plain(name if len(name) <= _LONGEST else f'{name[:_LONGEST]} …')}"
        with st.popover(label, icon=":material/tune:", key=f"setting-{lane}", width=240, help=plain(name)):
            _choices(lane, setting, told)
        for field, label, usual, term in _LIVE:
            told_of = tooltip(term) if term else _TOLD[field]
            note = f"**{AT_ONCE}**{_NEW_TARGET if field in ('beta', 'node_price') else ''} {told_of}"
            _slider(lane, field, label, usual, (setting, told), note)


def _slider(
    lane: int, field: str, label: str, usual: Sequence[float], settings: tuple[LaneSetting, LaneSetting], note: str
) -> None:
    """A slider over the usual values of a field, the one that is set, and the one that goes without saying."""
    shown, own = (getattr(setting, field) for setting in settings)
    parameter = FIELDS[lane][field]
    bind(
        st.select_slider,
        label,
        parameter,
        sorted({*usual, shown, own}),
        key=parameter.name,
        shown=shown,
        own=own,
        format_func=lambda value: f"{value:g}",
        help=note,
    )


def _choices(lane: int, setting: LaneSetting, told: LaneSetting) -> None:
    st.caption(f"{ANEW} The sliders beside it act at once.")
    for field, label, kind, note in _CHOICES:
        if setting.is_lesson and field in ("network", "begin"):
            continue
        _select(lane, field, label, [str(value) for value in kind], (setting, told), note)
    if not setting.is_lesson:
        bind(
            st.toggle,
            "GNN of whole graphs only",
            FIELDS[lane]["plain"],
            key=FIELDS[lane]["plain"].name,
            shown=setting.plain,
            own=told.plain,
            help=f"{ANEW} The GNN that never saw a fragment. {tooltip('fragments')}",
        )
    _slider(lane, "max_nodes", "K_M, most nodes", range(2, 13), (setting, told), f"{ANEW} {tooltip('k-m')}")
    ends = (100, 200, 300, 600, 1000, 2000, 5000)
    _slider(lane, "steps", "Steps", ends, (setting, told), f"{ANEW} Where it ends by itself.")
    bind(
        st.number_input,
        "Seed",
        FIELDS[lane]["seed"],
        0,
        MAX_SEED,
        key=FIELDS[lane]["seed"].name,
        shown=setting.seed,
        own=told.seed,
        help=f"{ANEW} The same seed gives the same training.",
    )


def _select(
    lane: int, field: str, label: str, values: Sequence[str], settings: tuple[LaneSetting, LaneSetting], note: str
) -> None:
    shown, own = (str(getattr(setting, field)) for setting in settings)
    parameter = FIELDS[lane][field]

    def word(value: Any) -> str:
        return _SHORT.get(value) or WORDS[field][value]

    bind(
        st.selectbox,
        label,
        parameter,
        values,
        key=parameter.name,
        shown=shown,
        own=own,
        format_func=word,
        help=f"{ANEW} {note}",
    )
