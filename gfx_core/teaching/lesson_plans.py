"""The lesson plans: documents of the project, in assets/docs, whose links lead to pages of the explorer."""

from gfx_core.config import ASSETS

FILES = {"45": "lesson-plan-45.md", "90": "lesson-plan-90.md", "solutions": "lesson-solutions.md"}
"""Their files, by the names that links have for them."""


def read_plan(plan: str) -> str:
    """A plan, or the solutions, as written."""
    return (ASSETS / "docs" / FILES[plan]).read_text(encoding="utf-8")
