"""RESULTS.md: made from records, and its sentences follow the numbers."""

import json
import re
import shutil
from pathlib import Path

import pytest

from gfx_core.__main__ import main
from gfx_core.bench import report
from gfx_core.bench.report import RESULTS, STUDIES
from gfx_core.bench.study import Cell
from tests.bench.records import record


def test_the_file_from_real_records(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cells = [Cell("auc", "tree_cycles", method, 0, options={"limit": 6}) for method in ("degree", "random")]
    records = [record(cell.dataset, cell.method) | {"values": STUDIES["auc"].compute(cell)} for cell in cells]
    (tmp_path / "auc.json").write_text(json.dumps({"benchmark": "auc", "cells": records}), encoding="utf-8")
    assert main(["bench", "results", "--out", str(tmp_path)]) == 0
    text = (tmp_path / "RESULTS.md").read_text(encoding="utf-8")
    value = records[0]["values"]["auc_own"]
    assert f"| DEGREE | {value:.3f} (1) |" in text
    assert "| DEGREE (paper) | 0.902 |" in text
    assert "DEGREE, Random on a GPU, 4 cores, torch 2, 2026-01-01." in text
    assert "Fidelity−" in text
    _, missing = text.split("## To be measured\n")
    assert "- What exact enumeration allows: `python -m gfx_core bench ceiling`" in missing
    assert not re.search("bench (auc|fidelity)`", missing)  # they have the same records
    assert "So far 2 of" in text
    assert "nothing yet on BA-Shapes, BA-Community, Tree-Grid, BA-2motifs and Mutagenicity" in text
    (tmp_path / "auc.json").unlink()
    assert main(["bench", "results", "--out", str(tmp_path)]) == 2
    assert "run it first" in capsys.readouterr().err


def test_the_shipped_file_is_that_of_the_shipped_records(tmp_path: Path) -> None:
    for path in RESULTS.glob("*.json"):
        shutil.copy(path, tmp_path)
    made = report.write_results(tmp_path).read_text(encoding="utf-8")
    assert made == (RESULTS / "RESULTS.md").read_text(encoding="utf-8")
    for name, study in STUDIES.items():
        known = bool(report.read_records(study))
        assert (f"## {study.title}\n" in made) == known
        assert (f"- {study.title}: `python -m gfx_core bench {name}`" in made) != known


def test_a_whole_study_has_nothing_more_to_say() -> None:
    study = STUDIES["ceiling"]
    records = [
        record(name, "gflowexplainer") | {"key": Cell("ceiling", name, "gflowexplainer", 0).key}
        for name in study.datasets
    ]
    assert report.coverage(study, records) == ""
    assert report.coverage(study, records[1:]).startswith("So far 5 of 6 cells (data set, method, seed)")
