"""Flow matching and trajectory balance, in log space.

The functions take log-flows in which an action or a parent that is not there is −inf, whatever produced them: the
policy network or a table with one free parameter per edge.
"""

import torch
from torch import Tensor


def masked_logsumexp(values: Tensor, dim: int = -1) -> Tensor:
    """logsumexp where rows of only −inf give −inf, with zero (not NaN) gradient."""
    empty = (values == -torch.inf).all(dim, keepdim=True)
    summed = torch.logsumexp(values.masked_fill(empty, 0.0), dim)
    return summed.masked_fill(empty.squeeze(dim), -torch.inf)


def log_out_flow(log_flows: Tensor, log_stop: Tensor) -> Tensor:
    """Everything that leaves a state: to its children and to STOP. [N, A], [N] → [N]"""
    return torch.logaddexp(masked_logsumexp(log_flows), log_stop)


def raised(log_flow: Tensor, floor: Tensor) -> Tensor:
    """At least the floor, with the gradient of the flow itself: where one side is above, the other must still rise."""
    return log_flow + (torch.maximum(log_flow, floor) - log_flow).detach()


def flow_matching_loss(log_in: Tensor, log_out: Tensor, linear: bool = False) -> Tensor:
    """How far in-flow and out-flow are apart, for each state (eq. 12 of the paper).

    Args:
        log_in: Log of the sum of flows from the parents. [N]
        log_out: Log of the sum of flows to children and STOP. [N]
        linear: Compare flows, as the paper prints it, rather than their logarithms.
    """
    return (log_in.exp() - log_out.exp()).square() if linear else (log_in - log_out).square()


def trajectory_balance_loss(log_z: Tensor, log_forward: Tensor, log_backward: Tensor, log_reward: Tensor) -> Tensor:
    """How far Z·P_F(τ) and R(s_f)·P_B(τ) are apart, for each trajectory. All [B]."""
    return (log_z + log_forward - log_reward - log_backward).square()
