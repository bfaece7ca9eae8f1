"""The player: a trace, played in the browser. Python hands it over once and hears of pauses and of manual actions."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from gfx_core.drawing.modules import joined
from gfx_core.drawing.standalone import PLAYER, player_css
from gfx_core.trace.io import to_json
from gfx_core.trace.schema import Trace
from gfx_core.trace.theorem import theorem_words
from pages.ui.components.component_files import whole

_player = st.components.v2.component(
    "player", html='<div class="player-host"></div>', css=player_css(), js=joined(PLAYER / "component.js")
)


@dataclass(frozen=True)
class PlayerActions:
    """What the page hears of; nothing by itself.

    Attributes:
        step: Called with the frame at a pause or when scrubbing ends, never while playing.
        take: Turns manual mode on, where a click on a frontier node or STOP is an action: called with the node,
            ``None`` for STOP, and the step it was chosen at.
        ended: In manual mode, whether STOP was taken, so that the result is to be shown.
        explain: Called with a node that is to be explained instead; without it a click on a node offers nothing.
    """

    step: Callable[[int], None] | None = None
    take: Callable[[int | None, int], None] | None = None
    ended: bool = True
    explain: Callable[[int], None] | None = None


def player(
    trace: Trace,
    *,
    key: str,
    step: int | None = None,
    actions: PlayerActions = PlayerActions(),  # noqa: B008
    height: int = 640,
    compact: bool = False,
) -> None:
    """Show a trace and play it, at once where nothing else is asked for and the reader does not want less motion.

    Args:
        trace: The trace.
        key: Widget key. One player per key; a new trace under the same key keeps the graph if that is the same.
        step: The frame to open at, as it was reported; then nothing plays by itself. The number of steps means
            the result. ``None`` opens at the start (in manual mode: at the last state).
        actions: What the page hears of.
        height: Height in pixels where graph and panels stand side by side.
        compact: Only the graph, its caption and the controls; it plays again and again.
    """
    text = to_json(trace)
    opened = _opened_at(text, step, key)
    options = {
        "autoplay": opened is None,
        "manual": actions.take is not None,
        "ended": actions.ended,
        "height": height,
        "compact": compact,
        "reports": actions.step is not None,
        "explains": actions.explain is not None,
        "initialStep": opened,
    }

    def stepped() -> None:
        frame = st.session_state[key].get("step")
        if actions.step is not None and frame is not None:
            st.session_state[f"{key}:reported"] = int(frame)
            actions.step(int(frame))

    def taken() -> None:
        action: dict[str, Any] | None = st.session_state[key].get("take")
        if actions.take is not None and action is not None:
            node = action["node"]
            actions.take(None if node is None else int(node), int(action["step"]))

    def explained() -> None:
        node = st.session_state[key].get("explain")
        if actions.explain is not None and node is not None:
            actions.explain(int(node))

    _player(
        key=key,
        data=whole({"trace": text, "theorem": theorem_words(trace), **options}),
        on_step_change=stepped,
        on_take_change=taken,
        on_explain_change=explained,
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
