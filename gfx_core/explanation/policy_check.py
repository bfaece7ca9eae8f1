"""Whether a trained policy is to be believed on an instance.

A policy is trained on instances with a motif. On others it may sample what has hardly any reward, and then its samples
say nothing of the GNN. Where all states can be listed within a second, the total variation from R/Z is computed. Where
they cannot, samples give a lower bound of it: a sample of ten nodes has at most 512 connected subsets, so the
probability that the policy stops there, by any order, is exact.

In a whole graph each sample starts at a node that the locator samples. Where no good part is in reach of that, even a
policy without any error ends at one with hardly any reward: so the samples' rewards are compared with those of R/Z
over all connected subgraphs. Needs torch.
"""

from math import sqrt
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import torch

from gfx_core.exact.enumeration import StateDag, TooManyStates, enumerate_states
from gfx_core.exact.state_space import StateSpace
from gfx_core.explanation.answer import main_modes
from gfx_core.explanation.listing import AT_ONCE, LISTED, largest_dag, locate
from gfx_core.explanation.samplers import Samples, SubgraphSampler, reward_states
from gfx_core.job_context import Deadline
from gfx_core.text.answers import note
from gfx_core.text.numbers import about_percent

FAR = 0.3
"""A total variation from R/Z from which on a policy is not believed, be it shipped or trained just now."""
SAMPLES = 64
"""So many give the lower bound of it."""
SUBSETS = 8000
"""The policy is evaluated on so many of their subsets at most."""
WASTED_NATS = 10.0
"""A sample whose log R is so much below the best is wasted: its reward is a 22,000th."""
WASTED = 0.2
"""A share of such samples, beyond that of R/Z, from which on a policy is not believed."""


class PolicyDoubt(NamedTuple):
    """Why a policy is not believed on one instance.

    Attributes:
        words: How far it is from R/Z.
        most: With at most so many nodes all subgraphs can be listed; K_M if all can.
    """

    words: str
    most: int


def doubt_of(learned: SubgraphSampler, samples: Samples) -> PolicyDoubt | None:
    """Compare a policy and its samples with R/Z; ``None`` where it is near, or nothing is known."""
    instance, whole = learned.instance, learned.config.max_nodes
    if learned.start is None:  # each sample has a start node of its own
        wasted = wasted_share(learned, samples)
        if wasted > WASTED:
            return PolicyDoubt(note("wasted", wasted=about_percent(wasted)), whole)
        start = main_modes(instance, samples)[0].nodes[0]
        learned = SubgraphSampler(learned.trained, learned.predictor, instance, learned.explained, start)
    dag = largest_dag(instance, learned.locate(), whole, AT_ONCE)
    assert dag is not None  # the start node alone at least
    space, most = reward_states(learned.reward, dag), dag.max_nodes
    if most == whole:
        kind, distance = "distance", space.total_variation(space.walk(*learned.on(space)).stop)
    else:
        kind, distance = "distance_at_least", least_distance(learned, float(space.log_z[0]))
    if distance <= FAR:
        return None
    if largest_dag(instance, learned.locate(), whole, LISTED, least=whole) is not None:
        most = whole
    return PolicyDoubt(note(kind, distance=distance), most)


def least_distance(learned: SubgraphSampler, log_z: float) -> float:
    """A lower bound of a policy's total variation from R/Z, with two standard errors to spare.

    With p(x) for the probability that the policy stops at x, and z ≤ Z, the total variation
    E_p[max(0, 1 − R(x) / (Z p(x)))] is at least E_p[max(0, 1 − R(x) / (z p(x)))]. Samples whose subsets would be too
    many count as 0.

    Args:
        learned: The policy on the instance, with one start node.
        log_z: log of the reward of some subgraphs; that of the samples and their subsets is a bound as well.
    """
    samples, dags, room = learned.draw(SAMPLES, 0), list[StateDag](), SUBSETS
    first, count = samples.distinct
    for order in samples.orders[first]:
        inside = np.isin(learned.instance.edge_index, order).all(axis=0)
        edges = learned.instance.edge_index[:, inside]
        part = SimpleNamespace(num_nodes=learned.instance.num_nodes, edge_index=edges, target=None)
        try:
            dags.append(enumerate_states(part, learned.locate(), int((order >= 0).sum()), room))
        except TooManyStates:
            break
        room -= dags[-1].num_states
    if not dags:
        return 0.0
    space = StateSpace(dags, np.zeros(SUBSETS - room))
    subsets, row = np.unique(space.subsets, axis=0, return_inverse=True)  # several samples share many
    nodes = torch.from_numpy(subsets).to(learned.predictor.device)
    log_reward = learned.reward(nodes, torch.zeros_like(nodes[:, 0])).double().cpu().numpy()
    log_z = max(log_z, float(np.logaddexp.reduce(log_reward)))
    log_out, log_stop = (values[row] for values in learned.evaluate(subsets, log_reward))
    log_total = np.logaddexp(np.logaddexp.reduce(log_out, axis=1), log_stop)
    log_edge = log_out[space.parent, space.node]
    log_out[space.parent, space.node] = -np.inf  # what leads elsewhere is as good as STOP
    visit = space.walk(log_edge, np.logaddexp(np.logaddexp.reduce(log_out, axis=1), log_stop)).visit
    ends = space.origin + space.counts - 1  # each sample is the largest of its subsets
    log_ratio = log_reward[row] - (visit + log_stop - log_total) - log_z
    excess = np.zeros(SAMPLES)
    counted = np.repeat(np.maximum(0.0, 1 - np.exp(log_ratio[ends])), count[: len(dags)])
    excess[: len(counted)] = counted
    return max(0.0, float(excess.mean() - 2 * excess.std() / sqrt(SAMPLES)))


def wasted_share(learned: SubgraphSampler, samples: Samples) -> float:
    """The share of samples with hardly any reward, beyond that of R/Z over all connected subgraphs.

    It is a lower bound of the total variation, but for the noise of so many samples. 0 where these cannot be listed.
    """
    whole = learned.config.max_nodes
    _, every = locate(learned.instance, learned.reward, whole, AT_ONCE, Deadline())
    if every is None or every.dag.max_nodes < whole:
        return 0.0
    least = every.log_reward.max() - WASTED_NATS
    expected = float(np.exp(every.log_target[every.log_reward < least]).sum())
    return float((samples.log_reward < least).mean()) - expected
