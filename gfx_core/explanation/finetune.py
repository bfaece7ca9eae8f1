"""Fine-tuning: a policy that is trained further on one instance, or from scratch for it, and kept on disk.

A policy that serves a whole data set is a good beginning for each instance, and not always more. What it learns here it
may forget elsewhere, so the given policy is left as it is. For a visitor's own data no policy is shipped: where all
states can be listed, exact flows need none; where they cannot, a policy is trained on this prediction alone, and kept
with the data set.

This module is imported in workers only: it needs torch.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

import torch
from torch import nn

from gfx_core.device import COMPILER
from gfx_core.errors import UserError
from gfx_core.explanation.question import EPOCHS
from gfx_core.explanation.samplers import SubgraphSampler
from gfx_core.explanation.subject import Subject
from gfx_core.gfn.checkpoint import TrainedPolicy, load_policy, save_policy
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.settings import LearningConfig, Parents
from gfx_core.gfn.trainer import DivergedError, Trainer
from gfx_core.gnn.models import GNN
from gfx_core.job_context import Deadline, JobContext
from gfx_core.storage import digest_of, keep, read_kept
from gfx_core.trace.schema import TUNED
from gfx_core.user_models.predictor import weights_of

TRAJECTORIES, RATE = 32, 1e-3
"""How many trajectories in each epoch, and Adam's learning rate: below that of a training from scratch."""

FAST, EXPLORING = 5e-3, 0.3
FROM_SCRATCH = LearningConfig(steps_per_batch=4)
"""How a policy learns from scratch: many small steps, each on what was just sampled, nearly a third of it by chance.
(On instances of BA-Shapes that can be listed as well, three of four came within .03 of R/Z; with a tenth by chance or
in 40 epochs, one or two.)"""
_LARGE = 400  # nodes: beyond, a step takes so long that fewer are taken
FEWEST = 40
"""Epochs of a huge instance."""

Watch: TypeAlias = Callable[[Trainer], None]
"""Called with a trainer before its first epoch and after each."""

LEARNING = LearningConfig(steps_per_batch=4, exact_cap=20_000, exact_states=128, exact_steps=4)
"""However the policy was trained before: from exact flows where the instance can be listed, in small quick steps."""


def finetune(generator: SubgraphSampler, epochs: int, watch: Watch = lambda _trainer: None) -> TrainedPolicy:
    """A copy of a policy that was trained further on one instance, in graph tasks from the locator's start node.

    Where its states can be listed, the total variation of where it stops from R/Z is measured before and after. If it
    is no smaller the policy stays as it was.

    Args:
        generator: The policy to begin with, on the instance.
        epochs: How long.
        watch: Called with the trainer before the first epoch and after each.
    """
    trained = generator.trained
    listed = trained.config.parents is Parents.VALID
    config = replace(
        trained.config,
        learning=replace(LEARNING, exact_alone=True) if listed else replace(LEARNING, exact_cap=0),
        epochs=epochs,
        lr=RATE,
        batch_size=TRAJECTORIES,
    )
    start = None if generator.instance.target is not None else generator.locate()
    trainer = Trainer(generator.predictor, config, reward=generator.reward, start=start, repeats=TRAJECTORIES)
    trainer.policy.load_state_dict(trained.policy.state_dict())
    distances = _distances(trainer)
    _train(trainer, watch)
    distances += _distances(trainer)
    if distances and not distances[1] < distances[0]:
        trainer.policy.load_state_dict(trained.policy.state_dict())
    made = trained.made | {TUNED: _summary(trainer, distances)}
    return replace(trained, policy=trainer.policy.eval(), made=made)


def _distances(trainer: Trainer) -> list[float]:
    """The total variation of a policy from R/Z on its listed states, if there are any."""
    return [] if trainer.exact is None else [float(trainer.exact.total_variations(trainer.policy).mean())]


def _train(trainer: Trainer, watch: Watch, cancelled: Callable[[], bool] | None = None) -> None:
    """Train until it is over, cancelled, or diverges; then what was good is kept."""
    watch(trainer)
    with torch.enable_grad(), suppress(DivergedError):
        trainer.fit(lambda _report: watch(trainer), cancelled)


