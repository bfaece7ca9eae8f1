"""The lessons, by number: their texts, and what they are made of; see ``assets/content/lessons.toml``."""

import tomllib
from typing import Any

from gfx_core.config import ASSETS

_TEXT = (ASSETS / "content" / "lessons.toml").read_text(encoding="utf-8")
LESSONS: dict[int, dict[str, Any]] = {int(number): lesson for number, lesson in tomllib.loads(_TEXT).items()}
