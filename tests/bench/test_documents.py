"""The documents: their numbers are those of the code and the records, their sentences short."""

import re

import pytest

from gfx_core.bench.documents import DOCUMENTS, facts, filled, text_of

SENTENCE = re.compile(r"[^.!?:;|\n]+(?:[.!?:;](?!\s|$)[^.!?:;|\n]*)*")


def test_departures_say_what_the_code_does() -> None:
    text, known = (DOCUMENTS / "departures.md").read_text(encoding="utf-8"), facts()
    assert filled(text, known.__getitem__) == text
    rows = [line for line in text.splitlines() if line.startswith("| **")]
    assert len(rows) >= 18
    assert all(line.count("|") == 6 for line in rows)  # the paper, here, why, what it changes
    assert re.search(r"\*\*β\*\* \| none \(1\) \| 50 \|", text_of("departures"))


@pytest.mark.parametrize("name", [path.stem for path in sorted(DOCUMENTS.glob("*.md"))])
def test_sentences_are_short(name: str) -> None:
    long = [each for each in SENTENCE.findall(text_of(name)) if len(each.split()) > 25]
    assert long == []
