"""Whole runs, here, in real processes and on a real dask cluster: what is finished is never lost nor computed twice."""

import json
import math
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from gfx_core.bench import run as run_module
from gfx_core.bench.report import read_table
from gfx_core.bench.run import Outcome, RunOptions, compute, run_cells
from gfx_core.bench.study import Cell, Study
from gfx_core.errors import UserError
from tests.patience import PATIENCE_S, until

TOY = "gfx_toy_study"
MODULE = '''
"""A study whose cells leave a file for each time they are begun, and behave as their method says."""
import os, signal, sys, time, uuid
from pathlib import Path

from gfx_core.bench.study import Study

class Toy(Study):
    name = "auc"

    def cost(self, cell):
        return cell.options.get("costs", {}).get(str(cell.seed), 1.0)

    def compute(self, cell):
        folder = Path(cell.options["folder"])
        (folder / f"{cell.seed}-{uuid.uuid4().hex}").write_text(str(os.getpid()))
        first = len(list(folder.glob(f"{cell.seed}-*"))) == 1
        if cell.method == "raises":
            raise RuntimeError(f"seed {cell.seed} is unlucky")
        if cell.method == "dies" or (cell.method == "dies_once" and first):
            os.kill(os.getpid(), signal.SIGKILL)
        if cell.method == "slow":
            time.sleep(600)
        if cell.method == "alone":
            mark = folder.parent / f"someone-{os.getpid()}"
            mark.touch(exist_ok=False)
            time.sleep(0.2)
            mark.unlink()
        return {"auc": cell.seed / 10, "pid": os.getpid(), "torch": "torch" in sys.modules}
'''
SCRIPT = """
import json, sys
from pathlib import Path
from gfx_core.bench.run import RunOptions, run_cells
from gfx_core.bench.study import Cell
from gfx_toy_study import Toy

if __name__ == "__main__":
    cells = [Cell(**cell) for cell in json.loads(sys.argv[1])]
    run_cells(Toy(), cells, RunOptions(workers=2, folder=Path(sys.argv[2])))
"""


class Bench:
    """A folder for the table and one in which the cells leave their traces."""

    def __init__(self, folder: Path) -> None:
        self.out, self.traces, self.code = folder / "out", folder / "traces", folder / "code"
        for part in (self.traces, self.code):
            part.mkdir()
        (self.code / f"{TOY}.py").write_text(MODULE)
        (self.code / "script.py").write_text(SCRIPT)

    def cells(self, *methods: str, **options: Any) -> list[Cell]:
        """A cell for each name, with its place as the seed."""
        options["folder"] = str(self.traces)
        return [Cell("auc", "d1", method, seed, options=options) for seed, method in enumerate(methods)]

    def run(self, cells: Sequence[Cell], workers: int = 1, **options: Any) -> Outcome:
        return run_cells(import_module(TOY).Toy(), cells, RunOptions(workers, folder=self.out, **options))

    def start(self, cells: list[Cell]) -> "subprocess.Popen[str]":
        """The same in another process, in a group of its own, as a terminal would start it."""
        parts = ("benchmark", "dataset", "method", "seed", "options")
        texts = json.dumps([{part: getattr(cell, part) for part in parts} for cell in cells])
        environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(self.code), *filter(None, sys.path)])}
        return subprocess.Popen(
            [sys.executable, str(self.code / "script.py"), texts, str(self.out)],
            env=environment,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # tests in the background ignore it
        )

    def begun(self) -> Counter[int]:
        """How often each cell has been begun, by seed."""
        return Counter(int(path.name.split("-")[0]) for path in self.traces.iterdir())

    def kept(self) -> list[Path]:
        """The files of finished cells of a run that has not ended."""
        return sorted((self.out / "auc.partial").glob("*.json"))

    def table(self) -> dict[str, Any]:
        return json.loads((self.out / "auc.json").read_text())  # type: ignore[no-any-return]


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    made = Bench(tmp_path)
    monkeypatch.syspath_prepend(made.code)  # worker processes get the path of the one that starts them
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(made.code), *filter(None, sys.path)]))
    monkeypatch.delitem(sys.modules, TOY, raising=False)
    return made


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


# Cells


