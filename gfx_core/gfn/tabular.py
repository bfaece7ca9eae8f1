"""A free log-flow for each edge of a listed state space, and training them.

With all states listed every reward is known, and one pass gives the flows of all states. A table has nothing to
generalise, so what it learns depends on the objective alone.
"""

import math

import numpy as np
import torch
from torch import Tensor, nn

from gfx_core.arrays import Doubles
from gfx_core.errors import UserError
from gfx_core.exact.paths import DagPaths, Paths
from gfx_core.exact.state_space import StateSpace
from gfx_core.gfn.objectives import OBJECTIVES, FlowObjective, LossTerms, Visited, log_out_flow, masked_logsumexp
from gfx_core.gfn.settings import FlowModel, GFNConfig, LearnsFrom, Loss, Parents, RewardConfig, Stop
from gfx_core.gfn.trainer import FlowTrainer

HUNDRED = math.log(100)
"""Log of what the control `Loss.FIRST_CHILD` multiplies rewards by."""
TABULAR = GFNConfig(
    flow_model=FlowModel.TABLE,
    reward=RewardConfig(1.0),
    delta=None,
    epochs=400,
    batch_size=128,
    lr=0.3,
    lr_log_z=0.2,
)
"""How a table of flows is trained; its rewards come with its states. There is one start node, so both kinds of log Z
are one number; the linear loss on samples wants a small learning rate, 0.03."""


class TableFlows(nn.Module):
    """One free log-flow for each edge of the states of one instance, in double precision and on the CPU.

    Args:
        space: All states with their rewards, which are finite.
        config: Which parents count as in-flow; whether STOP, and P_B, have parameters of their own.

    Attributes:
        score: What gives each edge its log-flow. [E]
        log_stop: Log-flow of each state to STOP. [S]
        back: What gives each edge its P_B, by a softmax over the edges to the same state, where that is learned. [E]
    """

    log_stop: Tensor

    def __init__(self, space: StateSpace, config: GFNConfig = TABULAR) -> None:
        super().__init__()
        if config.parents is Parents.GRAPH:
            raise UserError("GFlow-Graph counts parents that are not states: let a network learn it.")
        if not np.isfinite(space.log_reward).all():
            raise ValueError("log_reward must be finite")
        self.config, self.paths = config, DagPaths(space.dag)
        dag = space.dag
        leaving, coming = torch.from_numpy(self.paths.leaving), torch.from_numpy(self.paths.coming)
        self._leaving, self._coming = leaving, coming
        self._parent, self._child = torch.from_numpy(dag.parent), torch.from_numpy(dag.child)
        self._size = torch.from_numpy(dag.size)
        # Begin high: a flow far below the others of its state gets hardly any gradient in log space, so it would not
        # come up. Beginning at the best reward, not at 0, also makes the scale of the rewards immaterial.
        top = torch.tensor(space.log_reward.max())
        first_child = config.loss is Loss.FIRST_CHILD
        self.score = nn.Parameter((top * 0 if first_child else top).repeat(dag.num_edges))
        if config.stop is Stop.LEARNED:
            self.log_stop = nn.Parameter(top.repeat(dag.num_states))
        if config.learned_backward:
            self.back = nn.Parameter(torch.zeros(dag.num_edges, dtype=torch.float64))
        self.set_reward(space)

    def set_reward(self, space: StateSpace) -> None:
        """Take the rewards of a space with the same states; STOP's flow follows, where it is not learned."""
        self.space, self.log_reward = space, torch.tensor(space.log_reward)
        if self.config.stop is Stop.REWARD:
            self.log_stop = self.log_reward + (HUNDRED if self.config.loss is Loss.FIRST_CHILD else 0.0)

    @property
    def log_edge(self) -> Tensor:
        """Log-flow of each edge; of the control, the probability of going on. [E]"""
        if self.config.loss is not Loss.FIRST_CHILD:
            return self.score
        return self.score - masked_logsumexp(_padded(self.score)[self._leaving])[self._parent]

    @property
    def log_back(self) -> Tensor:
        """log P_B of each edge. [E]"""
        if self.config.learned_backward:
            return self.back - masked_logsumexp(_padded(self.back)[self._coming])[self._child]
        if self.config.parents is Parents.SEQUENCE:
            return torch.zeros_like(self.score)
        return -torch.from_numpy(self.space.num_parents)[self._child].double().log()

    def log_out(self) -> Tensor:
        """Log of what leaves each state, STOP included. [S]"""
        return log_out_flow(_padded(self.log_edge)[self._leaving], self.log_stop)

    @torch.no_grad()
    def flows(self) -> tuple[Doubles, Doubles]:
        """The log-flow along each edge, and from each state to STOP. [E], [S]"""
        return self.log_edge.numpy(), self.log_stop.detach().numpy()

    def total_variation(self) -> float:
        """How far where these flows stop is from R/Z."""
        return self.space.total_variation(self.space.walk(*self.flows()).stop)

    def visited(self, paths: Paths | None) -> Visited:
        """The states of trajectories with their flows.

        Without trajectories it is every state once, or with GFlow-Sequence every way to get to one: what flow matching
        looks at all at once.
        """
        S, E, sequence = self.space.num_states, self.space.num_edges, self.config.parents is Parents.SEQUENCE
        # of each state the edges into it and out of it that a trajectory takes, E where there is none. [N] each
        if paths is None:
            state, into = torch.arange(S), torch.full_like(self._size, E)
            if sequence:
                state, into = (nn.functional.pad(edge, (1, 0)) for edge in (self._child, torch.arange(E)))
            trajectory, leaving = torch.arange(len(state)), torch.full_like(state, E)
        else:
            states, edges = torch.from_numpy(paths.states.T.copy()), torch.from_numpy(paths.edges.T.copy())  # [B, T]
            edges = nn.functional.pad(edges, (0, 1), value=E)
            trajectory, column = (states < S).nonzero(as_tuple=True)
            state, leaving = states[trajectory, column], edges[trajectory, column]
            into = edges.roll(1, 1)[trajectory, column].where(self._size[state] > 1, E)
        log_edge, log_stop, moved = _padded(self.log_edge), self.log_stop[state], self._size[state] > 1
        log_in = log_edge[into] if sequence else masked_logsumexp(log_edge[self._coming])[state]
        start = torch.zeros(int(trajectory[-1]) + 1, dtype=torch.long)
        return Visited(
            trajectory=trajectory,
            size=self._size[state],
            log_reward=self.log_reward[state],
            log_stop=log_stop,
            log_taken=torch.where(leaving < E, log_edge[leaving], log_stop),
            log_in=log_in.where(moved, 0.0),
            log_out=self.log_out()[state],
            log_back=_padded(self.log_back)[into].where(moved, 0.0),
            start=start,
            features=torch.ones(len(start), 1),
            has_stop_head=self.config.stop is Stop.LEARNED,
            log_first=log_edge[self._leaving[state, 0]],
        )


