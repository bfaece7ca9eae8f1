"""NetworkFlows: a policy network's flows on a listed state DAG, where a training on one instance is quick.

A trajectory that is sampled with a network asks it for flows, and the GNN for a reward, in every step. Where the states
are listed all rewards are known, and one pass of the network gives the flows of all states: trajectories, the loss on
what they visit, and what is exactly true of the policy all follow from that table.
"""

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor, nn

from gfx_core.gfn.dag_flows import DagFlows
from gfx_core.gfn.instances import Episodes, FlowGraphs
from gfx_core.gfn.pairs import Pairs
from gfx_core.gfn.policy import FlowPolicy
from gfx_core.gfn.settings import Parents, Stop
from gfx_core.gfn.state_dag import StateDag
from gfx_core.gfn.states import States


class NetworkFlows(DagFlows):
    """The flows of a policy on the edges of a DAG, on the CPU; :meth:`refresh` computes them anew.

    Args:
        policy: The network; its K_M is the DAG's.
        graphs: The instance as it sees it, alone.
        dag: All states.
        log_reward: Of each state, finite. [S]
        parents: Which parents count as in-flow; of one that is no state the network is asked for its flow all the same.
        log_z: What trajectory balance takes for log Z, from the start node's features; by default what leaves the
            start.
    """

    def __init__(
        self,
        policy: FlowPolicy,
        graphs: FlowGraphs,
        dag: StateDag,
        log_reward: ArrayLike,
        parents: Parents = Parents.VALID,
        log_z: nn.Module | None = None,
    ) -> None:
        super().__init__(dag, log_reward, parents)
        self.policy, self.log_z_of = policy, log_z
        self._episodes = Episodes.of(graphs, np.zeros(1, np.int64), np.array([dag.start]))
        self._start = graphs.features[[dag.start]]  # [1, f]
        members = torch.from_numpy(dag.members)  # [S, m]
        episode = torch.zeros(dag.num_states, dtype=torch.long)
        self._states = States.of_sets(self._episodes, episode, members, policy.max_nodes)
        self._out = Pairs(self._parent, torch.from_numpy(dag.node), None, (dag.num_states, dag.num_nodes))
        self._inside = Pairs.of(members)
        self._phantoms: Pairs | None = None
        if self.num_phantoms:
            there = members.clone()  # members whose removal gives no state
            there[self._child, torch.from_numpy(dag.node)] = False
            there[:, dag.start] = False
            self._phantoms = Pairs.of(there)
        self._log_stop = self.log_reward
        self.refresh()

    @property
    def log_stop(self) -> Tensor:
        return self._log_stop

    def refresh(self) -> None:
        """Ask the network about all states, as its weights are now."""
        out, phantoms = self._out, self._phantoms
        encoded = self.policy.encode(self._episodes)
        flows = self.policy.at_pairs(encoded, self._states, out, phantoms, self._inside)
        self.log_edge = flows.log_out[out.state, out.node].double()
        if phantoms is None:
            self.log_phantom = self.log_edge[:0]
        else:
            assert flows.log_in is not None
            self.log_phantom = flows.log_in[phantoms.state, phantoms.node].double()
        if self.policy.stop is Stop.LEARNED:
            assert flows.log_stop is not None
            self._log_stop = flows.log_stop.double()
        self.log_z = self.log_out()[0] if self.log_z_of is None else self.log_z_of(self._start)[0].double()