def cell(seed: int = 0, dataset: str = "d1", method: str = "m1", variant: str = "", **options: Any) -> Cell:
    return Cell("auc", dataset, method, seed, variant, options)


def test_the_key_is_the_place_and_the_config_tells_every_change() -> None:
    assert cell().key == cell(epochs=3).key == "auc/d1/m1/0"
    assert cell(variant="0.5").key == "auc/d1/m1/0/0.5"
    with pytest.raises(ValueError, match="/"):
        cell(dataset="a/b")
    different = [cell(), cell(1), cell(dataset="d2"), cell(method="m2"), cell(variant="v"), cell(epochs=1), cell(a="1")]
    assert len({one.config for one in different}) == len(different)
    assert cell(a=1, b=(2, 3)).config == cell(b=[2, 3], a=1).config
    assert cell(device="cpu").config == cell(device="cuda").config  # who has a GPU goes on with what a CPU began
    assert Cell("auc", "d1", "m1", 0, "ü", {"b": [1.5, None], "a": 1}).config == "b0aeeea5b9bf856b"  # in every process


class Odd(Study):
    """Computes its cells well or badly, as their method says."""

    name = "auc"

    def compute(self, cell: Cell) -> dict[str, Any]:
        if cell.method == "bad":
            raise RuntimeError("no such file\nand more lines")
        if cell.method == "leaves":
            raise SystemExit(3)
        return {"auc": {"undefined": math.nan, "not_json": object()}.get(cell.method, 0.7), "sizes": (1, 2)}


def test_a_record_tells_what_was_computed_with_what_or_failed_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    record = compute(Odd(), cell(2, variant="0.5", epochs=3))
    assert json.loads(json.dumps(record)) == record
    assert record["values"] == {"auc": 0.7, "sizes": [1, 2]}
    assert (record["status"], record["seed"], record["variant"]) == ("done", 2, "0.5")
    assert record["options"] == {"epochs": 3, "device": "cpu"}
    assert {"device", "date", "versions", "cpu_cores"} <= record["made"].keys()

    monkeypatch.setattr(run_module, "device_here", lambda device: device)  # as if there were a GPU
    for method, sentence in (
        ("bad", "RuntimeError: no such file"),
        ("leaves", "SystemExit: 3"),
        ("undefined", "ValueError: Out of range float"),
        ("not_json", "TypeError: Object of type object"),
    ):
        failed = compute(Odd(), cell(method=method, device="cuda"))
        assert failed["error"].startswith(sentence)
        assert "\n" not in failed["error"]
        assert (failed["status"], failed["made"]["device"], "values" in failed) == ("failed", "cuda", False)


# Runs


def test_a_whole_run_here_needs_no_joblib(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "joblib", None)
    cells = bench.cells(*["plain"] * 4, costs={"0": 2.0, "1": 4.0, "2": 1.0, "3": 3.0})
    outcome = bench.run(cells)
    assert [record["values"]["auc"] for record in outcome.records] == [0.0, 0.1, 0.2, 0.3]
    assert bench.table()["cells"] == outcome.records
    assert [path.name for path in bench.out.iterdir()] == ["auc.json"]
    lines = capsys.readouterr().err.splitlines()
    assert [line.split("seed ")[1][0] for line in lines] == ["1", "3", "0", "2"]  # the costly first
    assert lines[-1].startswith("[4/4] d1 plain seed 2: ")

    again = bench.run(cells)
    assert (again.reused, again.records) == (4, outcome.records)
    bench.run([*cells[:1], Cell("auc", "d2", "plain", 7, options=cells[0].options)])
    changed = bench.cells("plain", "plain", limit=3)
    assert bench.run([cells[0], changed[1]]).reused == 1
    assert bench.begun() == Counter([0, 1, 1, 2, 3, 7])
    assert [record["options"].get("limit") for record in bench.table()["cells"]] == [None, 3, None, None, None]


