"""Fine-tuning: a policy that is trained further on one instance, or from scratch for it, and kept on disk.

A policy that serves a whole data set is a good beginning for each instance, and not always more. What it learns here it
may forget elsewhere, so the given policy is left as it is. For a visitor's own data no policy is shipped: where all
states can be listed, exact flows need none; where they cannot, a policy is trained on this prediction alone, and kept
with the data set.

Every worker finds what is kept, also after a restart. Where the disk is full or may not be written, it is kept in
memory, and no training is lost or done twice. This module is imported in workers only: it needs torch.
"""

import contextlib
import hashlib
import json
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
from torch import nn

from gfx_core import storage
from gfx_core.arrays import Ints
from gfx_core.baselines.method import Explanation, Method
from gfx_core.config import data_root
from gfx_core.datasets.instance import Instance
from gfx_core.errors import UserError
from gfx_core.explanation import on_the_spot
from gfx_core.explanation.durations import EPOCHS
from gfx_core.explanation.samplers import Listing, SubgraphSampler
from gfx_core.gfn.checkpoint import TrainedPolicy, load_policy, save_policy
from gfx_core.gfn.exact_targets import ExactTargets
from gfx_core.gfn.policy import FlowPolicy
from gfx_core.gfn.settings import GFNConfig, LearningConfig, Parents
from gfx_core.gfn.trainer import EpochReport, Trainer
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import Predictor
from gfx_core.gnn.pyg_import import import_compiler
from gfx_core.job_context import JobContext
from gfx_core.trace.schema import TUNED, Trace
from gfx_core.user_data.store import home_of

TRAJECTORIES, RATE = 32, 1e-3
"""How many trajectories in each epoch, and Adam's learning rate: below that of a training from scratch."""

MEASURED_EVERY = 5
"""After so many epochs it is measured how far the policy is from its target."""

LEARNING = LearningConfig(steps_per_batch=4, exact_cap=20_000, exact_states=128, exact_steps=4)
"""However the policy was trained before: from exact flows where the instance can be listed, in small quick steps."""


