"""The same cells on a real dask cluster of processes, some of which are killed."""

import os
import signal
import sys
import threading
from collections import Counter
from typing import Any

import pytest

from gfx_core.bench.cluster import work_alone
from gfx_core.errors import UserError
from tests.bench.cell_bench import Bench
from tests.patience import until

distributed = pytest.importorskip("distributed")


def cluster(allowed_failures: int = 3, workers: int = 2, threads: int = 1) -> Any:
    import dask

    with dask.config.set({"distributed.scheduler.allowed-failures": allowed_failures}):
        return distributed.LocalCluster(
            n_workers=workers, threads_per_worker=threads, dashboard_address=None, silence_logs=50
        )


def kill_first_try(bench: Bench, seed: int) -> threading.Thread:
    """Kills from outside the worker that has begun a cell."""

    def kill() -> None:
        until(lambda: any(path.read_text() for path in bench.traces.glob(f"{seed}-*")))
        os.kill(int(next(bench.traces.glob(f"{seed}-*")).read_text()), signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    return thread


def test_killed_workers_cost_nothing_but_time(bench: Bench) -> None:
    cells = bench.cells("plain", "slow_once", "dies", "raises", *["plain"] * 4)
    with cluster(allowed_failures=0) as local:  # the scheduler itself gives up at the first death
        killer = kill_first_try(bench, seed=1)
        outcome = bench.run(cells, dask=local.scheduler_address)
        killer.join()
        assert outcome.status == 1
        assert [record["seed"] for record in outcome.records] == [0, 1, 4, 5, 6, 7]
        died, raised = outcome.failed
        assert died["error"] == "Its worker died 3 times (out of memory?)."
        assert raised["error"] == "RuntimeError: seed 3 is unlucky"
        begun = bench.begun()
        assert begun == Counter({0: 1, 1: 2, 2: 3, 3: 1, 4: 1, 5: 1, 6: 1, 7: 1})
        assert bench.table()["cells"] == outcome.records
        assert os.getpid() not in {record["values"]["pid"] for record in outcome.records}
        assert not (bench.out / "auc.partial.jsonl").exists()

        finished = [cell for cell in cells if cell.method in ("plain", "slow_once")]
        again = bench.run(finished, dask=local.scheduler_address)
        assert (again.status, again.reused) == (0, 6)
        assert bench.begun() == begun


def test_a_scheduler_that_would_wait_for_a_dead_worker_and_one_that_goes_away(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gfx_core.bench.cluster.CONNECT_S", 2.0)
    local = cluster(allowed_failures=3, workers=1, threads=3)
    cells = bench.cells("plain", "slow_once", "plain", "slow")
    killer = kill_first_try(bench, seed=1)
    outcome = bench.run(cells[:3], dask=local.scheduler_address)
    killer.join()
    assert outcome.status == 0
    assert bench.begun() == Counter([0, 1, 1, 2])

    # Cells of two runs that share a worker do not run side by side in its threads
    alone = bench.cells("alone", "alone", "alone")
    with distributed.Client(local.scheduler_address, set_as_default=False) as client:
        records = client.gather([client.submit(work_alone, cell, key=cell.key) for cell in alone])
    assert [record["status"] for record in records] == ["done"] * 3

    def end_the_cluster() -> None:
        until(lambda: 3 in bench.begun())
        local.close()

    ender = threading.Thread(target=end_the_cluster)
    ender.start()
    with pytest.raises(UserError, match="scheduler is gone"):
        bench.run(cells, dask=local.scheduler_address)
    ender.join()


def test_a_missing_scheduler_or_dask_is_told(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gfx_core.bench.cluster.CONNECT_S", 0.5)
    with pytest.raises(UserError, match="no dask scheduler at tcp"):
        bench.run(bench.cells("plain"), dask="tcp://127.0.0.1:9")
    with pytest.raises(UserError, match="no dask scheduler at nonsense"):
        bench.run(bench.cells("plain"), dask="nonsense")
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UserError, match="pip install"):
        bench.run(bench.cells("plain"), dask="tcp://127.0.0.1:9")
