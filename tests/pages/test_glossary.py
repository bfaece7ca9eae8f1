"""The glossary page: all terms are handed over once; a link opens one."""

import pytest

from gfx_core.teaching.glossary import entries, groups
from pages.ui.lessons.frame import SHORT_TITLES
from tests.pages.page_reading import Open, component


def test_all_terms_are_there(open_page: Open) -> None:
    shown = component(open_page("glossary"), "glossary")
    assert [entry["anchor"] for entry in shown["entries"]] == [entry.anchor for entry in entries()]
    assert tuple(shown["groups"]) == groups()
    assert shown["opened"] is None
    assert len(shown["lessons"]) == len(SHORT_TITLES)


@pytest.mark.parametrize(("term", "anchor"), [("K_M", "k-m"), ("Valid Parent", "valid-parent")])
def test_a_link_opens_a_term(open_page: Open, term: str, anchor: str) -> None:
    assert component(open_page("glossary", term=term), "glossary")["opened"] == anchor


@pytest.mark.parametrize("term", ["", "<script>"])
def test_a_link_to_nothing_shows_all(open_page: Open, term: str) -> None:
    assert component(open_page("glossary", term=term), "glossary")["opened"] is None
