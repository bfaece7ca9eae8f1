"""Exact flows on a listed state space: no network, no training, no residual.

Of all flows that end as R, this is the one that comes to every state from all its valid parents in equal shares:
F(s) = R(s) + Σ F(s → s∪{a}), and F(s∖{u} → s) = F(s) / (number of valid parents of s).
"""

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray

from gfx_core.arrays import first_best
from gfx_core.datasets.graph import Ints
from gfx_core.gfn import exact
from gfx_core.gfn.dag_flows import DagFlows, Paths
from gfx_core.gfn.exact import Doubles
from gfx_core.gfn.state_dag import StateDag

Bools = NDArray[np.bool_]


class ExactFlows(DagFlows):
    """The uniform backward flow of a reward, in double precision.

    Sampling goes forwards from the start node, as with any policy; it stops at s with probability R(s)/Z.

    Args:
        dag: All states.
        log_reward: Of each state, finite. [S]
    """

    def __init__(self, dag: StateDag, log_reward: ArrayLike) -> None:
        super().__init__(dag, log_reward)
        log_state, log_edge = exact.uniform_backward_flows(dag, log_reward)
        self.log_edge = torch.from_numpy(log_edge)  # [E]
        self.log_phantom = torch.zeros(0, dtype=torch.float64)
        self.log_z = torch.tensor(log_state[0])  # []

    def greedy(self, count: int) -> Paths:
        """The trajectory that always takes the action of largest flow, so many times."""
        S, E, dag = self.dag.num_states, self.dag.num_edges, self.dag
        flow, stop = self.log_edge.numpy(), self.log_stop.numpy()
        states, edges = [0], [E] * dag.num_levels
        for step in range(dag.num_levels):
            first, last = dag.out_ptr[states[-1] : states[-1] + 2].tolist()
            best = first + first_best(flow[first:last]) if last > first else E
            if best == E or flow[best] <= stop[states[-1]]:
                break
            edges[step] = best
            states.append(int(dag.child[best]))
        terminal = states[-1]
        states += [S] * (dag.num_levels + 1 - len(states))

        def repeated(values: list[int]) -> torch.Tensor:
            return torch.tensor(values)[:, None].expand(-1, count)

        return Paths(repeated(states), repeated(edges), torch.full((count,), terminal))

    def log_forward(self, paths: Paths) -> Doubles:
        """Log-probability of trajectories, STOP included. [B]"""
        log_step, log_stop = self.log_steps()
        taken = torch.cat([log_step, log_step.new_zeros(1)])[paths.edges].sum(0)  # nothing happens after STOP
        return (taken + log_stop[paths.terminal]).numpy()

    def orders(self, paths: Paths, width: int) -> Ints:
        """The nodes of trajectories in order of addition, padded with -1. [B, width]"""
        nodes = np.append(self.dag.node, -1)[paths.edges.numpy()].T  # [B, L]; the last step adds nothing
        result = np.full((len(nodes), width), -1, dtype=np.int64)
        result[:, 0] = self.dag.start
        steps = min(width - 1, nodes.shape[1])
        result[:, 1 : 1 + steps] = nodes[:, :steps]
        return result

    def around(self, states: Ints) -> tuple[Doubles, Doubles]:
        """log F(s → s∪{a}) and log F(s∖{u} → s) of some states, by node; −∞ where there is none. [T] → [T, m] twice"""
        dag, flow = self.dag, self.log_edge.numpy()
        log_out = np.full((len(states), dag.num_nodes), -np.inf)
        log_in = np.full_like(log_out, -np.inf)
        for row, state in enumerate(states.tolist()):
            leaving = slice(*dag.out_ptr[state : state + 2].tolist())
            log_out[row, dag.node[leaving]] = flow[leaving]
            coming = np.flatnonzero(dag.child == state)
            log_in[row, dag.node[coming]] = flow[coming]
        return log_out, log_in
