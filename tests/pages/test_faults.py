"""Files that are missing, cut off or something else: every page says so in a sentence, and none breaks."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import streamlit as st

from gfx_core import storage
from gfx_core.gfn import paths
from pages.ui import router
from pages.ui.explorer import fragments
from pages.ui.results import measured
from tests.pages.page_reading import Open, read, texts

MADE = {"device": "cpu", "versions": {"torch": "2"}, "date": "2026-01-01"}
RECORD = {
    "key": "calibration/tree_cycles/sum/0",
    "config": "0",
    "benchmark": "calibration",
    "dataset": "tree_cycles",
    "method": "sum",
    "seed": 0,
    "variant": "",
    "options": {},
    "made": MADE,
    "status": "done",
    "values": {},
}


def table(*cells: Any) -> bytes:
    return json.dumps({"benchmark": "calibration", "cells": cells, "failed": []}).encode()


DAMAGED: dict[str, bytes] = {
    "empty": b"",
    "cut off": table(RECORD)[:-40],
    "binary": bytes(range(256)),
    "another kind of JSON": b"[1, 2, 3]",
    "no records": table("a text", 7),
    "records without values": table({**RECORD, "values": None}),
    "records with other values": table({**RECORD, "values": {"error": "large", "bins": 3}}),
    "nested too deeply": b"[" * 100_000,
    "records of nothing that is known": table({**RECORD, "method": "abacus", "dataset": "Atlantis"}),
}


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder in place of the shipped records."""
    for module in (measured, fragments):
        monkeypatch.setattr(module, "RESULTS", tmp_path)
    st.cache_resource.clear()
    return tmp_path


@pytest.mark.parametrize("how", DAMAGED)
def test_damaged_records(how: str, results: Path, open_page: Open) -> None:
    (results / "calibration.json").write_bytes(DAMAGED[how])
    at = open_page("results", study="calibration")  # no exception, which it checks
    told = [read(each.value) for each in (*at.error, *at.info)]
    assert len(told) == 1
    assert "calibration" in told[0]
    assert str(results) not in told[0]


def test_data_sets_beside_damaged_records(results: Path, open_page: Open) -> None:
    (results / "calibration.json").write_bytes(DAMAGED["cut off"])
    at = open_page("datasets", dataset="tree_cycles")
    assert "but calibration.json is not a table of cells" in read(" ".join(each.value for each in at.caption))


def test_every_study_may_be_damaged(results: Path, open_page: Open) -> None:
    for name in ("auc", "ceiling"):  # one of them is the reason for what the other finds
        (results / f"{name}.json").write_bytes(b"{")
    assert "auc.json is not a table of cells" in read(open_page("results", study="auc").error[0].value)


def test_without_a_logo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, open_page: Open) -> None:
    monkeypatch.setattr(router, "LOGO", tmp_path / "logo.svg")
    assert open_page("glossary").title


@pytest.mark.parametrize("page", ["explain", "compare"])
def test_without_a_gnn(page: str, model_folder: Path, open_page: Open) -> None:
    at = open_page(page, dataset="tree_cycles", index="612")
    assert "The GNN for Tree-Cycles is not trained yet: `python -m gfx_core train gnn" in read(at.info[0].value)


def _cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


def _nothing(data: bytes) -> bytes:
    return b""


@pytest.mark.parametrize("page", ["explain", "compare"])
@pytest.mark.parametrize("damage", [_cut, _nothing])
def test_a_damaged_policy_is_not_a_missing_one(
    page: str, damage: Callable[[bytes], bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, open_page: Open
) -> None:
    whole = paths.policy_path("tree_cycles")
    (tmp_path / whole.name).write_bytes(damage(whole.read_bytes()))
    monkeypatch.setattr(paths, "POLICIES", tmp_path)
    at = open_page(page, dataset="tree_cycles", index="600")
    (told,) = (read(each.value) for each in at.error)
    assert told.startswith(f"{whole.name} is not a whole safetensors file")
    assert at.button(key="use-exact-flows")


@pytest.mark.parametrize("page", ["explain", "train"])
def test_a_disk_that_cannot_be_written(page: str, monkeypatch: pytest.MonkeyPatch, open_page: Open) -> None:
    sentence = "What is computed here is kept in memory only"
    assert sentence not in texts(open_page(page))
    monkeypatch.setattr(storage, "problem", lambda: f"{sentence}, until the server ends: the disk is full.")
    assert sentence in texts(open_page(page))
