"""The documents: their numbers and pictures are those of the code and the records, their sentences short."""

import re

import pytest

from gfx_core.bench.documents import DOCUMENTS, FIGURES, TITLES, facts, filled, number_of, parts, text_of

_BREAK = re.compile(r"(?:[.!?:;](?=\s|$)|[|\n])")


def long_sentences(text: str) -> list[str]:
    """Those of more than 25 words."""
    return [each.strip() for each in _BREAK.split(text) if len(each.split()) > 25]


def marked_names(text: str) -> set[str]:
    return set(re.findall(r"<!--=([^<>]+)-->", text))


def test_departures_say_what_the_code_does() -> None:
    text = (DOCUMENTS / "departures.md").read_text(encoding="utf-8")
    names = set(facts()) - {"eq.features", "eq.z", "eq.update", "eq.case_1", "eq.case_2"}
    measuring = {name for name in names if name.startswith(("study.", "settings."))}
    assert names - measuring <= marked_names(text)
    assert measuring <= marked_names((DOCUMENTS / "measuring.md").read_text(encoding="utf-8"))
    rows = [line for line in text.splitlines() if line.startswith("| **")]
    assert len(rows) >= 18
    assert all(line.count("|") == 6 for line in rows)  # the paper, here, why, what it changes
    assert re.search(r"\*\*β\*\* \| none \(1\) \| 50 \|", text_of("departures"))


@pytest.mark.parametrize("name", TITLES)
def test_numbers_are_those_of_today_and_sentences_are_short(name: str) -> None:
    text = (DOCUMENTS / f"{name}.md").read_text(encoding="utf-8")
    assert filled(text, number_of(facts())) == text
    assert long_sentences(text_of(name)) == []
    pictures = [picture[0] for _, picture in parts(name) if picture is not None]
    assert all(path.is_file() and path.stem in FIGURES for path in pictures)


@pytest.mark.parametrize("name", FIGURES)
def test_pictures_are_those_of_the_records(name: str) -> None:
    made = (DOCUMENTS / f"{name}.svg").read_text(encoding="utf-8")
    assert made == FIGURES[name].svg() + "\n"
    assert made.count('class="grid"') >= 2


def test_the_reproduction_fits_two_pages_and_its_links_lead_to_pages() -> None:
    text = text_of("reproduction")
    assert len(text.split()) <= 1000
    assert 2 <= sum(picture is not None for _, picture in parts("reproduction")) <= 3
    links = re.findall(r"\]\(/(\w+)", text)
    assert len(links) >= 5
    assert all((DOCUMENTS.parents[1] / "pages" / f"{page}.py").is_file() for page in links)
