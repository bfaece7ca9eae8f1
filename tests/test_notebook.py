"""The notebook in assets/examples/ runs from top to bottom, and says what it shows."""

import ast
import json
from pathlib import Path
from typing import Any

import pytest

from gfx_core.explanation.result import ExplanationResult
from gfx_core.trace import serialize

NOTEBOOK = Path(__file__).resolve().parent.parent / "assets" / "examples" / "own_model.ipynb"


def run_cell(source: str, names: dict[str, Any]) -> Any:
    """Run a cell as a notebook does; what its last line comes to is what it shows."""
    body = ast.parse(source).body
    last = body.pop() if isinstance(body[-1], ast.Expr) else None
    exec(compile(ast.Module(body, []), NOTEBOOK.name, "exec"), names)
    return None if last is None else eval(compile(ast.Expression(last.value), NOTEBOOK.name, "eval"), names)


@pytest.mark.usefixtures("students_learn_little")
def test_it_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    assert not any(cell.get("outputs") for cell in notebook["cells"])
    names: dict[str, Any] = {}
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    shown = [run_cell(cell, names) for cell in cells]
    (why,) = (each for each in shown if isinstance(each, ExplanationResult))
    assert "<iframe sandbox=" in why._repr_html_()
    assert why.prediction == "cycle"
    assert serialize.load(tmp_path / "explanation.json") == why.trace
    assert (tmp_path / "explanation.html").is_file()
    answer = names["answer"]
    assert answer.prediction == "nitrogen"
    assert "N" in {node.element for node in (answer.trace.nodes[at] for at in answer.trace.answer.first.nodes)}
    said = capsys.readouterr().out
    assert "accuracy" in said
    assert "The GNN predicts nitrogen" in said


def test_the_other_one_can_be_read_and_names_what_is_there() -> None:
    """It needs torchgfn, which no test installs: its cells compile, and what it imports of ours is there."""
    notebook = json.loads((NOTEBOOK.parent / "any_gflownet.ipynb").read_text(encoding="utf-8"))
    assert not any(cell.get("outputs") for cell in notebook["cells"])
    code = "\n".join("".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code")
    compile(code, "any_gflownet.ipynb", "exec")
    ours = [line for line in code.splitlines() if line.startswith("from gfx_core")]
    assert ours == ["from gfx_core.training.log import TrainingLog"]
    exec(ours[0], {})
