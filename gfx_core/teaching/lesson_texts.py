"""The lessons' texts, by number: title, idea, task, and what to look at. Learn shows them, and so does the site."""

import tomllib

from gfx_core.config import ASSETS

_TEXT = (ASSETS / "content" / "lessons.toml").read_text(encoding="utf-8")
LESSONS: dict[int, dict[str, str]] = {int(number): texts for number, texts in tomllib.loads(_TEXT).items()}
