"""Example files to upload with one click, or to look at."""

import tomllib
from dataclasses import dataclass

from gfx_core.config import ASSETS
from gfx_core.user_data.draft import DataFile


@dataclass(frozen=True)
class Example:
    """Example files.

    Attributes:
        title: For people.
        about: A sentence.
        names: The files in ``assets/uploads``.
    """

    title: str
    about: str
    names: tuple[str, ...]


_TEXTS = tomllib.loads((ASSETS / "uploads" / "examples.toml").read_text(encoding="utf-8"))
EXAMPLES = {name: Example(**texts) for name, texts in _TEXTS.items()}
"""By their names in links."""


def files_of(name: str) -> tuple[DataFile, ...]:
    """The files of an example."""
    return tuple(DataFile(file, (ASSETS / "uploads" / file).read_bytes()) for file in EXAMPLES[name].names)
