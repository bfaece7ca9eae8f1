"""What a component is made of: the scripts and style sheets beside this file, and its data."""

import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gfx_core.config import ASSETS
from gfx_core.drawing.modules import joined

_log = logging.getLogger(__name__)
_SCRIPT_MISSING = Path(__file__).with_name("file_missing.js").read_text(encoding="utf-8")


def script(name: str | Path) -> str:
    """One of the modules, or one elsewhere, joined with all that it imports; Streamlit calls its default export."""
    entry = Path(__file__).parent / name
    try:
        return joined(entry)
    except (OSError, ValueError):
        return _instead(entry.name)


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
    if name.endswith(".js"):
        return _SCRIPT_MISSING.replace('"FILE"', json.dumps(name))
    said = json.dumps(f"This part needs the file {name}, which cannot be read here: install the explorer again.")
    return f":host::after {{\n  content: {said};\n}}\n"


def whole(data: dict[str, Any]) -> list[dict[str, Any]]:
    """Data for a component, as a list of one.

    Streamlit looks for data frames in a dictionary, and loads pandas to do so: half a second before the first picture.
    A list goes as it is.
    """
    return [data]
