"""Sentences that quote somebody: what stands in data, links and files is text, never Markdown."""

import os
import re

from gfx_core.config import ASSETS, data_root

_JOINER = "\u2060"  # is not seen and takes no room
_MARKS = re.compile(r"([\\`*_\[\]<>$:~!|#&])")
_SHORTCUTS = re.compile(
    r"(?<=:)(?=[\w+-]+:|material/|//)"  # :smile: and :material/home: become pictures, addresses of the web links
    r"|(?<=www)(?=\.)|(?<=[\w.+-]@)(?=[\w-]+\.\w)"  # so do www.example.org and me@example.org
    r"|(?<=[<>~-])(?=[-=>])",  # and -> becomes an arrow
    re.IGNORECASE,
)
_COMMANDS = re.compile(r"(`python -m gfx_core [\w .-]+`)")
_LINE_STARTS = re.compile(r"^([-+=]|\d+(?=[.)]))")
_ROOT = str(ASSETS.parent)


def plain(text: object) -> str:
    """Somebody's words as Streamlit's Markdown shows them unchanged, in one line: no pictures, links or formulas.

    A backslash is not enough everywhere: Streamlit looks for shortcuts such as ``:smile:`` after backslashes are gone.
    """
    words = " ".join(unplaced(str(text)).split())
    marked = _MARKS.sub(r"\\\1", _SHORTCUTS.sub(_JOINER, words))
    return _LINE_STARTS.sub(lambda start: f"\\{start[0]}" if start[0] in "-+=" else f"{start[0]}{_JOINER}", marked)


def unplaced(text: str) -> str:
    """A sentence that does not tell where on its disk the server keeps things: that is nobody's business."""
    if os.sep not in text:
        return text
    for folder, name in ((str(data_root()), "the data folder"), (_ROOT, "the explorer’s folder")):
        text = text.replace(folder + os.sep, "").replace(folder, name)
    return text


def plain_sentence(sentence: str) -> str:
    """A sentence that names data, from where no Markdown is meant, as plain text; only our own commands stay code."""
    parts = _COMMANDS.split(" ".join(sentence.split()))
    for number in range(0, len(parts), 2):  # between the commands: plain, with the blanks at its ends
        if inner := parts[number].strip():
            parts[number] = parts[number].replace(inner, plain(inner))
    return "".join(parts)


def shortened(name: str, most: int) -> str:
    """A name without what is beyond so many letters."""
    return name if len(name) <= most else f"{name[:most]} …"


def file_name(*parts: object) -> str:
    """The name of a file to be saved, from somebody's words: letters, digits, dots, dashes and lines only."""
    return re.sub(r"[^\w.-]+", "_", "-".join(map(str, parts))).strip(".")[:100]
