"""Requests of the tests; their workers need no torch."""

import os
import signal
import tempfile
import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from gfx_core.errors import UserError
from gfx_core.job_context import JobContext
from gfx_core.jobs.job import Request

KILL = getattr(signal, "SIGKILL", signal.SIGTERM)
"""Windows has no other signal that ends a process at once."""


def call(name: str, /, **arguments: Any) -> Request[Any]:
    """A request for a function of this module."""
    return Request(f"{__name__}:{name}", arguments, device="cpu")


def live(request: Request[Any], turn: str = "") -> Request[Any]:
    return replace(request, live={"word": "end"}, turn=turn)


def double(value: Any, job: JobContext, long: bool = False) -> dict[str, Any]:
    if long:
        job.take_long()
    threads = os.environ.get("OMP_NUM_THREADS")
    nice = os.nice(0) if hasattr(os, "nice") else None  # which Windows has not
    worker = {"pid": os.getpid(), "device": job.device, "nice": nice, "threads": threads}
    return {"twice": value * 2, **worker}


def count_calls(file: str, job: JobContext, seconds: float = 0.0, wait_first: bool = False) -> int:
    """How often it was computed; the first time it may wait to be cancelled."""
    with Path(file).open("a") as counter:
        counter.write("x")
    calls = len(Path(file).read_text())
    while wait_first and calls == 1 and not job.cancelled():
        time.sleep(0.01)
    time.sleep(seconds)
    return calls


def in_steps(job: JobContext, steps: int = 20, pause: float = 0.05) -> str:
    for step in range(steps):
        job.report(step / steps, f"step {step} of {steps}")
        time.sleep(pause)
    return "done"


def until_cancelled(job: JobContext) -> None:
    while not job.cancelled():
        time.sleep(0.01)
    raise RuntimeError("cancelled, and an error besides")


def never_looks(job: JobContext, name: str = "", long: bool = False) -> None:
    """Never ends, and never looks whether it is cancelled."""
    if long:
        job.take_long()
    while True:
        time.sleep(0.01)


def takes_all(how: str, job: JobContext) -> int:
    """Wants memory without end, or is told by torch that there is no more."""
    held: list[Any] = []
    while how != "torch":
        held.append(np.ones(2**22))
    raise RuntimeError("[enforce fail at alloc_cpu.cpp:127] DefaultCPUAllocator: not enough memory")


def leaves_a_file(job: JobContext) -> str:
    """As PyG does with code that it makes."""
    with tempfile.NamedTemporaryFile(delete=False) as file:
        return file.name


def sleeps(seconds: float, job: JobContext, long: bool = False) -> float:
    if long:
        job.take_long()
    time.sleep(seconds)
    return seconds


def refuses(job: JobContext, sentence: str = "There is no node 7: choose one from 0 to 6.") -> None:
    raise UserError(sentence)


def breaks(job: JobContext) -> None:
    raise ZeroDivisionError("a secret detail")


def dies(job: JobContext) -> None:
    os.kill(os.getpid(), KILL)


def odd_result(job: JobContext) -> object:
    """Prints straight to the screen, as libraries do, and gives what cannot be sent."""
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


def unreadable_result(job: JobContext) -> _AtHome:
    return _AtHome(os.getpid())


def talks(job: JobContext) -> list[str]:
    """Emits what it hears until it hears “end”; “die” kills it."""
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
