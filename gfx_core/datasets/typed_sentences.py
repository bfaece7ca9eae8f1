"""Sentences that need no data: a dozen of our own, with our own heads, and whatever somebody types."""

import re
from typing import ClassVar

from gfx_core.datasets.graph import DEFAULT_HOPS
from gfx_core.datasets.graph_sst2 import UNKNOWN_CLASS, graph_of
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.parsing import parsed, parser_note
from gfx_core.datasets.sentence import Sentence
from gfx_core.datasets.source import Listed, Typed
from gfx_core.errors import UserError

_NEGATIVE, _POSITIVE = 0, 1
_OURS = (
    (_NEGATIVE, "The jokes are not funny .", "1 2 -1 2 2 2"),
    (_POSITIVE, "A warm and funny film with a wonderful cast .", "4 4 1 1 -1 4 8 8 5 4"),
    (_NEGATIVE, "It is a slow , boring and utterly predictable mess .", "1 -1 9 9 9 9 5 8 5 1 1"),
    (_POSITIVE, "The story never gets dull , and the ending is moving .", "1 3 3 -1 3 3 3 8 9 3 9 9"),
    (_NEGATIVE, "Despite two good actors , the plot makes no sense .", "7 3 3 0 7 6 7 -1 9 7 7"),
    (_POSITIVE, "It starts badly but grows into a touching and honest love story .", "1 -1 1 1 1 4 11 11 7 7 11 5 1"),
    (
        _NEGATIVE,
        "I wanted to like this film , but it is too long and too loud .",
        "1 -1 3 1 5 3 1 1 9 1 11 9 11 14 11 9",
    ),
    (_POSITIVE, "You will laugh , you will cry and you will not be bored .", "2 2 -1 2 6 6 2 6 11 11 11 6 11 11"),
    (_NEGATIVE, "The director wastes a brilliant idea on cheap tricks .", "1 2 -1 5 5 2 2 8 6 2"),
    (_POSITIVE, "Quiet , clever and beautifully filmed .", "-1 0 0 2 5 2 0"),
    (_NEGATIVE, "Nobody will remember this tired copy of a great original .", "2 2 -1 5 5 2 5 9 9 6 2"),
    (_POSITIVE, "The best thing about it is that it does not try too hard .", "2 2 5 2 3 -1 10 10 10 10 5 12 10 5"),
)

SENTENCES = {
    sentence.text: (label, sentence)
    for label, words, heads in _OURS
    for sentence in (Sentence(tuple(words.split()), tuple(map(int, heads.split()))),)
}
"""Our own sentences as people read them, with their class and what hangs on what."""

MAX_TYPED = 400
"""Characters of a sentence that somebody types."""


class OwnSentences(Listed):
    """The sentences that we wrote."""

    parameter: ClassVar[str] = "example"
    title: ClassVar[str] = "Examples"
    noun: ClassVar[str] = "example"
    names: ClassVar[tuple[str, ...]] = tuple(SENTENCES)
    width: ClassVar[int] = 480
    first = names[0]

    def checked(self, name: str) -> str:
        return next((known for known in self.names if self.called(known) == name), None) or super().checked(name)

    def instance(self, name: str, hops: int = DEFAULT_HOPS) -> Instance:
        label, sentence = SENTENCES[self.checked(name)]
        return graph_of([sentence], [label]).instance(0)

    def typed(self, name: str) -> str:
        return self.checked(name)

    def called(self, name: str) -> str:
        return "-".join(re.findall(r"\w+", name.lower()))


class TypedSentence(Typed):
    """Any sentence that somebody types."""

    parameter: ClassVar[str] = "sentence"
    title: ClassVar[str] = "Own sentence"
    noun: ClassVar[str] = "Your sentence"
    placeholder: ClassVar[str] = "Not a bad film at all."
    help: ClassVar[str] = "Any English sentence, best one about a film. Press Enter to read it."
    width: ClassVar[int] = 400
    first = OwnSentences.first

    @property
    def note(self) -> str:
        return parser_note()

    def checked(self, name: str) -> str:
        text = name.strip()
        if len(text) > MAX_TYPED:
            raise UserError(f"This sentence has {len(text)} characters; at most {MAX_TYPED} can be read.")
        return text

    def instance(self, name: str, hops: int = DEFAULT_HOPS) -> Instance:
        text = self.checked(name)
        ours = SENTENCES.get(text)
        sentence = parsed(text) if ours is None else ours[1]  # of our own it is known what hangs on what
        return graph_of([sentence], [UNKNOWN_CLASS]).instance(0)

    def called(self, name: str) -> str:
        return "sentence"
