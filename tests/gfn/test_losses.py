"""The losses: numbers by hand, finite gradients, and zero exactly where the flows are in balance."""

import math

import numpy as np
import pytest
import torch
from torch import Tensor

from gfx_core import load_dataset
from gfx_core.exact import exact_flows
from gfx_core.exact.state_dag import StateDag, enumerate_states
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


def test_masked_logsumexp_of_large_numbers() -> None:
    values = torch.tensor([[1000.0, 1000.0], [-1000.0, -INF]])
    assert masked_logsumexp(values).tolist() == pytest.approx([1000 + math.log(2), -1000])


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


@pytest.fixture(scope="module")
def dag() -> StateDag:
    dataset = load_dataset("tree_cycles")
    return enumerate_states(dataset.instance(int(dataset.explainable[0])), max_nodes=6)


@pytest.fixture(scope="module")
def log_reward(dag: StateDag) -> np.ndarray:
    return np.random.default_rng(0).normal(scale=2, size=dag.num_states)


def dense_flows(dag: StateDag, log_edge: np.ndarray) -> tuple[Tensor, Tensor]:
    """Flows to each node that can be added, and from each state without one of its nodes. [S, m] each"""
    log_out = torch.full((dag.num_states, dag.num_nodes), -INF, dtype=torch.float64)
    log_in = log_out.clone()
    log_out[dag.parent, dag.node] = torch.from_numpy(log_edge)
    log_in[dag.child, dag.node] = torch.from_numpy(log_edge)
    return log_out, log_in


def test_flow_matching_is_zero_for_flows_in_balance(dag: StateDag, log_reward: np.ndarray) -> None:
    log_state, log_edge = exact_flows.uniform_backward_flows(dag, log_reward)
    log_flows, log_in = dense_flows(dag, log_edge)
    log_out = log_out_flow(log_flows, torch.from_numpy(log_reward))
    log_in = masked_logsumexp(log_in)
    assert log_in[0] == -INF
    assert log_out[0].item() == pytest.approx(exact_flows.log_partition(log_reward))
    assert np.allclose(log_out, log_state)
    assert dag.num_states > 50
    assert (log_in - log_out)[1:].abs().max() < 1e-5
    for linear in (False, True):
        assert flow_matching_loss(log_in[1:], log_out[1:], linear).max() < 1e-9


def test_flow_matching_is_not_zero_otherwise(dag: StateDag, log_reward: np.ndarray) -> None:
    """One flow changed unsettles the state it leaves and the state it reaches, no other."""
    _, log_edge = exact_flows.uniform_backward_flows(dag, log_reward)
    edge = int(dag.num_edges // 2)
    log_edge[edge] += 0.5
    log_flows, log_in = dense_flows(dag, log_edge)
    log_out = log_out_flow(log_flows, torch.from_numpy(log_reward))
    off = flow_matching_loss(masked_logsumexp(log_in)[1:], log_out[1:]) > 1e-6
    assert (off.nonzero()[:, 0] + 1).tolist() == [dag.parent[edge], dag.child[edge]]


def test_trajectory_balance_is_zero_for_flows_in_balance(dag: StateDag, log_reward: np.ndarray) -> None:
    log_state, log_edge = exact_flows.uniform_backward_flows(dag, log_reward)
    rng, forward, backward, final = np.random.default_rng(1), [], [], []
    for _ in range(200):
        state, log_forward, log_backward = 0, 0.0, 0.0
        while rng.random() > 0.2 and dag.num_children[state]:
            edge = rng.integers(dag.out_ptr[state], dag.out_ptr[state + 1])
            log_forward += log_edge[edge] - log_state[state]
            state = int(dag.child[edge])
            log_backward -= math.log(dag.num_parents[state])
        forward.append(log_forward + log_reward[state] - log_state[state])
        backward.append(log_backward)
        final.append(log_reward[state])
    log_z = exact_flows.log_partition(log_reward)
    sides = [torch.tensor(values, dtype=torch.float64) for values in (forward, backward, final)]
    assert trajectory_balance_loss(torch.tensor(log_z), *sides).max() < 1e-9
    off_by_two = trajectory_balance_loss(torch.tensor(log_z + 2, dtype=torch.float64), *sides)
    assert torch.allclose(off_by_two, torch.tensor(4.0, dtype=torch.float64))
