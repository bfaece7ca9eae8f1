"""Sentences that quote data, links and files: their words are text, never Markdown."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from gfx_core.config import ASSETS, data_root
from gfx_core.errors import UserError

_JOINER = "\u2060"  # is not seen and takes no room
_MARKS = re.compile(r"([\\`*_\[\]<>$:~!|#&])")
_SHORTCUTS = re.compile(
    r"(?<=:)(?=[\w+-]+:|material/|//)"  # :smile: and :material/home: become pictures, addresses of the web links
    r"|(?<=www)(?=\.)|(?<=[\w.+-]@)(?=[\w-]+\.\w)"  # so do www.example.org and me@example.org
    r"|(?<=[<>~-])(?=[-=>])",  # and -> becomes an arrow
    re.IGNORECASE,
)
_COMMANDS = re.compile(r"(`python -m gfx_core [\w .-]+`)")
_LINE_STARTS = re.compile(r"[-+=]|\d+[.)]")  # else a list or a heading


def plain(text: object) -> str:
    """A text as Streamlit's Markdown shows it unchanged, in one line: no pictures, links or formulas.

    Only our own commands stay code. A backslash is not enough everywhere: Streamlit looks for shortcuts such as
    ``:smile:`` after backslashes are gone. The folders of the server are left out.
    """
    words = " ".join(str(text).split())
    for folder, name in ((str(data_root()), "the data folder"), (str(ASSETS.parent), "the explorer’s folder")):
        words = words.replace(folder + os.sep, "").replace(folder, name)
    parts = _COMMANDS.split(words)
    parts[::2] = [_MARKS.sub(r"\\\1", _SHORTCUTS.sub(_JOINER, part)) for part in parts[::2]]
    marked = "".join(parts)
    return f"{_JOINER}{marked}" if _LINE_STARTS.match(marked) else marked


@contextmanager
def error_shown(icon: str) -> Iterator[None]:
    """What cannot be done inside ends there, and its sentence is on the page."""
    try:
        yield
    except UserError as error:
        st.error(plain(error), icon=f":material/{icon}:")


def shortened(name: str, most: int) -> str:
    """A name without what is beyond so many letters."""
    return name if len(name) <= most else f"{name[:most]} …"


def file_name(*parts: object) -> str:
    """The name of a file to be saved, from any words: letters, digits, dots, dashes and lines only."""
    return re.sub(r"[^\w.-]+", "_", "-".join(map(str, parts))).strip(".")[:100]
