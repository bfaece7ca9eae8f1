"""All limits of visitors, uploads, classes and files, by their names in ``assets/content/limits.toml``."""

import tomllib
from typing import Any

from gfx_core.config import ASSETS

_LIMITS = tomllib.loads((ASSETS / "content" / "limits.toml").read_text(encoding="utf-8"))


def __getattr__(name: str) -> Any:
    if name not in _LIMITS:
        raise AttributeError(f"there is no limit {name}")
    return _LIMITS[name]
