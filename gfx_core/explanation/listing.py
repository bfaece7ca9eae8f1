"""What of an instance's connected subgraphs is listed in time, and where an explanation starts. Needs torch."""

from typing import NamedTuple

import numpy as np
import torch

from gfx_core.arrays import first_best
from gfx_core.datasets.instance import Instance
from gfx_core.errors import UserError
from gfx_core.exact.enumeration import StateDag, TooManyStates, enumerate_sets, enumerate_states
from gfx_core.exact.paths import can_be_tabulated
from gfx_core.exact.state_space import StateSpace
from gfx_core.explanation.samplers import SubgraphSampler, listed_from, most_in_reach
from gfx_core.explanation.subject import Subject
from gfx_core.gfn.checkpoint import changed_config
from gfx_core.gfn.rewards import Reward
from gfx_core.job_context import Deadline
from gfx_core.user_models.predictor import WINDOW, ModelInstance, window

LISTED = 150_000
"""The most subgraphs that are listed for one prediction."""
LOCATING = 60_000
"""The most that are listed to find where to start in a graph."""
AT_ONCE = 20_000
"""As many are listed within a second, the answer included."""
CHUNK = 8192
"""Subgraphs of one call of the GNN."""
SMALLEST = 5
"""Down to so many nodes of a subgraph all nodes of an instance are looked at."""
_WINDOWS = (WINDOW, 90, 60, 40, 25)  # then so many nodes, where all of them are too many


def listed_in_time(reward: Reward, dag: StateDag, deadline: Deadline, chunk: int = CHUNK) -> StateSpace:
    """All states with log R of each; where time is over before, those of fewer nodes, and of two at least."""
    log_rewards, done = [], 0
    needed = int(dag.level_ptr[min(2, dag.num_levels)])
    for subsets in torch.from_numpy(dag.subsets).to(reward.predictor.device).split(chunk):
        if deadline.over and done >= needed:
            break
        log_rewards.append(reward(subsets, torch.zeros_like(subsets[:, 0])))
        done += len(subsets)
    log_reward = torch.cat(log_rewards).double().cpu().numpy()
    if not np.isfinite(log_reward).all():
        raise UserError("The GNN outputs numbers that are too large to compare: scale its features or outputs.")
    if done < dag.num_states:
        dag = dag.up_to(int(np.searchsorted(dag.level_ptr, done, side="right")) - 1)
    return StateSpace(dag, log_reward[: dag.num_states])


def most_listable(instance: Instance, start: int, most: int, cap: int, least: int) -> int | None:
    """With how many nodes, from ``least`` to ``most``, all subgraphs around a node can be listed, if any."""
    smallest = min(least, most)
    while most >= smallest:
        try:
            dag = enumerate_states(instance, start, most, cap=cap)
        except TooManyStates as error:
            most = error.fits
            continue
        if can_be_tabulated(dag):
            return most
        most -= 1
    return None


def plan(instance: Instance, start: int, most: int, room: int, cut: bool = True) -> tuple[Instance, int, int | None]:
    """What is listed: all of an instance or the part that matters most, the start node in it, and K_M.

    All nodes with fewer of them in a subgraph come first, then fewer nodes. K_M is ``None`` where even among the
    fewest nodes there are too many subgraphs.

    Args:
        instance: The instance.
        start: The start node.
        most: K_M as it is wanted.
        room: How many subgraphs there is time for.
        cut: Whether a part may be cut out.
    """
    fits = most_listable(instance, start, most, room, SMALLEST)
    if fits is not None or not (cut and isinstance(instance, ModelInstance)):
        return instance, start, fits
    part, at = instance, start
    for count in _WINDOWS:
        if count >= instance.num_nodes:
            continue
        part = window(instance, count, start)
        at = int(np.flatnonzero(part.nodes == instance.nodes[start])[0])
        fits = most_listable(part, at, most, room, SMALLEST)
        if fits is not None:
            break
    return part, at, fits


class Start(NamedTuple):
    """A start node, and what was listed to find it: its own connected subgraphs, and all of them."""

    node: int
    listing: StateSpace | None = None
    every: StateSpace | None = None


def locate(instance: Instance, reward: Reward, max_nodes: int, most: int, deadline: Deadline) -> Start:
    """The node to start from in a graph where no locator has learnt it: the one with most reward in reach.

    All connected subgraphs are listed; where they are too many, those of fewer nodes. Unless its start node matters to
    the reward, each is evaluated once, whatever it starts from. A huge graph starts at the node with most neighbours.

    Args:
        instance: The instance.
        reward: What a subgraph is worth.
        max_nodes: K_M.
        most: Subgraphs that may be evaluated.
        deadline: When the node is to be known.
    """
    while max_nodes > 1 and not deadline.over:
        try:
            dag = enumerate_sets(instance, max_nodes, cap=most)
        except TooManyStates as error:
            max_nodes = error.fits
            continue
        if reward.rooted and int(dag.size.sum()) > most:  # each is evaluated from each of its nodes
            max_nodes -= 1
        elif reward.rooted:
            dags = [enumerate_states(instance, node, max_nodes, most) for node in range(instance.num_nodes)]
            listings = [listed_in_time(reward, dag, deadline) for dag in dags]
            node = first_best([float(listing.log_z[0]) for listing in listings])
            return Start(node, listings[node])
        else:
            every = listed_in_time(reward, dag, deadline)
            node = most_in_reach(every)
            return Start(node, listed_from(instance, every, node), every)
    degree = np.bincount(instance.edge_index[0], minlength=instance.num_nodes)
    return Start(int(degree.argmax()))


def start_of(subject: Subject) -> int:
    """The node that the explanation of a prediction starts at, by what the GNN itself predicts from fragments."""
    instance, question = subject.instance, subject.question
    start = question.start if instance.target is None else instance.target
    if start is not None:
        return start
    predictor = subject.predictor("cpu")
    if subject.policy is not None:
        return SubgraphSampler(subject.policy, predictor, instance).locate()
    config = changed_config(subject.config, **question.changes)
    return locate(instance, Reward(predictor, config.reward), config.max_nodes, LOCATING, Deadline()).node
