"""What of an instance's connected subgraphs is listed in time, and where an explanation starts. Needs torch."""

from typing import NamedTuple

import numpy as np

from gfx_core.datasets.instance import Instance
from gfx_core.exact.enumeration import TooManyStates, enumerate_sets
from gfx_core.exact.state_space import StateSpace
from gfx_core.explanation.samplers import reward_states
from gfx_core.explanation.subject import Subject
from gfx_core.gfn.checkpoint import changed_config
from gfx_core.gfn.rewards import Reward
from gfx_core.job_context import Deadline

LISTED = 150_000
"""The most subgraphs that are listed for one prediction."""
LOCATING = 60_000
"""The most that are listed to find where to start in a graph."""
AT_ONCE = 20_000
"""As many are listed within a second, the answer included."""
SMALLEST = 5
"""Where subgraphs of so many nodes cannot be listed, a trained policy gives the flows if there is one."""


class Start(NamedTuple):
    """A start node, and the list of all connected subgraphs that it was found by."""

    node: int
    space: StateSpace | None = None


def locate(instance: Instance, reward: Reward, max_nodes: int, most: int, deadline: Deadline) -> Start:
    """The node to start from in a graph where no locator has learnt it: the one with most reward in reach.

    All connected subgraphs are listed; where they are too many, those of fewer nodes. Each is evaluated once, whatever
    it starts from. A huge graph, or one whose reward depends on the start, starts at the node with most neighbours.

    Args:
        instance: The instance.
        reward: What a subgraph is worth.
        max_nodes: K_M.
        most: Subgraphs that may be evaluated.
        deadline: When the node is to be known.
    """
    while max_nodes > 1 and not (deadline.over or reward.rooted):
        try:
            space = reward_states(reward, enumerate_sets(instance, max_nodes, cap=most), deadline)
        except TooManyStates as error:
            max_nodes = error.fits
        else:
            return Start(space.richest_node, space)
    degree = np.bincount(instance.edge_index[0], minlength=instance.num_nodes)
    return Start(int(degree.argmax()))


def start_of(subject: Subject) -> int:
    """The node that the explanation of a prediction starts at, by what the GNN itself predicts from fragments."""
    instance, question = subject.instance, subject.question
    start = question.start if instance.target is None else instance.target
    if start is not None:
        return start
    predictor = subject.predictor("cpu")
    config = changed_config(subject.config, **question.changes)
    return locate(instance, Reward(predictor, config.reward), config.max_nodes, LOCATING, Deadline()).node
