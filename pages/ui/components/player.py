"""The player: a trace, played in the browser. Python hands it over once and hears of pauses and of manual actions."""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import replace

from gfx_core.drawing.export import css, player_data
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
