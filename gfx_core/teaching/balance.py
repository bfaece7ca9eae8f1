"""Lesson 7: flow matching and trajectory balance learn the same flows, from one start node or from several at once.

Trajectory balance has log Z as a parameter. One constant for all start nodes can be right for all of them only if
their true log Z agree; one value for each start node can always be right. Flow matching has no such parameter: its
log Z is what leaves the start. This module is imported in workers: it needs torch.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from gfx_core.datasets.graph import Ints
from gfx_core.errors import UserError
from gfx_core.exact import exact_flows
from gfx_core.exact.exact_flows import Doubles
from gfx_core.exact.state_dag import StateDag, enumerate_states
from gfx_core.exact.tabular import TabularPolicy, descend
from gfx_core.gfn.losses import flow_matching_loss, trajectory_balance_loss
from gfx_core.job_context import JobContext
from gfx_core.teaching.practice import COMPARING_STEPS, is_shown
from gfx_core.teaching.snapshots import stacked
from gfx_core.training.lesson_graphs import toy_instance, toy_rewards

FRAMES = 75
LR_LOG_Z = 0.2


class Objective(StrEnum):
    """What is learned, and how."""

    FLOW_MATCHING = "fm"
    CONSTANT_Z = "tb-constant"
    CONDITIONAL_Z = "tb-conditional"


@dataclass(frozen=True, eq=False)
class Joint:
    """The states of several start nodes in one table: a state belongs to the start node it grew from.

    Attributes:
        dag: All states by size, so the first ones are the start nodes.
        owner: Which start node (0 … k-1) each state belongs to. [S]
        log_reward: Of each state. [S]
    """

    dag: StateDag
    owner: Ints
    log_reward: Doubles

    @property
    def num_starts(self) -> int:
        return int(self.owner.max()) + 1

    def log_partition(self) -> Doubles:
        """The true log Z of each start node. [k]"""
        return np.array([exact_flows.log_partition(self.log_reward[self.owner == k]) for k in range(self.num_starts)])


def join(dags: Sequence[StateDag], log_rewards: Sequence[Doubles]) -> Joint:
    """Put the states of several start nodes into one table."""
    offset = np.cumsum([0, *(dag.num_states for dag in dags)])
    size = np.concatenate([dag.size for dag in dags])
    order = np.argsort(size, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    parent = np.concatenate([rank[dag.parent + first] for dag, first in zip(dags, offset, strict=False)])
    child = np.concatenate([rank[dag.child + first] for dag, first in zip(dags, offset, strict=False)])
    node = np.concatenate([dag.node for dag in dags])
    edges = np.lexsort((node, parent))
    joint = StateDag(
        start=dags[0].start,
        max_nodes=max(dag.max_nodes for dag in dags),
        num_nodes=dags[0].num_nodes,
        packed=np.concatenate([dag.packed for dag in dags])[order],
        size=size[order],
        level_ptr=np.searchsorted(size[order], np.arange(1, size.max() + 2)),
        parent=parent[edges],
        child=child[edges],
        node=node[edges],
    )
    owner = np.repeat(np.arange(len(dags)), [dag.num_states for dag in dags])[order]
    return Joint(joint, owner, np.concatenate(list(log_rewards))[order])


class JointTable(nn.Module):
    """One log-flow for each edge, and log Z: none, one for all start nodes, or one for each."""

    def __init__(self, joint: Joint, objective: Objective) -> None:
        super().__init__()
        self.joint, self.objective = joint, objective
        self.policy = TabularPolicy(joint.dag, joint.log_reward)
        count = joint.num_starts if objective is Objective.CONDITIONAL_Z else 1
        self.log_z = nn.Parameter(torch.full((count,), float(joint.log_reward.max()), dtype=torch.float64))
        self._owner = torch.from_numpy(joint.owner)

    def learned_log_z(self) -> Tensor:
        """What it takes for log Z of each start node. [k]"""
        if self.objective is Objective.FLOW_MATCHING:
            return self.policy.log_out()[: self.joint.num_starts]
        return self.log_z.expand(self.joint.num_starts)

    def loss(self, generator: torch.Generator) -> Tensor:
        """All states count alike; trajectory balance goes back from each of them along a random trajectory."""
        policy, k = self.policy, self.joint.num_starts
        if self.objective is Objective.FLOW_MATCHING:
            return flow_matching_loss(policy.log_in()[k:], policy.log_out()[k:], False).mean()
        paths = policy.sample_back(torch.arange(self.joint.dag.num_states), generator)
        log_step, log_stop = policy.log_steps()
        none = log_step.new_zeros(1)
        log_forward = torch.cat([log_step, none])[paths.edges].sum(0) + log_stop  # [S]
        log_backward = torch.cat([policy.log_backward, none])[paths.edges].sum(0)  # [S]
        log_z = self.learned_log_z()[self._owner]  # [S]
        return trajectory_balance_loss(log_z, log_forward, log_backward, policy.log_reward).mean()

    def total_variation(self) -> Doubles:
        """Between the distribution it stops with and R/Z, for each start node. [k]"""
        log_stopped, owner = self.policy.terminal_distribution(), self.joint.owner
        log_target = self.joint.log_reward - self.joint.log_partition()[owner]
        apart = np.abs(np.exp(log_stopped) - np.exp(log_target))
        return np.bincount(owner, apart) / 2


def iterate_balance(
    joint: Joint, objective: Objective, *, lr: float, seed: int, epochs: int = COMPARING_STEPS
) -> Iterator[dict[str, Any]]:
    """Train one table and show snapshots: ``steps``, ``loss``, ``log_z`` and ``total_variation`` by start node [k]."""
    table = JointTable(joint, objective)
    generator = torch.Generator().manual_seed(seed)
    groups: list[dict[str, Any]] = [{"params": [table.policy.log_edge], "lr": lr}]
    if objective is not Objective.FLOW_MATCHING:
        groups.append({"params": [table.log_z], "lr": LR_LOG_Z})
    for step, loss in descend(groups, lambda: table.loss(generator), epochs):
        if is_shown(step, epochs, FRAMES):
            log_z = table.learned_log_z().detach().numpy().copy()
            yield {"steps": step, "loss": loss, "log_z": log_z, "total_variation": table.total_variation()}


def watch_balance(
    joint: Joint, objective: Objective, *, lr: float, seed: int, epochs: int = COMPARING_STEPS
) -> dict[str, Any]:
    """Train one table and keep the snapshots: ``steps``, ``loss`` [T], ``log_z``, ``total_variation`` [T, k]."""
    return stacked(list(iterate_balance(joint, objective, lr=lr, seed=seed, epochs=epochs)))


def toy_joint(starts: Sequence[int]) -> Joint:
    """The toy graph, grown from several of its nodes."""
    instance = toy_instance()
    if not starts or len(set(starts)) < len(starts) or not set(starts) <= set(range(instance.num_nodes)):
        raise UserError(f"The start nodes must be different ones of 0 to {instance.num_nodes - 1} (got {starts}).")
    dags = [enumerate_states(instance, start) for start in starts]
    return join(dags, [np.log(toy_rewards(instance, dag)) for dag in dags])


def compare_balance(
    job: JobContext, *, starts: list[int], lr: float, seed: int, epochs: int = COMPARING_STEPS
) -> dict[str, Any]:
    """Train all three on the toy graph, in turn and on equal terms; see `watch_balance`."""
    if not 0 < lr <= 2:
        raise UserError(f"The learning rate must lie above 0 and be at most 2 (got {lr}).")
    if not 0 <= seed < 2**32:
        raise UserError(f"The seed must be a whole number from 0 to {2**32 - 1} (got {seed}).")
    joint = toy_joint(starts)
    trainings = [iterate_balance(joint, each, lr=lr, seed=seed, epochs=epochs) for each in Objective]
    snapshots: dict[str, list[dict[str, Any]]] = {each.value: [] for each in Objective}
    log_partition = joint.log_partition()
    job.emit({"is": "snapshot", "of": "truth", "numbers": {"log_partition": log_partition}})
    for together in zip(*trainings, strict=True):
        for each, snapshot in zip(Objective, together, strict=True):
            snapshots[each.value].append(snapshot)
            job.emit({"is": "snapshot", "of": each.value, "numbers": snapshot})
        job.report(together[0]["steps"] / epochs, "training")
    return {"log_partition": log_partition} | {name: stacked(some) for name, some in snapshots.items()}
