"""How a sentence is drawn: words in lines, in reading order, and an arc above them for each link.

A long sentence is broken into lines. All lengths are in units of the layout, in which a letter is :data:`EM` high. The
player draws the same shapes in the browser (assets/player/words.js), from the places alone.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]  # [n, 2], y upwards

EM = 3 / 14
"""The size of the letters."""
HIGH = 1.7
"""Height of a word's box, in EM."""
_NARROW, _WIDE = frozenset("ijltfrI.,;:'’!|()[]-"), frozenset("mwMW@%—…")
_NO_SPACE_BEFORE = frozenset(".,;:!?)]…%")
_SPACE = 1.35  # between two words, in EM
_GAP = 0.7  # between the highest arc of a line and the words above it, in EM
_ROOM = (40.0, 28.0)  # width and height, in EM, that a sentence is broken to fit into
_MOST_LINES = 12


def spelled(words: Sequence[str]) -> str:
    """Words as people write them: no space before a full stop, none inside ``does n't``.

    >>> spelled(["It", "is", "n't", "bad", "."])
    "It isn't bad."
    """
    text = ""
    for word in words:
        tight = word in _NO_SPACE_BEFORE or word.lower() == "n't" or (word[:1] in "'’" and len(word) > 1)
        text += word if tight or not text or text[-1] in "([" else f" {word}"
    return text


def phrase(words: Mapping[int, str]) -> str:
    """Some words of a sentence by their places, in reading order; dots stand for what is between them: not … funny."""
    text, before = "", None
    for place in sorted(words):
        text += ("" if before is None else " " if place == before + 1 else " … ") + words[place]
        before = place
    return text


def box_width(text: str) -> float:
    """How wide a word's box is, about: some letters are narrow, some wide."""
    letters = sum(0.34 if letter in _NARROW else 0.95 if letter in _WIDE else 0.61 for letter in text)
    return (max(letters, 0.6) + 0.7) * EM


def rise(distance: float) -> float:
    """How high an arc stands over two words that are so far apart: less than in proportion, so that arcs nest."""
    return (0.55 + 0.62 * np.sqrt(abs(distance) / EM)) * EM


def word_places(words: Sequence[str], links: NDArray[np.int64]) -> Points:
    """Where the words of a sentence stand.

    Args:
        words: In reading order.
        links: Pairs of words; arcs between words of one line need room above it. [2, e]

    Returns:
        The middle of each word, all lines centred around 0. [n, 2]
    """
    widths = np.array([box_width(word) for word in words])
    total = float(widths.sum() + (len(words) - 1) * (_SPACE - 0.7) * EM)
    best, best_scale = None, 0.0
    for lines in range(1, min(_MOST_LINES, len(words)) + 1):
        places = _broken(widths, links, total / lines)
        size = np.ptp(places, axis=0) + np.array([widths.max(), 3 * EM])
        scale = min(1.0, *(np.array(_ROOM) * EM / size))
        if scale > best_scale + 1e-9:
            best, best_scale = places, scale
    assert best is not None
    return best - (best.max(axis=0) + best.min(axis=0)) / 2


def _broken(widths: NDArray[np.float64], links: NDArray[np.int64], width: float) -> Points:
    """Words in lines that are about so wide: one ends where the next word would be more out than in."""
    line, x = np.zeros(len(widths), dtype=np.int64), np.zeros(len(widths))
    at, number = 0.0, 0
    for word, wide in enumerate(widths):
        if at > 0 and at + wide / 2 > width:
            at, number = 0.0, number + 1
        line[word], x[word] = number, at + wide / 2
        at += wide + (_SPACE - 0.7) * EM
    first, second = links
    same = line[first] == line[second]
    y = 0.0
    heights = np.zeros(number + 1)
    for one in range(1, number + 1):
        inside = same & (line[first] == one)
        highest = max((rise(x[a] - x[b]) for a, b in links[:, inside].T), default=0.0)
        y -= HIGH * EM + max(highest, 0.9 * EM) + _GAP * EM
        heights[one] = y
    return np.stack([x, heights[line]], axis=1)


def arc(start: Sequence[float], end: Sequence[float]) -> Points:
    """The four points of a cubic curve that links two words, y upwards: over them, or from line to line. [4, 2]

    Args:
        start: The middle of one word.
        end: The middle of the other.
    """
    (x0, y0), (x1, y1) = sorted((tuple(start), tuple(end)))
    half = HIGH * EM / 2
    if abs(y0 - y1) > 1e-6:
        if y0 < y1:
            (x0, y0), (x1, y1) = (x1, y1), (x0, y0)
        top, bottom = y0 - half, y1 + half
        middle = (top + bottom) / 2
        return np.array([[x0, top], [x0, middle], [x1, middle], [x1, bottom]])
    lean = min(0.35 * EM, (x1 - x0) / 4)  # two arcs that meet above a word do not begin at one point
    left, right, top = x0 + lean, x1 - lean, y0 + half
    peak = top + rise(x1 - x0) * 4 / 3
    bend = 0.12 * (right - left)
    return np.array([[left, top], [left + bend, peak], [right - bend, peak], [right, top]])


def top_of(points: Points, links: NDArray[np.int64]) -> float:
    """How high the highest arc or word reaches."""
    first, second = links
    same = np.abs(points[first, 1] - points[second, 1]) < 1e-6
    arcs = [points[a, 1] + HIGH * EM / 2 + rise(points[a, 0] - points[b, 0]) for a, b in links[:, same].T]
    return max([float(points[:, 1].max()) + HIGH * EM / 2, *arcs])


def runs(chosen: Sequence[int], points: Points, words: Sequence[str]) -> list[tuple[float, float, float]]:
    """The stretches that some words cover, neighbours as one: left end, right end and height. Words go by number."""
    found: list[tuple[float, float, float]] = []
    before = None
    for word in sorted(chosen):
        x, y = points[word]
        half = box_width(words[word]) / 2
        joins = before is not None and word == before + 1 and abs(found[-1][2] - y) < 1e-6
        found[-1:] = [(found[-1][0], x + half, y)] if joins else [*found[-1:], (x - half, x + half, y)]
        before = word
    return found
