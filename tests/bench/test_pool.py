"""Whole runs in real processes: what is finished is never lost and never computed twice."""

import json
import os
import signal
import time
from collections import Counter

import pytest

from gfx_core.bench.cells import Cell
from gfx_core.bench.pool import default_workers
from gfx_core.errors import UserError
from tests.bench.cell_bench import Bench, is_alive
from tests.patience import PATIENCE_S, until


def test_a_whole_run(bench: Bench) -> None:
    cells = bench.cells(*["plain"] * 5)
    outcome = bench.run(cells)
    assert outcome.status == 0
    assert [record["values"]["auc"] for record in outcome.records] == [0.0, 0.1, 0.2, 0.3, 0.4]
    pids = {record["values"]["pid"] for record in outcome.records}
    assert len(pids) <= 2
    assert os.getpid() not in pids
    assert not any(is_alive(pid) for pid in pids)
    assert not any(record["values"]["torch"] for record in outcome.records)  # a worker loads what its cells load
    assert bench.table()["cells"] == outcome.records
    assert [path.name for path in bench.out.iterdir()] == ["auc.json"]
    lines = bench.shown.getvalue().splitlines()
    assert len(lines) == 5
    assert lines[-1].startswith("[5/5] d1 plain seed")

    again = bench.run(cells)
    assert (again.reused, again.records) == (5, outcome.records)
    more = [*cells[:1], Cell("auc", "d2", "plain", 7, options=cells[0].options)]
    bench.run(more)
    assert bench.begun() == Counter([0, 1, 2, 3, 4, 7])
    assert len(bench.table()["cells"]) == 6


