"""A GFlowNet without a network: one free log-flow for each edge of the state DAG.

With nothing to generalise, what is learned depends on the objective alone. So this is where to see what flow matching
and trajectory balance converge to, which parents matter (the paper's ablations), and how far a state is from balance
while it is learned. It trains in about a second and can be stopped, watched or drawn after any step.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor, nn

from gfx_core.datasets.graph import Ints
from gfx_core.errors import UserError
from gfx_core.gfn import exact
from gfx_core.gfn.config import Loss, Parents, Stop
from gfx_core.gfn.descent import descend
from gfx_core.gfn.exact import Doubles
from gfx_core.gfn.losses import flow_matching_loss, log_out_flow, masked_logsumexp, trajectory_balance_loss
from gfx_core.gfn.state_dag import StateDag, TooManyStates

MAX_TABLE = 1 << 24
"""The most cells of a table of states by actions."""


@dataclass(frozen=True)
class TabularConfig:
    """How a table of flows is trained; the entries shared with GFNConfig mean the same.

    Attributes:
        loss: What training makes small; there is one start node, so both kinds of log Z are one number.
        parents: Which parents count.
        stop: Where STOP's flow comes from.
        full: Whether each step looks at all states. If not, only at those on sampled trajectories.
        epsilon: Share of sampled actions drawn uniformly.
        epochs: Gradient steps.
        batch_size: Trajectories sampled in a step.
        lr: Adam's learning rate, annealed by a cosine; the linear loss on samples wants a small one, 0.03.
        lr_log_z: Learning rate of log Z in trajectory balance.
        seed: Of the trajectories.
    """

    loss: Loss = Loss.FLOW_MATCHING
    parents: Parents = Parents.VALID
    stop: Stop = Stop.REWARD
    full: bool = True
    epsilon: float = 0.1
    epochs: int = 400
    batch_size: int = 128
    lr: float = 0.3
    lr_log_z: float = 0.2
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.epsilon <= 1:
            raise UserError(f"ε must lie between 0 and 1 (got {self.epsilon}).")
        if self.epochs < 1 or self.batch_size < 1:
            raise UserError("epochs and batch_size must be at least 1.")


@dataclass(frozen=True)
class Paths:
    """B trajectories in lockstep, padded with S (states) and E (edges)."""

    states: Tensor  # [T, B]
    edges: Tensor  # [T - 1, B]
    terminal: Tensor  # [B]


class TabularPolicy(nn.Module):
    """One log-flow for each edge of the DAG, and what belongs to it, on the CPU.

    Args:
        dag: The states.
        log_reward: Of each state, finite. [S]
        parents: Which parents count as in-flow. GRAPH adds a free parameter for each removal that disconnects
            the set: a flow that comes from nowhere.
        stop: LEARNED adds a parameter for each state; otherwise F(s→STOP) is R(s).

    Attributes:
        log_edge: Log-flow of each edge. [E]
        log_phantom: Log-flow from each parent that is no state. [H]
        log_stop_free: Log-flow to STOP, if it is learned. [S]
        log_z: For trajectory balance. []
    """

    log_reward: Tensor
    log_backward: Tensor
    _out_edges: Tensor
    _in_edges: Tensor
    _edge_of: Tensor
    _leads_to: Tensor
    _child: Tensor
    _parent: Tensor
    _num_parents: Tensor

    def __init__(
        self, dag: StateDag, log_reward: ArrayLike, parents: Parents = Parents.VALID, stop: Stop = Stop.REWARD
    ) -> None:
        super().__init__()
        S, E = dag.num_states, dag.num_edges
        reward = torch.tensor(np.asarray(log_reward), dtype=torch.float64)  # [S]
        if reward.shape != (S,) or not bool(reward.isfinite().all()):
            raise ValueError(f"log_reward must be {S} finite numbers, one for each state (got {list(reward.shape)})")
        phantoms = np.where(parents is Parents.GRAPH, dag.size - 1 - dag.num_parents, 0)  # [S]
        owner = np.concatenate([dag.child, np.repeat(np.arange(S), phantoms)])  # [E + H], whose in-flow each is
        if S * max(int(dag.num_children.max()), int(np.bincount(owner, minlength=1).max())) > MAX_TABLE:
            raise TooManyStates(f"A table of {S:,} states and their actions is too large: lower K_M.")
        self.dag, self.parents, self.stop = dag, parents, stop
        # Begin high: a flow far below the others of its state gets hardly any gradient in log space, so it would not
        # come up. Beginning at the best reward, not at 0, also makes the scale of the rewards immaterial.
        top = reward.max()
        self.log_edge = nn.Parameter(top.repeat(E))
        self.log_phantom = nn.Parameter(top.repeat(int(phantoms.sum())))
        self.log_stop_free = nn.Parameter(top.repeat(S)) if stop is Stop.LEARNED else None
        self.log_z = nn.Parameter(top.clone())

        ways = {Parents.VALID: dag.num_parents, Parents.SEQUENCE: np.ones_like(dag.size), Parents.GRAPH: dag.size - 1}
        tables = {
            "log_reward": reward,
            "log_backward": -torch.tensor(ways[parents][dag.child], dtype=torch.float64).log(),  # [E], log P_B
            "_out_edges": _table(dag.parent, S, pad=E + len(self.log_phantom)),  # [S, A]
            "_in_edges": _table(owner, S, pad=E + len(self.log_phantom)),  # [S, P]
            "_edge_of": _table(dag.parent, S + 1, pad=E, more=1),  # [S + 1, A + 1], the last column is STOP
            "_child": torch.from_numpy(dag.child),
            "_parent": torch.from_numpy(dag.parent),
            "_num_parents": torch.from_numpy(dag.num_parents),
        }
        for name, table in tables.items():
            self.register_buffer(name, table, persistent=False)
        self.register_buffer("_leads_to", torch.cat([self._child, torch.tensor([S])])[self._edge_of], persistent=False)

    @property
    def log_stop(self) -> Tensor:
        """Log-flow of each state to STOP. [S]"""
        return self.log_reward if self.log_stop_free is None else self.log_stop_free

    def _padded(self) -> Tensor:
        nowhere = self.log_edge.new_full((1,), -torch.inf)
        return torch.cat([self.log_edge, self.log_phantom, nowhere])  # [E + H + 1]

    def log_out(self) -> Tensor:
        """Log of what leaves each state, STOP included. [S]"""
        return log_out_flow(_rows(self._padded(), self._out_edges), self.log_stop)

    def log_in(self) -> Tensor:
        """Log of what comes to each state from the parents that count; −inf at the start. [S]"""
        return masked_logsumexp(_rows(self._padded(), self._in_edges))

    def log_steps(self) -> tuple[Tensor, Tensor]:
        """log P_F of each edge, and of STOP in each state. [E], [S]"""
        log_out = self.log_out()
        return self.log_edge - log_out[self._parent], self.log_stop - log_out

    @torch.no_grad()
    def terminal_distribution(self) -> Doubles:
        """log P(stop at s), exactly. [S]"""
        return exact.terminal_distribution_from_edges(self.dag, self.log_edge.numpy(), self.log_stop.detach().numpy())

    @torch.no_grad()
    def sample(self, count: int, generator: torch.Generator, epsilon: float = 0.0) -> Paths:
        """Samples trajectories in lockstep; a share of `epsilon` of the actions is drawn uniformly."""
        S, A = self._out_edges.shape
        flows = torch.cat([_rows(self._padded(), self._out_edges), self.log_stop[:, None]], 1)  # [S, A + 1]
        there = flows > -torch.inf
        chance = (1 - epsilon) * flows.softmax(1) + epsilon * there / there.sum(1, keepdim=True)  # [S, A + 1]
        up_to = nn.functional.pad(chance.cumsum(1), (0, 0, 0, 1), value=2.0)  # [S + 1, A + 1], row S: after STOP
        luck = torch.rand(self.dag.num_levels, count, 1, dtype=torch.float64, generator=generator)  # [L, B, 1]
        state = torch.zeros(count, dtype=torch.long)
        states, edges = [state], []
        for draw in luck:
            action = (up_to[state] <= draw).sum(1).clamp(max=A)  # [B]
            edges.append(self._edge_of[state, action])
            state = self._leads_to[state, action]
            states.append(state)
        visited = torch.stack(states)  # [L + 1, B]
        last = (visited < S).sum(0) - 1  # [B]
        return Paths(visited, torch.stack(edges), visited.gather(0, last[None])[0])

    @torch.no_grad()
    def sample_back(self, terminal: Tensor, generator: torch.Generator) -> Paths:
        """Samples a trajectory to each of the given states, going back to a random valid parent at every step."""
        S, E = self.dag.num_states, self.dag.num_edges
        parent_of = torch.cat([self._parent, torch.tensor([S])])  # [E + 1]
        luck = torch.rand(max(self.dag.num_levels - 1, 1), len(terminal), dtype=torch.float64, generator=generator)
        state, states, edges = terminal, [terminal], []
        for draw in luck:
            at = state.clamp(max=S - 1)
            which = (draw * self._num_parents[at]).long()  # a valid parent: phantoms come after them in the table
            going = (state < S) & (self._num_parents[at] > 0)
            edges.append(torch.where(going, self._in_edges[at, which], E))
            state = parent_of[edges[-1]]
            states.append(state)
        return Paths(torch.stack(states), torch.stack(edges), terminal)


def _table(owner: Ints, rows: int, pad: int, more: int = 0) -> Tensor:
    """The positions at which each row is the owner, padded. [n] → [rows, most + more]"""
    count = np.bincount(owner, minlength=rows)
    order = np.argsort(owner, kind="stable")
    table = np.full((rows, max(int(count.max()), 1) + more), pad, dtype=np.int64)
    table[owner[order], np.arange(len(owner)) - (np.cumsum(count) - count)[owner[order]]] = order
    return torch.from_numpy(table)


def _rows(values: Tensor, table: Tensor) -> Tensor:
    return values.index_select(0, table.flatten()).view(table.shape)


def _mean(values: Tensor, weights: Tensor) -> Tensor:
    return (values * weights).sum() / weights.sum().clamp(min=1)


def objective(policy: TabularPolicy, config: TabularConfig, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """The loss, and how far the two sides that it compares are apart in log space, one by one.

    A state that was visited n times counts n times, so the sampled loss is the full one with other weights.
    """
    dag = policy.dag
    if config.loss.is_trajectory_balance:
        if config.full:
            paths = policy.sample_back(torch.arange(dag.num_states), generator)
        else:
            paths = policy.sample(config.batch_size, generator, config.epsilon)
        log_step, log_stop = policy.log_steps()
        none = log_step.new_zeros(1)
        log_forward = _rows(torch.cat([log_step, none]), paths.edges).sum(0) + log_stop[paths.terminal]  # [B]
        log_backward = _rows(torch.cat([policy.log_backward, none]), paths.edges).sum(0)  # [B]
        losses = trajectory_balance_loss(policy.log_z, log_forward, log_backward, policy.log_reward[paths.terminal])
        return losses.mean(), losses.detach().sqrt()

    linear = config.loss is Loss.FLOW_MATCHING_LINEAR
    states, edges = torch.ones(dag.num_states), torch.ones(dag.num_edges)  # how often each counts
    if not config.full:
        paths = policy.sample(config.batch_size, generator, config.epsilon)
        states = paths.states.flatten().bincount(minlength=dag.num_states + 1)[:-1]
        edges = paths.edges.flatten().bincount(minlength=dag.num_edges + 1)[:-1]
    log_out, log_in = policy.log_out(), policy.log_in()
    if config.parents is Parents.SEQUENCE:
        log_in, log_out, weights = policy.log_edge, log_out[policy._child], edges
    else:
        log_in, log_out, weights = log_in[1:], log_out[1:], states[1:]  # nothing flows into the start
    loss = _mean(flow_matching_loss(log_in, log_out, linear), weights)
    if config.stop is Stop.LEARNED:
        loss = loss + _mean(flow_matching_loss(policy.log_stop, policy.log_reward, linear), states)
    return loss, (log_in - log_out).detach()


def limit_distribution(dag: StateDag, log_reward: ArrayLike, loss: Loss, parents: Parents) -> Doubles | None:
    """log P(stop at s) once the loss is zero; None where the loss does not decide it. [S] → [S]

    With one parent each *order* of adding nodes is a state of its own. With all |s| − 1 removals as parents,
    trajectory balance hands out shares to parents that do not exist; flow matching lets them give any flow.
    """
    if parents is Parents.VALID:
        return exact.target_distribution(log_reward)
    if parents is Parents.SEQUENCE:
        return exact.sequence_distribution(dag, log_reward)
    if not loss.is_trajectory_balance:
        return None
    log_factorial = np.cumsum(np.log(np.maximum(np.arange(dag.num_levels), 1)))  # [L], of 0 … L - 1
    return exact.target_distribution(np.asarray(log_reward) + exact.orderings(dag) - log_factorial[dag.size - 1])


@dataclass(frozen=True, eq=False)
class TabularStep:
    """Where training stands after some steps.

    Attributes:
        step: Gradient steps so far.
        loss: What the next step would make smaller.
        residual: Root mean square, in log space, of what the loss compares: in-flow and out-flow over all states,
            each counting alike however unlikely; in trajectory balance both sides over the step's trajectories.
        total_variation: Between the distribution that the flows stop with and R/Z.
        log_edge_flow: A copy of the flows. [E]
        log_stop: A copy of the flows to STOP. [S]
        policy: The policy itself, which goes on changing.
    """

    step: int
    loss: float
    residual: float
    total_variation: float
    log_edge_flow: Doubles
    log_stop: Doubles
    policy: TabularPolicy


def iterate_tabular(
    dag: StateDag, log_reward: ArrayLike, config: TabularConfig | None = None, every: int = 10
) -> Iterator[TabularStep]:
    """Trains step by step and says every now and then where it stands.

    Args:
        dag: The states.
        log_reward: Of each state. [S]
        config: How.
        every: Steps from one yield to the next; the beginning and the end are always among them.
    """
    config = config or TabularConfig()
    policy = TabularPolicy(dag, log_reward, config.parents, config.stop)
    generator = torch.Generator().manual_seed(config.seed)
    log_target = exact.target_distribution(log_reward)
    flows = [parameter for name, parameter in policy.named_parameters() if name != "log_z"]
    groups = [{"params": flows, "lr": config.lr}, {"params": [policy.log_z], "lr": config.lr_log_z}]
    apart = torch.empty(0)

    def compared() -> Tensor:
        nonlocal apart
        loss, apart = objective(policy, config, generator)
        return loss

    for step, loss in descend(groups, compared, config.epochs):
        if step % every == 0 or step == config.epochs:
            residual = apart.square().mean().sqrt().item() if len(apart) else 0.0
            distance = exact.total_variation(policy.terminal_distribution(), log_target)
            edge, stop = (values.detach().numpy().copy() for values in (policy.log_edge, policy.log_stop))
            yield TabularStep(step, loss, residual, distance, edge, stop, policy)
        if not dag.num_edges:
            return


def train_tabular(
    dag: StateDag,
    log_reward: ArrayLike,
    config: TabularConfig | None = None,
    on_step: Callable[[TabularStep], None] | None = None,
    cancel: Callable[[], bool] | None = None,
    every: int = 10,
) -> TabularPolicy:
    """Trains to the end, or until `cancel` says so; both are asked every so many steps."""
    for step in iterate_tabular(dag, log_reward, config, every):
        if on_step is not None:
            on_step(step)
        if cancel is not None and cancel():
            break
    return step.policy