def finetune(
    generator: SubgraphSampler,
    *,
    epochs: int = EPOCHS,
    on_epoch: Callable[[EpochReport], None] | None = None,
    on_distance: Callable[[float], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
    watch: Callable[[Trainer], None] | None = None,
) -> TrainedPolicy:
    """A copy of a policy that was trained further on one instance, in graph tasks from the locator's start node.

    Where its states can be listed, it is told how far from exact flows the policy was and is (Kullback-Leibler
    divergence of trajectories, total variation of where they stop). If the total variation is no smaller the policy
    stays as it was.

    Args:
        generator: The policy to begin with, on the instance.
        epochs: How long.
        on_epoch: Called after each epoch.
        on_distance: Called with the total variation from R/Z after the first epoch and every `MEASURED_EVERY` later,
            before `on_epoch`, where the states can be listed.
        cancelled: Asked before each step; the epochs that are done by then are kept.
        watch: Given the trainer before it begins, to listen to its events.
    """
    trained = generator.trained
    learning = LEARNING if trained.config.parents is Parents.VALID else replace(LEARNING, exact_cap=0)
    config = replace(trained.config, epochs=epochs, lr=RATE, learning=learning)
    start = None if trained.locator is None else generator.locate()
    trainer = Trainer(generator.predictor, config, reward=generator.reward, start=start, repeats=TRAJECTORIES)
    trainer.policy.load_state_dict(trained.policy.state_dict())
    apart = [how_far(trainer)]

    def after(report: EpochReport) -> None:
        if on_distance is not None and trainer.exact is not None and report.epoch % MEASURED_EVERY == 1:
            on_distance(total_variation(trainer.exact, trainer.policy))
        if on_epoch is not None:
            on_epoch(report)

    if watch is not None:
        watch(trainer)
    trainer.fit(after, cancelled)
    apart.append(how_far(trainer))
    known = [each for each in apart if each is not None]
    if known and not known[1][1] < known[0][1]:
        trainer.policy.load_state_dict(trained.policy.state_dict())
    made = trained.made | {TUNED: _summary(trainer, known)}
    return replace(trained, policy=trainer.policy.eval(), made=made)


def how_far(trainer: Trainer) -> tuple[float, float] | None:
    """Divergence and total variation of a policy from the exact flows of its listed states, if there are any."""
    if trainer.exact is None:
        return None
    return trainer.exact.divergence(trainer.policy), total_variation(trainer.exact, trainer.policy)


def total_variation(exact: ExactTargets, policy: FlowPolicy) -> float:
    """How far where a policy stops is from R/Z, over all listed states."""
    return float(exact.distances(exact.stops(policy)).mean())


def _summary(trainer: Trainer, known: list[tuple[float, float]]) -> dict[str, Any]:
    """What a trace says of a training on one instance; ``known`` as :func:`how_far` gives it, before and after."""
    return {
        "epochs": trainer.epoch,
        "trajectories": trainer.repeats,
        "lr": trainer.config.lr,
        "seconds": round(sum(report.seconds for report in trainer.curve), 3),
        "residuals": [round(report.residual, 6) for report in trainer.curve],
        "divergences": [round(divergence, 9) for divergence, _ in known],
        "distances": [round(distance, 9) for _, distance in known],
    }


KEPT = 100
"""Fine-tuned policies on disk; the oldest go first."""

_REMEMBERED = 4
_memory: OrderedDict[str, TrainedPolicy] = OrderedDict()  # what could be written nowhere, in this process

UNLISTED = "too many states to know the distance from R/Z"


def _kept(path: Path) -> TrainedPolicy | None:
    """What was trained before, from disk or from memory."""
    if (known := storage.find(path)) is not None:
        with contextlib.suppress(UserError):  # a damaged file is made anew
            return load_policy(known)
    return _memory.get(path.stem)


def _keep(path: Path, trained: TrainedPolicy) -> TrainedPolicy:
    """Write a policy, or remember it where that cannot be."""
    if storage.keep(path, lambda place: save_policy(trained, place), KEPT) is None:
        _memory[path.stem] = trained
        while len(_memory) > _REMEMBERED:
            _memory.popitem(last=False)
    return trained


def _digest(settings: list[Any], instance: Instance, *modules: nn.Module | None) -> str:
    """Names all that an outcome depends on but the computer's speed."""
    digest = hashlib.sha256()
    digest.update(json.dumps(settings, sort_keys=True, default=str).encode())
    for module in modules:
        for tensor in [] if module is None else module.state_dict().values():
            digest.update(tensor.detach().cpu().contiguous().numpy().tobytes())
    digest.update(instance.x.tobytes())
    digest.update(instance.edge_index.tobytes())
    return digest.hexdigest()[:40]


def finetuned_policy(
    job: JobContext,
    generator: SubgraphSampler,
    model: GNN,
    epochs: int = EPOCHS,
    watch: Callable[[Trainer], None] | None = None,
) -> TrainedPolicy:
    """The policy fine-tuned on the generator's instance: from disk, or trained now, with progress.

    Args:
        job: Of this job.
        generator: The policy to begin with, on the instance.
        model: The GNN.
        epochs: How long to train.
        watch: Given the trainer, if there is something to train, to listen to its events.
    """
    trained, instance = generator.trained, generator.instance
    settings = [trained.config.as_dict(), epochs, TRAJECTORIES, RATE, asdict(LEARNING), instance.target, instance.index]
    digest = _digest(settings, instance, trained.policy, trained.locator, model)
    path = (home_of(instance.dataset) or data_root()) / "tuned" / f"{digest}.safetensors"
    if (kept := _kept(path)) is not None:
        return kept
    job.take_long()
    known: list[float] = []

    def tell(report: EpochReport) -> None:
        how = f"total variation from R/Z {known[-1]:.3f}" if known else f"residual {report.residual:.2f} ({UNLISTED})"
        words = f"training on this one: epoch {report.epoch} of {report.epochs}, {how}"
        job.report(0.95 * report.epoch / report.epochs, words)

    return _keep(path, finetune(generator, epochs=epochs, on_epoch=tell, on_distance=known.append, watch=watch))


MOST_S = 10.0
"""A training on the spot ends after so long, with what it has learnt by then."""


class OneStart(SubgraphSampler):
    """A policy that was trained from one start node, and so draws from that one alone, be it in a graph task.

    Args:
        trained: The policy.
        predictor: The GNN, on this instance alone.
        instance: The instance.
        start: The node that all subgraphs hold.
        listings: See `SubgraphSource`.
    """

    def __init__(
        self,
        trained: TrainedPolicy,
        predictor: Predictor,
        instance: Instance,
        start: int,
        listings: dict[int, Listing] | None = None,
    ) -> None:
        super().__init__(trained, predictor, instance, listings=listings)
        self.start = start

    def locate(self) -> int:
        return self.start

    def draw_anywhere(self, count: int, seed: int) -> Ints:
        return self.draw(count, seed).orders


class TraceMethod(Method):
    """GFlowExplainer as one method among others where no policy serves all predictions: each is explained by itself.

    Args:
        model: The GNN.
        explained: Explains the one instance that is asked about.
    """

    def __init__(self, model: GNN, explained: Callable[[], Trace]) -> None:
        super().__init__(model)
        self._explained = explained

    def explain(self, instance: Instance) -> Explanation:
        """The edge marginals of the trace."""
        trace = self._explained()
        return Explanation(
            instance.both_directions(trace.edge_marginals), np.array(trace.steps[-1].members, dtype=np.int64)
        )


def policy_from_scratch(
    job: JobContext,
    config: GFNConfig,
    predictor: Predictor,
    instance: Instance,
    start: int,
    folder: Path,
    watch: Callable[[Trainer], None] | None = None,
) -> TrainedPolicy:
    """The policy for one prediction: from disk, or trained now, with progress.

    Args:
        job: Told how far it is.
        config: K_M and the reward.
        predictor: The GNN, on this instance alone.
        instance: The instance.
        start: The node that all subgraphs hold.
        folder: Where such policies are kept.
        watch: Given the trainer, if there is something to train.
    """
    config = on_the_spot.quickly(replace(config, epochs=on_the_spot.EPOCHS), instance.num_nodes)
    model = getattr(predictor, "model", None)
    weights = model if isinstance(model, GNN) else None
    path = folder / f"{_digest([asdict(config), start, instance.target], instance, weights)}.safetensors"
    if (kept := _kept(path)) is not None:
        return kept
    job.take_long()
    job.report(0.1, "loading what a training needs")
    import_compiler()
    fixed = start if instance.target is None else None
    trainer = Trainer(predictor, config, start=fixed, repeats=on_the_spot.TRAJECTORIES)
    if watch is not None:
        watch(trainer)
    deadline = on_the_spot.Deadline(MOST_S)

    def tell(report: EpochReport) -> None:
        done = max(report.epoch / report.epochs, 1 - deadline.left / MOST_S)
        words = f"training on this one: epoch {report.epoch} of {report.epochs}, residual {report.residual:.2f}"
        job.report(0.9 * min(1.0, done), f"{words} ({UNLISTED})")

    trainer.fit(tell, lambda: job.cancelled() or deadline.over)
    trained = TrainedPolicy.of(trainer, instance.dataset, "" if weights is None else weights.kind)
    return _keep(path, replace(trained, locator=None, made=trained.made | {TUNED: _summary(trainer, [])}))