def test_a_worker_has_one_torch_thread(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    for library in ("OMP", "MKL"):
        monkeypatch.delenv(f"{library}_NUM_THREADS", raising=False)
    (record,) = bench.run(bench.cells("torch")).records
    assert record["values"]["threads"] == 1


def test_a_failed_cell_leaves_the_others_and_is_tried_again(bench: Bench) -> None:
    cells = bench.cells("plain", "raises", "plain", "plain")
    outcome = bench.run(cells)
    assert outcome.status == 1
    assert [record["seed"] for record in outcome.records] == [0, 2, 3]
    assert [record["error"] for record in outcome.failed] == ["RuntimeError: seed 1 is unlucky"]
    assert bench.table()["failed"] == outcome.failed
    assert "failed: auc/d1/raises/1: RuntimeError: seed 1 is unlucky" in bench.shown.getvalue()
    again = bench.run(cells)
    assert (again.status, again.reused) == (1, 3)
    assert bench.begun() == Counter([0, 1, 1, 2, 3])


def test_a_process_in_which_a_cell_failed_computes_no_other(bench: Bench) -> None:
    bench.run(bench.cells("plain", "raises", "plain"), workers=1)
    by_seed = {path.name[0]: path.read_text() for path in bench.traces.iterdir()}
    assert by_seed["0"] == by_seed["1"] != by_seed["2"]


def test_cells_that_want_a_process_of_their_own(bench: Bench) -> None:
    outcome = bench.run(bench.cells("plain", "plain", "plain", aside=True), workers=1)
    assert len({record["values"]["pid"] for record in outcome.records}) == 3


def test_a_changed_configuration_is_computed(bench: Bench) -> None:
    bench.run(bench.cells("plain", "plain"))
    changed = bench.cells("plain", "plain", limit=3)
    outcome = bench.run([*bench.cells("plain"), changed[1]])
    assert outcome.reused == 1
    assert bench.begun() == Counter([0, 1, 1])
    assert [record["options"].get("limit") for record in bench.table()["cells"]] == [None, 3]
    assert bench.run(changed, fresh=True).reused == 0


def test_a_dying_worker_costs_only_its_own_cell_a_try(bench: Bench) -> None:
    cells = bench.cells("plain", "dies_once", "plain", "dies", "plain", "leaves", "plain")
    outcome = bench.run(cells)
    assert [record["seed"] for record in outcome.records] == [0, 1, 2, 4, 6]
    assert bench.begun() == Counter({0: 1, 1: 2, 2: 1, 3: 3, 4: 1, 5: 3, 6: 1})
    killed, left = outcome.failed
    assert killed["error"] == "Its worker died 3 times, killed from outside (out of memory?)."
    assert left["error"] == "Its worker died 3 times, with exit status 7."


def test_the_costly_come_first(bench: Bench) -> None:
    costs = {"0": 2.0, "1": 4.0, "2": 1.0, "3": 3.0}
    bench.run(bench.cells(*["plain"] * 4, costs=costs), workers=1)
    seeds = [line.split("seed ")[1][0] for line in bench.shown.getvalue().splitlines()]
    assert seeds == ["1", "3", "0", "2"]


def test_a_killed_run_goes_on_where_it_was(bench: Bench) -> None:
    cells = bench.cells("plain", "plain", "plain", "slow", "slow")
    run = bench.start(cells)
    until(lambda: bench.begun().keys() == {0, 1, 2, 3, 4} and bench.pids().isdisjoint({0}))
    until(lambda: len(bench.written()) == 3)  # a worker gets its next cell before the last one is written down
    with pytest.raises(UserError, match="Another run"):
        bench.run(cells)
    run.kill()
    run.wait()  # not for the end of its output: the workers could keep that open
    until(lambda: not any(map(is_alive, bench.pids())))  # the workers end by themselves
    journal = bench.out / "auc.partial.jsonl"
    lines = bench.written()
    torn = json.loads(lines[-1])["seed"]
    journal.write_bytes(b"".join(lines)[:-9])
    quick = [Cell("auc", "d1", "plain", seed, options=cells[0].options) for seed in (3, 4)]
    outcome = bench.run([*cells[:3], *quick])  # two finished cells, one that was torn and two instead of the slow
    assert (outcome.status, outcome.reused, len(outcome.records)) == (0, 2, 5)
    assert bench.begun() == Counter([0, 1, 2, 3, 4]) + Counter([torn, 3, 4])
    assert not journal.exists()
    assert run.stderr is not None
    run.stderr.close()


def test_an_interrupt_stops_at_once_and_says_how_to_go_on(bench: Bench) -> None:
    run = bench.start(bench.cells("plain", "raises", "slow", "slow"))
    until(lambda: bench.begun().keys() == {0, 1, 2, 3} and bench.pids().isdisjoint({0}))
    until(lambda: len(bench.written()) == 2)
    slow = [int(path.read_text()) for path in bench.traces.glob("[23]-*")]
    for pid in slow:
        os.kill(pid, signal.SIGINT)
    time.sleep(0.5)
    assert len(slow) == 2
    assert all(map(is_alive, slow))  # it is not for them
    os.killpg(run.pid, signal.SIGINT)  # as Ctrl-C does: to all
    _, shown = run.communicate(timeout=PATIENCE_S)
    assert run.returncode != 0
    assert "1 of 4 cells are finished and kept: run the same command to go on." in shown
    assert shown.count("Traceback") == 1  # the script's own; not one from each worker
    assert not any(map(is_alive, bench.pids()))
    outcome = bench.run(bench.cells("plain"))
    assert outcome.reused == 1
    assert bench.begun()[0] == 1


def test_impossible_runs_are_refused(bench: Bench) -> None:
    with pytest.raises(UserError, match="nothing to compute"):
        bench.run([])
    with pytest.raises(UserError, match="--workers"):
        bench.run(bench.cells("plain"), workers=0)
    with pytest.raises(ValueError, match="2 times"):
        bench.run(bench.cells("plain") * 2)
    with pytest.raises(ValueError, match="one benchmark"):
        bench.run([Cell("a", "d", "m", 0), Cell("b", "d", "m", 0)])


def test_default_workers() -> None:
    assert default_workers("cpu") >= 1
    assert default_workers("cuda") == min(8, default_workers("cpu"))
