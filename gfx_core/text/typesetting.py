"""How a sentence is drawn: words in lines, in reading order, and an arc above them for each link.

A long sentence is broken into lines. All lengths are in units of the layout, in which a letter is :data:`EM` high. The
player draws the same shapes in the browser (assets/player/words.js), from the places alone.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]  # [n, 2], y upwards

EM = 3 / 14
"""The size of the letters."""
HIGH = 1.7
"""Height of a word's box, in EM."""
_NARROW, _WIDE = frozenset("ijltfrI.,;:'’!|()[]-"), frozenset("mwMW@%—…")
_BETWEEN = 0.65 * EM  # two words
_SAME_LINE = 1e-6
_GAP = 0.7  # between the highest arc of a line and the words above it, in EM
_ROOM = np.array([40.0, 28.0]) * EM  # width and height that a sentence is broken to fit into
_MOST_LINES = 12


def phrase(words: Mapping[int, str]) -> str:
    """Some words of a sentence by their places, in reading order; dots stand for what is between them: not … funny."""
    text, before = "", -1
    for place in sorted(words):
        gap = " " if place == before + 1 else " … "
        text += (gap if text else "") + words[place]
        before = place
    return text


def box_width(text: str) -> float:
    """How wide a word's box is, about: some letters are narrow, some wide."""
    letters = sum(0.34 if letter in _NARROW else 0.95 if letter in _WIDE else 0.61 for letter in text)
    return (max(letters, 0.6) + 0.7) * EM


def rise(distances: Any) -> Any:
    """How high arcs stand over two words that are so far apart: less than in proportion, so that they nest."""
    return (0.55 + 0.62 * np.sqrt(np.abs(distances) / EM)) * EM


def word_places(words: Sequence[str], links: NDArray[np.int64]) -> Points:
    """Where the words of a sentence stand: in the lines that need the least reduction to fit.

    Args:
        words: In reading order.
        links: Pairs of words; arcs between words of one line need room above it. [2, e]

    Returns:
        The middle of each word, all lines centred around 0. [n, 2]
    """
    widths = np.array([box_width(word) for word in words])
    total = float(widths.sum() + (len(words) - 1) * _BETWEEN)
    margin = np.array([widths.max(), 3 * EM])

    def scale(places: Points) -> float:
        return min(1.0, *np.round(_ROOM / (np.ptp(places, axis=0) + margin), 9))

    counts = range(1, min(_MOST_LINES, len(words)) + 1)
    places = max((_broken(widths, links, total / count) for count in counts), key=scale)
    return places - (places.max(axis=0) + places.min(axis=0)) / 2


def _broken(widths: NDArray[np.float64], links: NDArray[np.int64], width: float) -> Points:
    """Words in lines that are about so wide: one ends where the next word would be more out than in."""
    line, x = np.zeros(len(widths), dtype=np.int64), np.zeros(len(widths))
    end = 0.0
    for word, wide in enumerate(widths):
        breaks = end > 0 and end + wide / 2 > width
        start = 0.0 if breaks else end
        line[word], x[word] = line[word - 1] + breaks, start + wide / 2
        end = start + wide + _BETWEEN
    ends = links[:, line[links[0]] == line[links[1]]]
    above = np.full(line[-1] + 1, 0.9 * EM)  # what stands above the words of each line
    np.maximum.at(above, line[ends[0]], rise(x[ends[0]] - x[ends[1]]))
    drops = above + (HIGH + _GAP) * EM
    drops[0] = 0.0
    return np.stack([x, -np.cumsum(drops)[line]], axis=1)


def arc(start: Sequence[float], end: Sequence[float]) -> Points:
    """The four points of a cubic curve that links two words, y upwards: over them, or from line to line. [4, 2]

    Args:
        start: The middle of one word.
        end: The middle of the other.
    """
    half = HIGH * EM / 2
    if abs(start[1] - end[1]) > _SAME_LINE:
        (x0, y0), (x1, y1) = sorted((start, end), key=lambda point: -point[1])
        middle = (y0 + y1) / 2
        return np.array([[x0, y0 - half], [x0, middle], [x1, middle], [x1, y1 + half]])
    x0, x1 = sorted((start[0], end[0]))
    top = start[1] + half
    peak = top + rise(x1 - x0) * 4 / 3
    lean = min(0.35 * EM, (x1 - x0) / 4)  # two arcs that meet above a word do not begin at one point
    left, right = x0 + lean, x1 - lean
    bend = 0.12 * (right - left)
    return np.array([[left, top], [left + bend, peak], [right - bend, peak], [right, top]])


def top_of(points: Points, links: NDArray[np.int64]) -> float:
    """How high the highest arc or word reaches."""
    x, y = points[links].T  # [e, 2] each
    arcs = y[:, 0] + rise(x[:, 0] - x[:, 1])
    return float(max([points[:, 1].max(), *arcs[np.abs(y[:, 0] - y[:, 1]) < _SAME_LINE]])) + HIGH * EM / 2


def runs(chosen: Sequence[int], points: Points, words: Sequence[str]) -> list[tuple[float, float, float]]:
    """The stretches that some words cover, neighbours as one: left end, right end and height. Words go by number."""
    stretches: list[tuple[float, float, float]] = []
    for word in sorted(chosen):
        (x, y), half = points[word], box_width(words[word]) / 2
        if word - 1 in chosen and abs(points[word - 1, 1] - y) < _SAME_LINE:
            stretches[-1] = stretches[-1][0], x + half, y
        else:
            stretches.append((x - half, x + half, y))
    return stretches
