"""The losses: numbers by hand, finite gradients, and zero exactly where the flows are in balance."""

import math

import pytest
import torch
from torch import Tensor

from gfx_core.gfn.losses import flow_matching_loss, log_out_flow, masked_logsumexp, raised, trajectory_balance_loss

INF = math.inf


def logs(*values: float) -> Tensor:
    return torch.tensor(values, dtype=torch.float64).log()


# Numbers by hand


def test_masked_logsumexp() -> None:
    values = torch.stack([logs(1, 2, 3), logs(1, 0, 3), logs(0, 0, 5), logs(0, 0, 0)])
    assert masked_logsumexp(values)[:3].exp().tolist() == pytest.approx([6, 4, 5])
    assert masked_logsumexp(values)[3] == -INF
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


def test_log_out_flow() -> None:
    log_flows, log_stop = torch.stack([logs(1, 2, 0), logs(0, 0, 0)]).requires_grad_(), logs(5, 7).requires_grad_()
    result = log_out_flow(log_flows, log_stop)
    assert result.exp().tolist() == pytest.approx([8, 7])
    result.sum().backward()
    assert torch.allclose(log_flows.grad, torch.tensor([[1, 2, 0], [0, 0, 0]], dtype=torch.float64) / 8)
    assert log_stop.grad.tolist() == pytest.approx([5 / 8, 1])


def test_flow_matching_loss() -> None:
    log_in, log_out = logs(2, 8, 3), logs(8, 2, 3)
    assert flow_matching_loss(log_in, log_out).tolist() == pytest.approx([math.log(4) ** 2, math.log(4) ** 2, 0])
    assert flow_matching_loss(log_in, log_out, linear=True).tolist() == pytest.approx([36, 36, 0])


def test_raised_flows_keep_their_gradient() -> None:
    log_flow = logs(1, 4, 16).requires_grad_()
    floor = torch.tensor(4.0, dtype=log_flow.dtype).log()
    result = raised(log_flow, floor)
    assert result.exp().tolist() == pytest.approx([4, 4, 16])
    result.sum().backward()
    assert log_flow.grad.tolist() == [1, 1, 1]


def test_trajectory_balance_loss() -> None:
    loss = trajectory_balance_loss(
        log_z=torch.tensor([3.0, 3.0]),
        log_forward=torch.tensor([-2.0, -1.0]),
        log_backward=torch.tensor([-1.0, -1.0]),
        log_reward=torch.tensor([2.0, 1.0]),
    )
    assert loss.tolist() == [0, 4]


# Zero at balance
