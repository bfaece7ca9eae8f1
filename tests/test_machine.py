"""What this machine can do: devices and seeds, memory and open files; and choices that no rounding decides."""

import subprocess
import sys

import numpy as np
import pytest
import torch

from gfx_core import device
from gfx_core.arrays import NEAR_TIE, first_best
from gfx_core.device import choose_device, gpu_name, seeded
from gfx_core.errors import UserError
from gfx_core.gfn.sampler import _largest
from gfx_core.jobs.scheduler import JobLimits
from gfx_core.limits import LEAST_MEMORY

NEAR = NEAR_TIE / 10


# gfx_core/device.py


def test_a_device_is_what_torch_can_use_or_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    assert bool(gpu_name()) == torch.cuda.is_available()
    assert (choose_device("auto"), choose_device("cpu")) == ("cuda" if gpu_name() else "cpu", "cpu")
    monkeypatch.setattr(device, "gpu_name", lambda: None)
    for choice, words in (("tpu", "auto, cpu or cuda"), ("cuda", "no GPU")):
        with pytest.raises(UserError, match=words):
            choose_device(choice)


def test_the_seed_decides_and_the_global_state_stays() -> None:
    before, weights = torch.get_rng_state(), []
    for seed in (1, 1, 2):
        with seeded(seed):
            weights.append(torch.nn.Linear(3, 3).weight)
    assert torch.equal(weights[0], weights[1])
    assert not torch.equal(weights[0], weights[2])
    assert torch.equal(torch.get_rng_state(), before)


# pages/ui/server.py and gfx_core/jobs/scheduler.py


_LIMITS = """
import resource
from pages.ui.server import raise_open_files
for soft, hard in ((256, 512), (450, 512), (256, 300)):
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    raise_open_files(400)
    print(resource.getrlimit(resource.RLIMIT_NOFILE)[0])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no such limit there")
def test_the_limit_of_open_files_is_raised_as_far_as_it_may_be() -> None:
    """In a process of its own: it cannot be taken back."""
    done = subprocess.run([sys.executable, "-c", _LIMITS], check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["400", "450", "300"]


def test_a_worker_may_have_a_quarter_of_the_memory_and_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    for there, most in ((2**30, LEAST_MEMORY), (2**40, 2**38), (0, LEAST_MEMORY)):
        monkeypatch.setattr("gfx_core.jobs.scheduler.machine_memory", lambda there=there: there)
        assert JobLimits().memory == most


# gfx_core/arrays.py


@pytest.mark.parametrize(
    ("values", "first"),
    [
        ([1.0, 3.0], 1),
        ([1.0, 1.0 + NEAR, 0.5], 0),
        ([0.5, -40.0, 1.0, 1.0 + NEAR], 2),
        ([-200.0, -200.0 + 100 * NEAR], 0),
        ([1.0, 1.0 + 3 * NEAR_TIE], 1),
        ([-np.inf, -5.0, -np.inf], 1),
        ([-np.inf, -np.inf], 0),
    ],
)
def test_of_near_ties_the_first_is_taken(values: list[float], first: int) -> None:
    assert first_best(values) == first
    assert _largest(torch.tensor([values], dtype=torch.float64)).tolist() == [first]
