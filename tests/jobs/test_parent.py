"""What the server does to the process that has it: no torch in it, and no worker survives it."""

import os
import signal
import subprocess
import sys
import time

from tests.conftest import ROOT
from tests.jobs.test_server import alive, until

_HAS_A_WORKER = """
import sys, time
from gfx_core.jobs.server import JobServer
server = JobServer(limits={"cpu": 1}, prepare="")
job = server.submit("tests.jobs.work_for_tests:never_looks", {}, device="cpu")
while not job.status.seconds:
    time.sleep(0.01)
print(*server.pids, flush=True)
time.sleep(60)
"""

_IMPORTS = """
import sys
import pages.ui.jobs
from gfx_core.trace import by_hand
from gfx_core.jobs.server import JobServer
server = JobServer(limits={"cpu": 1}, prepare="")
server.warm_up("cpu")
assert server.submit("tests.jobs.work_for_tests:double", {"value": 2}, device="cpu").result(20)["twice"] == 4
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
    began = time.monotonic()
    until(lambda: not alive(worker))
    assert time.monotonic() - began < 2


def test_the_parent_needs_no_torch_and_ends_by_itself() -> None:
    assert subprocess.run([sys.executable, "-c", _IMPORTS], cwd=ROOT, timeout=30).returncode == 0
