"""The notebooks in assets/examples/ run from top to bottom, and show what they say."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.notebooks import FOLDER, NOTEBOOKS, Cells, executed, read


def kinds(cells: Cells) -> list[list[str]]:
    """What each cell of code shows: words, a value, a page."""
    return [
        [name for output in cell["outputs"] for name in output.get("data", {"words": ""})]
        for cell in cells
        if cell["cell_type"] == "code"
    ]


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


def check_training(names: dict[str, Any]) -> None:
    assert len(names["squares"]) == 4
    assert names["last"].modes == 1
    assert names["last"].total_variation < 0.05


def check_table(names: dict[str, Any]) -> None:
    table = names["table"]
    assert set(table[table.prediction == "cycle"].kind) == {"a ring of six"}
    assert (table.prediction == table.true).all()


CHECKS = (check_a_node, check_a_molecule, check_samples, check_training, check_table)


@pytest.mark.parametrize(("name", "check"), zip(NOTEBOOKS, CHECKS, strict=True))
def test_it_runs_and_shows_what_it_says(
    name: str, check: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    if check is check_a_node:
        request.getfixturevalue("students_learn_little")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    notebook = read(name)
    assert kinds(executed(notebook, names)) == kinds(notebook["cells"])
    assert any("text/html" in each for each in kinds(notebook["cells"]))
    check(names)


def test_none_is_forgotten_and_one_needs_torchgfn() -> None:
    """It needs torchgfn, which no test installs: its cells compile, and what it imports of ours is there."""
    other = "any_gflownet"
    assert {path.stem for path in FOLDER.glob("*.ipynb")} == {*NOTEBOOKS, other}
    cells = json.loads((FOLDER / f"{other}.ipynb").read_text(encoding="utf-8"))["cells"]
    assert not any(cell.get("outputs") for cell in cells)
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    compile(code, other, "exec")
    (ours,) = [line for line in code.splitlines() if line.startswith("from gfx_core")]
    exec(ours, {})
