"""Cells, their records and journal, progress and the table for people."""

import io
import json
import math
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from gfx_core.bench.cells import Cell, Record, failure
from gfx_core.bench.computing import compute
from gfx_core.bench.journal import Journal
from gfx_core.bench.progress import Progress, duration
from gfx_core.bench.registry import STUDIES
from gfx_core.bench.study import Study
from gfx_core.bench.tables import Entry, Quantity, Table
from gfx_core.errors import UserError


class Toy(Study):
    """Computes its cells well or badly, as their method says."""

    name = "auc"
    value = "auc"

    def compute(self, cell: Cell) -> dict[str, Any]:
        if cell.method == "bad":
            raise RuntimeError("no such luck\nand more lines")
        if cell.method == "leaves":
            raise SystemExit(3)
        values = {"undefined": math.nan, "not_json": object()}
        return {"auc": values.get(cell.method, 0.5 + cell.seed / 10), "sizes": (1, 2)}

    def tables(self, records: Sequence[Record]) -> list[Table]:
        return []

    def cost(self, cell: Cell) -> float:
        return 5.0 if cell.method == "costly" else 1.0


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(STUDIES, "auc", Toy())


def cell(seed: int = 0, dataset: str = "d1", method: str = "m1", variant: str = "", **options: Any) -> Cell:
    return Cell("auc", dataset, method, seed, variant, options)


def done(of: Cell, auc: float | None, seconds: float = 2.0) -> dict[str, Any]:
    return failure(of, "") | {"status": "done", "values": {"auc": auc}, "seconds": seconds}


# Cells


def test_the_key_is_the_place_in_the_table() -> None:
    assert cell().key == "auc/d1/m1/0"
    assert cell(variant="0.5").key == "auc/d1/m1/0/0.5"
    assert cell(epochs=3).key == cell().key
    with pytest.raises(ValueError, match="/"):
        cell(dataset="a/b")


def test_the_config_tells_every_change_and_nothing_else() -> None:
    different = [cell(), cell(1), cell(dataset="d2"), cell(method="m2"), cell(variant="v"), cell(epochs=1), cell(a="1")]
    assert len({one.config for one in different}) == len(different)
    assert cell(a=1, b=(2, 3)).config == cell(b=[2, 3], a=1).config
    assert cell(a=1, b=(2, 3)) == cell(b=[2, 3], a=1)
    assert len({cell(a=1), cell(a=1)}) == 1


def test_the_config_is_the_same_in_another_process() -> None:
    made = "Cell('auc', 'd1', 'm1', 0, 'ü', {'b': [1.5, None], 'a': 1})"
    script = f"from gfx_core.bench.cells import Cell; print({made}.config)"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == Cell("auc", "d1", "m1", 0, "ü", {"a": 1, "b": (1.5, None)}).config


def test_options_are_plain() -> None:
    with pytest.raises(TypeError):
        cell(a=object())
    with pytest.raises(ValueError, match="JSON"):
        cell(a=float("nan"))


@pytest.mark.usefixtures("toy")
def test_a_record_tells_what_was_computed_with_what() -> None:
    record = compute(cell(2, variant="0.5", epochs=3))
    assert json.loads(json.dumps(record)) == record
    assert record["values"] == {"auc": 0.7, "sizes": [1, 2]}
    assert record["status"] == "done"
    assert (record["dataset"], record["method"], record["seed"], record["variant"]) == ("d1", "m1", 2, "0.5")
    assert record["options"] == {"epochs": 3}
    assert record["seconds"] >= 0
    assert {"device", "date", "versions", "cpu_cores"} <= record["made"].keys()


@pytest.mark.parametrize(
    ("method", "sentence"),
    [
        ("bad", "RuntimeError: no such luck"),
        ("leaves", "SystemExit: 3"),
        ("undefined", "ValueError: Out of range float"),
        ("not_json", "TypeError: Object of type object"),
    ],
)
@pytest.mark.usefixtures("toy")
def test_a_failure_is_one_sentence(method: str, sentence: str) -> None:
    record = compute(cell(method=method, device="cuda"))
    assert record["status"] == "failed"
    assert record["error"].startswith(sentence)
    assert "\n" not in record["error"]
    assert "values" not in record
    assert record["made"]["device"] == "cuda"


def test_cells_are_computed_by_their_study() -> None:
    assert compute(Cell("no_such_study", "d1", "m1", 0))["error"] == "KeyError: 'no_such_study'"
    values = compute(Cell("instances", "random_10000", "cut_out", 0, options={"cuts": 1, "shrink": 100}))["values"]
    assert values["nodes"] == 100


# The journal


