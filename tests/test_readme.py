"""What the README says is true."""

import re
from pathlib import Path

import pytest

from gfx_core.bench.registry import STUDIES
from gfx_core.bench.results_file import read_records
from gfx_core.datasets.registry import DATASETS
from gfx_core.gnn.model_file import model_path, read_header

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
SNIPPETS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize("number", range(len(SNIPPETS)))
def test_its_python_runs(number: int) -> None:
    exec(compile(SNIPPETS[number], f"README.md, snippet {number + 1}", "exec"), {})


@pytest.mark.parametrize("name", DATASETS)
def test_its_accuracies_are_the_headers(name: str) -> None:
    row = re.search(rf"^\| {DATASETS[name].title} \|.*\| ([\d.]+) \|$", README, re.MULTILINE)
    assert row is not None
    assert float(row[1]) == pytest.approx(read_header(model_path(name)).accuracy["test"], abs=5e-4)


def test_its_first_sentence_tells_the_measured_distance() -> None:
    said = re.search(r"total variation of (\.\d\d) to (\.\d\d) from the P ∝ R[^.]*\(means of (\d) data sets\)", README)
    assert said is not None
    first_sentence = README.index("See how a GFlowNet")
    assert first_sentence < said.start() < README.index(" A GNN predicts", first_sentence)
    means = [record["values"]["distance_mean"] for record in read_records(STUDIES["ceiling"])]
    assert (float(said[1]), float(said[2])) == (round(min(means), 2), round(max(means), 2))
    assert int(said[3]) == len(means)


def test_its_studies_are_all() -> None:
    told = re.search(r"The studies \((.*?)\) print tables", README, re.DOTALL)
    assert told is not None
    assert set(re.findall(r"`(\w+)`", told[1])) == set(STUDIES)


def test_its_commands_are_the_ones_that_are_run() -> None:
    assert "pip install -r requirements.txt && streamlit run app.py" in README
    assert "pip install -r requirements.txt -r tests/requirements.txt && pytest" in README
    for picture in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", README):
        assert (ROOT / picture).is_file()


def test_every_command_it_names_is_there() -> None:
    from gfx_core.__main__ import _parser

    for line in re.findall(r"^python -m gfx_core (.*?)(?:\s+#.*)?$", README, re.MULTILINE):
        arguments = [part.strip('"') for part in line.split()]
        if "NAME" in arguments:
            arguments[arguments.index("NAME")] = "speed"
        _parser().parse_args(arguments)
