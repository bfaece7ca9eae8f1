"""A trained policy with another β or a smaller K_M, as far as that goes without training."""

import math
from dataclasses import replace

from gfx_core.errors import UserError
from gfx_core.gfn.policy_file import TrainedPolicy
from gfx_core.gfn.settings import Stop


def changed_policy(trained: TrainedPolicy, *, beta: float | None = None, max_nodes: int | None = None) -> TrainedPolicy:
    """The same policy under other settings; the given one is left as it is.

    Another β changes the reward, and with it STOP's flow where that is the reward itself. The other flows stay as they
    were learnt, so the samples no longer follow P ∝ R.

    Args:
        trained: The policy.
        beta: Another reward exponent.
        max_nodes: Another K_M, at most the policy's own.
    """
    config, policy = trained.config, trained.policy
    if beta is not None and beta != config.reward.beta:
        if config.stop is not Stop.REWARD:
            raise UserError("This policy has learnt when to stop, so another β would change nothing: train one for it.")
        if not 0 < beta < math.inf:
            raise UserError(f"β must be a number above 0 (got {beta}).")
        config = replace(config, reward=replace(config.reward, beta=float(beta)))
    if max_nodes is not None and max_nodes != config.max_nodes:
        if not 2 <= max_nodes <= config.max_nodes:
            raise UserError(f"K_M must lie between 2 and {config.max_nodes}, the policy's own (got {max_nodes}).")
        config, policy = replace(config, max_nodes=max_nodes), policy.smaller(max_nodes)
    return replace(trained, config=config, policy=policy)
