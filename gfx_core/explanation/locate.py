"""Where an explanation starts: the explained node, a chosen one, or the node of a graph with most reward in reach."""

from dataclasses import dataclass

import numpy as np
import torch

from gfx_core.arrays import Doubles, first_best
from gfx_core.datasets.instance import Instance
from gfx_core.errors import UserError
from gfx_core.exact.enumeration import StateDag, TooManyStates, enumerate_sets, enumerate_states
from gfx_core.exact.state_space import StateSpace
from gfx_core.explanation.samplers import SubgraphSampler, listed_from, most_in_reach
from gfx_core.explanation.subject import Subject
from gfx_core.gfn.checkpoint import changed_config
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.settings import GFNConfig
from gfx_core.job_context import Deadline

LOCATING = 60_000
"""Subgraphs that are listed to find where to start in a graph."""
CHUNK = 8192
"""Subgraphs of one call of the GNN."""


def listed_in_time(reward: Reward, dag: StateDag, deadline: Deadline, chunk: int = CHUNK) -> StateSpace:
    """All states with log R of each; where time is over before, those of fewer nodes, and of two at least."""
    nodes, found, done = torch.from_numpy(dag.subsets).to(reward.predictor.device), [], 0
    needed = int(dag.level_ptr[min(2, dag.num_levels)])
    for part in nodes.split(chunk):
        if deadline.over and done >= needed:
            break
        found.append(reward(part, torch.zeros_like(part[:, 0])))
        done += len(part)
    log_reward: Doubles = torch.cat(found).double().cpu().numpy()
    if not np.isfinite(log_reward).all():
        raise UserError("The GNN outputs numbers that are too large to compare: scale its features or outputs.")
    if done < dag.num_states:
        dag = dag.up_to(int(np.searchsorted(dag.level_ptr, done, side="right")) - 1)
        log_reward = log_reward[: dag.num_states]
    return StateSpace(dag, log_reward)


@dataclass(frozen=True, eq=False)
class Located:
    """A start node, and what was listed to find it.

    Attributes:
        node: The start node.
        listing: Its own connected subgraphs.
        every: All of them, of whatever start node.
    """

    node: int
    listing: StateSpace | None = None
    every: StateSpace | None = None


def locate(config: GFNConfig, instance: Instance, reward: Reward, most: int, deadline: Deadline) -> Located:
    """The node to start from in a graph where no locator has learnt it: the one with most reward in reach.

    All connected subgraphs are listed; where they are too many, those of fewer nodes. Unless its start node matters to
    the reward, each is asked about once, whatever it starts from.

    Args:
        config: K_M.
        instance: The instance.
        reward: What a subgraph is worth.
        most: Subgraphs that may be asked about.
        deadline: When the node is to be known; else it is the one with the most neighbours.
    """
    size = config.max_nodes
    while size > 1 and not deadline.over:
        try:
            every = enumerate_sets(instance, size, cap=most)
        except TooManyStates as error:
            size = error.fits
            continue
        if reward.rooted and int(every.size.sum()) > most:  # each is evaluated from each of its nodes
            size -= 1
            continue
        if reward.rooted:
            nodes = range(instance.num_nodes)
            listings = [listed_in_time(reward, enumerate_states(instance, n, size, most), deadline) for n in nodes]
            start = first_best([float(each.log_z[0]) for each in listings])
            return Located(start, listings[start])
        found = listed_in_time(reward, every, deadline)
        start = most_in_reach(found)
        return Located(start, listed_from(instance, found, start), found)
    degree = np.bincount(instance.edge_index[0], minlength=instance.num_nodes)
    return Located(int(degree.argmax()))  # a huge graph: where most is near


def start_of(loaded: Subject) -> int:
    """The node that the explanation of a prediction starts at, by what the GNN itself predicts from fragments."""
    known = loaded.question.start if loaded.instance.target is None else loaded.instance.target
    if known is not None:
        return known
    predictor = loaded.predictor("cpu")
    if loaded.policy is not None:
        return SubgraphSampler(loaded.policy, predictor, loaded.instance).locate()
    config = changed_config(loaded.config, **loaded.question.changes)
    return locate(config, loaded.instance, Reward(predictor, config.reward), LOCATING, Deadline()).node
