"""What DEGREE's rules cover keeps both parts adding up; what they do not cover is refused in one sentence."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional

from gfx_core.baselines.degree import Split, first_maximum
from gfx_core.errors import UserError

X = torch.linspace(-1, 2, 24).view(4, 1, 6)
GROUPS = torch.tensor([[1.0, 0, 0, 1], [0, 0, 0, 0], [1, 1, 1, 1]])  # the last: all nodes, so both parts
LAYER = nn.Linear(6, 6).requires_grad_(False)


def split() -> Split:
    return Split(GROUPS.T[:, :, None] * X)


@pytest.mark.parametrize(
    "compute",
    [
        LAYER,
        torch.relu,
        lambda z: functional.relu(LAYER(z)),
        lambda z: z.relu(),
        lambda z: functional.normalize(LAYER(z), dim=-1),
        lambda z: z + z,
        lambda z: 1 + 2 * z,
        lambda z: X * z / 3,
        lambda z: torch.tensordot(torch.ones(2, 4), z, dims=1),
        lambda z: torch.cat([z, LAYER(z)], dim=-1),
        lambda z: torch.mean(z, 0),
        lambda z: z[1:],
    ],
)
def test_both_parts_together_are_what_a_tensor_gives(compute: Callable[[Any], Any]) -> None:
    found = compute(split())
    torch.testing.assert_close(found.total, compute(X))
    assert found.rel.shape[-2] == 2


def test_a_bias_is_shared_by_size() -> None:
    z = Split(torch.tensor([[3.0], [0.0], [4.0]]))  # parts 3 and 1; 0 and 4
    assert (z + 8.0).parts.flatten().tolist() == [9.0, 0.0, 12.0]
    assert (Split(torch.zeros(2, 1)) + 8.0).parts.flatten().tolist() == [0.0, 8.0]


def test_equal_nodes_share_the_maximum() -> None:
    z = Split(torch.tensor([[[1.0], [5.0]], [[0.0], [5.0]], [[4.0], [4.0]]]))
    assert torch.amax(z, 0).parts.flatten().tolist() == [0.5, 5.0]
    assert first_maximum(z, 0).parts.flatten().tolist() == [1.0, 5.0]  # the authors' way: all of the first one's


def test_the_first_maximum_is_written_out_neuron_by_neuron() -> None:
    parts = torch.randn(5, 3, 4, generator=torch.Generator().manual_seed(0))
    found = first_maximum(Split(parts), 0).parts
    for neuron in range(4):
        largest = max(range(5), key=lambda v: float(parts[v, -1, neuron]))
        assert torch.equal(found[:, neuron], parts[largest, :, neuron])


@pytest.mark.parametrize(
    ("compute", "name"),
    [
        (torch.sigmoid, "sigmoid"),
        (lambda z: z.exp(), "exp"),
        (lambda z: z.shape, "shape"),
        (lambda z: z - 1, "sub"),
        (lambda z: 1 - z, "sub"),
        (lambda z: -z, "neg"),
        (lambda z: z**2, "pow"),
        (lambda z: z * z, "product of activations"),
        (lambda z: z / z, "quotient of activations"),
        (lambda z: X / z, "quotient of activations"),
        (lambda z: z @ X, "matmul"),
        (lambda z: functional.softmax(z, dim=-1), "softmax"),
        (functional.normalize, "normalize over nodes"),
    ],
)
def test_what_has_no_rule_is_named(compute: Callable[[Any], Any], name: str) -> None:
    with pytest.raises(UserError, match=f"no rule for how “{name}” splits"):
        compute(split())
