"""Files that are missing, cut off or something else: every page says so in a sentence, and none breaks."""

import importlib
import json
from pathlib import Path
from typing import Any

import pytest
import streamlit as st

from gfx_core import storage
from gfx_core.bench import report as studies
from gfx_core.gfn import own_policies
from pages.ui import router
from pages.ui.components import browser, component_files
from tests.pages.page_reading import Open, read, texts

MADE = {"device": "cpu", "versions": {"torch": "2"}, "date": "2026-01-01"}
RECORD = {
    "key": "reasons/tree_cycles/sum/0",
    "config": "0",
    "benchmark": "reasons",
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
    return json.dumps({"benchmark": "reasons", "cells": cells, "failed": []}).encode()


DAMAGED: dict[str, bytes] = {
    "empty": b"",
    "cut off": table(RECORD)[:-40],
    "binary": bytes(range(256)),
    "another kind of JSON": b"[1, 2, 3]",
    "no records": table("a text", 7),
    "records without values": table({**RECORD, "values": None}),
    "records with other values": table({**RECORD, "values": {"error": "large", "bins": 3}}),
    "nested too deeply": b"[" * 100_000,
    "a number that is none": table({**RECORD, "values": {"error": float("nan")}}),
    "an infinite number": table({**RECORD, "seconds": float("inf")}),
    "a number that is too large": table({**RECORD, "seconds": 7}).replace(b"7", b"1e999"),
    "records of nothing that is known": table({**RECORD, "method": "abacus", "dataset": "Atlantis"}),
}

SHIPPED = studies.RESULTS


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder in place of the shipped records."""
    monkeypatch.setattr(studies, "RESULTS", tmp_path)
    st.cache_resource.clear()
    return tmp_path


def test_damaged_records(results: Path, open_page: Open) -> None:
    at = open_page("results", study="reasons")
    for how, data in DAMAGED.items():
        (results / "reasons.json").write_bytes(data)
        st.cache_resource.clear()
        at.run()
        assert not at.exception, how
        (told,) = (read(each.value) for each in (*at.error, *at.info))
        assert "reasons" in told, how
        assert str(results) not in told, how


def test_one_number_of_a_record_is_none(results: Path, open_page: Open) -> None:
    """The page says so in a sentence, and another study can be chosen and is shown."""
    shipped = json.loads((SHIPPED / "explainers.json").read_text(encoding="utf-8"))
    (results / "reasons.json").write_bytes((SHIPPED / "reasons.json").read_bytes())
    for value in (float("nan"), float("inf"), "x", None, [], {}):
        for cell in shipped["cells"][:4]:
            cell["values"] = dict.fromkeys(cell["values"], value)
        (results / "explainers.json").write_text(json.dumps(shipped), encoding="utf-8")
        at = open_page("results", study="auc")
        assert len(at.error) == 1
        assert "auc" in at.error[0].value or "explainers.json" in at.error[0].value
    at = open_page("results", study="reasons")
    assert any("<table" in each.proto.body for each in at.get("html"))


def test_a_file_of_a_component_is_missing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A sentence takes its place, as a script or a style sheet that Streamlit takes for one and not for a path."""
    script, sheet = component_files.script("gone"), component_files.read("gone.css")
    assert component_files.style("gone.css").endswith(sheet)
    assert component_files.sheet((tmp_path / "gone.css").read_text) == sheet
    for name, made, how in (("gone.mjs", script, "export default "), ("gone.css", sheet, ":host::after")):
        assert made.startswith(how)
        assert made.endswith("\n")
        assert f"This part needs the file {name}, which" in made
        assert name in caplog.text


def test_a_page_whose_component_has_lost_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(component_files, "__file__", str(tmp_path / "component_files.py"))
    monkeypatch.setattr(component_files, "ASSETS", tmp_path)
    importlib.reload(browser)  # reads its files
    monkeypatch.undo()
    importlib.reload(browser)


def test_without_a_logo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, open_page: Open) -> None:
    monkeypatch.setattr(router, "LOGO", tmp_path / "logo.svg")
    assert open_page("glossary").title


@pytest.mark.parametrize("page", ["explain", "compare"])
def test_without_a_gnn(page: str, model_folder: Path, open_page: Open) -> None:
    at = open_page(page, dataset="tree_cycles", index="612")
    assert "The GNN for Tree-Cycles is not trained yet: `python -m gfx_core train gnn" in read(at.info[0].value)


@pytest.mark.parametrize("page", ["explain", "compare"])
@pytest.mark.parametrize("length", [0, 5000])
def test_a_damaged_policy_is_not_a_missing_one(
    page: str, length: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, open_page: Open
) -> None:
    whole = own_policies.policy_path("tree_cycles")
    (tmp_path / whole.name).write_bytes(whole.read_bytes()[:length])
    monkeypatch.setattr(own_policies, "POLICIES", tmp_path)
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
