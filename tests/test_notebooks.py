"""The notebooks in assets/examples/ run from top to bottom and come to what they say; they were saved with outputs."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT

FOLDER = ROOT / "assets" / "examples"


def cells(name: str) -> list[dict[str, Any]]:
    """The cells of a notebook that are code."""
    notebook = json.loads((FOLDER / f"{name}.ipynb").read_text(encoding="utf-8"))
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def check_a_node(names: dict[str, Any]) -> None:
    """Its answer is that of the README's example, which is the same."""
    assert (names["predicted"] == names["data"].y).all()
    assert Path("explanation.html").is_file()


def check_a_molecule(names: dict[str, Any]) -> None:
    trace = names["why"].trace
    assert names["why"].prediction == "mutagen"
    assert [{trace.nodes[node].element for node in reason.nodes} for reason in trace.answer.reasons] == [{"N", "O"}] * 2
    assert names["toluene"].prediction == "non-mutagen"


def check_samples(names: dict[str, Any]) -> None:
    reward, counts = names["R"], names["counts"]
    for state in names["sets"]:
        assert counts[state] / counts.total() == pytest.approx(reward[state] / sum(reward.values()), abs=0.02)
    assert names["log"].recording().lanes[0].frames[-1].total_variation < 1e-6
    assert "<iframe" in names["log"]._repr_html_()


def check_training(names: dict[str, Any]) -> None:
    assert len(names["squares"]) == 4
    assert names["last"].modes == 1
    assert names["last"].total_variation < 0.05


def check_table(names: dict[str, Any]) -> None:
    table = names["table"]
    assert set(table[table.prediction == "cycle"].kind) == {"a ring of six"}
    assert (table.prediction == table.true).all()


CHECKS = {
    "explain_a_node": check_a_node,
    "a_molecule": check_a_molecule,
    "gflownet_by_hand": check_samples,
    "train_and_watch": check_training,
    "many_explanations": check_table,
}


@pytest.mark.parametrize("name", CHECKS)
@pytest.mark.usefixtures("students_learn_little")
def test_it_runs_and_comes_to_what_it_says(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for cell in cells(name):
        exec(compile("".join(cell["source"]), name, "exec"), names)
    CHECKS[name](names)
    outputs = [output for cell in cells(name) for output in cell["outputs"]]
    assert any("text/html" in output.get("data", {}) for output in outputs)


def test_none_is_forgotten_and_one_needs_torchgfn() -> None:
    """It needs torchgfn, which no test installs: its cells compile, and what it imports of ours is there."""
    other = "any_gflownet"
    assert {path.stem for path in FOLDER.glob("*.ipynb")} == {*CHECKS, other}
    assert not any(cell.get("outputs") for cell in cells(other))
    code = "\n".join("".join(cell["source"]) for cell in cells(other))
    compile(code, other, "exec")
    (ours,) = [line for line in code.splitlines() if line.startswith("from gfx_core")]
    exec(ours, {})
