"""The lesson plans: documents of the project, in assets/docs, whose links lead to pages of the explorer."""

import re
from functools import cache

from gfx_core.config import ASSETS

FILES = {"45": "lesson-plan-45.md", "90": "lesson-plan-90.md", "solutions": "lesson-solutions.md"}
"""Their files, by the names that links have for them."""
_ROW = re.compile(r"^\| \d+ \| \[([^]]+)\]\((/[^)]+)\)", re.MULTILINE)


def read_plan(plan: str) -> str:
    """A plan, or the solutions, as written."""
    return (ASSETS / "docs" / FILES[plan]).read_text(encoding="utf-8")


@cache
def opened() -> dict[str, str]:
    """What teachers open by the plans: the name of each, by its link."""
    return {link: name for plan in FILES for name, link in _ROW.findall(read_plan(plan))}
