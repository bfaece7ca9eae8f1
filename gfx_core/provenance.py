"""Where a shipped file came from: versions, device, date and time taken."""

import datetime
import importlib.metadata
import platform
from functools import cache
from typing import Any

_PACKAGES = ("torch", "torch-geometric", "numpy")


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
