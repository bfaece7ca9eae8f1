"""How something is computed: the device, known before torch is loaded, the seed of weights, and a record of it all."""

import ctypes
import datetime
import importlib.metadata
import platform
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

from gfx_core.errors import UserError

if TYPE_CHECKING:
    import torch

_version = cache(importlib.metadata.version)  # parsed from a file, which takes milliseconds


@cache
def gpu_name() -> str | None:
    """What the NVIDIA driver calls its first GPU; ``None`` where torch can use none. Torch itself is not imported."""
    if _version("torch").endswith("+cpu"):
        return None
    try:
        driver = ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
    except OSError:
        return None
    count, name = ctypes.c_int(), ctypes.create_string_buffer(256)
    if driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(count)) or not count.value:
        return None
    driver.cuDeviceGetName(name, len(name), 0)
    return name.value.decode(errors="replace") or "GPU"


def choose_device(choice: str = "auto") -> str:
    """Turn ``auto``, ``cpu`` or ``cuda`` into what torch takes; ``UserError`` if there is none."""
    if choice not in ("auto", "cpu", "cuda"):
        raise UserError(f"There is no device “{choice}”: choose auto, cpu or cuda.")
    if choice == "cuda" and not gpu_name():
        raise UserError("There is no GPU that torch can use here: choose --device cpu or auto.")
    return "cuda" if choice != "cpu" and gpu_name() else "cpu"


SMALL = 100
"""Up to so many nodes the CPU explains an instance faster than a GPU, which waits for its launches (`bench speed`)."""


@contextmanager
def seeded(seed: int, device: "str | torch.device" = "cpu") -> Iterator[None]:
    """Weights from a seed; the global random state stays as it is.

    Initialisers draw from torch's global CPU generator: it is seeded in here and put back.

    Args:
        seed: The seed.
        device: A GPU whose generator is seeded and put back, too; others are left alone.
    """
    import torch

    gpus = [device] if torch.device(device).type == "cuda" else []
    with torch.random.fork_rng(devices=gpus):
        torch.default_generator.manual_seed(seed)
        for gpu in gpus:
            with torch.cuda.device(gpu):
                torch.cuda.manual_seed(seed)
        yield


def provenance(device: str, seconds: float | None = None) -> dict[str, Any]:
    """A record to be kept with anything that was computed.

    Args:
        device: ``cpu`` or ``cuda``.
        seconds: How long it took.
    """
    versions = {name: _version(name) for name in ("torch", "torch-geometric", "numpy")}
    record = {
        "device": gpu_name() if device == "cuda" else device,
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "versions": {"python": platform.python_version()} | versions,
    }
    return record if seconds is None else record | {"seconds": round(seconds, 2)}


COMPILER = "torch._dynamo"
"""PyTorch's compiler: optimisers need it, and it takes its time to be loaded."""
