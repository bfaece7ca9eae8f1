"""Small shared choices: the kinds of task, and where files live."""

import os
import tomllib
from enum import StrEnum
from pathlib import Path
from typing import Any

_HERE = Path(__file__).resolve().parent
ASSETS = _HERE / "assets" if (_HERE / "assets").is_dir() else _HERE.parent / "assets"
"""Inside the package where it was installed, beside it in a checkout."""
EXPLORER = _HERE / "explorer" if (_HERE / "explorer").is_dir() else _HERE.parent
"""The folder of app.py and pages/, found in the same way."""
TRACES = ASSETS / "traces"


class Task(StrEnum):
    """What the GNN predicts: the class of one node, or of a whole graph."""

    NODE = "node"
    GRAPH = "graph"


class Drawing(StrEnum):
    """How an instance is drawn: as a network, or as a sentence, words in reading order with arcs above them."""

    NETWORK = "network"
    SENTENCE = "sentence"


class FlowSource(StrEnum):
    """Where flows come from: a policy, or the list of all states, if they are few."""

    LEARNED = "learned"
    EXACT = "exact"


class FragmentModel(StrEnum):
    """What predicts for fragments: the GNN as it is, a student that learnt them from it, or the better of the two."""

    AUTO = "auto"
    STUDENT = "student"
    AS_IS = "as is"


def read_content(name: str) -> dict[str, Any]:
    """Texts and settings that are data: a file of ``assets/content``, by its name without the ending."""
    return tomllib.loads((ASSETS / "content" / f"{name}.toml").read_text(encoding="utf-8"))


def data_root() -> Path:
    """The folder for downloaded data: ``GFX_DATA``, or a folder in the user's cache."""
    override = os.environ.get("GFX_DATA")
    if override:
        return Path(override).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser() / "gfx"
