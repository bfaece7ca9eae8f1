"""How far a policy is from P ∝ R where its states cannot be listed, from its own trajectories.

A trajectory τ to a subgraph x has the weight w = R(x)·P_B(τ|x) / P_F(τ), with P_B uniform over the valid parents. The
mean of w is Z, and the mean of log w, the ELBO, is at most log Z. The gap log Z − ELBO is the Kullback-Leibler
divergence of the policy's trajectories from those that end as R/Z: 0 for exact flows, and no smaller than that of the
subgraphs. (The EUBO, which bounds log Z from above, needs samples from R/Z itself. Nobody has these where states cannot
be listed.) What the policy never samples is missed, so a small effective sample size makes the gap too small.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from gfx_core.arrays import Doubles, Ints
from gfx_core.gfn.instances import Episodes, FlowGraphs
from gfx_core.gfn.policy import FlowPolicy
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.sampler import Trajectories, parent_nodes, sample
from gfx_core.gfn.settings import Parents

_CELLS = 1 << 20  # nodes of all trajectories that are sampled together: bounds the memory


@dataclass(frozen=True)
class Evidence:
    """What n trajectories from each of E start nodes say of log Z.

    Attributes:
        log_z: The log of the mean weight. [E]
        elbo: The mean log weight. [E]
        effective: The effective sample size as a share of n: 1 if all weights are equal. [E]
    """

    log_z: Doubles
    elbo: Doubles
    effective: Doubles

    @property
    def gap(self) -> Doubles:
        """The estimate of log Z − ELBO. [E]"""
        return self.log_z - self.elbo


@torch.no_grad()
def log_weights(trajectories: Trajectories, reward: Reward) -> Tensor:
    """log w of some trajectories that a policy sampled. [B]"""
    valid = parent_nodes(trajectories, Parents.VALID).sum(2).clamp(min=1)  # [B, K]
    log_back = -valid.log().where(trajectories.visited, 0.0).sum(1)
    return (trajectories.final_log_reward(reward) + log_back - trajectories.log_forward).double()


def estimate(
    policy: FlowPolicy, graphs: FlowGraphs, starts: Ints, reward: Reward, count: int, seed: int = 0
) -> Evidence:
    """The evidence of one start node in each of some instances.

    Args:
        policy: What samples.
        graphs: The instances.
        starts: A node of each. [E]
        reward: What makes a subgraph good.
        count: How many trajectories start there.
        seed: Of the trajectories.
    """
    generator, found = torch.Generator(graphs.device).manual_seed(seed), []
    together = max(1, _CELLS // (count * int(graphs.graphs.sizes.max())))
    for part in np.split(np.arange(len(starts)), range(together, len(starts), together)):
        episodes = Episodes.of(graphs, part, starts[part])
        each = torch.arange(len(part), device=graphs.device).repeat_interleave(count)
        sampled = sample(policy, episodes, each, reward, generator=generator, share=True)
        found.append(log_weights(sampled, reward).view(len(part), count))
    log_w = torch.cat(found)
    log_sum = log_w.logsumexp(1)
    effective = (2 * log_sum - (2 * log_w).logsumexp(1)).exp() / count
    log_z, elbo = log_sum - np.log(count), log_w.mean(1)
    return Evidence(*(each.cpu().numpy() for each in (log_z, elbo, effective)))
