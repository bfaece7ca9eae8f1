"""Whole runs, here, in real processes and on a real dask cluster: what is finished is never lost nor computed twice."""

import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from gfx_core.bench.studies import (
    STUDIES,
    Cell,
    Study,
    compare,
    compute,
    read_records,
    run_cells,
    to_record,
    write_records,
)
from gfx_core.cli import bench_commands
from gfx_core.errors import UserError
from gfx_core.parallel import Workers
from tests.patience import PATIENCE_S, until

TOY = Study("toy", "Toy", "?", "gfx_toy_study:measure", {"device": "cpu"})
MODULE = '''
"""Cells that leave a file for each time they are begun, and behave as their method says."""
import math, os, signal, time, uuid
from pathlib import Path


def measure(cell):
    folder = Path(cell.options["folder"])
    (folder / f"{cell.seed}-{uuid.uuid4().hex}").write_text(str(os.getpid()))
    first = len(list(folder.glob(f"{cell.seed}-*"))) == 1
    if cell.method == "raises":
        raise RuntimeError(f"seed {cell.seed} is unlucky\\nand more")
    if cell.method == "dies" or (cell.method == "dies_once" and first):
        os.kill(os.getpid(), signal.SIGKILL)
    if cell.method == "slow":
        time.sleep(600)
    return {"auc": math.nan if cell.method == "undefined" else cell.seed / 10, "pid": os.getpid()}
'''
SCRIPT = """
import sys
from pathlib import Path
from gfx_core.bench.studies import run_cells
from gfx_core.parallel import Workers
from tests.bench.test_studies import TOY, cells

if __name__ == "__main__":
    run_cells(TOY, cells(Path(sys.argv[1]), *sys.argv[2:]), Workers(2), Path(sys.argv[1]) / "out")
"""


def cells(folder: Path, *methods: str, **options: Any) -> list[Cell]:
    """A cell for each name, with its place as the seed."""
    options |= {"folder": str(folder / "begun"), "device": "cpu"}
    return [Cell("toy", "tree_cycles", method, seed, options=options) for seed, method in enumerate(methods)]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "begun").mkdir()
    (tmp_path / "gfx_toy_study.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)  # worker processes get the path of the one that starts them
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), *filter(None, sys.path)]))
    monkeypatch.delitem(sys.modules, "gfx_toy_study", raising=False)
    return tmp_path


def begun(folder: Path) -> Counter[int]:
    """How often each cell has been begun, by seed."""
    return Counter(int(path.name.split("-")[0]) for path in (folder / "begun").iterdir())


def run(folder: Path, *methods: str, where: Workers | None = None, **options: Any) -> int:
    return run_cells(TOY, cells(folder, *methods, **options), where or Workers(), folder / "out")


def seeds(folder: Path) -> list[int]:
    return sorted(read_records("toy", folder / "out")["seed"])


def test_options_make_no_other_cell_but_another_place_in_the_grid() -> None:
    one, other = Cell("s", "d", "m", 1, "v", "gcn-0", {"a": 1}), Cell("s", "d", "m", 1, "v", "gcn-0", {"a": 2})
    assert one.key == other.key == "d/gcn-0/m/1/v"
    assert one.grid != other.grid
    assert one.grid == Cell("s", "d", "m", 1, "v", "gcn-0", {"device": "cuda", "a": 1}).grid


def test_every_cell_of_a_grid_has_its_record() -> None:
    for study in STUDIES.values():
        grid, records = {cell.key: cell.grid for cell in study.cells()}, read_records(study.name)
        assert {key: records.at[key, "grid"] for key in grid} == grid
        assert records["commit"].str.fullmatch(r"[0-9a-f]{12}(-dirty)?").all()
        assert records["weights"].str.fullmatch(r"[0-9a-f]{12}( [0-9a-f]{12})?").all()


def test_records_survive_their_file_and_damaged_ones_are_refused(tmp_path: Path) -> None:
    cell = Cell("reasons", "tree_cycles", "gcn", gnn="gcn-1", options={"limit": 3})
    values = {"motif_alone": [0.5, 0.25], "accuracy": 1.0, "tried": {"a": 1}}
    write_records(tmp_path / "reasons.parquet", [to_record(cell, values, 0.1)])
    (record,) = read_records("reasons", tmp_path).to_dict("records")
    assert (record["key"], record["accuracy"], list(record["motif_alone"])) == (cell.key, 1.0, [0.5, 0.25])
    assert (record["options"], record["tried"]) == ('{"limit": 3}', '{"a": 1}')
    assert record["weights"] == read_records("reasons").at[cell.key, "weights"]
    (tmp_path / "reasons.parquet").write_bytes(b"PAR1 is not enough")
    with pytest.raises(UserError, match="put it back"):
        read_records("reasons", tmp_path)


