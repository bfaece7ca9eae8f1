"""Sentence: words in reading order, and what each of them hangs on."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from gfx_core.arrays import Ints
from gfx_core.errors import UserError
from gfx_core.sentence_shape import spelled

ROOT = -1
"""The head of a word that hangs on no other."""
MAX_WORDS = 80
MAX_LETTERS = 45
"""Of a word."""


@dataclass(frozen=True)
class Sentence:
    """A sentence as a graph of its words.

    Attributes:
        words: In reading order, punctuation among them.
        heads: For each word the position of the word that it hangs on, :data:`ROOT` for none.
        relations: What each word is to its head (``nsubj``, ``neg``); empty where nobody said it.

    Raises:
        UserError: The heads do not fit the words.
    """

    words: tuple[str, ...]
    heads: tuple[int, ...]
    relations: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        count = len(self.words)
        if len(self.heads) != count or len(self.relations) not in (0, count):
            raise UserError(f"A sentence of {count} words has {len(self.heads)} heads; each word needs one.")
        for position, head in enumerate(self.heads):
            if not ROOT <= head < count or head == position:
                raise UserError(f"Word {position} of a sentence of {count} words cannot hang on word {head}.")

    @classmethod
    def chain(cls, words: Sequence[str]) -> "Sentence":
        """Words of which nobody knows what they hang on: each is linked to the one before it."""
        return cls(tuple(words), tuple(range(-1, len(words) - 1)))

    @property
    def links(self) -> Ints:
        """Each word with its head; where a text is several sentences, their roots follow each other. [2, e]"""
        roots = [position for position, head in enumerate(self.heads) if head == ROOT]
        pairs = [(position, head) for position, head in enumerate(self.heads) if head != ROOT]
        pairs += pairwise(roots)
        return np.array(pairs, dtype=np.int64).reshape(-1, 2).T

    @property
    def notes(self) -> tuple[str, ...]:
        """For each word, what it hangs on and as what: ``neg of funny``."""
        names = self.relations or ("linked",) * len(self.words)
        joined = "of" if self.relations else "to"
        return tuple(
            f"{name} {joined} {self.words[head]}" if head != ROOT else "root" if self.relations else "the first word"
            for name, head in zip(names, self.heads, strict=True)
        )

    @property
    def text(self) -> str:
        """As people write it: no space before a full stop, none inside ``does n't``."""
        return spelled(self.words)


def visible(text: str) -> str:
    """A text without what cannot be seen: control and formatting characters become spaces, or nothing."""
    kept = []
    for letter in text:
        kind = unicodedata.category(letter)
        kept.append(" " if kind in ("Cc", "Zl", "Zp") else "" if kind in ("Cf", "Cs", "Co", "Cn") else letter)
    return " ".join("".join(kept).split())


def check_size(words: Sequence[str]) -> None:
    """Refuse what could not be drawn."""
    if len(words) < 2:
        raise UserError("A sentence has at least two words: type one more.")
    if len(words) > MAX_WORDS:
        raise UserError(f"This sentence has {len(words)} words; at most {MAX_WORDS} can be shown.")
    longest = max(words, key=len)
    if len(longest) > MAX_LETTERS:
        raise UserError(f"The word “{longest[:20]}…” has {len(longest)} letters; at most {MAX_LETTERS} can be shown.")
