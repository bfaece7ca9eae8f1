"""The list of terms: searched and scrolled in the browser. Links reach a term by ``#anchor`` or ``?term=anchor``."""

from collections.abc import Sequence
from dataclasses import asdict

from gfx_core.teaching.glossary import entries, groups
from pages.ui.components.component_files import component, style

_HTML = """
<div class="kit glossary">
  <div class="bar">
    <label><span class="unseen">Search</span><input type="search" placeholder="Search, e.g. flow or Z" autocomplete="off" /></label>
    <nav aria-label="Groups"></nav>
  </div>
  <p class="count" role="status"></p>
  <div class="groups"></div>
</div>
"""  # noqa: E501
_view = component("glossary_view", _HTML, style("glossary_view.css"))


def glossary_view(lessons: Sequence[str], *, key: str, opened: str | None = None) -> None:
    """Show all terms.

    Args:
        lessons: Titles of the lessons that terms refer to by number.
        key: Widget key.
        opened: Anchor of the term to go to.
    """
    terms = [asdict(entry) for entry in entries()]
    _view(key=key, data={"groups": groups(), "entries": terms, "lessons": lessons, "opened": opened})
