"""Where many computations are done: here, in processes, on a dask cluster."""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import distributed
import pytest

from gfx_core.errors import UserError
from gfx_core.parallel import Workers, computed


def products() -> Callable[[int, int], tuple[int, int]]:
    """Gives products, and the process that computed them. Workers import nothing for it."""

    def times(factor: int, number: int) -> tuple[int, int]:
        return number * factor, os.getpid()

    return times


def test_tasks_that_are_computed_here_come_in_their_order() -> None:
    assert list(computed(pow, 2, [3, 1, 2], Workers())) == [(3, 8), (1, 2), (2, 4)]
    for workers in (0, -1, 1.5):
        with pytest.raises(UserError, match="at least 1"):
            Workers(workers)  # type: ignore[arg-type]


def test_a_task_that_dies_with_another_and_once_alone_is_computed(tmp_path: Path) -> None:
    def count(folder: Path, task: str) -> int:
        """How often a task was begun; “dies” always dies, beside the first “waits”, which dies the second time."""
        times = len(list(folder.glob(f"{task}-*"))) + 1
        (folder / f"{task}-{times}").touch()
        while task == "waits" and times == 1:
            time.sleep(0.01)
        while task == "dies" and not (folder / "waits-1").exists():
            time.sleep(0.01)
        if task == "dies" or times == 2:
            os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))
        return times

    assert dict(computed(count, tmp_path, ["waits", "dies"], Workers(2))) == {"waits": 3, "dies": None}


def test_a_dask_cluster_of_two_workers() -> None:
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50
    ) as cluster:
        outcome = dict(computed(products(), 10, range(12), Workers(dask=cluster.scheduler_address)))
    assert {task: product for task, (product, _) in outcome.items()} == {task: 10 * task for task in range(12)}
    processes = {process for _, process in outcome.values()}
    assert len(processes) == 2
    assert os.getpid() not in processes


def test_a_cluster_goes_on_when_the_one_worker_that_has_what_all_need_dies(tmp_path: Path) -> None:
    def double(folder: Path, number: int) -> int:
        """Kills its process the first time that it is called."""
        if not (folder / "died").exists():
            (folder / "died").touch()
            os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))
        return 2 * number

    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, dashboard_address=None, silence_logs=50
    ) as cluster:
        outcome = dict(computed(double, tmp_path, range(4), Workers(dask=cluster.scheduler_address)))
    assert outcome == {0: 0, 1: 2, 2: 4, 3: 6}
