"""How something is computed: the device, known before torch is loaded, the seed of weights, and a record of it all."""

import ctypes
import datetime
import importlib.metadata
import os
import platform
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from gfx_core.errors import UserError

if TYPE_CHECKING:
    import torch

_PACKAGES = ("torch", "torch-geometric", "numpy")  # whose versions are recorded


@dataclass(frozen=True)
class Device:
    """A place to compute: ``kind`` as torch calls it, ``name`` as people do."""

    kind: str
    name: str

    @property
    def is_gpu(self) -> bool:
        return self.kind == "cuda"


def _cuda_device_name() -> str | None:
    """Ask the NVIDIA driver for its first device; ``None`` where there is no driver or no device."""
    try:
        driver = ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
    except OSError:
        return None
    count, device, name = ctypes.c_int(0), ctypes.c_int(0), ctypes.create_string_buffer(256)
    if driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(count)) or not count.value:
        return None
    if driver.cuDeviceGet(ctypes.byref(device), 0) or driver.cuDeviceGetName(name, 256, device):
        return "GPU"
    return name.value.decode(errors="replace")


@lru_cache(maxsize=1)
def detect_device() -> Device:
    """The GPU if torch can use one, else the CPU; torch itself is not imported."""
    cpu = Device("cpu", f"{os.cpu_count() or 1} CPU cores")
    try:
        build = importlib.metadata.version("torch")
    except importlib.metadata.PackageNotFoundError:
        return cpu
    if build.endswith("+cpu"):
        return cpu
    gpu = _cuda_device_name()
    return Device("cuda", gpu) if gpu else cpu


def choose_device(choice: str = "auto") -> str:
    """Turn ``auto``, ``cpu`` or ``cuda`` into what torch takes, or say why it cannot be had."""
    if choice == "auto":
        return detect_device().kind
    if choice == "cuda" and not detect_device().is_gpu:
        raise UserError("There is no GPU that torch can use here: choose --device cpu or auto.")
    if choice not in ("cpu", "cuda"):
        raise UserError(f"There is no device “{choice}”: choose auto, cpu or cuda.")
    return choice


SMALL = 100
"""Up to so many nodes the CPU explains an instance faster than a GPU, which waits for its launches (`bench speed`)."""


def to_explain(device: str, nodes: int) -> str:
    """Where an instance is explained: on the CPU if it is small, whatever else there is."""
    return "cpu" if nodes <= SMALL else device


@contextmanager
def seeded(seed: int, device: "str | torch.device" = "cpu") -> Iterator[None]:
    """Weights from a seed, without touching anybody else's randomness.

    Initialisers draw from torch's global CPU generator: it is seeded in here and put back.

    Args:
        seed: The seed.
        device: A GPU whose generator is seeded and put back, too; others are left alone.
    """
    import torch

    gpu = torch.device(device).type == "cuda"
    with torch.random.fork_rng(devices=[device] if gpu else []):
        torch.default_generator.manual_seed(seed)
        if gpu:
            with torch.cuda.device(device):
                torch.cuda.manual_seed(seed)
        yield


@cache
def _version(package: str) -> str:
    """A package's version; it is parsed from a file, which takes milliseconds."""
    return importlib.metadata.version(package)


def provenance(device: str, seconds: float | None = None) -> dict[str, Any]:
    """A record to be kept with anything that was computed.

    Args:
        device: ``cpu`` or ``cuda``.
        seconds: How long it took.
    """
    if device == "cuda":
        import torch

        device = torch.cuda.get_device_name()
    record: dict[str, Any] = {
        "device": device,
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "versions": {"python": platform.python_version()} | {name: _version(name) for name in _PACKAGES},
    }
    if seconds is not None:
        record["seconds"] = round(seconds, 2)
    return record


# PyG in a fifth of the time


_COMPILER = "torch._dynamo"


def import_pyg() -> None:
    """Import PyTorch and PyG, without what PyG loads besides and nobody here uses.

    It loads PyTorch's compiler only to recognise compiled models, and pandas, if there is one, for data sets of its
    own. Both are loaded as usual by whoever asks for them afterwards: the compiler by PyTorch itself, when it is first
    needed. Meant for a process that does nothing else yet: for a moment these modules are hidden.
    """
    import torch

    hidden: dict[str, ModuleType | None] = {"pandas": None}  # PyG does without it
    if "_dynamo" in getattr(torch, "_lazy_modules", ()):
        hidden[_COMPILER] = ModuleType(_COMPILER)  # PyG does not look into it yet
    hidden = {name: module for name, module in hidden.items() if name not in sys.modules}
    sys.modules.update(hidden)  # type: ignore[arg-type]
    try:
        import_module("torch_geometric")
    finally:
        for name in hidden:
            del sys.modules[name]


def import_compiler() -> None:
    """Load the compiler after all: optimisers ask for it, so who trains waits for it."""
    import_module(_COMPILER)