def _padded(values: Tensor) -> Tensor:
    """With −∞ at the end: what padding points to."""
    return torch.cat([values, values.new_full((1,), -torch.inf)])


class TableTrainer(FlowTrainer):
    """Trains a table of flows: an epoch is one step.

    Args:
        space: All states with their rewards.
        config: The loss, how trajectories are sampled, the learning rates; whether each step looks at all states: flow
            matching at each once, a balance along a trajectory to each, walked back.
        objective: What is made small; by default that of the configuration's loss. Trainings that share one learn one
            log Z together.
    """

    def __init__(self, space: StateSpace, config: GFNConfig = TABULAR, objective: FlowObjective | None = None) -> None:
        self.table = TableFlows(space, config)
        self.objective = objective or OBJECTIVES[config.loss](config, 1)
        self.objective.begin_at(float(space.log_reward.max()))
        modules = nn.ModuleDict({"policy": self.table, "objective": self.objective})
        super().__init__(modules, config, torch.device("cpu"))

    def set_reward(self, space: StateSpace) -> None:
        """Go on under another reward of the same states."""
        self.table.set_reward(space)
        self.objective.forget_rewards()
        self.forget_losses()

    def sample(self, number: int, generator: torch.Generator) -> Paths | None:
        """The trajectories of a step; none where flows are matched everywhere."""
        paths, config, dag = self.table.paths, self.config, self.table.space.dag
        everywhere = config.learns_from is LearnsFrom.ALL
        if everywhere and config.loss.matches_flows:
            return None
        steps = max(dag.num_levels - 1, 1) if everywhere else dag.num_levels
        count = dag.num_states if everywhere else config.batch_size
        noise = torch.rand(steps, count, dtype=torch.float64, generator=generator).numpy()
        if everywhere:
            return paths.sample_back(np.arange(count), noise)
        return paths.sample(*self.table.flows(), noise, config.epsilon)

    def terms(self, sampled: Paths | None) -> LossTerms:
        return self.objective.terms(self.table.visited(sampled))

    @torch.no_grad()
    def log_z(self) -> float:
        """What is taken for log Z: a parameter, or what leaves the start."""
        log_z = self.objective.log_z(torch.ones(1, 1))
        return float(self.table.log_out()[0] if log_z is None else log_z)
