"""A class as it is at one moment: what students are told of it, and what its teacher sees."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gfx_core.classroom.targets import Target


@dataclass(frozen=True)
class Room:
    """What everybody in a class is told.

    Attributes:
        code: By which it is found.
        ends: When it ends, in seconds since 1970.
        frozen: Whether everybody is to look up: nothing can be pressed, answers do not count.
        sent: How often the class was sent somewhere.
        target: Where to, the last time.
    """

    code: str
    ends: float
    frozen: bool = False
    sent: int = 0
    target: Target | None = None


@dataclass(frozen=True)
class Place:
    """Where a student is: a page, and on Learn a lesson (else 0)."""

    page: str
    lesson: int = 0


@dataclass(frozen=True)
class Asked:
    """A lesson's question as students saw it.

    Attributes:
        text: What is asked.
        options: The answers to choose from; none where a number is asked for.
        right: The number of the right one, or the right number.
    """

    text: str
    options: Sequence[str] = ()
    right: int = 0


@dataclass(frozen=True)
class Spread:
    """How many gave which answer to a question, at first and by now.

    Attributes:
        lesson: Whose question it is.
        asked: The question.
        first: How many gave each answer, when they answered for the first time.
        latest: How many stand by each answer now.
    """

    lesson: int
    asked: Asked
    first: Mapping[int, int]
    latest: Mapping[int, int]

    @property
    def answered(self) -> int:
        """How many have answered."""
        return sum(self.first.values())

    def bars(self) -> list[tuple[int, str, int, int]]:
        """For each answer its number, its words, and how many gave it first and give it now."""
        answers = range(len(self.asked.options)) if self.asked.options else sorted({*self.first, *self.latest})
        words = list(self.asked.options)
        return [
            (answer, words[answer] if words else str(answer), self.first.get(answer, 0), self.latest.get(answer, 0))
            for answer in answers
        ]


@dataclass(frozen=True)
class Overview:
    """What the teacher of a class sees.

    Attributes:
        room: The class.
        places: How many are where just now, most first.
        spreads: The answers to each question that was answered, by lesson.
    """

    room: Room
    places: Mapping[Place, int] = field(default_factory=dict)
    spreads: Sequence[Spread] = ()

    @property
    def present(self) -> int:
        """How many are there just now."""
        return sum(self.places.values())
