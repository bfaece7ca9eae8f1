"""What a component is made of: the scripts and style sheets beside this file, and its data."""

import json
import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from gfx_core.config import ASSETS
from gfx_core.drawing.export import player_css

_log = logging.getLogger(__name__)


def component(name: str, html: str, css: str = "") -> Callable[..., None]:
    """A component, as a function that shows it.

    It takes the widget's ``key``, the ``data`` for the browser, and under ``heard``, by the names of what the browser
    reports, what is called with each value that has come; nothing is called for ``None``.

    Args:
        name: Of the component and of its bundle.
        html: What it starts with.
        css: Its looks.
    """
    made = st.components.v2.component(name, html=html, css=css, js=script(name))

    def show(
        *, key: str, data: Any = None, heard: Mapping[str, Callable[[Any], object] | None] | None = None, **layout: Any
    ) -> None:
        def listener(event: str, call: Callable[[Any], object] | None) -> Callable[[], None]:
            def hear() -> None:
                # A page that was left takes its components along: what they still report is not there any more.
                value = st.session_state.get(key, {}).get(event)
                if call is not None and value is not None:
                    call(value)

            return hear

        listeners = {f"on_{event}_change": listener(event, call) for event, call in (heard or {}).items()}
        # Streamlit looks for data frames in a dictionary, and loads pandas to do so: half a second before the first
        # picture. A list goes as it is.
        made(key=key, data=[data] if isinstance(data, dict) else data, **listeners, **layout)

    return show


def report(key: str, name: str, value: object) -> None:
    """Note where the browser says that it stands."""
    st.session_state.setdefault(f"{key}:reported", {})[name] = value


def opening(key: str, token: object, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Where a component opens: as was sent before, as long as the page only repeats what the browser reported.

    So the payload stays the same between reruns: it is sent once, and the browser is not asked to do anything.

    Args:
        key: Widget key.
        token: What is shown; another one opens where it is wanted.
        wanted: Where that is, by names as in `report`; ``None`` is anywhere.
    """
    memory, reported = f"{key}:opened", st.session_state.get(f"{key}:reported", {})
    before, sent = st.session_state.get(memory, (None, {}))
    if before != token or any(at not in (None, sent[name], reported.get(name)) for name, at in wanted.items()):
        sent = dict(wanted)
        st.session_state[memory] = (token, sent)
    return sent


def script(name: str) -> str:
    """A bundle, which ``assets/bundle.py`` makes of a module and all that it imports; Streamlit calls what it exports.

    Streamlit serves the files of a component only where it is an installed package, so the text itself is handed over.
    """
    return _text(ASSETS / "bundles" / f"{name}.mjs")


def style(name: str | None = None) -> str:
    """The kit's style sheet and one of those beside this file."""
    return _text(ASSETS / "kit" / "kit.css") + (read(name) if name else "")


def sheet(made: Callable[[], str]) -> str:
    """A style sheet that the core makes of its own files."""
    try:
        return made()
    except (OSError, ValueError) as error:
        return _instead(Path(str(getattr(error, "filename", None) or "style.css")).name)


def graph_style() -> str:
    """The looks of a small graph whose nodes are buttons, like those of the player's graph."""
    return sheet(player_css) + read("graph_view.css")


def read(name: str) -> str:
    """The text of one of the files."""
    return _text(Path(__file__).with_name(name))


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return _instead(path.name)


def _instead(name: str) -> str:
    """What takes the place of a file that cannot be read: a sentence where the component is; the page goes on."""
    _log.exception("a file of a component cannot be read: %s", name)
    sentence = json.dumps(f"This part needs the file {name}, which cannot be read here: install the explorer again.")
    if name.endswith(".mjs"):
        return f"export default ({{ parentElement }}) => {{ parentElement.textContent = {sentence}; }};\n"
    return f":host::after {{\n  content: {sentence};\n}}\n"
