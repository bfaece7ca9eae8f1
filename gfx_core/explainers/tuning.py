"""Go on training a policy on one instance alone, to bring it near its target there.

A policy that serves a whole data set is a good beginning for each instance, and not always more. What it learns here it
may forget elsewhere, so the given policy is left as it is.
"""

from collections.abc import Callable
from dataclasses import replace

from gfx_core.explainers.generate import SubgraphSampler
from gfx_core.explainers.tuning_plan import EPOCHS
from gfx_core.gfn.exact_targets import ExactTargets
from gfx_core.gfn.policy import FlowPolicy
from gfx_core.gfn.policy_file import TrainedPolicy
from gfx_core.gfn.reports import EpochReport
from gfx_core.gfn.settings import LearningConfig, Parents
from gfx_core.gfn.trainer import Trainer
from gfx_core.trace.schema import TUNED

TRAJECTORIES, RATE = 32, 1e-3
"""How many trajectories in each epoch, and Adam's learning rate: below that of a training from scratch."""

TOLD_EVERY = 5
"""After so many epochs it is told how far the policy is from its target."""

LEARNING = LearningConfig(steps_per_batch=4, exact_cap=20_000, exact_states=128, exact_steps=4)
"""However the policy was trained before: from exact flows where the instance can be listed, in small quick steps."""


def tuned_policy(
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
        on_distance: Called with the total variation from R/Z after the first epoch and every `TOLD_EVERY` later, before
            `on_epoch`, where the states can be listed.
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
        if on_distance is not None and trainer.exact is not None and report.epoch % TOLD_EVERY == 1:
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
    told = {
        "epochs": trainer.epoch,
        "trajectories": TRAJECTORIES,
        "lr": RATE,
        "seconds": round(sum(report.seconds for report in trainer.curve), 3),
        "residuals": [round(report.residual, 6) for report in trainer.curve],
        "divergences": [round(divergence, 9) for divergence, _ in known],
        "distances": [round(distance, 9) for _, distance in known],
    }
    return replace(trained, policy=trainer.policy.eval(), made=trained.made | {TUNED: told})


def how_far(trainer: Trainer) -> tuple[float, float] | None:
    """Divergence and total variation of a policy from the exact flows of its listed states, if there are any."""
    if trainer.exact is None:
        return None
    return trainer.exact.divergence(trainer.policy), total_variation(trainer.exact, trainer.policy)


def total_variation(exact: ExactTargets, policy: FlowPolicy) -> float:
    """How far where a policy stops is from R/Z, over all listed states."""
    return float(exact.distances(exact.stops(policy)).mean())