def test_records_survive_and_end_in_the_file(tmp_path: Path) -> None:
    first, second = done(cell(0), 0.1), failure(cell(1), "no")
    with Journal("auc", tmp_path) as journal:
        journal.add(first)
        journal.add(second)
    with Journal("auc", tmp_path) as journal:
        assert journal.finished(cell(0).key, cell(0).config) == first
        assert journal.finished(cell(0).key, cell(0, epochs=1).config) is None
        assert journal.finished(cell(1).key, cell(1).config) is None
        path = journal.finish([first, second])
    saved = json.loads(path.read_text())
    assert saved == {"benchmark": "auc", "cells": [first], "failed": [second]}
    assert [file.name for file in tmp_path.iterdir()] == ["auc.json"]


def test_a_torn_last_line_is_cut_off(tmp_path: Path) -> None:
    with Journal("auc", tmp_path) as journal:
        journal.add(done(cell(0), 0.1))
        journal.add(done(cell(1), 0.2))
    whole = journal.path.read_bytes()
    journal.path.write_bytes(whole[:-20])
    with Journal("auc", tmp_path) as again:
        assert list(again.records) == [cell(0).key]
        again.add(done(cell(1), 0.2))
    assert journal.path.read_bytes() == whole


def test_a_damaged_line_costs_one_cell(tmp_path: Path) -> None:
    with Journal("auc", tmp_path) as journal:
        for seed in range(3):
            journal.add(done(cell(seed), 0.1))
    lines = journal.path.read_bytes().splitlines(keepends=True)
    journal.path.write_bytes(lines[0] + b"\0\0\xff\n" + lines[2])
    with Journal("auc", tmp_path) as again:
        assert list(again.records) == [cell(0).key, cell(2).key]


def test_what_the_file_holds_stays(tmp_path: Path) -> None:
    old, other = done(cell(0), 0.1), done(cell(0, dataset="d2"), 0.2)
    with Journal("auc", tmp_path) as journal:
        journal.finish([old, other])
    new = done(cell(0, epochs=9), 0.3)
    with Journal("auc", tmp_path) as journal:
        assert journal.finished(cell(0).key, cell(0).config) == old
        journal.add(new)
        path = journal.finish([new])
    saved = json.loads(path.read_text())
    assert saved["cells"] == [new, other]
    with Journal("auc", tmp_path) as journal:  # a failure takes no value away, a success takes the failure away
        journal.finish([failure(cell(0), "no")])
    assert json.loads(path.read_text())["cells"] == [new, other]
    assert len(json.loads(path.read_text())["failed"]) == 1
    with Journal("auc", tmp_path) as journal:
        journal.finish([new])
    assert json.loads(path.read_text())["failed"] == []


def test_cells_of_a_stopped_run_reach_the_file_with_the_next(tmp_path: Path) -> None:
    with Journal("auc", tmp_path) as journal:
        journal.add(done(cell(0, epochs=1), 0.1))
        journal.add(done(cell(1, epochs=1), 0.2))
    asked = done(cell(0), 0.3)
    with Journal("auc", tmp_path) as journal:
        path = journal.finish([asked])
    assert json.loads(path.read_text())["cells"] == [done(cell(1, epochs=1), 0.2), asked]


def test_a_fresh_run_forgets_and_can_go_on(tmp_path: Path) -> None:
    with Journal("auc", tmp_path) as journal:
        journal.finish([done(cell(0), 0.1), done(cell(1), 0.2)])
    with Journal("auc", tmp_path) as journal:
        journal.add(done(cell(2), 0.2))
    with Journal("auc", tmp_path, fresh=True) as journal:
        assert all(journal.finished(cell(s).key, cell(s).config) is None for s in range(3))
        journal.add(done(cell(0), 0.5))
    for fresh in (True, False):  # with or without being told again that it is a fresh one
        with Journal("auc", tmp_path, fresh) as journal:
            assert journal.finished(cell(0).key, cell(0).config) == done(cell(0), 0.5)
            assert journal.finished(cell(1).key, cell(1).config) is None


def test_a_second_run_is_refused_and_a_dead_one_is_not_in_the_way(tmp_path: Path) -> None:
    with Journal("auc", tmp_path) as journal:
        with pytest.raises(UserError, match="Another run"):
            Journal("auc", tmp_path)
        with Journal("other", tmp_path):
            pass
        journal.finish([])
        with Journal("auc", tmp_path) as second:  # the first has removed its journal already
            second.add(done(cell(0), 0.1))
    with Journal("auc", tmp_path) as journal:
        assert list(journal.records) == [cell(0).key]


def test_a_run_of_which_nothing_has_come_leaves_no_journal(tmp_path: Path) -> None:
    for fresh in (False, True):
        with Journal("auc", tmp_path, fresh):
            pass
        assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_no_table_is_not_overwritten(tmp_path: Path) -> None:
    for content in ('{"cells": [', '{"cells": [{"dataset": "d1"}]}', "[]"):
        (tmp_path / "auc.json").write_text(content)
        with pytest.raises(UserError, match="not a table"):
            Journal("auc", tmp_path)
    (tmp_path / "a_file").write_text("")
    with pytest.raises(UserError, match="--out"):
        Journal("auc", tmp_path / "a_file")


# Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_counts_and_estimates() -> None:
    now, stream = [0.0], io.StringIO()
    cells = [cell(seed, method=method) for method in ("m1", "costly") for seed in range(2)]
    progress = Progress(cells, Toy(), stream, clock=lambda: now[0])
    progress.reuse(cells[0])
    now[0] = 4.0
    progress.add(cells[2], done(cells[2], 0.7, 4.0))
    now[0] = 10.0
    progress.add(cells[3], failure(cells[3], "ValueError: no"))
    progress.add(cells[1], done(cells[1], None, 1.0))
    assert stream.getvalue().splitlines() == [
        "[2/4] d1 costly seed 0: auc 0.7000 (4.0 s), about 0:05 left",  # what costs 5 took 4 s, what costs 6 is left
        "[3/4, 1 failed] d1 costly seed 1: failed: ValueError: no, about 0:01 left",
        "[4/4, 1 failed] d1 m1 seed 1: (1.0 s)",
    ]


def test_progress_takes_one_line_of_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    stream, cells = Terminal(), [cell(0), cell(1, variant="a_variant_with_a_long_name")]
    progress = Progress(cells, Toy(), stream)
    for one in cells:
        progress.add(one, done(one, 0.25))
    first, second = stream.getvalue().split("\r\x1b[2K")[1:]  # each wipes out what was there
    assert first.startswith("[1/2] d1 m1 seed 0: auc 0.2500")
    assert len(first) == 39
    assert second == "[2/2] d1 m1 a_variant_with_a_long_name "[:39] + "\n"


def test_durations() -> None:
    assert [duration(seconds) for seconds in (0, 59.6, 3599, 3661)] == ["0:00", "1:00", "59:59", "1:01:01"]


# The table for people


def table(records: list[dict[str, Any]], quantity: Quantity, titles: dict[str, str]) -> Table:
    study = Toy()
    study.titles = titles
    return study.by_method(records, quantity)


def test_mean_and_deviation() -> None:
    assert Entry().text() == "–"
    assert Entry(instead="not reached").text() == "not reached"
    assert Entry((0.5,)).text() == "0.500 (1)"
    assert Entry((1.0, 2.0, 3.0)).text(1) == "2.0 ± 1.0 (3)"
    assert Entry((1.0, 2.0, 3.0), mixed=True).text(1, count=False) == "2.0 ± 1.0 †"


def test_the_table_has_a_row_for_each_method_and_variant() -> None:
    records = [done(cell(seed, method="m2"), 0.5 + seed) for seed in range(3)]
    records += [done(cell(0, "d2"), 0.25), done(cell(1, "d2"), None), failure(cell(2, "d2"), "no")]
    records += [done(cell(0, variant="0.1"), 1.0)]
    paper = {"m1": {"d1": 0.999}, "m9": {"d1": 0.5}}
    quantity = Quantity("auc", digits=2, paper=paper)
    titles = {"d1": "d1", "m2": "m2", "m1": "One"}
    assert table(records, quantity, titles).markdown().splitlines() == [
        "|  | d1 | d2 |",
        "|---|---:|---:|",
        "| m2 | 1.50 ± 1.00 (3) | – |",
        "| One | – | 0.25 (1) |",
        "| One (0.1) | 1.00 (1) | – |",
        "| One (paper) | 1.00 | – |",
    ]
    seconds = Quantity(lambda record: record["seconds"], digits=0)
    other = table(records, seconds, {"d2": "Two"})
    assert list(other.columns.values()) == ["Two", "d1"]  # known ones first, in their order
    assert other.markdown().splitlines()[2:] == [
        "| m2 | – | 2 ± 0 (3) |",
        "| m1 | 2 ± 0 (2) | – |",
        "| m1 (0.1) | – | 2 (1) |",
    ]


def test_what_only_some_methods_have_has_rows_for_these_alone() -> None:
    records = [done(cell(0), 0.5), done(cell(1), None), done(cell(0, method="m2"), None)]
    for some, labels in ((True, ["m1"]), (False, ["m1", "m2"])):
        assert [row.label for row in table(records, Quantity("auc", some=some), {}).rows] == labels


def test_the_table_tells_where_options_differ() -> None:
    records = [done(cell(0), 1.0), done(cell(1, epochs=5), 1.0), done(cell(0, "d2"), 1.0)]
    lines = table(records, Quantity("auc", "Scores"), {}).markdown().splitlines()
    assert lines[0] == "**Scores**"
    assert lines[4] == "| m1 | 1.000 ± 0.000 (2) † | 1.000 (1) |"
    assert lines[-1].startswith("†")


def test_a_table_without_records_is_one_and_is_not_shown() -> None:
    assert table([], Quantity("auc"), {}).markdown().splitlines() == ["|  |", "|---|"]
    assert STUDIES["auc"].tables([]) == []
