"""``python -m gfx_core``."""

import json
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from gfx_core.__main__ import main
from gfx_core.explanation.question import Question
from gfx_core.explanation.rules import Rules
from gfx_core.explanation.run import explain
from gfx_core.gnn.checkpoint import load_model, read_header
from gfx_core.look_ahead import sources, training
from gfx_core.look_ahead.policy import load_look_ahead
from gfx_core.trace import serialize
from tests.conftest import ROOT


@pytest.mark.parametrize(
    ("options", "seeds", "name"),
    [
        ([], [3, 4, 5], "tree_cycles-gcn.safetensors"),
        (["--seeds", "1", "--fragments", "0"], [3], "tree_cycles-gcn-plain.safetensors"),
    ],
)
def test_train_gnn_keeps_the_seed_of_the_lowest_validation_loss(
    options: list[str], seeds: list[int], name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["train", "gnn", "--dataset", "Tree-Cycles", "--epochs", "3", "--seed", "3", "--device", "cpu"]
    assert main([*arguments, "--kind", "gcn", "--hidden", "6", "--out", str(tmp_path), *options]) == 0
    training = read_header(tmp_path / name).training
    assert [tried["seed"] for tried in training["tried"]] == seeds
    assert training["config"]["patience"] == (2000 if "plain" in name else 1000)  # of this data set, by its title
    best = min(training["tried"], key=lambda tried: tried["validation_loss"])
    assert training["config"]["seed"] == best["seed"]
    assert f"seed {best['seed']}" in capsys.readouterr().out
    assert load_model("tree_cycles", "gcn", path=tmp_path / name).hidden == 6


def test_the_document_lists_all_options() -> None:
    """Else: python assets/commands.py."""
    written = runpy.run_path(str(ROOT / "assets" / "commands.py"))
    text = written["DOCUMENT"].read_text(encoding="utf-8")
    assert written["document"](text) == text


def test_help_names_the_command_that_was_called(tmp_path: Path) -> None:
    script = tmp_path / "gfx-explorer"
    script.write_text("from gfx_core.__main__ import explorer\nexplorer()\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(script), "--help"], cwd=ROOT, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout.split(" [")[0]) == (0, "usage: gfx-explorer"), done.stderr


def test_train_a_policy_then_explain_with_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["train", "policy", "--dataset", "tree_cycles", "--epochs", "1", "--max-nodes", "4", "--beta", "2"]
    arguments += ["--loss", "tb", "--stop", "learned", "--parents", "sequence", "--device", "cpu"]
    assert main([*arguments, "--out", str(tmp_path)]) == 0
    policy, out = tmp_path / "tree_cycles-sum.safetensors", tmp_path / "trace.json"
    arguments = ["explain", "--dataset", "tree_cycles", "--index", "600", "--seed", "4", "--samples", "9"]
    assert main([*arguments, "--policy", str(policy), "--out", str(out), "--device", "cpu"]) == 0
    trace = serialize.load(out)
    assert trace.answer is not None
    assert f"{trace.answer.sentence}\n" in capsys.readouterr().out
    assert (trace.index, trace.made["seed"], trace.made["config"]["max_nodes"]) == (600, 4, 4)
    assert trace.made["config"]["reward"]["beta"] == 2
    assert sum(sample.count for sample in trace.samples) == 9


def test_a_molecule_by_smiles(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "--dataset", "mutagenicity", "--smiles", "Nc1ccccc1", "--device", "cpu"]) == 0
    answer, *rest = capsys.readouterr().out.splitlines()
    assert answer.startswith("The GNN predicts ")
    assert any(line.startswith("subgraph: ") for line in rest)


def test_rules_of_a_class(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["rules", "--dataset", "tree_cycles", "--class", "cycle", "--limit", "4", "--device", "cpu"]
    assert main([*arguments, "--out", str(tmp_path)]) == 0
    path = tmp_path / "tree_cycles-sum.json"
    (sentence,) = Rules.load(path).sentences
    assert "a ring of six" in sentence
    assert capsys.readouterr().out.splitlines() == [sentence, f"→ {path}"]


def test_all_predictions_in_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "table.jsonl"
    arguments = ["explain", "--dataset", "BA-2motifs", "--all", "--limit", "3", "--samples", "9", "--device", "cpu"]
    assert main([*arguments, "--out", str(out)]) == 0
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [row["index"] for row in rows] == [0, 1, 2]
    trace = explain(Question("ba_2motifs", "2", samples=9))
    assert trace.answer is not None
    assert rows[2]["sentence"] == trace.answer.sentence


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("train gnn --dataset ba_shape", "mean ba_shapes?"),
        ("train gnn --dataset tree_grid --device tpu", "auto, cpu or cuda"),
        ("train gnn --dataset tree_grid --layers 0", "(got 0)"),
        ("train gnn --dataset tree_grid --kind gan", "no GNN kind"),
        ("train hidden-gnn Z", "no hidden GNN"),
        ("train explainer --dataset tree_grid --method degree", "no training"),
        ("train policy --dataset tree_grid --max-nodes 1", "from 2 to 64"),
        ("train policy --dataset tree_grid --preset blunt", "no reward preset"),
        ("explain --dataset tree_grid", "--index"),
        ("explain --dataset tree_grid --all --index 600", "--index or --all"),
        ("explain --dataset tree_grid --index 600 --workers 2", "need --all"),
        ("explain --dataset tree_grid --all --limit 0", "(got 0)"),
        ("explain --dataset tree_grid --all --workers 0", "(got 0)"),
        ("explain --dataset tree_grid --all --beta x", "β must be"),
        ("explain --dataset tree_grid --smiles C", "choose Mutagenicity"),
        ("explain --dataset tree_grid --index 9999", "no node 9999"),
        ("explain --dataset tree_grid --index -3", "“-3”"),
        ("explain --dataset tree_grid --index 600 --policy nowhere", "no file nowhere"),
        ("explain --dataset tree_grid --index 600 --samples 0", "from 1 to"),
    ],
)
def test_mistakes_end_in_one_sentence(arguments: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments.split()) == 2
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1


def test_train_a_small_look_ahead_policy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    few = {"seeds": [101], "instances": 4, "gnns": {"tree_cycles": ["sum", "gcn"]}}
    monkeypatch.setattr(sources, "SOURCES", sources.SOURCES | few | {"config": {"epochs": 2, "max_nodes": 6}})
    monkeypatch.setattr(training, "BATCHES", 2)
    monkeypatch.setattr(training, "EDGES", 1000)
    assert main(["train", "look-ahead", "--device", "cpu", "--out", str(tmp_path)]) == 0
    path = tmp_path / "look_ahead.safetensors"
    trained = load_look_ahead(path)
    assert (len(trained.curve), trained.policy.max_nodes) == (2, 6)
    assert trained.made["learned_from"] == {"tree_cycles-sum": 5, "tree_cycles-gcn": 5}
    assert f"residual {trained.curve[-1].residual:.3f} → {path}" in capsys.readouterr().out
