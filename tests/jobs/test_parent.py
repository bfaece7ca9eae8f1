"""What the pool does to the process that has it: no torch in it, and no worker survives it."""

import os
import signal
import subprocess
import sys

from tests.conftest import ROOT
from tests.jobs.test_pool import alive
from tests.patience import PATIENCE_S, until

_HAS_A_WORKER = """
import sys, time
from gfx_core.jobs.pool import WorkerPool
from gfx_core.limits import JobLimits
from tests.jobs.work_for_tests import Double, NeverLooks
pool = WorkerPool(JobLimits({"cpu": 1}), modules=["tests."])
job = pool.submit(NeverLooks())
while not job.status.seconds:
    time.sleep(0.01)
print(*pool.pids, flush=True)
time.sleep(600)
"""

_IMPORTS = """
import sys
import pages.ui.jobs
from gfx_core.trace import by_hand
from gfx_core.jobs.pool import WorkerPool
from gfx_core.limits import JobLimits
from tests.jobs.work_for_tests import Double, NeverLooks
pool = WorkerPool(JobLimits({"cpu": 1}), modules=["tests."])
pool.warm_up("cpu")
assert pool.submit(Double(2)).result(300)["twice"] == 4
sys.exit(any(name in sys.modules for name in ("torch", "torch_geometric", "rdkit")))
"""


def test_workers_end_with_a_parent_that_is_killed() -> None:
    parent = subprocess.Popen([sys.executable, "-c", _HAS_A_WORKER], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    worker = int(parent.stdout.readline())
    assert alive(worker)
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    until(lambda: not alive(worker))


def test_the_parent_needs_no_torch_and_ends_by_itself() -> None:
    assert subprocess.run([sys.executable, "-c", _IMPORTS], cwd=ROOT, timeout=PATIENCE_S).returncode == 0
