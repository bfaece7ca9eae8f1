"""A policy for one prediction alone: a trained one that is trained further on it, or one from scratch; kept on disk.

A policy that serves a whole data set is a good beginning for each instance, and not always more. What it learns here it
may forget elsewhere, so the given policy is left as it is. For a visitor's own data no policy is shipped: where
learned flows are named, a policy is trained on this prediction alone.

This module is imported in workers only: it needs torch.
"""

from contextlib import suppress
from dataclasses import asdict, replace
from functools import partial
from typing import Any

import torch

from gfx_core.errors import UserError
from gfx_core.explanation.subject import Subject
from gfx_core.gfn.checkpoint import TrainedPolicy, load_policy, save_policy
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.settings import GFNConfig, LearningConfig, Parents
from gfx_core.gfn.trainer import DivergedError, Trainer
from gfx_core.gnn.models import GNN
from gfx_core.job_context import Deadline, JobContext
from gfx_core.storage import digest_of, keep, read_kept
from gfx_core.trace.schema import TUNED
from gfx_core.user_models.predictor import weights_of

TRAJECTORIES, RATE = 32, 1e-3
"""How many trajectories in each epoch, and Adam's learning rate: below that of a training from scratch."""
LEARNING = LearningConfig(steps_per_batch=4, exact_cap=20_000, exact_states=128, exact_steps=4, exact_alone=True)
"""However the policy was trained before: from exact flows where the instance can be listed, in small quick steps."""

FAST, EXPLORING = 5e-3, 0.3
FROM_SCRATCH = LearningConfig(steps_per_batch=4)
"""How a policy learns from scratch: many small steps, each on what was just sampled, nearly a third of it by chance.
(On instances of BA-Shapes that can be listed as well, three of four came within .03 of R/Z; with a tenth by chance or
in 40 epochs, one or two.)"""
_LARGE = 400  # nodes: beyond, a step takes so long that fewer are taken
FEWEST = 40
"""Epochs of a huge instance."""


def policy_for_one(
    subject: Subject,
    reward: Reward,
    start: int,
    job: JobContext,
    deadline: Deadline,
    before: TrainedPolicy | None = None,
) -> TrainedPolicy:
    """The policy for one prediction: from disk, or trained now, with progress; one without any epoch is not kept.

    A policy to begin with is copied. Where the instance's states can be listed, the total variation of where it stops
    from R/Z is measured before and after: if it is no smaller the policy stays as it was.

    Args:
        subject: The prediction; K_M and the epochs are its config's.
        reward: What a subgraph is worth to the GNN on this instance alone.
        start: The node that all subgraphs hold.
        job: Receives progress.
        deadline: It ends then, with what it has learnt.
        before: The policy to begin with.
    """
    instance, model = subject.instance, subject.model
    config = _from_scratch(subject.config, instance.num_nodes) if before is None else _further(subject.config)
    settings = [asdict(config), start, instance.target, instance.index, reward.explained_class.tolist()]
    modules = [model] if subject.taught is None else [model, subject.taught.student]
    weights = weights_of(*modules) if before is None else weights_of(*modules, before.policy, before.locator)
    path = subject.folder / f"{digest_of(settings, [*weights, instance.x, instance.edge_index])}.safetensors"
    if (kept := read_kept(path, load_policy)) is not None:
        return kept
    job.take_long()
    at = None if instance.target is not None else start
    trainer = Trainer(reward.predictor, config, reward=reward, start=at, repeats=TRAJECTORIES)
    if before is None:
        trainer.begin_high(walks=32)
        summary = _train(trainer, job, deadline)
        trained = TrainedPolicy.of(trainer, instance.dataset, model.name if isinstance(model, GNN) else "")
    else:
        trainer.policy.load_state_dict(before.policy.state_dict())
        summary = _train(trainer, job, deadline)
        if summary["distances"] and not summary["distances"][1] < summary["distances"][0]:
            trainer.policy.load_state_dict(before.policy.state_dict())
        trained = replace(before, policy=trainer.policy.eval())
    trained = replace(trained, made=trained.made | {TUNED: summary})
    if trainer.epoch:
        keep(path, partial(save_policy, trained))
    return trained


def _further(config: GFNConfig) -> GFNConfig:
    learning = LEARNING if config.parents is Parents.VALID else replace(LEARNING, exact_cap=0)
    return replace(config, learning=learning, lr=RATE, batch_size=TRAJECTORIES)


def _from_scratch(config: GFNConfig, num_nodes: int) -> GFNConfig:
    if config.parents is Parents.GRAPH:
        raise UserError("A policy that is trained on the spot needs connected parents: choose parents=valid.")
    return replace(
        config,
        policy=replace(config.policy, hidden=min(64, config.policy.hidden)),
        learning=FROM_SCRATCH,
        epochs=max(min(config.epochs, FEWEST), min(config.epochs, round(config.epochs * _LARGE / num_nodes))),
        batch_size=TRAJECTORIES,
        lr=FAST,
        epsilon=EXPLORING,
    )


def _train(trainer: Trainer, job: JobContext, deadline: Deadline) -> dict[str, Any]:
    """Train until all epochs are done, time is over, or the loss diverges; returns what a trace holds of it."""
    epochs, exact = trainer.config.epochs, trainer.exact

    def distance() -> list[float]:
        return [] if exact is None else [round(float(exact.total_variations(trainer.policy).mean()), 9)]

    def after(_report: object = None) -> None:
        if trainer.curve:
            words = f"epoch {trainer.epoch} of {epochs}, residual {trainer.curve[-1].residual:.2f}"
            job.report(0.9 * max(trainer.epoch / epochs, deadline.spent), f"training on this one: {words}")
        job.watch(trainer)

    before = distance()
    after()
    with torch.enable_grad(), suppress(DivergedError):
        trainer.fit(after, lambda: deadline.over)
    return {
        "epochs": trainer.epoch,
        "trajectories": TRAJECTORIES,
        "lr": trainer.config.lr,
        "seconds": round(sum(report.seconds for report in trainer.curve), 3),
        "residuals": [round(report.residual, 6) for report in trainer.curve],
        "distances": before + distance(),
    }