def _summary(trainer: Trainer, distances: list[float]) -> dict[str, Any]:
    """What a trace holds of a training on one instance."""
    return {
        "epochs": trainer.epoch,
        "trajectories": trainer.config.batch_size,
        "lr": trainer.config.lr,
        "seconds": round(sum(report.seconds for report in trainer.curve), 3),
        "residuals": [round(report.residual, 6) for report in trainer.curve],
        "distances": [round(distance, 9) for distance in distances],
    }


# Kept on disk, under a name that says all that a policy depends on


def _kept(
    path: Path, job: JobContext, watch: Watch | None, deadline: Deadline, train: Callable[[Watch], TrainedPolicy]
) -> TrainedPolicy:
    """The policy at a path, or one that is trained now, with progress; one without any epoch is not kept."""
    if (kept := read_kept(path, load_policy)) is not None:
        return kept
    job.take_long()

    def watched(trainer: Trainer) -> None:
        if trainer.curve:
            done, epochs, residual = trainer.epoch, trainer.config.epochs, trainer.curve[-1].residual
            share = 0.9 * max(done / epochs, deadline.spent)
            job.report(share, f"training on this one: epoch {done} of {epochs}, residual {residual:.2f}")
        if watch is not None:
            watch(trainer)

    trained = train(watched)
    if trained.made[TUNED]["epochs"]:
        keep(path, partial(save_policy, trained))
    return trained


def finetuned_policy(
    job: JobContext,
    generator: SubgraphSampler,
    model: nn.Module,
    folder: Path,
    epochs: int = EPOCHS,
    watch: Watch | None = None,
) -> TrainedPolicy:
    """The policy fine-tuned on the generator's instance: from disk, or trained now, with progress.

    Args:
        job: Receives progress.
        generator: The policy to begin with, on the instance.
        model: The GNN.
        folder: Where such policies are kept.
        epochs: How long to train.
        watch: See `finetune`.
    """
    trained, instance = generator.trained, generator.instance
    settings = [trained.config.as_dict(), epochs, TRAJECTORIES, RATE, asdict(LEARNING), instance.target, instance.index]
    weights = weights_of(trained.policy, trained.locator, model)
    path = folder / f"{digest_of(settings, [*weights, instance.x, instance.edge_index])}.safetensors"
    return _kept(path, job, watch, Deadline(), lambda watched: finetune(generator, epochs, watched))


def policy_from_scratch(
    job: JobContext,
    subject: Subject,
    reward: Reward,
    start: int,
    deadline: Deadline,
    watch: Watch | None = None,
) -> TrainedPolicy:
    """The policy for one prediction: from disk, or trained now, with progress.

    Args:
        job: Receives progress.
        subject: The prediction; K_M and the epochs are its config's.
        reward: What a subgraph is worth to the GNN on this instance alone.
        start: The node that all subgraphs hold.
        deadline: It ends then, with what it has learnt.
        watch: See `finetune`.
    """
    instance, model, config = subject.instance, subject.model, subject.config
    if config.parents is Parents.GRAPH:
        raise UserError("A policy that is trained on the spot needs connected parents: choose parents=valid.")
    epochs = config.epochs
    config = replace(
        config,
        policy=replace(config.policy, hidden=min(64, config.policy.hidden)),
        learning=FROM_SCRATCH,
        epochs=max(min(epochs, FEWEST), min(epochs, round(epochs * _LARGE / instance.num_nodes))),
        batch_size=TRAJECTORIES,
        lr=FAST,
        epsilon=EXPLORING,
    )

    def train(watched: Watch) -> TrainedPolicy:
        job.report(0.1, "loading what a training needs")
        import_module(COMPILER)
        at = None if instance.target is not None else start
        trainer = Trainer(reward.predictor, config, reward=reward, start=at, repeats=config.batch_size)
        trainer.begin_high(walks=32)
        _train(trainer, watched, lambda: job.cancelled() or deadline.over)
        trained = TrainedPolicy.of(trainer, instance.dataset, model.name if isinstance(model, GNN) else "")
        return replace(trained, made=trained.made | {"epochs": trainer.epoch, TUNED: _summary(trainer, [])})

    settings = [asdict(config), start, instance.target, reward.explained_class.tolist()]
    weights = weights_of(model, None if subject.taught is None else subject.taught.student)
    path = subject.folder / f"{digest_of(settings, [*weights, instance.x, instance.edge_index])}.safetensors"
    return _kept(path, job, watch, deadline, train)
