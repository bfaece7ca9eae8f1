"""A trained policy with another β, price per node or smaller K_M, as far as that goes without training."""

import math
from dataclasses import replace

from gfx_core.errors import UserError
from gfx_core.gfn.policy_file import TrainedPolicy
from gfx_core.gfn.settings import GFNConfig, RewardConfig, Stop


def changed_reward(reward: RewardConfig, *, beta: float | None = None, node_price: float | None = None) -> RewardConfig:
    """The same reward with another β or price per node; ``None`` leaves one as it is."""
    if beta is not None:
        if not 0 < beta < math.inf:
            raise UserError(f"β must be a number above 0 (got {beta}).")
        reward = replace(reward, beta=float(beta))
    if node_price is not None:
        if not 0 <= node_price < math.inf:
            raise UserError(f"The price per node must be a number from 0 on (got {node_price}).")
        reward = replace(reward, prices={**reward.prices, "nodes": float(node_price)})
    return reward


def changed_config(
    config: GFNConfig,
    *,
    beta: float | None = None,
    node_price: float | None = None,
    max_nodes: int | None = None,
) -> GFNConfig:
    """The same settings with another reward or a smaller K_M: all that exact flows need."""
    config = replace(config, reward=changed_reward(config.reward, beta=beta, node_price=node_price))
    if max_nodes is not None and max_nodes != config.max_nodes:
        if not 2 <= max_nodes <= config.max_nodes:
            raise UserError(
                f"The most nodes of a subgraph, Kₘ, must lie between 2 and {config.max_nodes}, the policy's own "
                f"(got {max_nodes})."
            )
        config = replace(config, max_nodes=max_nodes)
    return config


def changed_policy(
    trained: TrainedPolicy,
    *,
    beta: float | None = None,
    node_price: float | None = None,
    max_nodes: int | None = None,
) -> TrainedPolicy:
    """The same policy under other settings; the given one is left as it is.

    Another β or price per node changes the reward, and with it STOP's flow where that is the reward itself. The other
    flows stay as they were learnt, so the samples no longer follow P ∝ R.

    Args:
        trained: The policy.
        beta: Another reward exponent.
        node_price: Another price per node.
        max_nodes: Another K_M, at most the policy's own.
    """
    config = changed_config(trained.config, beta=beta, node_price=node_price, max_nodes=max_nodes)
    if config.reward != trained.config.reward and config.stop is not Stop.REWARD:
        raise UserError(
            "This policy has learnt when to stop, so another reward would change nothing: train one for it."
        )
    smaller = config.max_nodes != trained.config.max_nodes
    return replace(
        trained, config=config, policy=trained.policy.smaller(config.max_nodes) if smaller else trained.policy
    )
