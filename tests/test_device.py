"""Choosing where to compute, and seeds."""

import pytest
import torch

from gfx_core import device
from gfx_core.device import SMALL, choose_device, detect_device, seeded, to_explain
from gfx_core.errors import UserError


def test_a_device_is_what_torch_can_use_or_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    assert detect_device().is_gpu == torch.cuda.is_available()
    assert (choose_device("auto"), choose_device("cpu")) == (detect_device().kind, "cpu")
    monkeypatch.setattr(device, "detect_device", lambda: device.Device("cpu", "2 CPU cores"))
    for choice, sentence in (("tpu", "choose auto, cpu or cuda"), ("cuda", "no GPU")):
        with pytest.raises(UserError, match=sentence):
            choose_device(choice)


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
