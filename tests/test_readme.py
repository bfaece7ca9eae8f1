"""What the README says is true."""

import re
import shlex
from pathlib import Path
from unittest.mock import patch

import pytest

from gfx_core.baselines.registry import METHODS
from gfx_core.bench.report import STUDIES, read_records
from gfx_core.bench.tables import OWN, RG, ahead, is_control, means
from gfx_core.config import Task
from gfx_core.datasets.registry import DATASETS, listed
from gfx_core.gnn.checkpoint import model_path, read_header

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
SNIPPETS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


@pytest.mark.usefixtures("students_learn_little")
@pytest.mark.parametrize("number", range(len(SNIPPETS)))
def test_its_python_runs(number: int) -> None:
    with patch.dict(METHODS):  # one adds an explainer
        exec(compile(SNIPPETS[number], f"README.md, snippet {number + 1}", "exec"), {})


@pytest.mark.parametrize("name", listed())
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


def test_what_came_out_is_what_the_records_say() -> None:
    """Its numbers and names; where more has been measured, it is to be written anew."""
    told = re.search(r"^What came out is in .*?(?=\n\n)", README, re.DOTALL | re.MULTILINE)
    assert told is not None
    text = " ".join(told[0].split())
    study, records = STUDIES["auc"], read_records(STUDIES["auc"])
    found = means(records, "auc_own")
    own = [by_method[OWN] for by_method in found.values()]
    assert f"AUC is {min(own):.3f} to {max(own):.3f}".replace(" 0.", " .") in text
    assert ("with one seed" in text) == ({record["seed"] for record in records} == {0})
    assert ("the four node data sets" in text) == ({DATASETS[name].task for name in found} == {Task.NODE})
    table = study.tables(records)[0]
    silent = [name for name in found if table.silenced_by(name)]
    tell = "tells" if len(silent) == 1 else "tell"
    assert f"{' and '.join(study.titles[name] for name in silent)} {tell} nothing" in text
    for dataset in found.keys() - set(silent):
        others = {m: auc for m, auc in found[dataset].items() if m != OWN and not is_control(m)}
        best = max(others, key=others.__getitem__)
        own, other = found[dataset][OWN], others[best]
        words = "is ahead of" if ahead(own, other) else "is behind" if ahead(other, own) else "is level with"
        assert f"on {study.titles[dataset]} it {words} {study.titles[best]}" in text
    by_order = [by for by in means(records, "auc_own_greedy").values() if OWN in by and RG in by]
    trails = sum(ahead(by[RG], by[OWN]) for by in by_order)
    assert f"trails RGExplainer on {trails} of {len(by_order)}" in text
    fragments = STUDIES["calibration"].finding(read_records(STUDIES["calibration"]))
    better = re.search(r"on \d of \d data sets", fragments)
    assert better is not None
    assert f"better calibrated on fragments {better[0]}" in text


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
    from gfx_core.__main__ import parser

    for line in re.findall(r"^python -m gfx_core (.*?)(?:\s+#.*)?$", README, re.MULTILINE):
        arguments = shlex.split(line)
        if "NAME" in arguments:
            arguments[arguments.index("NAME")] = "speed"
        parser().parse_args(arguments)
