"""Files of weights: what does not fit is refused before it takes memory; what comes back is tested with networks."""

from pathlib import Path

import pytest
import torch
from torch import nn

from gfx_core.errors import UserError
from gfx_core.weights import read_network, write_tensors


def test_weights_that_do_not_fit_are_refused_before_a_network_is_made(tmp_path: Path) -> None:
    path, devices = tmp_path / "weights", list[str]()

    def make(width: int) -> nn.Linear:
        network = nn.Linear(width, 2)
        devices.append(network.weight.device.type)
        return network

    write_tensors(path, nn.Linear(4, 2).state_dict(), {})
    with pytest.raises(UserError, match="do not fit"):
        read_network(path, lambda: make(10**12))
    assert devices == ["meta"]
    write_tensors(path, {"weight": torch.full((2, 4), torch.nan), "bias": torch.ones(2)}, {})
    with pytest.raises(UserError, match="NaN or infinite"):
        read_network(path, lambda: make(4))
    with pytest.raises(ValueError, match="JSON"):
        write_tensors(path, {}, {"loss": float("nan")})


def test_a_network_is_read_without_a_random_number(tmp_path: Path) -> None:
    write_tensors(tmp_path / "linear", nn.Linear(2, 3).state_dict(), {})
    before = torch.get_rng_state()
    network = read_network(tmp_path / "linear", lambda: nn.Linear(2, 3))
    assert torch.equal(torch.get_rng_state(), before)
    assert all(value.requires_grad for value in network.parameters())