def test_failed_and_dying_cells_are_named_and_leave_the_others(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    cells = bench.cells("plain", "dies_once", "raises", "dies", *["plain"] * 4)
    outcome = bench.run(cells, workers=2)
    assert [record["seed"] for record in outcome.records] == [0, 1, 4, 5, 6, 7]
    assert os.getpid() not in {record["values"]["pid"] for record in outcome.records}
    assert not any(record["values"]["torch"] for record in outcome.records)  # a worker loads what its cells load
    raised, died = outcome.failed
    assert raised["error"] == "RuntimeError: seed 2 is unlucky"
    assert died["error"] == "Its worker died twice (out of memory?)."
    assert "d1 raises seed 2: failed: RuntimeError: seed 2 is unlucky" in capsys.readouterr().err
    assert bench.begun()[1] == 2 <= bench.begun()[3]
    again = bench.run(cells[:3])  # a failed cell is tried again, and takes no other away
    assert (len(again.failed), again.reused, len(bench.table()["cells"])) == (1, 2, 6)


def test_a_killed_run_goes_on_where_it_was(bench: Bench) -> None:
    cells = bench.cells("plain", "plain", "plain", "slow", "slow")
    run = bench.start(cells)
    until(lambda: len(bench.kept()) == 3 and bench.begun().keys() == {0, 1, 2, 3, 4})
    os.killpg(run.pid, signal.SIGKILL)
    run.communicate()
    damaged = bench.kept()[0]
    lost = json.loads(damaged.read_text())["seed"]
    damaged.write_bytes(damaged.read_bytes()[:-9])
    quick = [Cell("auc", "d1", "plain", seed, options=cells[0].options) for seed in (3, 4)]
    outcome = bench.run([*cells[:3], *quick])  # two finished cells, one that was damaged and two instead of the slow
    assert (outcome.failed, outcome.reused, len(outcome.records)) == ([], 2, 5)
    assert bench.begun() == Counter([0, 1, 2, 3, 4]) + Counter([lost, 3, 4])
    assert not (bench.out / "auc.partial").exists()


def test_an_interrupt_stops_at_once_and_says_how_to_go_on(bench: Bench) -> None:
    run = bench.start(bench.cells("plain", "raises", "slow", "slow"))
    until(lambda: bench.begun().keys() == {0, 1, 2, 3} and len(bench.kept()) == 1)
    os.killpg(run.pid, signal.SIGINT)  # as Ctrl-C does: to all
    _, shown = run.communicate(timeout=PATIENCE_S)
    assert run.returncode != 0
    assert "1 of 4 cells are finished and kept: run the same command to go on." in shown
    until(lambda: not any(is_alive(int(path.read_text())) for path in bench.traces.iterdir()))
    assert bench.run(bench.cells("plain")).reused == 1


def test_impossible_runs_are_refused(bench: Bench) -> None:
    with pytest.raises(UserError, match="nothing to compute"):
        bench.run([])
    bench.out.write_text("a file")
    with pytest.raises(UserError, match="cannot be kept"):
        bench.run(bench.cells("plain"))
    assert read_table(bench.code / "nothing.json") == {}


# On a cluster


def test_killed_workers_of_a_cluster_cost_nothing_but_time(bench: Bench) -> None:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=2, dashboard_address=None, silence_logs=50) as local:
        cells = bench.cells("plain", "dies_once", "raises", "alone", "alone", "alone", "plain")
        outcome = bench.run(cells, dask=local.scheduler_address)
        assert [record["error"] for record in outcome.failed] == ["RuntimeError: seed 2 is unlucky"]
        assert [record["seed"] for record in outcome.records] == [0, 1, 3, 4, 5, 6]
        assert os.getpid() not in {record["values"]["pid"] for record in outcome.records}
        begun = bench.begun()
        assert bench.run(cells[:1], dask=local.scheduler_address).reused == 1
        assert bench.begun() == begun

        ender = threading.Thread(target=lambda: (until(lambda: 9 in bench.begun()), local.close()))
        ender.start()
        with pytest.raises(UserError, match="scheduler is gone"):
            bench.run([Cell("auc", "d1", "slow", 9, options=cells[0].options)], dask=local.scheduler_address)
        ender.join()


def test_a_missing_scheduler_or_dask_is_told(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gfx_core.parallel.CONNECT_S", 0.5)
    for address in ("tcp://127.0.0.1:9", "nonsense"):
        with pytest.raises(UserError, match=f"no dask scheduler at {address}"):
            bench.run(bench.cells("plain"), dask=address)
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UserError, match="pip install"):
        bench.run(bench.cells("plain"), dask="tcp://127.0.0.1:9")
