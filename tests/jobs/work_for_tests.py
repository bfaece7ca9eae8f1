"""Requests of the tests; their workers need no torch."""

import os
import signal
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gfx_core.errors import UserError
from gfx_core.job_context import JobContext
from gfx_core.jobs.job import Request, T

KILL = getattr(signal, "SIGKILL", signal.SIGTERM)
"""Windows has no other signal that ends a process at once."""


class OnCpu(Request[T]):
    device = "cpu"


@dataclass(frozen=True)
class Double(OnCpu[dict[str, Any]]):
    value: Any
    short: bool = False
    device: str = "cpu"

    def answer(self, job: JobContext) -> dict[str, Any]:
        threads = os.environ.get("OMP_NUM_THREADS")
        nice = os.nice(0) if hasattr(os, "nice") else None  # which Windows has not
        worker = {"pid": os.getpid(), "device": job.device, "nice": nice, "threads": threads}
        return {"twice": self.value * 2, **worker}


@dataclass(frozen=True)
class CountCalls(OnCpu[int]):
    """How often it was computed; the first time it may wait to be cancelled."""

    file: str
    seconds: float = 0.0
    wait_first: bool = False
    read: str = ""

    def files(self) -> tuple[Path, ...]:
        return (Path(self.read),) if self.read else ()

    def answer(self, job: JobContext) -> int:
        with Path(self.file).open("a") as counter:
            counter.write("x")
        calls = len(Path(self.file).read_text())
        while self.wait_first and calls == 1 and not job.cancelled():
            time.sleep(0.01)
        time.sleep(self.seconds)
        return calls


@dataclass(frozen=True)
class InSteps(OnCpu[str]):
    steps: int = 20
    pause: float = 0.05

    def answer(self, job: JobContext) -> str:
        for step in range(self.steps):
            job.report(step / self.steps, f"step {step} of {self.steps}")
            time.sleep(self.pause)
        return "done"


@dataclass(frozen=True)
class UntilCancelled(OnCpu[None]):
    def answer(self, job: JobContext) -> None:
        while not job.cancelled():
            time.sleep(0.01)
        raise RuntimeError("cancelled, and an error besides")


@dataclass(frozen=True)
class NeverLooks(OnCpu[None]):
    """Never ends, and never looks whether it is cancelled."""

    name: str = ""
    short: bool = False
    device: str = "cpu"

    def answer(self, job: JobContext) -> None:
        while True:
            time.sleep(0.01)


@dataclass(frozen=True)
class TakesAll(OnCpu[int]):
    """Wants memory without end, or is told by torch that there is no more."""

    how: str

    def answer(self, job: JobContext) -> int:
        held: list[Any] = []
        while self.how != "torch":
            held.append(np.ones(2**22))
        raise RuntimeError("[enforce fail at alloc_cpu.cpp:127] DefaultCPUAllocator: not enough memory")


@dataclass(frozen=True)
class LeavesAFile(OnCpu[str]):
    """As PyG does with code that it makes."""

    def answer(self, job: JobContext) -> str:
        with tempfile.NamedTemporaryFile(delete=False) as file:
            return file.name


@dataclass(frozen=True)
class Sleeps(OnCpu[float]):
    seconds: float
    shared = False

    def answer(self, job: JobContext) -> float:
        time.sleep(self.seconds)
        return self.seconds


@dataclass(frozen=True)
class TakesLong(OnCpu[str]):
    """Finds out that it takes long."""

    number: int = 0
    short = True

    def answer(self, job: JobContext) -> str:
        job.take_long()
        return "after a while"


@dataclass(frozen=True)
class Refuses(OnCpu[None]):
    sentence: str = "There is no node 7: choose one from 0 to 6."

    def answer(self, job: JobContext) -> None:
        raise UserError(self.sentence)


@dataclass(frozen=True)
class Breaks(OnCpu[None]):
    device: str = "cpu"
    shared = False

    def answer(self, job: JobContext) -> None:
        raise ZeroDivisionError("a secret detail")


@dataclass(frozen=True)
class Dies(OnCpu[None]):
    def answer(self, job: JobContext) -> None:
        os.kill(os.getpid(), KILL)


@dataclass(frozen=True)
class OddResult(OnCpu[object]):
    """Prints straight to the screen, as libraries do, and gives what cannot be sent."""

    def answer(self, job: JobContext) -> object:
        os.write(1, b"a library prints\n")
        return threading.Lock()


@dataclass(frozen=True)
class _AtHome:
    """Can be made in one process only."""

    pid: int

    def __post_init__(self) -> None:
        assert self.pid == os.getpid()

    def __reduce__(self) -> tuple[Any, ...]:
        return _AtHome, (self.pid,)


@dataclass(frozen=True)
class UnreadableResult(OnCpu[_AtHome]):
    def answer(self, job: JobContext) -> _AtHome:
        return _AtHome(os.getpid())


@dataclass(frozen=True)
class Talks(OnCpu[list[str]]):
    """Emits what it hears until it hears “end”; “die” kills it."""

    live = True

    def answer(self, job: JobContext) -> list[str]:
        heard: list[str] = []
        job.emit({"is": "ready"})
        while "end" not in heard:
            for command in job.commands():
                heard.append(command["word"])
                job.emit({"is": "heard", "word": command["word"], "number": len(heard)})
                if command["word"] == "die":
                    os.kill(os.getpid(), KILL)
            job.report(0.5)
            time.sleep(0.005)
        return heard


@dataclass(frozen=True)
class TalksToTheEnd(Talks):
    """Is told to end when its time is up."""

    stop_command = {"word": "end"}  # noqa: RUF012
