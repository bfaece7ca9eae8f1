"""Flows on the edges of a listed state space: a free number each, a network's, or exact ones; and training them.

With all states listed every reward is known, and one pass gives the flows of all states: trajectories, the loss on what
they visit, and what is exactly true of the policy all follow from that table. A table with a free number for each edge
has nothing to generalise, so what it learns depends on the objective alone.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from gfx_core.arrays import Doubles, Ints, first_best
from gfx_core.exact.enumeration import StateDag, TooManyStates
from gfx_core.exact.state_space import StateSpace
from gfx_core.gfn.instances import Episodes, FlowGraphs
from gfx_core.gfn.objectives import (
    OBJECTIVES,
    FlowObjective,
    LossTerms,
    Visited,
    log_out_flow,
    masked_logsumexp,
)
from gfx_core.gfn.policy import FlowPolicy
from gfx_core.gfn.settings import GFNConfig, Loss, Parents, Stop
from gfx_core.gfn.states import Pairs, States
from gfx_core.gfn.trainer import GradientSteps

MAX_TABLE = 1 << 24
"""The most cells of a table of states by actions."""
HUNDRED = float(np.log(100))
"""Log of what the control `Loss.FIRST_CHILD` multiplies rewards by."""
TABULAR = GFNConfig(delta=None, epochs=400, batch_size=128, lr=0.3, lr_log_z=0.2)
"""How a table of flows is trained. There is one start node, so both kinds of log Z are one number; the linear loss on
samples wants a small learning rate, 0.03."""


@dataclass(frozen=True)
class Paths:
    """B trajectories in lockstep, from the start on, padded with S (states) and E (edges) on either side."""

    states: Tensor  # [T, B]
    edges: Tensor  # [T - 1, B], the one that leaves each state; padding for STOP
    terminal: Tensor  # [B]


def can_be_tabulated(dag: StateDag, ways_in: int = 0) -> bool:
    """Whether a table with the actions of every state, and the ways into it, is small enough."""
    return dag.num_states * max(int(dag.num_children.max()), ways_in) <= MAX_TABLE


class DagFlows(nn.Module):
    """Log-flows on the edges of the states of one instance, in double precision and on the CPU.

    Args:
        space: All states with their rewards, which are finite.
        config: Which parents count as in-flow, and how scores become flows. GRAPH adds a parent for each removal that
            disconnects the set: a flow that comes from nowhere.

    Attributes:
        log_stop: Log-flow of each state to STOP: the reward, where the subclass sets no other. [S]
        score: What gives each edge its log-flow; by default the exact log-flow itself. [E]
        back: What gives each edge its P_B, by a softmax over the edges to the same state; None: all are alike. [E]
        log_phantom: Log-flow from each parent that is no state; the subclass sets it. [H]
    """

    log_stop: Tensor
    score: Tensor
    back: Tensor | None
    log_phantom: Tensor

    def __init__(self, space: StateSpace, config: GFNConfig = TABULAR) -> None:
        super().__init__()
        dag, parents = space.dag, config.parents
        S, E = dag.num_states, dag.num_edges
        if not np.isfinite(space.log_reward).all():
            raise ValueError("log_reward must be finite")
        phantoms = np.where(parents is Parents.GRAPH, dag.size - 1 - dag.num_parents, 0)  # [S]
        owner = np.concatenate([dag.child, np.repeat(np.arange(S), phantoms)])  # [E + H], whose in-flow each is
        if not can_be_tabulated(dag, int(np.bincount(owner, minlength=1).max())):
            raise TooManyStates(f"A table of {S:,} states and their actions is too large: allow fewer nodes.")
        self.dag, self.config, self.num_phantoms = dag, config, int(phantoms.sum())
        ways = {Parents.VALID: dag.num_parents, Parents.SEQUENCE: np.ones_like(dag.size), Parents.GRAPH: dag.size - 1}
        self.log_backward = -torch.tensor(ways[parents][dag.child], dtype=torch.float64).log()  # [E], uniform log P_B
        self._out_edges = _table(dag.parent, S, pad=E + self.num_phantoms)  # [S, A]
        self._in_edges = _table(owner, S, pad=E + self.num_phantoms)  # [S, P]
        self._edge_of = _table(dag.parent, S + 1, pad=E, more=1)  # [S + 1, A + 1], the last column is STOP
        self._child, self._parent = torch.from_numpy(dag.child), torch.from_numpy(dag.parent)
        self._num_parents = torch.from_numpy(dag.num_parents)
        self._leads_to = torch.cat([self._child, torch.tensor([S])])[self._edge_of]
        self._size = torch.from_numpy(dag.size)
        self.features = torch.ones(1, 1)  # of the start node, for what gives log Z
        self.score = torch.from_numpy(space.log_edge)
        self.back, self.log_phantom = None, torch.zeros(0, dtype=torch.float64)
        self.set_reward(space)

    def set_reward(self, space: StateSpace) -> None:
        """Take the rewards of a space with the same states; STOP's flow follows, where it is not learnt."""
        self.space = space
        self.log_reward = torch.tensor(space.log_reward)
        if self.config.stop is Stop.REWARD:
            self.log_stop = self.log_reward + (HUNDRED if self.config.loss is Loss.FIRST_CHILD else 0.0)

    @property
    def log_edge(self) -> Tensor:
        """Log-flow of each edge. [E]"""
        if self.config.policy.forward_looking:
            return self.score + self.log_reward[self._parent]
        if self.config.loss is Loss.FIRST_CHILD:  # its flows are the probabilities of going on
            return self.score - masked_logsumexp(rows(_and_nothing(self.score), self._to_children))[self._parent]
        return self.score

    @property
    def log_back(self) -> Tensor:
        """log P_B of each edge. [E]"""
        if self.back is None:
            return self.log_backward
        return self.back - masked_logsumexp(rows(_and_nothing(self.back), self._from_parents))[self._child]

    @property
    def _to_children(self) -> Tensor:
        return self._out_edges.clamp(max=self.dag.num_edges)

    @property
    def _from_parents(self) -> Tensor:
        return self._in_edges.clamp(max=self.dag.num_edges)

    def _padded(self) -> Tensor:
        return _and_nothing(torch.cat([self.log_edge, self.log_phantom]))  # [E + H + 1]

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
        return self.space.walk(self.log_edge.detach(), self.log_stop.detach()).stop

    def total_variation(self) -> float:
        """How far that is from R/Z."""
        return self.space.total_variation(self.terminal_distribution())

    # Trajectories

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
        return Paths(torch.stack(states).flip(0), torch.stack(edges).flip(0), terminal)

    @torch.no_grad()
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

        def repeated(values: list[int]) -> Tensor:
            return torch.tensor(values)[:, None].expand(-1, count)

        return Paths(repeated(states), repeated(edges), torch.full((count,), terminal))

    def orders(self, paths: Paths, width: int) -> Ints:
        """The nodes of trajectories in order of addition, padded with -1. [B, width]"""
        nodes = np.append(self.dag.node, -1)[paths.edges.numpy()].T  # [B, T - 1]; the last step adds nothing
        nodes = np.take_along_axis(nodes, np.argsort(nodes < 0, axis=1, kind="stable"), axis=1)
        first = paths.states.gather(0, (paths.states < self.dag.num_states).to(torch.uint8).argmax(0, keepdim=True))[0]
        result = np.full((len(nodes), width), -1, dtype=np.int64)
        result[:, 0] = self.dag.members[first.numpy()].argmax(1)  # one node: where it started
        steps = min(width - 1, nodes.shape[1])
        result[:, 1 : 1 + steps] = nodes[:, :steps]
        return result

    def around(self, states: Ints) -> tuple[Doubles, Doubles]:
        """log F(s → s∪{a}) and log F(s∖{u} → s) of some states, by node; −∞ where there is none. [T] → [T, m] twice"""
        dag, flow = self.dag, self.log_edge.detach().numpy()
        log_out = np.full((len(states), dag.num_nodes), -np.inf)
        log_in = np.full_like(log_out, -np.inf)
        for row, state in enumerate(states.tolist()):
            leaving = slice(*dag.out_ptr[state : state + 2].tolist())
            log_out[row, dag.node[leaving]] = flow[leaving]
            coming = np.flatnonzero(dag.child == state)
            log_in[row, dag.node[coming]] = flow[coming]
        return log_out, log_in

    # What an objective reads

    def visited(self, paths: Paths) -> Visited:
        """The states of some trajectories with their flows, as they are now."""
        S, E = self.dag.num_states, self.dag.num_edges
        states, edges = paths.states.T, nn.functional.pad(paths.edges.T, (0, 1), value=E)  # [B, T]
        trajectory, place = (states < S).nonzero(as_tuple=True)  # [N]
        state, leaving = states[trajectory, place], edges[trajectory, place]
        came = edges.roll(1, 1)[trajectory, place]
        moved = self._size[state] > 1
        came = came.where(moved, E)
        log_edge, log_back = _and_nothing(self.log_edge), _and_nothing(self.log_back)
        log_taken = torch.where(leaving < E, log_edge[leaving], self.log_stop[state])
        log_in = log_edge[came] if self.config.parents is Parents.SEQUENCE else self.log_in()[state]
        start = torch.zeros(len(paths.terminal), dtype=torch.long)
        return self._rows(trajectory, state, log_taken, log_in, log_back[came], start)

    def everywhere(self) -> Visited:
        """Every state once, or with GFlow-Sequence every way to get to one: what flow matching looks at all at once."""
        if self.config.parents is Parents.SEQUENCE:
            state = torch.cat([self._child.new_zeros(1), self._child])
            log_in = torch.cat([self.log_edge.new_zeros(1), self.log_edge])
        else:
            state, log_in = torch.arange(self.dag.num_states), self.log_in()
        each = torch.arange(len(state))
        return self._rows(each, state, self.log_stop[state], log_in, torch.zeros_like(log_in), torch.zeros_like(each))

    def _rows(
        self, trajectory: Tensor, state: Tensor, log_taken: Tensor, log_in: Tensor, log_back: Tensor, start: Tensor
    ) -> Visited:
        moved = self._size[state] > 1
        first = rows(self._padded(), self._out_edges[:, 0]) if self.dag.num_edges else self.log_stop - torch.inf
        return Visited(
            trajectory=trajectory,
            size=self._size[state],
            log_reward=self.log_reward[state],
            log_stop=self.log_stop[state],
            log_taken=log_taken,
            log_in=log_in.where(moved, 0.0),
            log_out=self.log_out()[state],
            log_back=log_back.where(moved, 0.0),
            log_first=first[state],
            start=start,
            features=self.features.expand(len(start), -1),
            has_stop_head=self.config.stop is Stop.LEARNED,
        )

    def refresh(self) -> None:
        """Compute the flows anew, where something else gives them."""


