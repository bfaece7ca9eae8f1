"""The settings of the shipped policies: one for all node tasks, one for all graph tasks; and the same for a CPU."""

from dataclasses import replace

from gfx_core.config import Task
from gfx_core.datasets.registry import dataset_info
from gfx_core.errors import UserError
from gfx_core.gfn.settings import DEFAULT_PRESET, REWARD_PRESETS, GFNConfig, LearningConfig, PolicyConfig

ON_GPU = LearningConfig(steps_per_batch=8, exact_cap=20_000, exact_states=4096)
ON_CPU = LearningConfig(
    parts=1, exact_cap=20_000, exact_states=256, exact_instances=32, exact_steps=24, exact_alone=True
)
"""How a policy learns, by where: a GPU takes large steps on all instances at once, all of them recorded. Two CPU cores
take small ones, on states of few instances, and sample none: the few trajectories that there is time for did not help
on instances that cannot be listed."""


def policy_config(dataset: str, preset: str = DEFAULT_PRESET, device: str = "cuda") -> GFNConfig:
    """How the policy of a data set is trained.

    ``occam`` makes P ∝ R concentrate on few small subgraphs: every node has a price (at most 10 nodes). So sharp a
    reward is learnt from exact flows wherever all states of an instance can be listed. ``sharp`` was the first
    generation's (β = 30, embeddings compared, at most 10 nodes); ``paper`` is the paper's plain reward with at most 20
    nodes.

    Args:
        dataset: Its name.
        preset: The reward.
        device: Where it is to be trained; by default as the shipped ones were.
    """
    return preset_config(dataset_info(dataset).task, preset, device)


def preset_config(task: Task, preset: str = DEFAULT_PRESET, device: str = "cuda") -> GFNConfig:
    """The same for a task: what serves our data sets is also the beginning for anybody else's."""
    if preset not in REWARD_PRESETS:
        raise UserError(f"There is no reward preset “{preset}”: choose one of {', '.join(REWARD_PRESETS)}.")
    config = GFNConfig(
        max_nodes=20 if preset == "paper" else 10,
        reward=REWARD_PRESETS[preset],
        delta=30.0 if task is Task.NODE else None,
        epochs=1000,
        batch_size=1024 if task is Task.NODE else 4096,
    )
    if preset != "occam":
        return config
    config = replace(config, policy=PolicyConfig(hidden=128))
    if str(device).startswith("cpu"):
        epochs, batch_size = (40, 32) if task is Task.NODE else (150, 128)  # a locator needs more to learn from
        return replace(config, learning=ON_CPU, lr=6e-3, epochs=epochs, batch_size=batch_size)
    return replace(config, learning=ON_GPU, lr=3e-3, epochs=600 if task is Task.NODE else 300)
