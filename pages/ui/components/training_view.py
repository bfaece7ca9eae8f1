"""Watch a training: its snapshots are handed over once and played in the browser, side by side in a few panels."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import streamlit as st

from gfx_core.drawing import colours
from gfx_core.exact.state_dag import StateDag
from gfx_core.teaching.practice import places
from pages.ui.components.component_files import script, style, whole

Panel = dict[str, Any]

_COLOURS = f""".training {{ --water: {colours.PARENT.colour}; --off: {colours.MISTAKE.colour};
  --good: {colours.MOTIF.colour}; --start: {colours.START.colour}; }}
"""
_HTML = """
<div class="kit training" role="group" aria-label="Training, step by step">
  <div class="controls">
    <button type="button" class="play"></button>
    <button type="button" class="back" aria-label="One snapshot back" title="Back (←)">◂</button>
    <button type="button" class="on" aria-label="One snapshot on" title="On (→)">▸</button>
    <input type="range" min="0" step="1" aria-label="Training step" />
    <output></output>
  </div>
  <div class="panels"></div>
  <p class="formula"></p>
  <p class="unseen said" role="status"></p>
</div>
"""
_view = st.components.v2.component(
    "training_view",
    html=_HTML,
    css=_COLOURS + style("training_view.css"),
    js=script("training_view"),
)


def flow_panel(
    title: str, dag: StateDag, names: Sequence[str], reward: Sequence[float], trained: Mapping[str, Any]
) -> Panel:
    """The state DAG with the learned flows as widths and how far each state is from balance.

    Args:
        title: Its heading.
        dag: The states.
        names: Of the states.
        reward: R of each state.
        trained: From `gfx_core.teaching.table_training.watch_training`.
    """
    edges = [[int(p), int(c)] for p, c in zip(dag.parent, dag.child, strict=True)]
    numbers = {name: _rounded(trained[name]) for name in ("flow", "residual", "in_flow", "out_flow")}
    return {
        "kind": "flow",
        "title": title,
        "names": list(names),
        "places": places(dag),
        "edges": edges,
        "reward": _rounded(reward),
        "visits": np.asarray(trained["visits"]).tolist(),
        **numbers,
    }


def bars_panel(title: str, names: Sequence[str], exact: Sequence[float], learned: Any) -> Panel:
    """A bar for each state: what was learned, with a mark where it should end. [S], [T, S]"""
    return {
        "kind": "bars",
        "title": title,
        "names": list(names),
        "exact": _rounded(exact),
        "learned": _rounded(learned),
    }


def series(name: str, colour: str, mark: str, values: Any) -> dict[str, Any]:
    """One curve, or one dot for each place: ``mark`` is ``line``, ``dash``, ``dot``, ``square`` or ``level``."""
    return {"name": name, "colour": colour, "mark": mark, "values": _rounded(values)}


def lines_panel(title: str, curves: Sequence[dict[str, Any]], top: float | None = None) -> Panel:
    """Numbers over the training steps. Each series has [T] values."""
    return {"kind": "lines", "title": title, "series": list(curves), "top": top}


def levels_panel(title: str, names: Sequence[str], exact: Sequence[float], dots: Sequence[dict[str, Any]]) -> Panel:
    """Several learned values for each of a few things, on one axis with the true one. Each series has [T, k] values."""
    return {"kind": "levels", "title": title, "names": list(names), "exact": _rounded(exact), "series": list(dots)}


def training_view(
    steps: Sequence[int],
    panels: Sequence[Panel],
    *,
    key: str,
    turn: int = 0,
    run: str = "",
    frame: int | None = None,
    on_frame: Callable[[str, int], None] | None = None,
    live: bool = False,
) -> None:
    """Show a training and play it once.

    Args:
        steps: The training step of each snapshot. [T]
        panels: From the functions above.
        key: Widget key.
        turn: Another number plays the same training again.
        run: Which training this is, for `on_frame`.
        frame: The snapshot to open at; then nothing plays by itself.
        on_frame: Called with the training and its snapshot at a pause, at the end or when scrubbing ends, never while
            playing. It may be a training that was replaced meanwhile.
        live: Whether it still goes on: the latest snapshot is shown, and nothing plays.
    """

    def stopped() -> None:
        told = st.session_state[key].get("frame")
        if on_frame is not None and isinstance(told, dict) and 0 <= int(told.get("number", -1)) < len(steps):
            st.session_state[f"{key}:reported"] = int(told["number"])
            on_frame(str(told.get("run")), int(told["number"]))

    data = {"steps": list(steps), "panels": list(panels), "turn": turn, "run": run}
    opened = len(steps) - 1 if live else _opened(repr(data), frame, key)
    _view(key=key, data=whole({**data, "opened": opened}), on_frame_change=stopped)


def _opened(text: str, frame: int | None, key: str) -> int | None:
    """The snapshot sent before, as long as the page only repeats what was reported: the payload stays the same."""
    memory, reported = f"{key}:opened", st.session_state.get(f"{key}:reported")
    known: tuple[int, int | None] | None = st.session_state.get(memory)
    if known is None or (known[0] == hash(text) and frame not in (None, known[1], reported)):
        known = st.session_state[memory] = (hash(text), frame)
    elif known[0] != hash(text):
        known = st.session_state[memory] = (hash(text), None)  # another training is played from its beginning
    return known[1]


def _rounded(values: Any) -> Any:
    """Plain numbers with as many digits as anybody can see, so that little is sent."""
    array = np.asarray(values, dtype=np.float64)
    size = np.where(array == 0, 1.0, np.abs(array))
    unit = 10.0 ** (3 - np.floor(np.log10(size)))
    return (np.round(array * unit) / unit).round(9).tolist()
