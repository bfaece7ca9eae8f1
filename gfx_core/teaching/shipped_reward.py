"""The reward that the shipped policies were made for, in words."""

from gfx_core.gfn.presets import policy_config
from gfx_core.gfn.settings import RewardConfig

_CHARGED = {"nodes": "a node", "size": "an edge", "radius": "a step of radius", "similarity": "for distance"}


def shipped_reward(dataset: str) -> RewardConfig:
    """The reward of a data set's shipped policy."""
    return policy_config(dataset).reward


def reward_in_words(reward: RewardConfig) -> str:
    """β and what is charged for: ``β = 50, 0.1 a node``."""
    said = [f"{price:g} {word}" for name, word in _CHARGED.items() if (price := reward.price(name))]
    return ", ".join([f"β = {reward.beta:g}", *said])
