"""Whether a trained policy is to be believed on an instance.

A policy is trained on instances with a motif. On others it may sample what has hardly any reward, and then its samples
say nothing of the GNN. Where all states can be listed within a second, the total variation from R/Z is computed. Where
they cannot, samples give a lower bound of it: a sample of ten nodes has at most 512 connected subsets, so the
probability that the policy stops there, by any order, is exact.

In a whole graph each sample starts at a node that the locator samples. Where no good part is in reach of that, even a
policy without any error ends at one with hardly any reward: so the samples' rewards are compared with those of R/Z
over all connected subgraphs. Needs torch.
"""

from collections.abc import Sequence
from math import inf, sqrt
from typing import NamedTuple

import numpy as np
import torch

from gfx_core.arrays import Ints
from gfx_core.exact.enumeration import StateDag
from gfx_core.exact.state_space import StateSpace
from gfx_core.explanation.answer import main_modes
from gfx_core.explanation.listing import AT_ONCE, LISTED, largest_dag, locate
from gfx_core.explanation.samplers import Samples, SubgraphSampler, reward_states
from gfx_core.gfn.checkpoint import changed_policy
from gfx_core.job_context import Deadline
from gfx_core.text.answers import note
from gfx_core.text.numbers import about_percent

FAR = 0.3
"""A total variation from R/Z from which on a policy is not believed, be it shipped or trained just now."""
SAMPLES = 64
"""So many give the lower bound of it."""
SUBSETS = 2000
"""The policy is evaluated on so many of their subsets at most."""
WASTED_NATS = 10.0
"""A sample whose log R is so much below the best says nothing: its reward is a 22,000th."""
WASTED = 0.2
"""A share of such samples, beyond that of R/Z, from which on a policy is not believed."""


class PolicyDoubt(NamedTuple):
    """Why a policy is not believed on one instance.

    Attributes:
        words: How far it is from R/Z.
        most: With at most so many nodes all subgraphs can be listed, K_M if all can; ``None`` if that is not known.
    """

    words: str
    most: int | None


def doubt_of(learned: SubgraphSampler, samples: Samples) -> PolicyDoubt | None:
    """Compare a policy and its samples with R/Z; ``None`` where it is near, or nothing is known."""
    instance, whole = learned.instance, learned.config.max_nodes
    if learned.start is None:  # each sample has a start node of its own
        wasted = wasted_share(learned, samples)
        if wasted > WASTED:
            return PolicyDoubt(note("wasted", wasted=about_percent(wasted)), whole)
        start = main_modes(instance, samples)[0].nodes[0]
        learned = SubgraphSampler(learned.trained, learned.predictor, instance, learned.explained, start)
    start, log_z, most = learned.locate(), -inf, None
    if (listed := learned.distribution(start)) is not None:
        distance, most = listed[0].total_variation(listed[1]), whole
    elif (dag := largest_dag(instance, start, whole, AT_ONCE, least=2)) is not None:
        space, distance = small_distance(learned, dag)
        log_z, most = float(space.log_z[0]), dag.max_nodes
    if most == whole:
        return PolicyDoubt(note("distance", distance=distance), whole) if distance > FAR else None
    distance = least_distance(learned, log_z)
    if distance <= FAR:
        return None
    if largest_dag(instance, start, whole, LISTED, least=whole) is not None:
        most = whole
    return PolicyDoubt(note("distance_at_least", distance=distance), most)


@torch.no_grad()
def small_distance(learned: SubgraphSampler, dag: StateDag) -> tuple[StateSpace, float]:
    """Subgraphs of fewer nodes with their rewards, and the total variation of the policy from R/Z on them."""
    trained = changed_policy(learned.trained, max_nodes=dag.max_nodes)
    small = SubgraphSampler(trained, learned.predictor, learned.instance, learned.explained, dag.start)
    space = reward_states(small.reward, dag)
    return space, space.total_variation(space.walk(*small.on(space)).stop)


def least_distance(learned: SubgraphSampler, log_z: float) -> float:
    """A lower bound of a policy's total variation from R/Z, with two standard errors to spare.

    With p(x) for the probability that the policy stops at x, and z ≤ Z, the total variation
    E_p[max(0, 1 − R(x) / (Z p(x)))] is at least E_p[max(0, 1 − R(x) / (z p(x)))]. It is 0 where the subsets of the
    first samples are too many.

    Args:
        learned: The policy on the instance, with one start node.
        log_z: log of the reward of some subgraphs; that of the samples and their subsets is a bound as well.
    """
    start = learned.locate()
    links: list[set[int]] = [set() for _ in range(learned.instance.num_nodes)]
    for source, target in learned.instance.edge_index.T.tolist():
        links[source].add(target)
    number = {frozenset([start]): 0}
    ends = []
    for order in learned.draw(SAMPLES, 0).orders:
        nodes = frozenset(order[order >= 0].tolist())
        connected = connected_subsets(links, start, nodes, SUBSETS)
        if len(connected | number.keys()) > SUBSETS:
            break
        for subset in sorted(connected, key=len):
            number.setdefault(subset, len(number))
        ends.append(number[nodes])
    if len(ends) < 2:
        return 0.0
    sets, width = list(number), max(map(len, number))
    rows: Ints = np.array([[start, *sorted(nodes - {start}), *[-1] * (width - len(nodes))] for nodes in sets])
    subsets = torch.from_numpy(rows).to(learned.predictor.device)
    log_reward = learned.reward(subsets, torch.zeros_like(subsets[:, 0])).double().cpu().numpy()
    log_out, log_stop = learned.evaluate(rows, log_reward)
    log_total = np.logaddexp(np.logaddexp.reduce(log_out, axis=1), log_stop)
    move, reached = np.exp(log_out - log_total[:, None]), np.zeros(len(sets))
    reached[0] = 1.0
    for nodes in sorted(sets, key=len):
        for node in set().union(*(links[member] for member in nodes)) - nodes:
            child = number.get(nodes | {node})
            if child is not None:
                reached[child] += reached[number[nodes]] * move[number[nodes], node]
    log_stopped = np.log(reached) + log_stop - log_total
    log_z = max(log_z, float(np.logaddexp.reduce(log_reward)))
    excess = np.maximum(0.0, 1 - np.exp(log_reward - log_stopped - log_z))[ends]
    return max(0.0, float(excess.mean() - 2 * excess.std() / sqrt(len(ends))))


def connected_subsets(links: Sequence[set[int]], start: int, nodes: frozenset[int], most: int) -> set[frozenset[int]]:
    """The connected subsets of a node set that contain the start node; some of them where they are more than that."""
    subsets = {frozenset([start])}
    last = subsets
    while last and len(subsets) <= most:
        last = {
            subset | {node}
            for subset in last
            for node in set().union(*(links[member] for member in subset)) & nodes - subset
        }
        subsets = subsets | last
    return subsets


def wasted_share(learned: SubgraphSampler, samples: Samples) -> float:
    """The share of samples with hardly any reward, beyond that of R/Z over all connected subgraphs.

    It is a lower bound of the total variation, but for the noise of so many samples. 0 where these cannot be listed.
    """
    whole = learned.config.max_nodes
    _, every = locate(learned.instance, learned.reward, whole, AT_ONCE, Deadline())
    if every is None or every.dag.start >= 0 or every.dag.max_nodes < whole:
        return 0.0
    least = every.log_reward.max() - WASTED_NATS
    expected = float(np.exp(every.log_target[every.log_reward < least]).sum())
    return float((samples.log_reward < least).mean()) - expected
