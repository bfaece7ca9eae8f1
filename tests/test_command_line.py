"""``python -m gfx_core``."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from gfx_core.__main__ import main
from gfx_core.gnn.checkpoint import load_model, read_header


def test_train_gnn_writes_a_checkpoint(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["train", "gnn", "--dataset", "Tree-Cycles", "--epochs", "5", "--seed", "3", "--device", "cpu"]
    assert main([*arguments, "--kind", "gcn", "--hidden", "6", "--out", str(tmp_path)]) == 0
    path = tmp_path / "tree_cycles-gcn.safetensors"
    assert "test 0." in capsys.readouterr().out
    assert read_header(path).training["config"]["seed"] == 3
    assert load_model("tree_cycles", "gcn", path=path).hidden == 6


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["train", "gnn", "--dataset", "ba_shape"], "Did you mean ba_shapes?"),
        (["train", "gnn", "--dataset", "tree_grid", "--device", "tpu"], "choose auto, cpu or cuda"),
    ],
)
def test_mistakes_end_in_one_sentence(arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert sentence in error
    assert error.count("\n") == 1


@pytest.mark.parametrize("command", [[], ["train"], ["train", "gnn"], ["bench"]])
def test_help(command: list[str]) -> None:
    arguments = [sys.executable, "-m", "gfx_core", *command, "--help"]
    result = subprocess.run(arguments, capture_output=True, text=True, check=True)
    assert "usage:" in result.stdout


def test_small_benchmarks_leave_whole_records(tmp_path: Path) -> None:
    from gfx_core.bench import instances, predict
    from gfx_core.bench.record import save_result

    record = instances.run(sizes=(1000, 4000), cuts=5)
    assert "1,000" in instances.table(record)
    assert json.loads(save_result("instances", record, tmp_path).read_text()) == record
    record = predict.run(count=16, largest=6)
    assert max(row["max_error"] for row in record["rows"]) < 1e-5
    assert "ba_2motifs" in predict.table(record)
