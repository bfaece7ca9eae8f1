"""Text for people: numbers as words, and sentences that quote somebody."""

import re


def percent(share: float) -> str:
    """A probability for people: 97.3 %, and never a rounded 100 % or 0 %."""
    if 0.9995 <= share < 1:
        return "> 99.9 %"
    if 0 < share < 0.0005:
        return "< 0.1 %"
    return f"{100 * share:.1f} %"


def plain(text: str) -> str:
    """A sentence may quote what somebody typed: no Markdown in it, so no pictures or links either."""
    return re.sub(r"([\\`*_\[\]<>$:~!|#])", r"\\\1", text)
