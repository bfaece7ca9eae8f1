"""Views that play: a trace in the player or large on Home, and a training, of a recording or while it runs.

Python hands a trace over once and hears of pauses and of manual actions. Of a training that runs only what has come
since goes to the browser, which keeps the rest. A browser that is busy skips all messages but the latest, and a page
that is opened again has none: then it reports what it has, and the next message has all that it lacks.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import streamlit as st
from msgspec.structs import replace

from gfx_core.drawing.export import css, player_data, train_parts
from gfx_core.drawing.hero import story
from gfx_core.drawing.templates import asset
from gfx_core.storage import Recent
from gfx_core.trace.schema import Trace
from pages.ui.components.mount import component, opening, report

_player = component("player/component", '<div class="player-host"></div>', css("player") + css("state-graph"))
# by identity, as comparing traces costs as much as it saves; with the trace, so that no other one gets its number
_data: Recent[int, tuple[Trace, dict[str, Any]]] = Recent(8)


def player(
    trace: Trace,
    *,
    key: str,
    step: int | None = None,
    heard: Mapping[str, Callable[..., None] | None] | None = None,
    **options: Any,
) -> None:
    """Show a trace and play it, at once where nothing else is asked for and the reader does not want less motion.

    Args:
        trace: The trace; what other explainers say of it is for the Compare page, and is not sent.
        key: Widget key. One player per key; a new trace under the same key keeps the graph if that is the same.
        step: The frame to open at, as it was reported; then nothing plays by itself. The number of steps means the
            result. ``None`` opens at the start (in manual mode: at the last state).
        heard: What the page hears of; nothing by itself. ``step`` is called with the frame at a pause or when scrubbing
            ends, never while playing. ``take`` turns manual mode on, where a click on a frontier node or STOP is an
            action: it is called with the node, ``None`` for STOP, and the step it was chosen at. ``explain``: with a
            node that is to be explained instead; without it a click on a node offers nothing. ``view``: with what
            stands beside the graph, see `options`; without it, and without states, there is no state space. ``way``:
            with a state that is not on the trajectory and to which a way is asked for. ``present``: with whether
            present mode is entered. ``reason``: with the number of the reason that is to be outlined and played, 1 for
            the first.
        options: As the browser reads them. ``atAnswer``: whether it opens at the answer, where the trace has one, and
            waits there. ``states``: the state space as ``picture`` and what is said of it as ``words``. ``view``: what
            stands beside the graph, ``states`` or nothing for the usual panels. ``presenting``: whether
            it is shown to a room, with large letters and few controls. ``reason``: the number of the reason that is
            outlined and played. ``few``: whether it shows few tools: play, step and scrub, and the tabs
            Answer, States and Flows. ``ended``: in manual mode, whether STOP was taken, so that the result is to be
            shown. ``height``: in pixels, where graph and panels stand side by side.
    """
    told = _data.find(id(trace), lambda: (trace, player_data(replace(trace, masks=()))))[1]
    calls = {name: call for name, call in (heard or {}).items() if call is not None}
    opened = opening(key, hash(told["trace"]), {"step": step})["step"]

    def stepped(frame: int) -> None:
        shown = None if frame < 0 else frame  # before the first step stands the answer
        report(key, "step", shown)
        calls["step"](shown)

    def taken(action: dict[str, Any]) -> None:
        calls["take"](action["node"], action["step"])

    special = {"step": stepped, "take": taken}
    data = {
        **told,
        "autoplay": opened is None,
        "initialStep": opened,
        "manual": "take" in calls,
        "hears": list(calls),
        **options,
    }
    _player(key=key, data=data, heard={name: special.get(name, call) for name, call in calls.items()})


_hero = component(
    "components/hero", '<div class="kit player hero"></div>', css("player") + asset("components/hero.css")
)


def hero(trace: Trace, *, key: str, seek: bool = False) -> None:
    """Play an explanation.

    Args:
        trace: The explanation.
        key: Widget key; another trace under the same key starts anew.
        seek: Whether the browser scrolls to the picture, where that is out of view, when it begins to play.
    """
    _hero(key=key, data={**story(trace), "seek": seek})


VIEWS = ("dag", "stop", "graph", "curves")
_ABOVE = ":host { --above: 3.8rem; }\n"
"""The clock stays in sight below the app's own bar."""
_view = component("train/component", '<div class="train-host"></div>', _ABOVE + css("train"))


@dataclass(frozen=True)
class Live:
    """That the training goes on, or could.

    Attributes:
        running: Whether it runs now; else it waits.
        words: How it stands, in a sentence.
    """

    running: bool
    words: str = ""


def train_view(
    recording: Mapping[str, Any],
    *,
    key: str,
    token: str,
    live: Live | None = None,
    presenting: bool = False,
    heard: Mapping[str, Callable[..., None]] | None = None,
    **opened: Any,
) -> None:
    """Show a training.

    Args:
        recording: As JSON has it. It may grow under the same token, and frames may be taken back; frames that were
            exchanged need another token.
        key: Widget key.
        token: Which training this is. Another one begins anew.
        live: That it goes on, with its buttons; ``None`` for a recording that is only replayed.
        presenting: Whether it is shown to a room: one view, and one curve.
        heard: What the page hears of; nothing by itself. ``step`` is called with the step at a pause or when scrubbing
            ends, never while it plays; with ``None`` when the clock follows the newest frame. ``state``: with the
            nodes of the pinned state, ``None`` when it is let go. ``view``: with the view that is seen where it is one.
            ``command``: with ``run``, ``pause``, ``step`` or ``reset``, of a training that is `Live`; but for
            ``pause`` the clock then follows.
        opened: Where it opens. ``step``: the training step at which the clock stands; ``None`` plays a recording, and
            follows what runs. ``state``: the nodes of the pinned state; nothing for none. ``view``: on a phone and in
            present mode, the view that is seen, one of `VIEWS`. ``only``: the views that are wanted besides the
            curves; nothing for all.
    """
    calls, memory = heard or {}, f"{key}:sent"
    before, known, gaps = st.session_state.get(memory, (None, None, 0))
    st.session_state[memory] = (token, [len(lane["frames"]) for lane in recording["lanes"]], gaps)

    def listener(name: str) -> Callable[[Mapping[str, Any]], None]:
        def hear(event: Mapping[str, Any]) -> None:
            value = event["value"]
            if name == "command" and value != "pause":
                listener("step")({"value": None})
            report(key, name, value)
            calls[name](value)

        return hear

    def lacks(event: Mapping[str, Any]) -> None:
        if event["value"]["token"] == token:
            st.session_state[memory] = (token, event["value"]["frames"], gaps + 1)

    wanted = {
        "step": opened.get("step"),
        "state": list(opened.get("state", ())) or None,
        "view": opened.get("view", VIEWS[0]),
    }
    data = {
        **train_parts(recording, token, known if live is not None and before == token else None),
        "live": None if live is None else asdict(live),
        "opened": opening(key, token, wanted),
        "presenting": presenting,
        "only": list(opened.get("only", ())) or None,
        "gaps": gaps,  # the browser heeds no message that equals the last one
    }
    _view(key=key, data=data, heard={"lacks": lacks, **{name: listener(name) for name in calls}})
