"""The shipped policy as a beginning. This module is imported in workers: it needs torch."""

from gfx_core.errors import UserError
from gfx_core.gfn.policy import FlowPolicy


def of_size(policy: FlowPolicy, max_nodes: int) -> FlowPolicy:
    """The policy for sets of at most so many nodes, of which it must have seen some."""
    if max_nodes > policy.max_nodes:
        raise UserError(f"The shipped policy knows sets of at most {policy.max_nodes} nodes: choose a smaller K_M.")
    return policy if max_nodes == policy.max_nodes else policy.smaller(max_nodes)