def test_what_has_a_record_is_not_computed_again(folder: Path) -> None:
    assert run(folder, "plain", "plain", "raises") == 1
    assert run(folder, "plain", "plain", "plain") == 0  # other methods are other cells; a failed one was not kept
    assert begun(folder) == {0: 1, 1: 1, 2: 2}
    run(folder, "plain", limit=3)  # other options take the place of the record
    assert begun(folder)[0] == 2
    assert seeds(folder) == [0, 1, 2]


def test_dying_cells_leave_the_others(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert str(compute(TOY, cells(folder, "undefined")[0])).startswith("ValueError")  # NaN is no number
    assert run(folder, "plain", "dies_once", "raises", "dies", "plain", where=Workers(2)) == 2
    assert seeds(folder) == [0, 1, 4]
    shown = capsys.readouterr().err
    assert "tree_cycles/raises/2: RuntimeError: seed 2 is unlucky\n" in shown  # its first line alone
    assert "tree_cycles/dies/3" in shown
    assert os.getpid() not in set(read_records("toy", folder / "out")["pid"])
    with pytest.raises(UserError, match="nothing to compute"):
        run(folder)


def start(folder: Path, *methods: str) -> "subprocess.Popen[str]":
    """A run in another process, in a group of its own, as a terminal would start it."""
    (folder / "script.py").write_text(SCRIPT)
    return subprocess.Popen(
        [sys.executable, str(folder / "script.py"), str(folder), *methods],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # tests in the background ignore it
    )


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_run_that_was_stopped_goes_on_where_it_was(folder: Path, how: signal.Signals) -> None:
    process = start(folder, "plain", "plain", "slow", "slow")
    until(lambda: len(read_records("toy", folder / "out")) == 2 and begun(folder).keys() == {0, 1, 2, 3})
    os.killpg(process.pid, how)
    process.communicate(timeout=PATIENCE_S)
    assert process.returncode != 0
    before = begun(folder)
    assert run(folder, "plain", "plain", "plain") == 0
    assert sum((begun(folder) - before).values()) == 1  # the one that is no longer slow


def test_a_cluster_computes_and_may_go(folder: Path) -> None:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=2, dashboard_address=None, silence_logs=50) as local:
        where = Workers(dask=local.scheduler_address)
        assert run(folder, "plain", "dies_once", "raises", "plain", where=where) == 1
        assert seeds(folder) == [0, 1, 3]
        ender = threading.Thread(target=lambda: (until(lambda: begun(folder)[4] > 0), local.close()))
        ender.start()
        with pytest.raises(UserError, match="no dask scheduler"):
            run_cells(TOY, cells(folder, *["plain"] * 4, "slow")[4:], where, folder / "out")
        ender.join()
    for address in ("tcp://127.0.0.1:9", "nowhere"):
        with pytest.raises(UserError, match="no dask scheduler"):
            run(folder, "undefined", where=Workers(dask=address))


def test_the_command_computes_and_prints(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chosen: dict[str, Any] = {"datasets": ["tree_cycles"], "gnns": ["gcn-0"], "device": "cpu"}
    assert bench_commands.run(["reasons"], out=tmp_path, **chosen) == 0
    assert read_records("reasons", tmp_path)["key"].tolist() == ["tree_cycles/gcn-0/gcn/0"]
    assert "**Test accuracy**\n\n|  | Tree-Cycles" in capsys.readouterr().out
    with pytest.raises(UserError, match="must not disturb each other"):
        bench_commands.run(["timing"], workers=2)


def test_the_command_checks_what_it_can(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    found: dict[str, Any] = {"reasons": UserError("No data."), "explainers": None, "policies": None, "inductive": None}

    def compared(study: Study, _: Cell) -> list[str]:
        if error := found[study.name]:
            raise error
        return []

    monkeypatch.setattr(bench_commands, "_CHECKED", 2)
    monkeypatch.setattr(bench_commands, "compare", compared)
    assert bench_commands.check()
    assert capsys.readouterr().out.count(": No data.\n") == 2
    found["reasons"] = None
    assert not bench_commands.check()
    assert capsys.readouterr().out.count(": as in the records\n") == 8


def test_a_check_names_what_differs(monkeypatch: pytest.MonkeyPatch) -> None:
    study = STUDIES["reasons"]
    cell = next(cell for cell in study.cells() if cell.key == "tree_cycles/gcn-0/gcn/0")
    assert compare(study, cell) == []  # what is measured now is in the records
    record = read_records("reasons").loc[cell.key]
    close = {"prior": (record["prior"] + 5e-4).tolist()}
    monkeypatch.setattr(Study, "compute", lambda *_: {"motif_alone": [0.5], "accuracy": 0.2, **close})
    assert [words.partition(":")[0] for words in compare(study, cell)] == ["accuracy", "motif_alone"]
