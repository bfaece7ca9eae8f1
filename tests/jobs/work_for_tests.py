"""Functions that the tests have computed by workers; they need no torch."""

import os
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np

from gfx_core.errors import UserError
from gfx_core.jobs.context import JobContext


def double(job: JobContext, value: Any) -> dict[str, Any]:
    return {"twice": value * 2, "pid": os.getpid(), "device": job.device}


def count_calls(job: JobContext, file: str, seconds: float = 0.0) -> int:
    with Path(file).open("a") as counter:
        counter.write("x")
    time.sleep(seconds)
    return len(Path(file).read_text())


def in_steps(job: JobContext, steps: int = 20, pause: float = 0.05) -> str:
    for step in range(steps):
        job.report(step / steps, f"step {step} of {steps}")
        time.sleep(pause)
    return "done"


def until_cancelled(job: JobContext) -> None:
    while not job.cancelled():
        time.sleep(0.01)
    raise RuntimeError("cancelled, and an error besides")


def never_looks(job: JobContext) -> None:
    while True:
        pass


def sleeps(job: JobContext, seconds: float) -> float:
    time.sleep(seconds)
    return seconds


def refuses(job: JobContext) -> None:
    raise UserError("There is no node 7: choose one from 0 to 6.")


def refuses_politely(job: JobContext, text: str) -> None:
    raise UserError(f"“{text}” is no molecule.")


def breaks(job: JobContext) -> None:
    raise ZeroDivisionError("a secret detail")


def dies(job: JobContext) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def prints(job: JobContext) -> int:
    os.write(1, b"a library prints straight to the screen\n")
    return 1


def odd_result(job: JobContext) -> object:
    return object()


def ring(job: JobContext, points: np.ndarray) -> np.ndarray:
    return np.roll(points, 1, axis=0)


def prepares(device: str) -> None:
    time.sleep(0.5)


def dies_preparing(device: str) -> None:
    os._exit(1)