def _and_nothing(values: Tensor) -> Tensor:
    """With −inf at the end: what padding points to."""
    return torch.cat([values, values.new_full((1,), -torch.inf)])


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


class TableFlows(DagFlows):
    """One free log-flow for each edge of the DAG.

    Args:
        space: All states with their rewards.
        config: Which parents count (one that is no state has a free parameter too); whether STOP, and P_B, have
            parameters of their own.
    """

    def __init__(self, space: StateSpace, config: GFNConfig = TABULAR) -> None:
        super().__init__(space, config)
        # Begin high: a flow far below the others of its state gets hardly any gradient in log space, so it would not
        # come up. Beginning at the best reward, not at 0, also makes the scale of the rewards immaterial.
        top = self.log_reward.max()
        relative = config.policy.forward_looking or config.loss is Loss.FIRST_CHILD
        self.score = nn.Parameter((top * 0 if relative else top).repeat(self.dag.num_edges))
        self.log_phantom = nn.Parameter(top.repeat(self.num_phantoms))
        if config.stop is Stop.LEARNED:
            self.log_stop = nn.Parameter(top.repeat(self.dag.num_states))
        if config.policy.learned_backward:
            self.back = nn.Parameter(torch.zeros(self.dag.num_edges, dtype=torch.float64))


