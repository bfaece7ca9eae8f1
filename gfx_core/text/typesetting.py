"""The drawing of a sentence: words in lines, in reading order, and an arc above them for each link.

A long sentence is broken into lines. All lengths are in units of the layout, in which a letter is :data:`EM` high.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gfx_core.arrays import Doubles, Ints

Points = Doubles  # [n, 2], y upwards

EM = 3 / 14
"""The size of the letters."""
HIGH = 1.7
"""Height of a word's box, in EM."""
_NARROW, _WIDE = frozenset("ijltfrI.,;:'’!|()[]-"), frozenset("mwMW@%—…")
_BETWEEN = 0.65 * EM  # two words
_DIGITS = 6  # words whose heights differ by less are in one line
_GAP = 0.7  # between the highest arc of a line and the words above it, in EM
_ROOM = np.array([40.0, 28.0]) * EM  # width and height that a sentence is broken to fit into
_MOST_LINES = 12
_AT_HALF = np.array([1, 3, 3, 1]) / 8  # the middle of a cubic curve, of its four points


def phrase(words: Mapping[int, str]) -> str:
    """Some words of a sentence by their numbers, in reading order; dots are gaps: not … funny."""
    text, before = "", -1
    for number in sorted(words):
        gap = " " if number == before + 1 else " … "
        text += (gap if text else "") + words[number]
        before = number
    return text


def box_width(text: str) -> float:
    """The approximate width of a word's box: some letters are narrow, some wide."""
    letters = sum(0.34 if letter in _NARROW else 0.95 if letter in _WIDE else 0.61 for letter in text)
    return (max(letters, 0.6) + 0.7) * EM


def rise(distances: Any) -> Any:
    """The height of arcs over two words at a distance: less than in proportion, so that they nest."""
    return (0.55 + 0.62 * np.sqrt(np.abs(distances) / EM)) * EM


def word_places(words: Sequence[str], links: Ints) -> Points:
    """The middle of each word, in the lines that need the least reduction to fit, centred around 0. [n, 2]

    Args:
        words: In reading order.
        links: Pairs of words; arcs between words of one line need room above it. [2, e]
    """
    widths = np.array([box_width(word) for word in words])
    total = float(widths.sum() + (len(words) - 1) * _BETWEEN)
    margin = np.array([widths.max(), 3 * EM])

    def scale(points: Points) -> float:
        return min(1.0, *np.round(_ROOM / (np.ptp(points, axis=0) + margin), 9))

    counts = range(1, min(_MOST_LINES, len(words)) + 1)
    points = max((_broken(widths, links, total / count) for count in counts), key=scale)
    return points - (points.max(axis=0) + points.min(axis=0)) / 2


def _broken(widths: Doubles, links: Ints, width: float) -> Points:
    """Words in lines of about a width: a line ends where the next word would be more out than in."""
    line, x = np.zeros(len(widths), dtype=int), np.zeros(len(widths))
    number, end = 0, 0.0
    for word, wide in enumerate(widths):
        if end > 0 and end + wide / 2 > width:
            number, end = number + 1, 0.0
        line[word], x[word] = number, end + wide / 2
        end += wide + _BETWEEN
    one, other = links[:, line[links[0]] == line[links[1]]]
    above = np.full(number + 1, 0.9 * EM)  # the highest arc over each line
    np.maximum.at(above, line[one], rise(x[one] - x[other]))
    drops = above + (HIGH + _GAP) * EM
    drops[0] = 0.0
    return np.stack([x, -np.cumsum(drops)[line]], axis=1)


def arc(start: Sequence[float], end: Sequence[float]) -> Points:
    """The four points of a cubic curve that links two words, y upwards: over them, or from line to line. [4, 2]

    Args:
        start: The middle of one word.
        end: The middle of the other.
    """
    (x0, y0), (x1, y1) = sorted((start, end), key=lambda point: (-round(point[1], _DIGITS), point[0]))
    half = HIGH * EM / 2
    lean = bend = 0.0
    first, peak, last = y0 - half, (y0 + y1) / 2, y1 + half
    if round(y0, _DIGITS) == round(y1, _DIGITS):
        lean = min(0.35 * EM, (x1 - x0) / 4)  # two arcs that meet above a word do not begin at one point
        bend = 0.12 * (x1 - x0 - 2 * lean)
        first = last = y0 + half
        peak = first + rise(x1 - x0) * 4 / 3
    left, right = x0 + lean, x1 - lean
    return np.array([[left, first], [left + bend, peak], [right - bend, peak], [right, last]])


def sentence_shapes(
    words: Sequence[str], points: Sequence[Sequence[float]], links: Sequence[tuple[int, int]]
) -> dict[str, Any]:
    """What the player draws of a sentence (assets/player/words.js): the width of each word, the curve of each link."""
    arcs = [arc(points[one], points[other]).round(4).tolist() for one, other in links]
    return {"widths": [round(box_width(word), 4) for word in words], "arcs": arcs}


def top_of(points: Points, links: Ints) -> float:
    """The top of the highest arc or word."""
    arcs = [float(_AT_HALF @ arc(*points[link])[:, 1]) for link in links.T]
    return max([float(points[:, 1].max()) + HIGH * EM / 2, *arcs])
