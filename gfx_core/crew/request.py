"""A request: what somebody wants computed, as plain data that knows how it is answered."""

from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from gfx_core.crew.context import JobContext

T = TypeVar("T")


class Request(Generic[T]):
    """Derive a frozen dataclass from it, in a module that needs no torch: pages make requests, workers answer them.

    Fields and answer are of what can be sent (see `gfx_core.crew.wire`).
    """

    shared: ClassVar[bool] = True
    """Whether equal requests are one computation: who asks meanwhile joins in, who asks later gets what was kept."""

    live: ClassVar[bool] = False
    """Whether it emits events while it is answered, and obeys commands; then it is never shared."""

    last_words: ClassVar[dict[str, Any] | None] = None
    """The command that a live one is given when its time is up: it may still end by itself and keep what it has."""

    tries: ClassVar[int] = 1
    """How often it is begun at most, where its worker dies."""

    deadline_s: ClassVar[float | None] = None
    """It is ended, whatever it is at, once it has been computed for so long; None: it has no such deadline."""

    deadline_words: ClassVar[str] = "This took longer than it may, so it was ended: ask for less."
    """What the one who asked is told then."""

    @property
    def work_kind(self) -> str:
        """What takes about as long as others of its kind, if these expect the same."""
        return type(self).__name__

    @property
    def expected_s(self) -> float | None:
        """The seconds that it takes, about, as far as it tells by itself; None: as long as others of its kind do."""
        return None

    @property
    def short(self) -> bool:
        """Whether it takes about a second: it may overtake others."""
        return False

    @property
    def device(self) -> str | None:
        """Where it must be computed, ``cpu`` or ``cuda``; None for the best that this computer has."""
        return None

    def files(self) -> tuple[Path, ...]:
        """What the answer is read from: a request is not the same any more once one of these is replaced."""
        return ()

    def answer(self, job: JobContext) -> T:
        """Compute it, in a worker; torch is imported in here."""
        raise NotImplementedError
