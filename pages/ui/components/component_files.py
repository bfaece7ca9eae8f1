"""What a component is made of: the scripts and style sheets beside this file, and its data."""

from pathlib import Path
from typing import Any

from gfx_core.config import ASSETS
from gfx_core.drawing.modules import joined


def script(name: str) -> str:
    """One of the modules, joined with all that it imports; its default export is what Streamlit calls."""
    return joined(Path(__file__).with_name(name))


def style(name: str | None = None) -> str:
    """The kit's style sheet and one of those beside this file."""
    return (ASSETS / "kit" / "kit.css").read_text(encoding="utf-8") + (read(name) if name else "")


def read(name: str) -> str:
    """The text of one of the files."""
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def whole(data: dict[str, Any]) -> list[dict[str, Any]]:
    """Data for a component, as a list of one.

    Streamlit looks for data frames in a dictionary, and loads pandas to do so: half a second before the first picture.
    A list goes as it is.
    """
    return [data]
