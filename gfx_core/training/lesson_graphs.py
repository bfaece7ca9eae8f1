"""The graphs on which lessons train, with rewards that nobody has to compute. It needs no torch."""

from enum import StrEnum

import numpy as np

from gfx_core.datasets.instance import Instance
from gfx_core.errors import UserError
from gfx_core.gfn.exact import Doubles
from gfx_core.gfn.state_dag import StateDag
from gfx_core.training.toy import small_instance, state_name, toy_instance, toy_rewards


class Practice(StrEnum):
    """A graph with rewards."""

    TOY = "toy"
    TWO_MODES = "two-modes"


TITLES = {Practice.TOY: "The triangle with a tail", Practice.TWO_MODES: "Two good ends"}

TWO_MODES_EDGES = ((0, 1), (0, 2), (2, 3), (3, 4))
TWO_MODES_POSITIONS = ((1.0, 0.0), (0.0, 0.0), (2.0, 0.0), (3.0, 0.0), (4.0, 0.0))
NEAR, FAR = "ab", "acde"
"""The two modes: one node from the start, and three nodes from it on the other side."""

FIRST_FLOW = 0.05
"""Every flow of lesson 4 at the beginning: a learner that believes there is little to find where it has not been."""


def checked_practice(name: str) -> Practice:
    """A practice graph by its name."""
    if name not in list(Practice):
        raise UserError(f"There is no practice graph “{name[:60]}”: choose one of {', '.join(Practice)}.")
    return Practice(name)


def practice_instance(practice: Practice) -> Instance:
    """The graph."""
    if practice is Practice.TOY:
        return toy_instance()
    return small_instance(TWO_MODES_EDGES, TWO_MODES_POSITIONS)


def practice_rewards(practice: Practice, instance: Instance, dag: StateDag) -> Doubles:
    """R of each state. [S]"""
    if practice is Practice.TOY:
        return toy_rewards(instance, dag)
    names = [state_name(instance, dag, state) for state in range(dag.num_states)]
    return np.array([10.0 if name in (NEAR, FAR) else 1.0 for name in names])
