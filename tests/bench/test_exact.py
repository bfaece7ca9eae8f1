"""The benchmark of exact distances, in its quick form."""

import json
from typing import Any

import pytest

from gfx_core.bench import exact


@pytest.fixture(scope="module")
def record() -> dict[str, Any]:
    return exact.run(quick=True)


def _rows(record: dict[str, Any], method: str) -> list[dict[str, Any]]:
    return [row for row in record["rows"] if row["method"] == method]


def test_the_record_is_whole(record: dict[str, Any]) -> None:
    assert json.loads(json.dumps(record))["rows"]
    cases = {(row["dataset"], row["preset"]) for row in record["rows"]}
    assert len(cases) == 2 * len(record["datasets"])
    for method in exact.METHODS:
        if method not in ("shipped", "network-trainer"):  # there may be none, and graph tasks have no check
            assert {(row["dataset"], row["preset"]) for row in _rows(record, method)} == cases
    assert _rows(record, "network-trainer")
    for row in record["rows"]:
        assert row["instances"] == len(row["values"]) > 0
        assert all(0 <= value <= 1 for value in row["values"])
        assert row["values"][0] <= row["max"]


def test_tables_reach_the_target(record: dict[str, Any]) -> None:
    assert all(row["mean"] <= 0.01 for row in _rows(record, "tabular"))


def test_sequences_end_where_theory_says(record: dict[str, Any]) -> None:
    pairs = zip(_rows(record, "tabular-sequence"), _rows(record, "theory-sequence"), strict=True)
    for learned, theory in pairs:
        assert learned["values"] == pytest.approx(theory["values"], abs=0.02)


def test_the_table_names_every_row(record: dict[str, Any]) -> None:
    text = exact.table(record)
    for row in record["rows"]:
        assert exact.METHODS[row["method"]][0] in text
        assert row["dataset"] in text
    assert exact.verdict(record) in text
