"""Every number that is shown is the one that was shown before: the shipped records have not changed."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from gfx_core.bench.report import STUDIES, Findings, read_records
from gfx_core.bench.tables import ResultTable

FROZEN = json.loads(Path(__file__).with_name("frozen.json").read_text(encoding="utf-8"))


@cache
def findings(study: str) -> Findings:
    return Findings(STUDIES[study], read_records(STUDIES[study]))


def cells(table: ResultTable) -> dict[str, dict[str, str]]:
    """What the places of a table say, by row and column."""
    return {row.label: {name: table.text(row, name) for name in row.entries} for row in table.rows}


@pytest.mark.parametrize("study", FROZEN)
def test_numbers_have_not_changed(study: str) -> None:
    frozen: dict[str, Any] = FROZEN[study]["tables"]
    shown = {table.heading: cells(table) for table in findings(study).tables}
    assert shown.keys() <= frozen.keys()
    for heading, rows in shown.items():
        for label, entries in rows.items():
            for column, text in entries.items():
                assert text == frozen[heading]["rows"][label].get(column, "–"), (heading, label, column)


@pytest.mark.parametrize("study", FROZEN)
def test_claims_have_not_changed(study: str) -> None:
    claims = [[claim.sentence, claim.verdict, claim.number, claim.table] for claim in findings(study).claims]
    assert claims == FROZEN[study]["claims"]
