"""What the faults are made with: requests that die, and checks of what is left."""

import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from gfx_core import storage
from gfx_core.errors import UserError
from gfx_core.files import replacing
from gfx_core.job_context import JobContext
from gfx_core.jobs.job import Job, Request, T
from tests.patience import until

_LONGEST = 400
WHOLE = ("a" * 200_000, "b" * 300_000)  # what two servers write


class FaultError(AssertionError):
    """Something was damaged or lost, or nobody was told."""


class _OnCpu(Request[T]):
    device = "cpu"
    shared = False


@dataclass(frozen=True)
class Wait(_OnCpu[None]):
    """Computes until it is ended."""

    def answer(self, job: JobContext) -> None:
        while True:
            time.sleep(0.01)


@dataclass(frozen=True)
class Pid(_OnCpu[int]):
    """Tells which process answers."""

    def answer(self, job: JobContext) -> int:
        return os.getpid()


@dataclass(frozen=True)
class DieWriting(_OnCpu[None]):
    """Is killed in the middle of a file."""

    path: str

    def answer(self, job: JobContext) -> None:
        with replacing(Path(self.path)) as part:
            part.write_text("half of")
            os.kill(os.getpid(), signal.SIGKILL)


@dataclass(frozen=True)
class WriteOften(_OnCpu[int]):
    """Writes the same file again and again."""

    path: str
    which: int
    times: int

    def answer(self, job: JobContext) -> int:
        for _ in range(self.times):
            with replacing(Path(self.path)) as part:
                part.write_text(WHOLE[self.which])
        return self.times


def sentence_of(call: Callable[[], object], kinds: tuple[type[Exception], ...] = (UserError,)) -> str:
    """The sentence that a call ends with."""
    try:
        call()
    except kinds as error:
        words = str(error)
    else:
        raise FaultError("nobody was told")
    if not words or "\n" in words or len(words) > _LONGEST or "Traceback" in words or not words.endswith((".", "?")):
        raise FaultError(f"this is no sentence: {words!r}")
    if str(storage.data_root()) in words:
        raise FaultError(f"this names a folder of the server: {words}")
    return words


def check(holds: bool, otherwise: str) -> None:
    """Something must hold; else there was damage."""
    if not holds:
        raise FaultError(otherwise)


def running(job: Job[T]) -> Job[T]:
    """A job, once a process is at it."""
    until(lambda: job.status.seconds > 0)
    return job


def lives(pid: int) -> bool:
    """Whether a process is there and not only its name, which nobody has buried."""
    if not Path("/proc/self/stat").is_file():
        try:
            os.kill(pid, 0)
        except OSError as error:
            return isinstance(error, PermissionError)  # it is another user's
        return True
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
