"""RESULTS.md: claims first, then the tables that decide them, all made from records."""

import re
import shutil
from collections import Counter
from pathlib import Path
from statistics import fmean

import pytest

from gfx_core.__main__ import main
from gfx_core.bench import report
from gfx_core.bench.report import ICONS, RESULTS, STUDIES, Findings
from gfx_core.bench.study import Claim, Sweep
from tests.bench.records import record
from tests.bench.test_documents import long_sentences


def test_the_file_from_real_records(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    study = STUDIES["answers"]
    cells = study.cells(Sweep(["tree_cycles"], ["degree", "random"], seeds=1, gnns=["sum-0"], quick=True))
    records = [
        record(cell.dataset, cell.method) | {"key": cell.key, "benchmark": "explainers", "values": study.compute(cell)}
        for cell in cells
    ]
    report.write_table(tmp_path / "explainers.json", "explainers", records)
    title = study.tables(records)[0].title
    claim = Claim("DEGREE finds the motif.", "holds", "F1 .94 [.90, .98]", title)
    monkeypatch.setattr(type(study), "claims", lambda self, records: [claim] if self.name == "answers" else [])
    assert main(["bench", "results", "--out", str(tmp_path)]) == 0
    text = (tmp_path / "RESULTS.md").read_text(encoding="utf-8")
    assert "| DEGREE finds the motif. | ✓ holds (older code) | F1 .94 [.90, .98] | [1](#table-1) |" in text
    assert '### <a name="table-1"></a>1. ' + title in text
    assert text.index("## Claims") < text.index("## Tables") < text.index("## To be measured")
    assert f"| DEGREE | {fmean(records[0]['values']['f1']):.3f}" in text
    done, every = Findings(study, records).cells
    assert done == 2 < every
    assert f"bench answers`. 2 of {every:,} cells. a GPU, 4 cores, torch 2, 2026-01-01 (2 records)." in text
    assert "All records were measured with an older state of the code: run `python -m gfx_core bench answers`." in text
    _, missing = text.split("## To be measured\n")
    absent = [name for name, each in STUDIES.items() if each.benchmark != "explainers"]
    assert re.findall(r"bench (\w+)`", missing) == absent
    (tmp_path / "explainers.json").unlink()
    assert main(["bench", "results", "--out", str(tmp_path)]) == 2
    assert "run a study first" in capsys.readouterr().err


def test_the_shipped_file_is_that_of_the_shipped_records(tmp_path: Path) -> None:
    for path in RESULTS.glob("*.json"):
        shutil.copy(path, tmp_path)
    made = report.write_results(tmp_path).read_text(encoding="utf-8")
    assert made == (RESULTS / "RESULTS.md").read_text(encoding="utf-8")


def test_what_does_not_fit_gives_way_but_each_study_keeps_a_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in RESULTS.glob("*.json"):
        shutil.copy(path, tmp_path)
    whole = report.write_results(tmp_path).read_text(encoding="utf-8")
    monkeypatch.setattr(report, "MOST_LINES", 1)
    short = report.write_results(tmp_path).read_text(encoding="utf-8")
    known = [name for name, study in STUDIES.items() if report.read_records(study)]
    assert re.findall(r"^`python -m gfx_core bench (\w+)`\.", short, re.MULTILINE) == known
    assert whole.count("### ") > short.count("### ")
    assert "| on the page |" in short


def test_the_shipped_file_can_be_read() -> None:
    text = (RESULTS / "RESULTS.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 300
    assert long_sentences(text) == []
    places = re.findall(r'name="(table-\d+)"', text)
    assert set(re.findall(r"\(#(table-\d+)\)", text)) <= set(places)


def test_claims_are_short_and_rest_on_a_table() -> None:
    for study in STUDIES.values():
        found = Findings(study, report.read_records(study))
        assert {claim.table for claim in found.claims} <= {table.title for table in found.tables}
        assert [claim.sentence for claim in found.claims if len(claim.sentence.split()) > 25] == []


def test_the_conclusion_counts_the_verdicts_on_the_papers_claims() -> None:
    every = [Findings(study, report.read_records(study)) for study in STUDIES.values()]
    paper, words = report.paper_claims(every), report.conclusion(every)
    assert len(paper) == len(set(paper))
    assert all(any(claim.sentence.startswith(start) for claim in paper) for start in report.PAPER_CLAIMS)
    counts = Counter(claim.verdict for claim in paper)
    numbers = [counts[verdict] for verdict in ICONS if verdict in counts]
    assert list(map(int, re.findall(r"\d+", words)))[-len(numbers) - 1 :] == [len(paper), *numbers]
    (answers,) = STUDIES["answers"].claims(report.read_records(STUDIES["answers"]))
    assert answers.conclusion in words
    clauses = [clause for findings in every for claim in findings.claims for clause in claim.summary]
    assert len(clauses) >= 3
    first = words.split(". ")[0]
    assert all(clause in first for clause in clauses)
    assert not re.search(r"\d", first)  # numbers come after it
    assert re.findall(r"\d+", answers.number)[:2] == re.findall(r"\d+", answers.conclusion)[:2]
    assert words.count(". ") <= 4
    assert words in (RESULTS / "RESULTS.md").read_text(encoding="utf-8")
    assert long_sentences(words) == []
    assert report.conclusion([]) == ""


def test_the_papers_claims_are_marked_among_all_of_them() -> None:
    every = [Findings(study, report.read_records(study)) for study in STUDIES.values()]
    marked = [claim for findings in every for claim in findings.claims if report.is_papers(claim)]
    assert Counter(marked) == Counter(report.paper_claims(every))
    text = (RESULTS / "RESULTS.md").read_text(encoding="utf-8")
    assert len(re.findall(rf"\| \S [^|]+ · {report.PAPER} \|", text)) == len(marked)


def test_a_whole_study_has_all_its_cells() -> None:
    study = STUDIES["distance"]
    cells = study.cells(Sweep(list(study.datasets), list(study.methods)))
    records = [record(cell.dataset, cell.method) | {"key": cell.key} for cell in cells]
    assert Findings(study, records).cells == (48, 48)
    assert Findings(study, records[1:]).cells == (47, 48)
