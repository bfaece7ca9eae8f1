"""A training, watched in the browser: linked views of one or two lanes on one clock, of a recording or while it runs.

Of a training that runs only what has come since goes to the browser, which keeps the rest. A browser that is busy skips
all messages but the latest, and a page that is opened again has none: then it reports what it has, and the next message
has all that it lacks.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import streamlit as st

from gfx_core.drawing.export import css, train_parts
from pages.ui.components.mount import component, opening, report

VIEWS = ("dag", "stop", "graph", "curves")
_READ: dict[str, Callable[[Any], Any]] = {
    "step": int,
    "state": lambda text: tuple(map(int, text.split(","))),
    "view": str,
    "command": str,
}

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
            ``command``: with ``run``, ``pause``, ``step`` or ``reset``, of a training that is `Live`.
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
            report(key, name, value)
            calls[name](None if value is None else _READ[name](value))

        return hear

    def lacks(event: Mapping[str, Any]) -> None:
        if event["value"]["token"] == token:
            st.session_state[memory] = (token, event["value"]["frames"], gaps + 1)

    wanted = {
        "step": opened.get("step"),
        "state": ",".join(map(str, sorted(opened.get("state", ())))) or None,
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
