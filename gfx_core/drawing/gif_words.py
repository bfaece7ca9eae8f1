"""A sentence on the pictures of a GIF: where its words are, and their boxes, arcs and underlines."""

from collections.abc import Sequence

import numpy as np

from gfx_core.text.typesetting import EM, HIGH, Points, arc, box_width, runs, top_of
from gfx_core.trace.schema import Trace

_PIECES = 18  # straight lines that an arc is made of


class WordShapes:
    """The words of a trace's sentence on a picture, in pixels, y downwards.

    Args:
        trace: A sentence.
        room: Left, top, right and bottom of where they may be.
    """

    def __init__(self, trace: Trace, room: tuple[float, float, float, float]) -> None:
        self.words = [node.label for node in trace.nodes]
        self._points: Points = np.array([node.position for node in trace.nodes], dtype=np.float64)
        links = np.array([(edge.source, edge.target) for edge in trace.edges], dtype=np.int64).reshape(-1, 2).T
        halves = np.array([box_width(word) / 2 for word in self.words])
        x, y = self._points.T
        left, right = float((x - halves).min()), float((x + halves).max())
        high, low = top_of(self._points, links), float(y.min()) - HIGH * EM
        wide, tall = room[2] - room[0], room[3] - room[1]
        self._scale = min(wide / (right - left), tall / (high - low), 0.09 * wide / EM / 2)
        self._left = room[0] + (wide - self._scale * (right - left)) / 2 - self._scale * left
        self._top = room[1] + (tall - self._scale * (high - low)) / 2 + self._scale * high

    @property
    def letters(self) -> float:
        """Height of the letters."""
        return EM * self._scale

    def _at(self, place: Sequence[float]) -> tuple[float, float]:
        return self._left + self._scale * float(place[0]), self._top - self._scale * float(place[1])

    @property
    def points(self) -> list[tuple[float, float]]:
        """The middle of each word."""
        return [self._at(point) for point in self._points]

    def box(self, word: int, more: float = 0.0) -> tuple[float, float, float, float]:
        """The box of a word, larger by so many letters on each side."""
        (x, y), half = self._at(self._points[word]), box_width(self.words[word]) / 2 * self._scale
        high, out = HIGH * self.letters / 2, more * self.letters
        return x - half - out, y - high - out, x + half + out, y + high + out

    def line(self, source: int, target: int) -> list[tuple[float, float]]:
        """The arc between two words, as points."""
        bend = arc(self._points[source], self._points[target])
        share = np.linspace(0, 1, _PIECES + 1)[:, None]
        weights = (1 - share) ** 3, 3 * share * (1 - share) ** 2, 3 * share**2 * (1 - share), share**3
        curve = sum(weight * corner for weight, corner in zip(weights, bend, strict=True))
        return [self._at(point) for point in np.asarray(curve)]

    def underlines(self, words: Sequence[int]) -> list[list[tuple[float, float]]]:
        """Lines under some words, one for each run of them."""
        below = (HIGH / 2 + 0.25) * EM
        found = runs(words, self._points, self.words)
        return [[self._at((left, y - below)), self._at((right, y - below))] for left, right, y in found]
