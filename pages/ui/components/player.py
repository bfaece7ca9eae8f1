"""The player: a trace, played in the browser. Python hands it over once and hears of pauses and of manual actions."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import streamlit as st

from gfx_core.drawing.export import player_css, state_graph_css
from gfx_core.text.theorem import theorem_words
from gfx_core.trace.schema import Trace
from gfx_core.trace.serialize import to_json
from pages.ui.components.component_files import component, sheet

if TYPE_CHECKING:
    from gfx_core.drawing.state_graph import DagPicture

T = TypeVar("T")
_EVENTS = ("step", "take", "explain", "view", "way", "present", "fold", "reason")
_player = component("player", '<div class="player-host"></div>', sheet(player_css) + sheet(state_graph_css))


def _once(make: Callable[[Trace], T], most: int = 8) -> Callable[[Trace], T]:
    """Makes something of a trace once: every run of a page shows the same one.

    Traces are told apart by identity, as comparing them costs as much as what is saved.
    """
    made: OrderedDict[int, tuple[Trace, T]] = OrderedDict()  # with the trace, so that no other one gets its number

    def get(trace: Trace) -> T:
        known = made.get(id(trace))
        if known is None:
            known = made[id(trace)] = (trace, make(trace))
            while len(made) > most:
                made.popitem(last=False)
        return known[1]

    return get


_text = _once(partial(to_json, check=False))
alone = _once(lambda trace: replace(trace, masks=()))
"""A trace without what other explainers say: that is for the Compare page. The same one for the same trace."""


@dataclass(frozen=True)
class PlayerActions:
    """What the page hears of; nothing by itself.

    Attributes:
        step: Called with the frame at a pause or when scrubbing ends, never while playing.
        take: Turns manual mode on, where a click on a frontier node or STOP is an action: called with the node,
            ``None`` for STOP, and the step it was chosen at.
        ended: In manual mode, whether STOP was taken, so that the result is to be shown.
        explain: Called with a node that is to be explained instead; without it a click on a node offers nothing.
        view: Called with the name of the view beside the graph: ``states``, or nothing for the usual panels. Without
            it, and without `PlayerView.states`, there is no state space.
        way: Called with a state of the state space that is not on the trajectory and to which a way is asked for.
        present: Called when present mode is entered or left.
        fold: Called when hydrogens are folded into their atoms, or drawn.
        reason: Called with the number of the reason that is to be outlined and played, 1 for the first.
    """

    step: Callable[[int | None], None] | None = None
    take: Callable[[int | None, int], None] | None = None
    ended: bool = True
    explain: Callable[[int], None] | None = None
    view: Callable[[str], None] | None = None
    way: Callable[[int], None] | None = None
    present: Callable[[bool], None] | None = None
    fold: Callable[[bool], None] | None = None
    reason: Callable[[int], None] | None = None


@dataclass(frozen=True)
class PlayerView:
    """Where a trace opens, and what is seen of it besides its steps.

    Attributes:
        step: The frame to open at, as it was reported; then nothing plays by itself. The number of steps means the
            result. ``None`` opens at the start (in manual mode: at the last state).
        at_answer: Whether it then opens at the answer, where the trace has one, and waits there.
        states: The state space and what is said of it; ``None`` while it is not known.
        name: What stands beside the graph: ``states``, or nothing for the usual panels.
        folded: Whether hydrogens are folded into their atoms.
        presenting: Whether it is shown to a room: large letters, few controls.
        looping: Whether it plays again and again, while something is computed.
        reason: The number of the reason that is outlined and played; ``None`` for what the trace shows.
        few: Whether it shows few tools: play, step and scrub, and the tabs Answer, States and Flows.
    """

    step: int | None = None
    at_answer: bool = False
    states: "tuple[DagPicture, str] | None" = None
    name: str = ""
    folded: bool = False
    presenting: bool = False
    looping: bool = False
    reason: int | None = None
    few: bool = False

    def data(self) -> dict[str, Any]:
        """What the browser is given."""
        states = None if self.states is None else {"picture": asdict(self.states[0]), "words": self.states[1]}
        return {
            "atAnswer": self.at_answer,
            "states": states,
            "view": self.name,
            "folded": self.folded,
            "presenting": self.presenting,
            "loops": self.looping,
            "reason": self.reason,
            "few": self.few,
        }


def player(
    trace: Trace,
    *,
    key: str,
    view: PlayerView = PlayerView(),  # noqa: B008
    actions: PlayerActions = PlayerActions(),  # noqa: B008
    height: int = 640,
) -> None:
    """Show a trace and play it, at once where nothing else is asked for and the reader does not want less motion.

    Args:
        trace: The trace; one that `alone` has made of another travels without masks.
        key: Widget key. One player per key; a new trace under the same key keeps the graph if that is the same.
        view: Where it opens, and what is seen besides.
        actions: What the page hears of.
        height: Height in pixels where graph and panels stand side by side.
    """
    text = _text(trace)
    opened = _opened_at(text, view.step, key)
    options = {
        "autoplay": opened is None,
        "manual": actions.take is not None,
        "ended": actions.ended,
        "height": height,
        "hears": [name for name in _EVENTS if getattr(actions, name) is not None],
        "initialStep": opened,
        **view.data(),
    }

    def stepped(frame: Any) -> None:
        if actions.step is not None:
            shown = None if int(frame) < 0 else int(frame)  # before the first step stands the answer
            st.session_state[f"{key}:reported"] = shown
            actions.step(shown)

    def taken(action: dict[str, Any]) -> None:
        if actions.take is not None:
            node = action["node"]
            actions.take(None if node is None else int(node), int(action["step"]))

    def typed(action: Callable[[Any], None] | None, kind: Callable[[Any], Any]) -> Callable[[Any], None] | None:
        return action and (lambda value: action(kind(value)))

    _player(
        key=key,
        data={"trace": text, "theorem": theorem_words(trace), **options},
        heard={
            "step": stepped,
            "take": taken,
            "explain": typed(actions.explain, int),
            "view": typed(actions.view, str),
            "way": typed(actions.way, int),
            "present": typed(actions.present, bool),
            "fold": typed(actions.fold, bool),
            "reason": typed(actions.reason, int),
        },
    )


def _opened_at(text: str, step: int | None, key: str) -> int | None:
    """The step to send: the one sent before, as long as the page only repeats what the player reported.

    So the payload stays the same between reruns and the browser is not asked to do anything.
    """
    memory, reported = f"{key}:opened", st.session_state.get(f"{key}:reported")
    known: tuple[int, int | None] | None = st.session_state.get(memory)
    if known is None or known[0] != hash(text) or step not in (None, known[1], reported):
        known = st.session_state[memory] = (hash(text), step)
    return known[1]
