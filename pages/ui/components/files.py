"""The scripts and style sheets beside this file."""

from pathlib import Path


def read(*names: str) -> str:
    """The text of some of them, one after another."""
    return "\n".join(Path(__file__).with_name(name).read_text(encoding="utf-8") for name in names)