class NetworkFlows(DagFlows):
    """The flows of a policy network on the states of one instance; :meth:`refresh` computes them anew.

    Args:
        policy: The network; its K_M is that of the states.
        graphs: The instance as it sees it, alone.
        space: All states with their rewards.
        config: As of the policy. Of a parent that is no state the network is asked for its flow all the same.
    """

    def __init__(self, policy: FlowPolicy, graphs: FlowGraphs, space: StateSpace, config: GFNConfig) -> None:
        super().__init__(space, config)
        dag = self.dag
        self.policy = policy
        self._episodes = Episodes.of(graphs, np.zeros(1, np.int64), np.array([dag.start]))
        self.features = graphs.features[[dag.start]]  # [1, f]
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
        self.refresh()

    def refresh(self) -> None:
        """Ask the network about all states, as its weights are now."""
        out, phantoms = self._out, self._phantoms
        encoded = self.policy.encode(self._episodes)
        flows = self.policy.at_pairs(encoded, self._states, out, phantoms, self._inside)
        self.score = flows.log_out[out.state, out.node].double()
        if phantoms is not None:
            assert flows.log_in is not None
            self.log_phantom = flows.log_in[phantoms.state, phantoms.node].double()
        if self.policy.has_stop_head:
            assert flows.log_stop is not None
            self.log_stop = flows.log_stop.double()
        if self.config.policy.learned_backward:
            self.back = self.policy.backward_scores(encoded, self._states, out, self._inside).double()


