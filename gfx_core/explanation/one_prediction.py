"""The paper's policy, trained on one prediction alone, and kept on disk.

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

TRAJECTORIES = 32
"""How many in each epoch."""
RATE, EXPLORING = 5e-3, 0.3
LEARNING = LearningConfig(steps_per_batch=4)
"""How it learns: many small steps, each on what was just sampled, nearly a third of it by chance.
(On instances of BA-Shapes that can be listed as well, three of four came within .03 of R/Z; with a tenth by chance or
in 40 epochs, one or two.)"""
_LARGE = 400  # nodes: beyond, a step takes so long that fewer are taken
FEWEST = 40
"""Epochs of a huge instance."""


def policy_for_one(subject: Subject, reward: Reward, start: int, job: JobContext, deadline: Deadline) -> TrainedPolicy:
    """The policy for one prediction: from disk, or trained now, with progress; one without any epoch is not kept.

    Args:
        subject: The prediction; K_M and the epochs are its config's.
        reward: What a subgraph is worth to the GNN on this instance alone.
        start: The node that all subgraphs hold.
        job: Receives progress.
        deadline: It ends then, with what it has learnt.
    """
    instance, model, config = subject.instance, subject.model, _config(subject.config, subject.instance.num_nodes)
    settings = [asdict(config), start, instance.target, instance.index, reward.explained_class.tolist()]
    weights = weights_of(*[model] if subject.taught is None else [model, subject.taught.student])
    path = subject.folder / f"{digest_of(settings, [*weights, instance.x, instance.edge_index])}.safetensors"
    if (kept := read_kept(path, load_policy)) is not None:
        return kept
    job.take_long()
    at = None if instance.target is not None else start
    trainer = Trainer(reward.predictor, config, reward=reward, start=at, repeats=TRAJECTORIES)
    trainer.begin_high(walks=32)
    summary = _train(trainer, job, deadline)
    trained = TrainedPolicy.of(trainer, instance.dataset, model.name if isinstance(model, GNN) else "")
    trained = replace(trained, made=trained.made | {TUNED: summary})
    if trainer.epoch:
        keep(path, partial(save_policy, trained))
    return trained


def _config(config: GFNConfig, num_nodes: int) -> GFNConfig:
    if config.parents is Parents.GRAPH:
        raise UserError("A policy that is trained on the spot needs connected parents: choose parents=valid.")
    return replace(
        config,
        policy=replace(config.policy, hidden=min(64, config.policy.hidden)),
        learning=LEARNING,
        epochs=max(min(config.epochs, FEWEST), min(config.epochs, round(config.epochs * _LARGE / num_nodes))),
        batch_size=TRAJECTORIES,
        lr=RATE,
        epsilon=EXPLORING,
    )


def _train(trainer: Trainer, job: JobContext, deadline: Deadline) -> dict[str, Any]:
    """Train until all epochs are done, time is over, or the loss diverges; returns what a trace holds of it."""
    epochs = trainer.config.epochs

    def after(_report: object = None) -> None:
        if trainer.curve:
            words = f"epoch {trainer.epoch} of {epochs}, residual {trainer.curve[-1].residual:.2f}"
            job.report(0.9 * max(trainer.epoch / epochs, deadline.spent), f"training on this one: {words}")
        job.watch(trainer)

    after()
    with torch.enable_grad(), suppress(DivergedError):
        trainer.fit(after, lambda: deadline.over)
    return {
        "epochs": trainer.epoch,
        "trajectories": TRAJECTORIES,
        "lr": trainer.config.lr,
        "seconds": round(sum(report.seconds for report in trainer.curve), 3),
        "residuals": [round(report.residual, 6) for report in trainer.curve],
    }
