"""Whether a trained policy is to be believed on an instance.

A policy is trained on instances with a motif. On others it may sample what has hardly any reward, and then its samples
have no meaning. Where all states can be listed within a second, the total variation from R/Z is computed. Where they
cannot, samples give a lower bound of it: a sample of ten nodes has at most 512 connected subsets, so the probability
that the policy stops there, by any order, is exact. (The divergence of trajectories, log Z − ELBO, gives none: it is
above that of subgraphs.) Both are those of one start node, the most probable one. Needs torch.
"""

from copy import copy
from functools import lru_cache
from math import sqrt
from types import SimpleNamespace

import numpy as np
import torch

from gfx_core.arrays import Doubles, Ints
from gfx_core.exact.enumeration import enumerate_states
from gfx_core.exact.paths import largest_dag
from gfx_core.exact.state_space import StateSpace
from gfx_core.explanation.listing import AT_ONCE
from gfx_core.explanation.samplers import SubgraphSampler, reward_states
from gfx_core.text.answers import note

FAR = 0.3
"""A total variation from R/Z from which on a policy is not believed."""
SAMPLES = 64
"""So many give the lower bound of it."""
_TOGETHER = 8  # samples whose subsets are evaluated at once
_UNSEEN = 2  # samples at no distance are added: what is rare may not be among those that were drawn


@lru_cache(maxsize=4)
def distance_words(learned: SubgraphSampler) -> str:
    """How far a policy is from R/Z, from its most probable start; empty where it is near, or nothing is known."""
    learned = copy(learned)
    start = learned.start = learned.locate()
    dag = largest_dag(learned.instance, start, learned.config.max_nodes, AT_ONCE)
    assert dag is not None  # the start node alone at least
    space = reward_states(learned.reward, dag)
    if dag.max_nodes == learned.config.max_nodes:
        kind, distance = "distance", space.total_variation(space.walk(*learned.on(space)).stop)
    else:
        kind, distance = "distance_at_least", least_distance(learned, float(space.log_z[0]))
    return note(kind, distance=distance) if distance > FAR else ""


def least_distance(learned: SubgraphSampler, log_z: float) -> float:
    """A lower bound of a policy's total variation from R/Z, with two standard errors to spare.

    With p(x) for the probability that the policy stops at x, and z ≤ Z, the total variation
    E_p[max(0, 1 − R(x) / (Z p(x)))] is at least E_p[max(0, 1 − R(x) / (z p(x)))].

    Args:
        learned: The policy on the instance, from one start node.
        log_z: log of the reward of some subgraphs with that node; that of all subsets of the samples is a bound, too.
    """
    samples = learned.draw(SAMPLES, 0)
    first, count = samples.distinct
    rewards: dict[bytes, float] = {}
    parts = [samples.orders[first[at : at + _TOGETHER]] for at in range(0, len(first), _TOGETHER)]
    log_stop = np.concatenate([log_stop_probabilities(learned, orders, rewards) for orders in parts])
    log_z = max(log_z, float(np.logaddexp.reduce([*rewards.values()])))
    log_ratio = samples.log_reward[first] - log_stop - log_z
    excess = np.append(np.maximum(0.0, 1 - np.exp(log_ratio)).repeat(count), np.zeros(_UNSEEN))
    return max(0.0, float(excess.mean() - 2 * excess.std() / sqrt(len(excess))))


def log_stop_probabilities(learned: SubgraphSampler, orders: Ints, rewards: dict[bytes, float]) -> Doubles:
    """log of the probability that a policy stops at some node sets, by any order from their common first node on. [n]

    Args:
        learned: The policy on the instance.
        orders: The nodes of each, the start node first, padded with -1. [n, K]
        rewards: Receives log R of each connected subset.
    """
    dags, edges, count = [], learned.instance.edge_index, learned.instance.num_nodes
    for order in orders:
        inside = edges[:, np.isin(edges, order).all(axis=0)]
        part = SimpleNamespace(num_nodes=count, edge_index=inside, target=None)
        dags.append(enumerate_states(part, int(order[0]), int((order >= 0).sum())))
    space = StateSpace(dags, np.zeros(sum(dag.num_states for dag in dags)))
    subsets = torch.from_numpy(space.subsets).to(learned.predictor.device)
    log_reward = learned.reward(subsets, torch.zeros_like(subsets[:, 0])).double().cpu().numpy()
    packed = (bytes(row) for dag in dags for row in dag.packed)
    rewards.update(zip(packed, log_reward.tolist(), strict=True))
    log_out, log_stop = learned.evaluate(space.subsets, log_reward)
    log_edge = log_out[space.parent, space.node]
    log_out[space.parent, space.node] = -np.inf
    log_rest = np.logaddexp(np.logaddexp.reduce(log_out, axis=1), log_stop)  # what leads elsewhere is as good as STOP
    last = space.origin + space.counts - 1
    return space.walk(log_edge, log_rest).visit[last] + log_stop[last] - log_rest[last]
