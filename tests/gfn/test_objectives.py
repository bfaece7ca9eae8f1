"""Sums and floors of log-flows by hand, with their gradients; the losses have references where they are used."""

import math

import pytest
import torch
from torch import Tensor

from gfx_core.gfn.objectives import masked_logsumexp, raised


def logs(*values: float) -> Tensor:
    return torch.tensor(values, dtype=torch.float64).log()


def test_masked_logsumexp() -> None:
    values = torch.stack([logs(1, 2, 3), logs(1, 0, 3), logs(0, 0, 5), logs(0, 0, 0)])
    assert masked_logsumexp(values)[:3].exp().tolist() == pytest.approx([6, 4, 5])
    assert masked_logsumexp(values)[3] == -math.inf
    assert torch.equal(masked_logsumexp(values.T, dim=0), masked_logsumexp(values))


def test_gradients_of_masked_logsumexp_are_finite() -> None:
    """The derivative is the share of each term; a row of nothing has none."""
    values = torch.stack([logs(1, 3, 0), logs(0, 0, 0)]).requires_grad_()
    total = masked_logsumexp(values)
    total[0].backward()
    assert torch.allclose(values.grad, torch.tensor([[0.25, 0.75, 0.0], [0.0, 0.0, 0.0]], dtype=torch.float64))
    values.grad = None
    masked_logsumexp(values).masked_fill(torch.tensor([False, True]), 0.0).sum().backward()
    assert values.grad.isfinite().all()
    assert (values.grad[1] == 0).all()
    assert torch.autograd.gradcheck(masked_logsumexp, torch.randn(3, 4, dtype=torch.float64, requires_grad=True))


def test_raised_flows_keep_their_gradient() -> None:
    log_flow = logs(1, 4, 16).requires_grad_()
    floor = torch.tensor(4.0, dtype=log_flow.dtype).log()
    result = raised(log_flow, floor)
    assert result.exp().tolist() == pytest.approx([4, 4, 16])
    result.sum().backward()
    assert log_flow.grad.tolist() == [1, 1, 1]
