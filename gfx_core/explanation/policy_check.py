"""Whether a trained policy is to be believed on an instance: by a list of its states, else by its own trajectories.

A policy is trained on instances with a motif. On others it may sample what has hardly any reward, and then what it
finds says nothing of the GNN. Where all states can be listed, the total variation from R/Z tells. Where they cannot,
the gap log Z − ELBO does (`gfx_core.gfn.evidence`), with the larger of two values for log Z, neither too large: the
estimate from the trajectories, and that of all small subgraphs. Needs torch.
"""

from dataclasses import dataclass
from math import inf

import numpy as np

from gfx_core.explanation.flows import AT_ONCE, most_listable
from gfx_core.explanation.samplers import SubgraphSampler
from gfx_core.gfn.checkpoint import changed_policy
from gfx_core.gfn.evidence import estimate

FAR = 0.3
"""A total variation from R/Z from which on a policy is not believed, be it shipped or trained just now."""
FAR_NATS = 5.0
"""The same for the gap, where subgraphs cannot be listed."""
TRAJECTORIES = 256
"""From so many the gap is estimated."""


@dataclass(frozen=True)
class PolicyCheck:
    """How far a policy is from R/Z on one instance.

    Attributes:
        distance: The total variation; ``None`` where the states cannot be listed.
        gap: log Z − ELBO in nats, or less; only where they cannot.
        most: With at most so many nodes all subgraphs could be listed; ``None`` if that is not known.
    """

    distance: float | None = None
    gap: float = 0.0
    most: int | None = None

    @property
    def is_far(self) -> bool:
        return self.gap > FAR_NATS if self.distance is None else self.distance > FAR


def check_policy(learned: SubgraphSampler, start: int) -> PolicyCheck:
    """Compare a policy with R/Z on what can be listed within a second.

    Args:
        learned: The policy at work on the instance.
        start: The node that its trajectories start from.
    """
    whole = learned.config.max_nodes
    most = most_listable(learned.instance, start, whole, AT_ONCE, least=2)
    log_z = -inf
    if most is not None:
        trained = changed_policy(learned.trained, max_nodes=most)
        small = SubgraphSampler(trained, learned.predictor, learned.instance, learned.explained)
        small.cap = AT_ONCE
        listing = small.listing(start)
        if most == whole:
            return PolicyCheck(listing.total_variation(small.terminal_distribution(listing)), most=most)
        log_z = float(listing.log_z[0])
    found = estimate(learned.trained.policy, learned.graphs, np.array([start]), learned.reward, TRAJECTORIES)
    return PolicyCheck(gap=max(log_z, float(found.log_z[0])) - float(found.elbo[0]), most=most)
