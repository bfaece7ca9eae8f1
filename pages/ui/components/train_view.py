"""A training, watched in the browser: linked views of one or two lanes on one clock, of a recording or while it runs.

Of a training that runs only what has come since goes to the browser, which keeps the rest. Any message may be lost: a
browser that is busy skips all but the latest, and a page that is opened again has none. So it says if it lacks
something, and the next few messages have all of it. It goes through a component of a few lines: each message to a
component carries its whole script.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import streamlit as st

from gfx_core.drawing.export import train_css, train_parts
from pages.ui.components.mount import component, opening, report

COMMANDS = ("run", "pause", "step", "reset")
_REPEATED = 5  # so many messages have what the browser lacked: a few of them may be lost as well
VIEWS = ("dag", "stop", "graph", "curves")

_ABOVE = ":host { --above: 3.8rem; }\n"
"""The clock stays in sight below the app's own bar."""
_view = component("train/component", '<div class="train-host"></div>', _ABOVE + train_css())
_news = component("train/news", "<span hidden></span>")


@dataclass(frozen=True)
class Live:
    """That the training goes on, or could.

    Attributes:
        running: Whether it runs now; else it waits.
        words: How it stands, in a sentence.
        steered: Whether it can be told to run, pause, step and begin anew; else it can only be watched.
    """

    running: bool
    words: str = ""
    steered: bool = True


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
        recording: As JSON has it. It may grow under the same token; frames that were taken back are noticed by their
            number, frames that were exchanged need another token.
        key: Widget key.
        token: Which training this is. Another one begins anew.
        live: That it goes on, with its buttons; ``None`` for a recording that is only replayed.
        presenting: Whether it is shown to a room: one view, and one curve.
        heard: What the page hears of; nothing by itself. ``step`` is called with the step at a pause or when scrubbing
            ends, never while it plays; with ``None`` when the clock follows the newest frame. ``state``: with the
            nodes of the pinned state, ``None`` when it is let go. ``view``: with the view that is seen where it is one.
            ``command``: with one of `COMMANDS`, of a training that is `Live`.
        opened: Where it opens. ``step``: the training step at which the clock stands; ``None`` plays a recording, and
            follows what runs. ``state``: the nodes of the pinned state; nothing for none. ``view``: on a phone and in
            present mode, the view that is seen, one of `VIEWS`. ``only``: the views that are wanted besides the
            curves; nothing for all.
    """
    calls = heard or {}

    def on_step(event: Mapping[str, Any]) -> None:
        if "step" in calls:
            reached = None if event["value"] is None else int(event["value"])
            report(key, "step", reached)
            calls["step"](reached)

    def on_state(event: Mapping[str, Any]) -> None:
        if "state" in calls:
            pinned = None if event["value"] is None else str(event["value"])
            report(key, "state", pinned)
            calls["state"](tuple(int(node) for node in pinned.split(",") if node.isdecimal()) if pinned else None)

    def on_view(event: Mapping[str, Any]) -> None:
        if "view" in calls and event["value"] in VIEWS:
            report(key, "view", event["value"])
            calls["view"](event["value"])

    def on_command(event: Mapping[str, Any]) -> None:
        meant = event["value"] in COMMANDS and _is_new(event, key)
        if "command" in calls and meant:
            calls["command"](str(event["value"]))

    def on_lacks(event: Mapping[str, Any]) -> None:
        if event["value"]["token"] == token:
            _lacked(event["value"]["frames"], key, token)

    wanted = {
        "step": opened.get("step"),
        "state": ",".join(map(str, sorted(opened.get("state", ())))) or None,
        "view": opened.get("view", VIEWS[0]),
    }
    data: dict[str, Any] = {
        **train_parts(recording, token, _known(recording, key, token) if live is not None else None),
        "mail": key,
        "live": None if live is None else asdict(live),
        "opened": opening(key, token, wanted),
        "presenting": presenting,
        "only": list(opened.get("only", ())) or None,
    }
    if live is not None:
        data["number"] = _next_number(key)
        data["clicked"] = st.session_state.get(f"{key}:clicked")
        with st.container(key=f"train-news-{key}", width="content"):
            _news(key=f"{key}:news", data=data, height=1)
    _view(
        key=key,
        data={"mail": key} if live is not None else data,
        heard={"step": on_step, "state": on_state, "view": on_view, "command": on_command, "lacks": on_lacks},
    )


def _is_new(click: Mapping[str, Any], key: str) -> bool:
    """Whether a click has not been heard of yet: what the page's clock sends meanwhile tells of it too."""
    memory, stamp = f"{key}:clicked", click.get("stamp")
    before, st.session_state[memory] = st.session_state.get(memory), stamp
    return stamp is None or stamp != before


def _next_number(key: str) -> int:
    """Of a message: the browser heeds none that says what the last one said, and would not tell again what it lacks."""
    number = st.session_state[f"{key}:number"] = st.session_state.get(f"{key}:number", 0) + 1
    return int(number)


def _lacked(frames: Sequence[int], key: str, token: str) -> None:
    """The browser only has so many frames of each lane."""
    st.session_state[f"{key}:sent"] = (token, [int(count) for count in frames], _REPEATED)


def _known(recording: Mapping[str, Any], key: str, token: str) -> list[int] | None:
    """How many frames of each lane the browser was sent; from now on it has been sent all there are.

    Where it lacked something, it only has what it said it had until that was sent a few times.
    """
    memory = f"{key}:sent"
    sent, counts, repeat = st.session_state.get(memory, (None, None, 0))
    now = [len(lane["frames"]) for lane in recording["lanes"]]
    if sent != token or counts is None or len(counts) != len(now):
        st.session_state[memory] = (token, now, 0)
        return None
    known = [min(pair) for pair in zip(counts, now, strict=True)]
    st.session_state[memory] = (token, known, repeat - 1) if repeat > 1 else (token, now, 0)
    return known
