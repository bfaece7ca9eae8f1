"""The distribution of the set at which a policy stops, from a table with a log-flow to every node."""

import numpy as np
from numpy.typing import ArrayLike

from gfx_core.exact.exact_flows import Doubles, terminal_distribution_from_edges
from gfx_core.exact.state_dag import StateDag


def terminal_distribution(dag: StateDag, log_flows: ArrayLike, log_stop: ArrayLike) -> Doubles:
    """log P(stop at s); only the flows of frontier nodes count. [S, m], [S] → [S]"""
    return terminal_distribution_from_edges(dag, np.asarray(log_flows)[dag.parent, dag.node], log_stop)
