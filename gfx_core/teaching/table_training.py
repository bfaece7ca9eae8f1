"""Lesson 4: a table of flows learns flow matching from its own trajectories, and every snapshot is kept.

The flows begin small. So the learner believes that there is little to find where it has not been, and with ε = 0 it
stays with the first good thing it meets. (`gfx_core.exact.tabular.iterate_tabular` begins at the best reward instead,
which makes it look everywhere.) This module is imported in workers: it needs torch.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from gfx_core.errors import UserError
from gfx_core.exact import exact_flows
from gfx_core.exact.exact_flows import Doubles
from gfx_core.exact.state_dag import StateDag
from gfx_core.exact.tabular import Paths, TabularConfig, TabularPolicy, descend, objective
from gfx_core.job_context import JobContext
from gfx_core.teaching.practice import FIRST_FLOW, TRAINING_STEPS, WALKS, ground, is_shown, sharpened
from gfx_core.teaching.snapshots import stacked

FRAMES = 75


class WatchedPolicy(TabularPolicy):
    """A table that counts how often each state was on a sampled trajectory; all flows begin at `first`."""

    def __init__(self, dag: StateDag, log_reward: Doubles, first: float = FIRST_FLOW) -> None:
        super().__init__(dag, log_reward)
        torch.nn.init.constant_(self.log_edge, float(np.log(first)))
        self.visits = torch.zeros(dag.num_states, dtype=torch.long)

    def sample(self, count: int, generator: torch.Generator, epsilon: float = 0.0) -> Paths:
        paths = super().sample(count, generator, epsilon)
        self.visits += paths.states.flatten().bincount(minlength=self.dag.num_states + 1)[:-1]
        return paths


def watch_training(
    dag: StateDag,
    log_reward: Doubles,
    config: TabularConfig,
    report: Callable[[float], None] = lambda _share: None,
    emit: Callable[[dict[str, Any]], None] = lambda _snapshot: None,
) -> dict[str, Any]:
    """Train a table of flows and keep snapshots.

    Args:
        dag: The states.
        log_reward: Of each state. [S]
        config: How.
        report: Told which share is done.
        emit: Given each snapshot as soon as it is there, see `gfx_core.teaching.snapshots`.

    Returns:
        For each snapshot: ``steps``, ``loss``, ``total_variation`` [T]; ``probability`` of stopping at each state,
        ``residual`` log in-flow − log out-flow (0 at the start, where nothing flows in), ``visits`` so far [T, S];
        ``in_flow`` and ``out_flow`` likewise; ``flow`` of each edge [T, E].
    """
    policy = WatchedPolicy(dag, log_reward, FIRST_FLOW)
    generator = torch.Generator().manual_seed(config.seed)
    log_target = exact_flows.target_distribution(log_reward)
    snapshots: list[dict[str, Any]] = []
    groups = [{"params": [policy.log_edge], "lr": config.lr}]
    for step, loss in descend(groups, lambda: objective(policy, config, generator)[0], config.epochs):
        if not is_shown(step, config.epochs, FRAMES):
            continue
        with torch.no_grad():
            log_in, log_out = policy.log_in().numpy(), policy.log_out().numpy()
        residual = log_in - log_out
        residual[0] = 0.0
        log_stopped = policy.terminal_distribution()
        snapshot = {
            "steps": step,
            "loss": loss,
            "total_variation": exact_flows.total_variation(log_stopped, log_target),
            "probability": np.exp(log_stopped),
            "residual": residual,
            "in_flow": np.exp(log_in),
            "out_flow": np.exp(log_out),
            "visits": policy.visits.numpy().copy(),
            "flow": policy.log_edge.detach().exp().numpy().copy(),
        }
        snapshots.append(snapshot)
        emit(snapshot)
        report(step / config.epochs)
    return stacked(snapshots)


def train_practice(
    job: JobContext, *, practice: str, lr: float, epsilon: float, beta: float, seed: int
) -> dict[str, Any]:
    """Train on one of the practice graphs; see `watch_training` for what comes back."""
    if not 0 < lr <= 2:
        raise UserError(f"The learning rate must lie above 0 and be at most 2 (got {lr}).")
    if not 0 <= seed < 2**32:
        raise UserError(f"The seed must be a whole number from 0 to {2**32 - 1} (got {seed}).")
    place = ground(practice)
    config = TabularConfig(full=False, epsilon=epsilon, epochs=TRAINING_STEPS, batch_size=WALKS, lr=lr, seed=seed)
    return watch_training(
        place.dag,
        sharpened(place.reward, beta),
        config,
        report=lambda share: job.report(share, "training"),
        emit=lambda snapshot: job.emit({"is": "snapshot", "of": "", "numbers": snapshot}),
    )
