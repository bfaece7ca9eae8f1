"""The GNNs that studies explain: trained once, kept, and read as they were."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from gfx_core.__main__ import main
from gfx_core.bench import subjects
from gfx_core.bench.subjects import accuracies, dataset_table, ordinary_config, subject_config, subject_gnn
from gfx_core.config import Task
from gfx_core.datasets.registry import load_dataset
from gfx_core.errors import UserError
from gfx_core.gnn.checkpoint import load_model, read_header
from gfx_core.gnn.training import TrainingConfig


@pytest.fixture
def short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Trainings of a few epochs, kept in a folder of their own."""

    def config(dataset: str, kind: str, seed: int) -> TrainingConfig:
        return replace(subject_config(dataset, kind, seed), epochs=4)

    monkeypatch.setattr(subjects, "subject_config", config)
    monkeypatch.setattr(subjects, "GNNS", tmp_path / "results")
    monkeypatch.setenv("GFX_DATA", str(tmp_path / "data"))
    return tmp_path


def test_the_first_seed_of_ours_is_the_shipped_gnn() -> None:
    for kind in ("sum", "sum-plain"):
        model, accuracy = subject_gnn("Tree-Cycles", kind)
        assert accuracy == 1.0
        shipped = load_model("tree_cycles", kind).state_dict()
        assert all(torch.equal(value, shipped[name]) for name, value in model.state_dict().items())
        assert model.name == kind


def test_no_seed_is_one_that_was_tried_for_the_shipped_gnn() -> None:
    assert [subject_config("tree_cycles", "sum", seed).seed for seed in range(3)] == [0, 3, 4]
    assert subject_config("tree_cycles", "sum", 1).fragments > 0
    assert subject_config("tree_cycles", "sum-plain", 1).fragments == 0
    assert subject_config("tree_cycles", "gin", 1) == ordinary_config(Task.NODE, "gin", 1)
    with pytest.raises(UserError, match="choose one of sum, sum-plain, gcn, gin"):
        subject_config("tree_cycles", "transformer", 0)


@pytest.mark.parametrize(("dataset", "kind"), [("tree_cycles", "gin"), ("tree_cycles", "sum"), ("ba_either", "gcn")])
def test_what_is_trained_is_kept_and_read_as_it_was(short: Path, dataset: str, kind: str) -> None:
    model, accuracy = subject_gnn(dataset, kind, 1)
    (kept,) = (short / "data" / "gnns").iterdir()
    assert not (short / "results").exists()
    assert not model.training
    assert accuracy == accuracies(model, load_dataset(dataset), "cpu")["test"]
    written = kept.stat().st_mtime_ns
    again, same = subject_gnn(dataset, kind, 1)
    assert (same, kept.stat().st_mtime_ns) == (accuracy, written)
    assert all(torch.equal(value, again.state_dict()[name]) for name, value in model.state_dict().items())
    if kind == "sum":
        assert read_header(kept).training["config"]["seed"] == 3


def test_the_command_trains_what_is_missing(short: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["bench", "gnns", "--datasets", "tree_cycles_noise", "--kinds", "gcn", "gin", "--device", "cpu"]
    command += ["--seeds", "1", "--out", str(short / "results")]
    assert main(command) == 0
    said = capsys.readouterr().out
    assert "[1/2] tree_cycles_noise gcn 0: test accuracy 0." in said
    assert "| Edges, both directions | 4210 | 9120 | 1860 | 3100 | 51000 | 266894 | 352010 | 1950 |" in said
    assert sorted(path.name for path in (short / "results").iterdir()) == [
        f"tree_cycles_noise-{kind}-0.safetensors" for kind in ("gcn", "gin")
    ]
    (short / "results" / "tree_cycles_noise-gin-0.safetensors").write_bytes(b"damaged")
    assert main(command) == 0
    assert "[1/1] tree_cycles_noise gin 0" in capsys.readouterr().out


def test_one_that_fails_does_not_stop_the_others(
    short: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(subjects.ORDINARY, "gcn", lambda *_args, **_more: 1 / 0)
    command = ["bench", "gnns", "--datasets", "tree_cycles", "--kinds", "gcn", "gin", "--seeds", "1"]
    assert main([*command, "--out", str(short / "results")]) == 1
    said = capsys.readouterr().out
    assert "gcn 0: failed, ZeroDivisionError" in said
    assert "gin 0: test accuracy" in said


def test_the_table_has_the_papers_counts_beside_ours() -> None:
    rows = {row.label: row.entries for row in dataset_table().rows}
    assert rows["Edges, both directions (paper)"]["ba_2motifs"].values == (51_392,)
    assert rows["Edges, both directions"]["ba_2motifs"].values == (51_000,)
    assert rows["Graphs (paper)"]["graph_sst2"].values == (70_042,)
    assert rows["Test accuracy (paper)"]["graph_sst2"].values == (0.887,)
    assert rows["Test accuracy: Sum, trained on whole graphs"]["tree_cycles"].values[0] == 1.0