class ListedTraining:
    """Trains flows on a listed state space, step by step.

    Args:
        flows: A table, or a network's.
        config: The loss, how trajectories are sampled, the learning rates.
        full: Whether each step looks at all states: flow matching at each once, a balance along a trajectory to each,
            walked back. Else trajectories are sampled, and some of them replayed.
        objective: What is made small; its parameters are learnt too. By default a new one; trainings that are given the
            same learn one log Z together.

    Attributes:
        latest: The trajectories of the latest step, where some were sampled.
        rewarded: How many states a GNN would have been asked for so far, those on trajectories.
    """

    def __init__(
        self, flows: DagFlows, config: GFNConfig, full: bool = False, objective: FlowObjective | None = None
    ) -> None:
        self.flows, self.config, self.full = flows, config, full
        self.objective = objective or OBJECTIVES[config.loss](config, flows.features.shape[1])
        self.objective.begin_at(float(flows.log_reward.max()))
        modules = nn.ModuleDict({"policy": flows, "objective": self.objective})
        self.steps = GradientSteps(modules, config, torch.device("cpu"))
        self.generator = torch.Generator().manual_seed(config.seed)
        self.step_number, self.rewarded = 0, 0
        self.latest: Paths | None = None
        self._met = torch.zeros(flows.dag.num_states, dtype=torch.bool)  # states where a trajectory ended

    def step(self) -> LossTerms:
        """One step of gradient descent."""
        self.flows.refresh()
        self.steps.set_rates(self.step_number + 1)
        terms = self.objective.terms(self._visited())
        if bool(terms.loss.isfinite()):
            self.steps.descend(terms.loss)
            self.step_number += 1
        return terms

    @torch.no_grad()
    def log_z(self) -> float:
        """What is taken for log Z: a parameter, or what leaves the start."""
        log_z = self.objective.log_z(self.flows.features)
        return float(self.flows.log_out()[0] if log_z is None else log_z)

    def snapshot(self) -> Callable[[], None]:
        """Remember where it is; returns what puts it back there."""
        put_back, noise, met = self.steps.snapshot(), self.generator.get_state(), self._met.clone()
        rest = self.step_number, self.rewarded, self.latest

        def restore() -> None:
            put_back()
            self.generator.set_state(noise)
            self._met = met.clone()
            self.step_number, self.rewarded, self.latest = rest
            self.flows.refresh()

        return restore

    def _visited(self) -> Visited:
        flows, config = self.flows, self.config
        if self.full and config.loss.matches_flows:
            return flows.everywhere()
        if self.full:
            paths = flows.sample_back(torch.arange(flows.dag.num_states), self.generator)
        else:
            paths = self.latest = self._sample()
        self.rewarded += int((paths.states < flows.dag.num_states).sum())
        return flows.visited(paths)

    def _sample(self) -> Paths:
        """New trajectories, and some that lead to good states met before, as often as their reward says."""
        flows, config = self.flows, self.config
        again = round(config.replay * config.batch_size) if bool(self._met.any()) else 0
        paths = flows.sample(config.batch_size - again, self.generator, config.epsilon)
        self._met[paths.terminal] = True
        if not again:
            return paths
        chance = flows.log_reward.masked_fill(~self._met, -torch.inf).softmax(0)
        good = torch.multinomial(chance, again, replacement=True, generator=self.generator)
        return _joined(paths, flows.sample_back(good, self.generator), flows.dag)

    def run(self) -> None:
        """All steps of the configuration."""
        while self.step_number < self.config.epochs and bool(self.step().loss.isfinite()):
            pass
        self.flows.refresh()


def _joined(one: Paths, other: Paths, dag: StateDag) -> Paths:
    """Both; the shorter ones are padded at their end."""
    length = max(len(one.states), len(other.states))

    def padded(values: Tensor, longest: int, pad: int) -> Tensor:
        return nn.functional.pad(values, (0, 0, 0, longest - len(values)), value=pad)

    states = [padded(each.states, length, dag.num_states) for each in (one, other)]
    edges = [padded(each.edges, length - 1, dag.num_edges) for each in (one, other)]
    return Paths(torch.cat(states, 1), torch.cat(edges, 1), torch.cat([one.terminal, other.terminal]))


def train_table(space: StateSpace, config: GFNConfig = TABULAR, full: bool = True) -> TableFlows:
    """A table of flows, trained as the configuration says; ``full`` as of `ListedTraining`."""
    flows = TableFlows(space, config)
    if space.num_edges:
        ListedTraining(flows, config, full).run()
    return flows
