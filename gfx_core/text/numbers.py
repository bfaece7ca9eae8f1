"""Numbers and lists in sentences for people."""

import math
import re
import sys
from collections.abc import Sequence
from itertools import groupby


def percent(share: float) -> str:
    """A probability for people: 97.3 %, and never a rounded 100 % or 0 %."""
    if 0.9995 <= share < 1:
        return "> 99.9 %"
    if 0 < share < 0.0005:
        return "< 0.1 %"
    return f"{100 * share:.1f} %"


def about_percent(share: float) -> str:
    """A probability in a sentence: 97 %, over 99 %, under 1 %; what is rounded never reads as certain."""
    if share >= 0.995:
        return "over 99 %"
    if share < 0.01:
        return "under 1 %"
    return f"{math.floor(100 * share + 0.5)} %"  # halves upwards, as the browser rounds them


def whole_percents(shares: Sequence[float]) -> list[int]:
    """Shares of one whole, side by side: each is rounded up or down, so that they add up as the shares do.

    Those nearest to the next higher number are rounded up.
    """
    low = [math.floor(100 * share + 1e-6) for share in shares]  # 100 · 0.29 is no per cent short of 29
    more = math.floor(100 * math.fsum(shares) + 0.5) - sum(low)
    up = sorted(range(len(shares)), key=lambda at: low[at] - 100 * shares[at])[:more]
    return [number + (at in up) for at, number in enumerate(low)]


def solid_percent(share: float) -> str:
    """`percent`, never broken at the end of a line."""
    return percent(share).replace(" ", "\u00a0")


def signed(value: float) -> str:
    """A number with a real minus, and with more digits where it is small."""
    return f"{value:.{3 if abs(value) < 0.1 else 2}f}".replace("-", "−")


def capitalised(text: str) -> str:
    """With a capital at its beginning, and all else as it is."""
    return text[:1].upper() + text[1:]


def plural(noun: str) -> str:
    """Nodes, classes, entries, epochs; rings of six."""
    first, of, rest = noun.partition(" of ")
    first = re.sub("(?<![aeiou])y$", "ie", first)
    return f"{first}{'es' if re.search('(s|x|(?<!epo)ch|sh)$', first) else 's'}{of}{rest}"


def counted(count: int, noun: str) -> str:
    """``1 node``, ``2 nodes``, ``1,200 classes``."""
    return f"{count:,} {noun if count == 1 else plural(noun)}"


_WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]


def number_word(count: int) -> str:
    """A number in a name: a ring of *six*; as digits above twelve."""
    return _WORDS[count - 1] if 0 < count <= len(_WORDS) else f"{count:,}"


def duration(seconds: float) -> str:
    """So many seconds, minutes or hours: ``3 s``, ``2 min``, ``1.5 h``."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def power_of_ten(value: float) -> str:
    """A tiny number such as 2·10⁻⁷, or “nothing”."""
    if value == 0:
        return "nothing"
    exponent = math.floor(math.log10(value))
    return f"{value / 10**exponent:.0f}·10{str(exponent).translate(str.maketrans('-0123456789', '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'))}"


def subscript(number: int) -> str:
    """A number below the line: ``₁₂``."""
    return str(number).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))


def listed(names: Sequence[str], most: int = sys.maxsize, word: str = "and") -> str:
    """``a``, ``a and b``, ``a, b and c``; of more than ``most`` names the last ones are only counted."""
    if len(names) > most:
        names = [*names[: most - 1], f"{len(names) - most + 1} others"]
    *first, last = names or [""]
    return f"{', '.join(first)} {word} {last}" if first else last


def ranges(numbers: Sequence[int], most: int = sys.maxsize) -> str:
    """Numbers in ascending order, three or more in a row as a range: ``5, 7–9 and 12``.

    Of more than ``most`` parts only the first ones are listed; the numbers in the others are counted.
    """
    runs: list[list[int]] = []
    for _, run in groupby(enumerate(sorted(numbers)), key=lambda pair: pair[1] - pair[0]):
        row = [number for _, number in run]
        runs += [row] if len(row) > 2 else [[number] for number in row]
    texts = [f"{run[0]}–{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs]
    if len(runs) > most:
        texts[most - 1 :] = [f"{sum(map(len, runs[most - 1 :]))} others"]
    return listed(texts)
