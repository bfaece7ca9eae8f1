"""Numbers and lists in sentences for people."""

import math
from collections.abc import Sequence


def percent(share: float) -> str:
    """A probability for people: 97.3 %, and never a rounded 100 % or 0 %."""
    if 0.9995 <= share < 1:
        return "> 99.9 %"
    if 0 < share < 0.0005:
        return "< 0.1 %"
    return f"{100 * share:.1f} %"


def solid_percent(share: float) -> str:
    """The same, never broken at the end of a line."""
    return percent(share).replace(" ", "\u00a0")


def signed(value: float) -> str:
    """A number with a real minus, and with more digits where it is small."""
    return f"{value:.{3 if abs(value) < 0.1 else 2}f}".replace("-", "−")


def counted(count: int, noun: str) -> str:
    """``1 node``, ``2 nodes``."""
    return f"{count} {noun}{'s' if count != 1 else ''}"


def power_of_ten(value: float) -> str:
    """A tiny number such as 2·10⁻⁷, or “nothing”."""
    if value == 0:
        return "nothing"
    exponent = math.floor(math.log10(value))
    return f"{value / 10**exponent:.0f}·10{str(exponent).translate(str.maketrans('-0123456789', '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'))}"


def listed(names: Sequence[str], most: int | None = None) -> str:
    """``a``, ``a and b``, ``a, b and c``; of more than ``most`` names the last ones are only counted."""
    if most is not None and len(names) > most:
        names = [*names[: most - 1], f"{len(names) - most + 1} others"]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
