"""The studies as commands, in quick mode, and what they compute against slow references."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from gfx_core import load_dataset
from gfx_core.__main__ import main
from gfx_core.bench import run
from gfx_core.bench.report import RESULTS, STUDIES, read_records
from gfx_core.bench.study import Study, Sweep
from gfx_core.datasets.instance import Instance

METHODS = {
    "answers": ["random", "degree"],
    "auc": ["random", "degree"],
    "time": ["RGExplainer", "degree"],
    "inductive": ["gflow_sequence", "rgexplainer_plain"],
    "distance": ["samples", "shipped"],
}
LINES = {"answers": 0, "auc": 0, "time": 0, "inductive": 2, "distance": 0}


def command(study: str, folder: Path) -> list[str]:
    options = ["--datasets", "tree_cycles", "--methods", *METHODS[study], "--device", "cpu"]
    return ["bench", study, *options, "--quick", "--out", str(folder)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where all studies have been run once."""
    made = tmp_path_factory.mktemp("studies")
    for study in METHODS:
        assert main(command(study, made)) == 0
    return made


def records(folder: Path, study: str) -> dict[tuple[str, str], dict[str, Any]]:
    """The values of each cell by method and variant."""
    path = folder / f"{STUDIES[study].benchmark}.json"
    found = json.loads(path.read_text(encoding="utf-8"))
    return {(cell["method"], cell["variant"]): cell["values"] for cell in found["cells"]}


@cache
def some(name: str, count: int = 8) -> list[Instance]:
    dataset = load_dataset(name)
    return [dataset.instance(int(i)) for i in dataset.explainable[:: len(dataset.explainable) // count][:count]]


# The commands


@pytest.mark.parametrize("study", METHODS)
def test_a_resumed_run_computes_nothing_again(
    study: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(*arguments: object) -> None:
        raise AssertionError("a finished cell is computed again")

    monkeypatch.setattr(run, "compute", refuse)
    before = records(folder, study)
    assert main(command(study, folder)) == 0
    assert records(folder, study) == before
    out = capsys.readouterr().out
    assert "| Tree-Cycles" in out
    assert "nan" not in out
    if LINES[study]:
        figure = STUDIES[study].figure(read_records(STUDIES[study], folder))
        assert len(figure.data) == LINES[study]
        assert len({line.name for line in figure.data}) == sum(line.showlegend for line in figure.data)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["auc", "--datasets", "ba_shape"], "Did you mean ba_shapes?"),
        (["time", "--methods", "gnn_explainer"], "Did you mean gnnexplainer?"),
        (["inductive", "--methods", "degree"], "no method “degree”"),
        (["time", "--workers", "2"], "must not disturb each other"),
        (["inductive", "--seeds", "0"], "at least 1"),
        (["auc", "--workers", "0"], "at least 1"),
        (["auc", "--gnns", "gin3"], "Did you mean gin-"),
    ],
)
def test_mistakes_end_in_one_sentence(
    arguments: list[str], sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", *arguments, "--quick", "--out", str(tmp_path)]) == 2
    error = capsys.readouterr().err
    assert sentence in error
    assert error.count("\n") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("option", [["--quick"], ["--half", "tuning"]])
def test_other_results_do_not_mix_with_the_shipped(option: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "auc", *option]) == 2
    assert "choose another folder with --out" in capsys.readouterr().err


@pytest.mark.parametrize("study", STUDIES.values(), ids=lambda study: study.name)
def test_shipped_records_are_those_that_a_run_would_ask_for(study: Study) -> None:
    """So that a run on the same device computes nothing again; of a study without records nothing is said."""
    cells = study.cells(Sweep(list(study.datasets), list(study.methods)))
    assert len({cell.key for cell in cells}) == len(cells) > 0
    assert {cell.benchmark for cell in cells} == {study.benchmark}
    records = read_records(study)
    if not records:
        assert f"\n- {study.title}: " in (RESULTS / "RESULTS.md").read_text(encoding="utf-8")
        return
    devices = {record["options"]["device"] for record in records}
    everything = [Sweep(list(study.datasets), list(study.methods), device=device) for device in devices]
    wanted = {cell.config for one in everything for cell in study.cells(one)}
    assert {record["config"] for record in records} <= wanted
    assert [record["key"] for record in records if study.stale(record)] == []
    assert study.tables(records)
    assert study.claims(records)
    one = [record for record in records if record["dataset"] == records[0]["dataset"]]
    assert not study.has_figure or study.figure(one).data
