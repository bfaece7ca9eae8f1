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


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs a notebook, whose outputs are of the kinds that its file has; gives what its code defined."""
    monkeypatch.chdir(tmp_path)

    def run_it(name: str) -> dict[str, Any]:
        names: dict[str, Any] = {}
        notebook = read(name)
        assert kinds(executed(notebook, names)) == kinds(notebook["cells"])
        assert any("text/html" in each for each in kinds(notebook["cells"]))
        return names

    return run_it


def test_a_node_is_explained_by_the_rule(run: Any, tmp_path: Path) -> None:
    names = run("explain_a_node")
    assert set(names["why"].nodes) == {9, *(node for node in names["contacts"] if names["ill"][node])}
    assert (names["predicted"] == names["data"].y).all()
    assert (tmp_path / "explanation.html").is_file()


def test_a_molecule_has_two_reasons(run: Any) -> None:
    names = run("a_molecule")
    trace = names["why"].trace
    assert names["why"].prediction == "mutagen"
    assert [{trace.nodes[node].element for node in reason.nodes} for reason in trace.answer.reasons] == [{"N", "O"}] * 2
    assert names["toluene"].prediction == "non-mutagen"


def test_five_nodes_are_sampled_in_proportion_to_the_reward(run: Any) -> None:
    names = run("gflownet_by_hand")
    reward, counts = names["R"], names["counts"]
    for state in names["sets"]:
        assert counts[state] / counts.total() == pytest.approx(reward[state] / sum(reward.values()), abs=0.02)
    assert names["log"].recording().lanes[0].frames[-1].total_variation < 1e-6


def test_all_squares_are_found(run: Any) -> None:
    names = run("train_and_watch")
    assert len(names["squares"]) == 4
    assert names["last"].modes == 1
    assert names["last"].total_variation < 0.05


def test_a_table_has_the_rule(run: Any) -> None:
    table = run("many_explanations")["table"]
    assert set(table[table.prediction == "cycle"].kind) == {"a ring of six"}
    assert (table.prediction == table.true).all()


def test_none_is_forgotten_and_one_needs_torchgfn() -> None:
    """It needs torchgfn, which no test installs: its cells compile, and what it imports of ours is there."""
    other = "any_gflownet"
    assert {path.stem for path in FOLDER.glob("*.ipynb")} == {*NOTEBOOKS, other}
    notebook = json.loads((FOLDER / f"{other}.ipynb").read_text(encoding="utf-8"))
    assert not any(cell.get("outputs") for cell in notebook["cells"])
    code = "\n".join("".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code")
    compile(code, other, "exec")
    ours = [line for line in code.splitlines() if line.startswith("from gfx_core")]
    assert ours == ["from gfx_core.training.log import TrainingLog"]
    exec(ours[0], {})
