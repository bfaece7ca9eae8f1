"""A GFlowNet without a network: one free log-flow for each edge of the state DAG.

With nothing to generalise, what is learned depends on the objective alone. So this is where to see what flow matching
and trajectory balance converge to, which parents matter (the paper's ablations), and how far a state is from balance
while it is learned. It trains in about a second and can be stopped, watched or drawn after any step.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor, nn

from gfx_core.arrays import first_best
from gfx_core.datasets.graph import Ints
from gfx_core.exact import exact_flows
from gfx_core.exact.exact_flows import Doubles
from gfx_core.exact.state_dag import StateDag, TooManyStates
from gfx_core.gfn.losses import flow_matching_loss, log_out_flow, masked_logsumexp, raised, trajectory_balance_loss
from gfx_core.gfn.settings import GFNConfig, Loss, Parents, Stop

# Flows along the edges of a state DAG, whatever gives them: a free number each, or a network.
#
# Everything that sampling and training ask of the flows follows from their numbers and from tables of the DAG.


MAX_TABLE = 1 << 24
"""The most cells of a table of states by actions."""


@dataclass(frozen=True)
class Paths:
    """B trajectories in lockstep, padded with S (states) and E (edges)."""

    states: Tensor  # [T, B]
    edges: Tensor  # [T - 1, B]
    terminal: Tensor  # [B]


def can_be_tabulated(dag: StateDag, ways_in: int = 0) -> bool:
    """Whether a table with the actions of every state, and the ways into it, is small enough."""
    return dag.num_states * max(int(dag.num_children.max()), ways_in) <= MAX_TABLE


class DagFlows(nn.Module):
    """Log-flows on the edges of a DAG, in double precision and on the CPU.

    Args:
        dag: The states.
        log_reward: Of each state, finite. [S]
        parents: Which parents count as in-flow. GRAPH adds a parent for each removal that disconnects the set: a flow
            that comes from nowhere.

    Attributes:
        log_stop: Log-flow of each state to STOP: the reward, where the subclass sets no other. [S]
        log_edge: Log-flow of each edge; the subclass sets it. [E]
        log_phantom: Log-flow from each parent that is no state; the subclass sets it. [H]
        log_z: For trajectory balance; the subclass sets it. []
    """

    log_stop: Tensor
    log_edge: Tensor
    log_phantom: Tensor
    log_z: Tensor

    def __init__(self, dag: StateDag, log_reward: ArrayLike, parents: Parents = Parents.VALID) -> None:
        super().__init__()
        S, E = dag.num_states, dag.num_edges
        reward = torch.tensor(np.asarray(log_reward), dtype=torch.float64)  # [S]
        if reward.shape != (S,) or not bool(reward.isfinite().all()):
            raise ValueError(f"log_reward must be {S} finite numbers, one for each state (got {list(reward.shape)})")
        phantoms = np.where(parents is Parents.GRAPH, dag.size - 1 - dag.num_parents, 0)  # [S]
        owner = np.concatenate([dag.child, np.repeat(np.arange(S), phantoms)])  # [E + H], whose in-flow each is
        if not can_be_tabulated(dag, int(np.bincount(owner, minlength=1).max())):
            raise TooManyStates(f"A table of {S:,} states and their actions is too large: allow fewer nodes.")
        self.dag, self.parents, self.num_phantoms = dag, parents, int(phantoms.sum())
        ways = {Parents.VALID: dag.num_parents, Parents.SEQUENCE: np.ones_like(dag.size), Parents.GRAPH: dag.size - 1}
        self.log_reward = self.log_stop = reward
        self.log_backward = -torch.tensor(ways[parents][dag.child], dtype=torch.float64).log()  # [E], log P_B
        self._out_edges = _table(dag.parent, S, pad=E + self.num_phantoms)  # [S, A]
        self._in_edges = _table(owner, S, pad=E + self.num_phantoms)  # [S, P]
        self._edge_of = _table(dag.parent, S + 1, pad=E, more=1)  # [S + 1, A + 1], the last column is STOP
        self._child, self._parent = torch.from_numpy(dag.child), torch.from_numpy(dag.parent)
        self._num_parents = torch.from_numpy(dag.num_parents)
        self._leads_to = torch.cat([self._child, torch.tensor([S])])[self._edge_of]

    def _padded(self) -> Tensor:
        nowhere = self.log_edge.new_full((1,), -torch.inf)
        return torch.cat([self.log_edge, self.log_phantom, nowhere])  # [E + H + 1]

    def log_out(self) -> Tensor:
        """Log of what leaves each state, STOP included. [S]"""
        return log_out_flow(rows(self._padded(), self._out_edges), self.log_stop)

    def log_in(self) -> Tensor:
        """Log of what comes to each state from the parents that count; −inf at the start. [S]"""
        return masked_logsumexp(rows(self._padded(), self._in_edges))

    def log_forward(self, paths: Paths) -> Tensor:
        """log P_F of trajectories, STOP included. [B]"""
        log_out = self.log_out()
        log_step = self.log_edge - log_out[self._parent]  # [E]
        taken = rows(torch.cat([log_step, log_step.new_zeros(1)]), paths.edges).sum(0)  # nothing happens after STOP
        return taken + (self.log_stop - log_out)[paths.terminal]

    @torch.no_grad()
    def terminal_distribution(self) -> Doubles:
        """log P(stop at s), exactly. [S]"""
        return exact_flows.walk(self.dag, self.log_edge.detach(), self.log_stop.detach())[1]

    @torch.no_grad()
    def sample(self, count: int, generator: torch.Generator, epsilon: float = 0.0) -> Paths:
        """Samples trajectories in lockstep; a share of `epsilon` of the actions is drawn uniformly."""
        S, A = self._out_edges.shape
        flows = torch.cat([rows(self._padded(), self._out_edges), self.log_stop[:, None]], 1)  # [S, A + 1]
        there = flows > -torch.inf
        chance = (1 - epsilon) * flows.softmax(1) + epsilon * there / there.sum(1, keepdim=True)  # [S, A + 1]
        up_to = nn.functional.pad(chance.cumsum(1), (0, 0, 0, 1), value=2.0)  # [S + 1, A + 1], row S: after STOP
        noise = torch.rand(self.dag.num_levels, count, 1, dtype=torch.float64, generator=generator)  # [L, B, 1]
        state = torch.zeros(count, dtype=torch.long)
        states, edges = [state], []
        for draw in noise:
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
        parent_of = nn.functional.pad(self._parent, (0, 1), value=S)  # [E + 1]
        steps = max(self.dag.num_levels - 1, 1)
        noise = torch.rand(steps, len(terminal), dtype=torch.float64, generator=generator)
        state, states, edges = terminal, [terminal], []
        for draw in noise:
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


def rows(values: Tensor, table: Tensor) -> Tensor:
    """The values at the places that a table names."""
    return values.index_select(0, table.flatten()).view(table.shape)


# Exact flows on a listed state space: no network, no training, no residual.
#
# Of all flows that end as R, this is the one that comes to every state from all its valid parents in equal shares:
# F(s) = R(s) + Σ F(s → s∪{a}), and F(s∖{u} → s) = F(s) / (number of valid parents of s).


class ExactFlows(DagFlows):
    """The uniform backward flow of a reward, in double precision.

    Sampling goes forwards from the start node, as with any policy; it stops at s with probability R(s)/Z.

    Args:
        dag: All states.
        log_reward: Of each state, finite. [S]
    """

    def __init__(self, dag: StateDag, log_reward: ArrayLike) -> None:
        super().__init__(dag, log_reward)
        log_state, log_edge = exact_flows.uniform_backward_flows(dag, log_reward)
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

    def orders(self, paths: Paths, width: int) -> Ints:
        """The nodes of trajectories in order of addition, padded with -1. [B, width]

        Trajectories on all connected subgraphs, whatever node they start from, were sampled backwards.
        """
        nodes = np.append(self.dag.node, -1)[paths.edges.numpy()].T  # [B, L]; the last step adds nothing
        result = np.full((len(nodes), width), -1, dtype=np.int64)
        result[:, 0] = self.dag.start
        if self.dag.start < 0:
            nodes = nodes[:, ::-1]
            nodes = np.take_along_axis(nodes, np.argsort(nodes < 0, axis=1, kind="stable"), axis=1)
            first = paths.states.where(paths.states < self.dag.num_states, -1).numpy()  # [T, B]
            last = (first >= 0).sum(0) - 1
            result[:, 0] = self.dag.members[first[last, np.arange(len(last))]].argmax(1)
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


# Gradient steps that can be watched.


def descend(
    groups: Sequence[dict[str, Any]],
    loss: Callable[[], Tensor],
    epochs: int,
    last: float = 0.0,
    clip: float = math.inf,
) -> Iterator[tuple[int, float]]:
    """Makes a loss small by Adam, with learning rates that fall along a cosine.

    Args:
        groups: Parameters and their learning rate, as torch's optimisers take them.
        loss: Computes the loss anew.
        epochs: Gradient steps.
        last: What the learning rates fall to, as a share of those at the beginning.
        clip: The largest norm of a gradient; larger ones are scaled down to it.

    Yields:
        The number of steps so far and the loss, before each step and after the last.
    """
    # the first gradients are by far the largest: they must be forgotten soon
    optimizer = torch.optim.Adam(list(groups), betas=(0.9, 0.95), fused=True)
    rates = [group["lr"] for group in optimizer.param_groups]
    for step in range(epochs + 1):
        now = loss()
        yield step, now.item()
        if step == epochs:
            return
        optimizer.zero_grad(set_to_none=True)
        now.backward()
        for group, rate in zip(optimizer.param_groups, rates, strict=True):
            group["lr"] = rate * (last + (1 - last) * (0.5 + 0.5 * math.cos(math.pi * step / epochs)))
        if clip < math.inf:
            torch.nn.utils.clip_grad_norm_([each for group in groups for each in group["params"]], clip)
        optimizer.step()


TABULAR = GFNConfig(delta=None, epochs=400, batch_size=128, lr=0.3, lr_log_z=0.2)
"""How a table of flows is trained. There is one start node, so both kinds of log Z are one number; the linear loss on
samples wants a small learning rate, 0.03."""


class TabularPolicy(DagFlows):
    """One free log-flow for each edge of the DAG, on the CPU.

    Args:
        dag: The states.
        log_reward: Of each state, finite. [S]
        parents: Which parents count as in-flow; one that is no state has a free parameter too.
        stop: LEARNED adds a parameter for each state; otherwise F(s→STOP) is R(s).
    """

    def __init__(
        self, dag: StateDag, log_reward: ArrayLike, parents: Parents = Parents.VALID, stop: Stop = Stop.REWARD
    ) -> None:
        super().__init__(dag, log_reward, parents)
        self.stop = stop
        # Begin high: a flow far below the others of its state gets hardly any gradient in log space, so it would not
        # come up. Beginning at the best reward, not at 0, also makes the scale of the rewards immaterial.
        top = self.log_reward.max()
        self.log_edge = nn.Parameter(top.repeat(dag.num_edges))
        self.log_phantom = nn.Parameter(top.repeat(self.num_phantoms))
        if stop is Stop.LEARNED:
            self.log_stop = nn.Parameter(top.repeat(dag.num_states))
        self.log_z = nn.Parameter(top.clone())


def _mean(values: Tensor, weights: Tensor) -> Tensor:
    return (values * weights).sum() / weights.sum().clamp(min=1)


def objective(flows: DagFlows, config: GFNConfig, generator: torch.Generator, full: bool = True) -> Tensor:
    """The loss on all states, or on those of sampled trajectories.

    A state that was visited n times counts n times, so the sampled loss is the full one with other weights.
    """
    return loss_on(flows, config, draw(flows, config, generator, full))


def draw(flows: DagFlows, config: GFNConfig, generator: torch.Generator, full: bool) -> Paths | None:
    """The trajectories that one step looks at; none where flow matching looks at all states."""
    if not full:
        return flows.sample(config.batch_size, generator, config.epsilon)
    if config.loss.is_trajectory_balance:
        return flows.sample_back(torch.arange(flows.dag.num_states), generator)
    return None


def loss_on(flows: DagFlows, config: GFNConfig, paths: Paths | None) -> Tensor:
    """The :func:`objective` on trajectories that were drawn before."""
    dag = flows.dag
    if config.loss.is_trajectory_balance:
        assert paths is not None
        log_backward = torch.cat([flows.log_backward, flows.log_backward.new_zeros(1)])
        back = rows(log_backward, paths.edges).sum(0)  # [B]
        log_reward = flows.log_reward[paths.terminal]
        return trajectory_balance_loss(flows.log_z, flows.log_forward(paths), back, log_reward).mean()

    linear = config.loss is Loss.FLOW_MATCHING_LINEAR
    states, edges = torch.ones_like(flows.log_reward), torch.ones_like(flows.log_edge)  # how often each counts
    if paths is not None:
        states = paths.states.flatten().bincount(minlength=dag.num_states + 1)[:-1]
        edges = paths.edges.flatten().bincount(minlength=dag.num_edges + 1)[:-1]
    log_out, log_in = flows.log_out(), flows.log_in()
    if config.parents is Parents.SEQUENCE:
        log_in, log_out, weights = flows.log_edge, log_out[flows._child], edges
    else:
        log_in, log_out, weights = log_in[1:], log_out[1:], states[1:]  # nothing flows into the start
    if config.delta is not None:
        floor = flows.log_reward.max() - config.delta
        log_in, log_out = raised(log_in, floor), raised(log_out, floor)
    loss = _mean(flow_matching_loss(log_in, log_out, linear), weights)
    if config.stop is Stop.LEARNED:
        loss = loss + _mean(flow_matching_loss(flows.log_stop, flows.log_reward, linear), states)
    return loss


def train_tabular(
    dag: StateDag, log_reward: ArrayLike, config: GFNConfig = TABULAR, full: bool = True
) -> TabularPolicy:
    """Trains a table of flows.

    Args:
        dag: The states.
        log_reward: Of each state. [S]
        config: How.
        full: Whether each step looks at all states. If not, only at those on sampled trajectories.
    """
    policy = TabularPolicy(dag, log_reward, config.parents, config.stop)
    generator = torch.Generator().manual_seed(config.seed)
    flows = [parameter for name, parameter in policy.named_parameters() if name != "log_z"]
    groups = [{"params": flows, "lr": config.lr}, {"params": [policy.log_z], "lr": config.lr_log_z}]
    if dag.num_edges:
        for _ in descend(groups, lambda: objective(policy, config, generator, full), config.epochs):
            pass
    return policy
