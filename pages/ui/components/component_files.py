"""What a component is made of: the scripts and style sheets beside this file, and its data."""

import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gfx_core.config import ASSETS

_log = logging.getLogger(__name__)


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


def whole(data: dict[str, Any]) -> list[dict[str, Any]]:
    """Data for a component, as a list of one.

    Streamlit looks for data frames in a dictionary, and loads pandas to do so: half a second before the first picture.
    A list goes as it is.
    """
    return [data]
