"""Whether a trained policy is to be believed on an instance: by a list of its states, else by its own trajectories.

A policy is trained on instances with a motif. On others it may sample what has hardly any reward, and then what it
finds says nothing of the GNN. Where all states can be listed, the total variation from R/Z tells. Where they cannot,
the gap log Z − ELBO does (`gfx_core.gfn.evidence`), with the larger of two values for log Z, neither too large: the
estimate from the trajectories, and that of all small subgraphs.

In a whole graph each sample starts at a node that the locator samples. Where no good part is in reach of that, even a
policy without any error ends at one with hardly any reward: so the samples' rewards are compared with those of R/Z
over all connected subgraphs. Needs torch.
"""

from dataclasses import dataclass
from math import inf

import numpy as np

from gfx_core.explanation.flows import AT_ONCE, most_listable
from gfx_core.explanation.locate import locate
from gfx_core.explanation.samplers import SubgraphSampler
from gfx_core.gfn.checkpoint import changed_policy
from gfx_core.gfn.evidence import estimate
from gfx_core.job_context import Deadline
from gfx_core.text.answers import missed_by
from gfx_core.trace.schema import Trace

FAR = 0.3
"""A total variation from R/Z from which on a policy is not believed, be it shipped or trained just now."""
FAR_NATS = 5.0
"""The same for the gap, where subgraphs cannot be listed."""
TRAJECTORIES = 256
"""From so many the gap is estimated."""
WASTED_NATS = 10.0
"""A sample whose log R is so much below the best says nothing: its reward is a 22,000th."""
WASTED = 0.2
"""A share of such samples, beyond that of R/Z, from which on a policy is not believed."""


@dataclass(frozen=True)
class PolicyCheck:
    """How far a policy is from R/Z on one instance.

    Attributes:
        distance: The total variation; ``None`` where the states cannot be listed.
        gap: log Z − ELBO in nats, or less; only where they cannot.
        most: With at most so many nodes all subgraphs could be listed; ``None`` if that is not known.
        wasted: The share of samples with hardly any reward, beyond that of R/Z.
    """

    distance: float | None = None
    gap: float = 0.0
    most: int | None = None
    wasted: float = 0.0

    @property
    def is_far(self) -> bool:
        return self.wasted > WASTED or (self.gap > FAR_NATS if self.distance is None else self.distance > FAR)

    @property
    def can_be_exact(self) -> bool:
        """Whether all states can be listed."""
        return self.distance is not None or self.wasted > WASTED

    @property
    def words(self) -> str:
        """How far it is, for people."""
        return missed_by(self.distance, self.gap, self.wasted if self.wasted > WASTED else None)


def check_policy(learned: SubgraphSampler, trace: Trace, anywhere: bool) -> PolicyCheck:
    """Compare a policy with R/Z on what can be listed within a second.

    Args:
        learned: The policy at work on the instance.
        trace: Its samples, and its total variation where that is known.
        anywhere: Whether each sample has a start node of its own.
    """
    if anywhere and (wasted := wasted_share(learned, trace)) > WASTED:
        return PolicyCheck(trace.total_variation, wasted=wasted)
    if trace.total_variation is not None:
        return PolicyCheck(trace.total_variation)
    whole, start = learned.config.max_nodes, trace.start
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


def wasted_share(learned: SubgraphSampler, trace: Trace) -> float:
    """The share of samples with hardly any reward, beyond that of R/Z over all connected subgraphs.

    It is a lower bound of the total variation, but for the noise of so many samples. 0 where these cannot be listed.
    """
    every = locate(learned.config, learned.instance, learned.reward, AT_ONCE, Deadline()).every
    if every is None or every.dag.max_nodes < learned.config.max_nodes:
        return 0.0
    least = every.log_reward.max() - WASTED_NATS
    below = sum(sample.count for sample in trace.samples if sample.log_reward < least)
    expected = float(np.exp(every.log_target[every.log_reward < least]).sum())
    return below / sum(sample.count for sample in trace.samples) - expected
