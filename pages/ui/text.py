"""Sentences that quote somebody."""

import re


def plain(text: str) -> str:
    """A sentence may quote what somebody typed: no Markdown in it, so no pictures or links either."""
    return re.sub(r"([\\`*_\[\]<>$:~!|#])", r"\\\1", text)
