"""Choosing where to compute, and seeds."""

import pytest
import torch

from gfx_core.device import SMALL, choose_device, detect_device, seeded, to_explain
from gfx_core.errors import UserError


def test_detection_agrees_with_torch() -> None:
    assert detect_device().is_gpu == torch.cuda.is_available()


def test_auto_is_what_was_detected() -> None:
    assert choose_device("auto") == detect_device().kind
    assert choose_device("cpu") == "cpu"


def test_unknown_device_is_one_sentence() -> None:
    with pytest.raises(UserError, match="choose auto, cpu or cuda"):
        choose_device("tpu")


def test_missing_gpu_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    from gfx_core import device

    monkeypatch.setattr(device, "detect_device", lambda: device.Device("cpu", "2 CPU cores"))
    with pytest.raises(UserError, match="no GPU"):
        choose_device("cuda")


def test_small_instances_are_explained_on_the_cpu_and_large_ones_where_the_worker_is() -> None:
    assert [to_explain("cuda", nodes) for nodes in (1, SMALL, SMALL + 1)] == ["cpu", "cpu", "cuda"]
    assert to_explain("cpu", SMALL + 1) == "cpu"


def test_the_seed_decides_and_the_global_state_stays() -> None:
    before = torch.get_rng_state()
    draws = []
    for seed in (1, 1, 2):
        with seeded(seed):
            draws.append(torch.nn.Linear(3, 3).weight)
    assert torch.equal(draws[0], draws[1])
    assert not torch.equal(draws[0], draws[2])
    assert torch.equal(torch.get_rng_state(), before)
    with torch.random.fork_rng():
        torch.manual_seed(1)
        assert torch.equal(torch.nn.Linear(3, 3).weight, draws[0])
