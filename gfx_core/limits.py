"""All limits of visitors, uploads, classes and files, by their names in ``assets/content/limits.toml``."""

from typing import Any

from gfx_core.config import read_content

_LIMITS = read_content("limits")


def __getattr__(name: str) -> Any:
    if name not in _LIMITS:
        raise AttributeError(f"there is no limit {name}")
    return _LIMITS[name]
