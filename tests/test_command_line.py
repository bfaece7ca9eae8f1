"""``python -m gfx_core``."""

import csv
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
from gfx_core.trace import serialize
from tests.conftest import ROOT


@pytest.mark.parametrize(
    ("options", "seeds", "name"),
    [
        ([], [3, 4, 5], "tree_cycles-gcn.safetensors"),
        (["--seeds", "1"], [3], "tree_cycles-gcn.safetensors"),
        (["--fragments", "0"], [3], "tree_cycles-gcn-plain.safetensors"),
    ],
)
def test_train_gnn_writes_a_checkpoint(
    options: list[str], seeds: list[int], name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of the seeds that are tried, the one of the lowest validation loss is kept; all are told of."""
    arguments = ["train", "gnn", "--dataset", "Tree-Cycles", "--epochs", "5", "--seed", "3", "--device", "cpu"]
    assert main([*arguments, "--kind", "gcn", "--hidden", "6", "--out", str(tmp_path), *options]) == 0
    path = tmp_path / name
    out = capsys.readouterr().out
    assert "test 0." in out
    training = read_header(path).training
    assert [tried["seed"] for tried in training["tried"]] == seeds
    best = min(training["tried"], key=lambda tried: tried["validation_loss"])
    assert training["config"]["seed"] == best["seed"]
    assert f"seed {best['seed']}, the lowest validation loss" in out
    assert load_model("tree_cycles", "gcn", path=path).hidden == 6


def test_the_document_lists_all_options() -> None:
    """Else: python assets/commands.py."""
    written = runpy.run_path(str(ROOT / "assets" / "commands.py"))
    text = written["DOCUMENT"].read_text(encoding="utf-8")
    assert written["document"](text) == text


def test_help_names_the_command_that_was_called(tmp_path: Path) -> None:
    for name, call in {"gfx": "sys.exit(main())", "gfx-explorer": "explorer()"}.items():
        script = tmp_path / name
        script.write_text(f"import sys\nfrom gfx_core.__main__ import explorer, main\n{call}\n", encoding="utf-8")
        command = [sys.executable, str(script), "--help"]
        done = subprocess.run(command, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True)
        assert (done.returncode, done.stdout.split(" [")[0]) == (0, f"usage: {name}"), done.stderr
        assert "python app.py" not in done.stdout


def test_train_a_policy_then_explain_with_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["train", "policy", "--dataset", "tree_cycles", "--epochs", "1", "--max-nodes", "5", "--beta", "2"]
    arguments += ["--loss", "tb", "--stop", "learned", "--parents", "sequence", "--device", "cpu"]
    assert main([*arguments, "--out", str(tmp_path)]) == 0
    policy = tmp_path / "tree_cycles-sum.safetensors"
    out = tmp_path / "trace.json"
    arguments = ["explain", "--dataset", "tree_cycles", "--index", "600", "--seed", "4", "--samples", "9"]
    assert main([*arguments, "--policy", str(policy), "--out", str(out), "--device", "cpu"]) == 0
    told = capsys.readouterr().out
    trace = serialize.load(out)
    assert trace.answer is not None
    assert f"{trace.answer.sentence}\n" in told
    assert ("motif edges found" in told) == trace.has_truth
    assert trace.made["choice"] == "answer"
    assert (trace.index, trace.made["seed"], trace.made["config"]["max_nodes"]) == (600, 4, 5)
    assert trace.made["config"]["reward"]["beta"] == 2
    assert sum(sample.count for sample in trace.samples) == 9


def test_a_molecule_by_smiles(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "--dataset", "mutagenicity", "--smiles", "Nc1ccccc1", "--device", "cpu"]) == 0
    answer, *rest = capsys.readouterr().out.splitlines()
    assert answer.startswith("The GNN predicts ")
    assert any(line.startswith("subgraph: ") for line in rest)
    assert "No true reason is known here, so we do not count found and missed bonds." in rest


def test_rules_of_a_class(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["rules", "--dataset", "tree_cycles", "--class", "cycle", "--limit", "4", "--device", "cpu"]
    assert main([*arguments, "--out", str(tmp_path)]) == 0
    sentence = "Of 4 nodes predicted cycle (a random sample of 360), all are explained by a ring of six."
    path = tmp_path / "tree_cycles-sum.json"
    assert capsys.readouterr().out.splitlines() == [sentence, f"→ {path}"]
    assert Rules.load(path).sentences == [sentence]


def test_all_predictions_in_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "table.csv"
    arguments = ["explain", "--dataset", "BA-2motifs", "--all", "--limit", "3", "--samples", "9", "--device", "cpu"]
    assert main([*arguments, "--out", str(out)]) == 0
    assert f"3 of 3 predictions explained → {out}" in capsys.readouterr().out
    with out.open() as file:
        rows = list(csv.DictReader(file))
    assert [row["index"] for row in rows] == ["0", "1", "2"]
    trace = explain(Question("ba_2motifs", "2", samples=9))
    assert trace.answer is not None
    assert rows[2]["sentence"] == trace.answer.sentence


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["train", "gnn", "--dataset", "ba_shape"], "Did you mean ba_shapes?"),
        (["train", "gnn", "--dataset", "tree_grid", "--device", "tpu"], "choose auto, cpu or cuda"),
        (["explain", "--dataset", "tree_grid"], "in one way: --index"),
        (["explain", "--dataset", "tree_grid", "--all", "--index", "600"], "in one way: --index or --all"),
        (["explain", "--dataset", "tree_grid", "--index", "600", "--workers", "2"], "need --all"),
        (["explain", "--dataset", "tree_grid", "--all", "--limit", "0"], "at least 1 (got 0)"),
        (["explain", "--dataset", "tree_grid", "--all", "--workers", "0"], "at least 1 (got 0)"),
        (["explain", "--dataset", "tree_grid", "--all", "--beta", "x"], "β must be a number"),
        (["explain", "--dataset", "tree_grid", "--smiles", "C"], "or choose Mutagenicity"),
        (["explain", "--dataset", "tree_grid", "--index", "9999"], "has no node 9999"),
        (["explain", "--dataset", "tree_grid", "--index", "-3"], "“-3” is not a number of a node"),
        (["explain", "--dataset", "tree_grid", "--index", "600", "--policy", "nowhere"], "no file nowhere"),
        (["explain", "--dataset", "tree_grid", "--index", "600", "--samples", "0"], "from 1 to 1,000"),
        (["train", "gnn", "--dataset", "tree_grid", "--layers", "0"], "at least one layer (got 0)"),
        (["train", "gnn", "--dataset", "tree_grid", "--kind", "gan"], "no GNN kind"),
        (["train", "hidden-gnn", "Z"], "no hidden GNN"),
        (["train", "explainer", "--dataset", "tree_grid", "--method", "degree"], "needs no training"),
        (["train", "policy", "--dataset", "tree_grid", "--max-nodes", "1"], "from 2 to 64"),
        (["train", "policy", "--dataset", "tree_grid", "--preset", "blunt"], "no reward preset"),
    ],
)
def test_mistakes_end_in_one_sentence(arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert sentence in error
    assert error.count("\n") == 1
