"""A lane's setting as the trainers take it. This module is imported in workers: it needs torch."""

from dataclasses import replace

from gfx_core.config import Task
from gfx_core.gfn.settings import GFNConfig, LearningConfig, PolicyConfig, RewardConfig
from gfx_core.gfn.tabular import TabularConfig
from gfx_core.training.setting import Begin, LaneSetting, LearnsFrom, LessonGraph, Network

HIDDEN = 64
"""Width of a network that learns one instance."""
LISTED = 256
"""Listed states of a step that is told exact flows."""


def reward_config(setting: LaneSetting) -> RewardConfig:
    """β and the prices."""
    return RewardConfig(setting.beta, {"nodes": setting.node_price, "similarity": setting.similarity})


def policy_config(setting: LaneSetting) -> PolicyConfig:
    """The network, where it begins from scratch."""
    return PolicyConfig(hidden=HIDDEN, context=setting.network is Network.OURS)


def trainer_config(setting: LaneSetting, shipped: GFNConfig | None = None) -> GFNConfig:
    """All choices of a trainer; the network is that of the shipped policy where it begins with it."""
    lesson = isinstance(setting.question, LessonGraph)
    node_task = lesson or setting.question.info.task is Task.NODE  # type: ignore[union-attr]
    config = GFNConfig(
        max_nodes=setting.max_nodes,
        reward=reward_config(setting),
        policy=policy_config(setting),
        loss=setting.loss,
        parents=setting.parents,
        stop=setting.stop,
        delta=30.0 if node_task else None,
        epsilon=setting.epsilon,
        epochs=setting.steps,
        batch_size=setting.batch,
        lr=setting.lr,
        seed=setting.seed,
        learning=LearningConfig(),
    )
    if shipped is None or setting.begin is not Begin.SHIPPED:
        return config
    return replace(config, policy=shipped.policy, delta=shipped.delta)


def tabular_config(setting: LaneSetting, delta: float | None = None) -> TabularConfig:
    """The same for flows on a listed DAG, whatever gives them."""
    return TabularConfig(
        loss=setting.loss,
        parents=setting.parents,
        stop=setting.stop,
        full=setting.learns_from is LearnsFrom.ALL,
        epsilon=setting.epsilon,
        epochs=setting.steps,
        batch_size=setting.batch,
        lr=setting.lr,
        delta=delta,
        seed=setting.seed,
    )
