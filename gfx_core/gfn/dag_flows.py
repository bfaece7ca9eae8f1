"""Flows along the edges of a state DAG, whatever gives them: a free number each, or a network.

Everything that sampling and training ask of the flows follows from their numbers and from tables of the DAG.
"""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor, nn

from gfx_core.datasets.graph import Ints
from gfx_core.gfn import exact
from gfx_core.gfn.exact import Doubles
from gfx_core.gfn.losses import log_out_flow, masked_logsumexp
from gfx_core.gfn.settings import Parents
from gfx_core.gfn.state_dag import StateDag, TooManyStates

MAX_TABLE = 1 << 24
"""The most cells of a table of states by actions."""


@dataclass(frozen=True)
class Paths:
    """B trajectories in lockstep, padded with S (states) and E (edges)."""

    states: Tensor  # [T, B]
    edges: Tensor  # [T - 1, B]
    terminal: Tensor  # [B]


class DagFlows(nn.Module):
    """Log-flows on the edges of a DAG, in double precision.

    Args:
        dag: The states.
        log_reward: Of each state, finite. [S]
        parents: Which parents count as in-flow. GRAPH adds a parent for each removal that disconnects the set: a flow
            that comes from nowhere.

    Attributes:
        log_edge: Log-flow of each edge; the subclass sets it. [E]
        log_phantom: Log-flow from each parent that is no state; the subclass sets it. [H]
        log_z: For trajectory balance; the subclass sets it. []
    """

    log_edge: Tensor
    log_phantom: Tensor
    log_z: Tensor
    log_reward: Tensor
    log_backward: Tensor
    _out_edges: Tensor
    _in_edges: Tensor
    _edge_of: Tensor
    _leads_to: Tensor
    _child: Tensor
    _parent: Tensor
    _num_parents: Tensor

    def __init__(self, dag: StateDag, log_reward: ArrayLike, parents: Parents = Parents.VALID) -> None:
        super().__init__()
        S, E = dag.num_states, dag.num_edges
        reward = torch.tensor(np.asarray(log_reward), dtype=torch.float64)  # [S]
        if reward.shape != (S,) or not bool(reward.isfinite().all()):
            raise ValueError(f"log_reward must be {S} finite numbers, one for each state (got {list(reward.shape)})")
        phantoms = np.where(parents is Parents.GRAPH, dag.size - 1 - dag.num_parents, 0)  # [S]
        owner = np.concatenate([dag.child, np.repeat(np.arange(S), phantoms)])  # [E + H], whose in-flow each is
        if S * max(int(dag.num_children.max()), int(np.bincount(owner, minlength=1).max())) > MAX_TABLE:
            raise TooManyStates(f"A table of {S:,} states and their actions is too large: allow fewer nodes.")
        self.dag, self.parents, self.num_phantoms = dag, parents, int(phantoms.sum())
        ways = {Parents.VALID: dag.num_parents, Parents.SEQUENCE: np.ones_like(dag.size), Parents.GRAPH: dag.size - 1}
        tables = {
            "log_reward": reward,
            "log_backward": -torch.tensor(ways[parents][dag.child], dtype=torch.float64).log(),  # [E], log P_B
            "_out_edges": _table(dag.parent, S, pad=E + self.num_phantoms),  # [S, A]
            "_in_edges": _table(owner, S, pad=E + self.num_phantoms),  # [S, P]
            "_edge_of": _table(dag.parent, S + 1, pad=E, more=1),  # [S + 1, A + 1], the last column is STOP
            "_child": torch.from_numpy(dag.child),
            "_parent": torch.from_numpy(dag.parent),
            "_num_parents": torch.from_numpy(dag.num_parents),
        }
        for name, table in tables.items():
            self.register_buffer(name, table, persistent=False)
        self.register_buffer("_leads_to", torch.cat([self._child, torch.tensor([S])])[self._edge_of], persistent=False)

    @property
    def device(self) -> torch.device:
        return self.log_reward.device

    @property
    def log_stop(self) -> Tensor:
        """Log-flow of each state to STOP. [S]"""
        return self.log_reward

    def _padded(self) -> Tensor:
        nowhere = self.log_edge.new_full((1,), -torch.inf)
        return torch.cat([self.log_edge, self.log_phantom, nowhere])  # [E + H + 1]

    def log_out(self) -> Tensor:
        """Log of what leaves each state, STOP included. [S]"""
        return log_out_flow(rows(self._padded(), self._out_edges), self.log_stop)

    def log_in(self) -> Tensor:
        """Log of what comes to each state from the parents that count; −inf at the start. [S]"""
        return masked_logsumexp(rows(self._padded(), self._in_edges))

    def log_steps(self) -> tuple[Tensor, Tensor]:
        """log P_F of each edge, and of STOP in each state. [E], [S]"""
        log_out = self.log_out()
        return self.log_edge - log_out[self._parent], self.log_stop - log_out

    @torch.no_grad()
    def terminal_distribution(self) -> Doubles:
        """log P(stop at s), exactly. [S]"""
        return exact.terminal_distribution_from_edges(
            self.dag, self.log_edge.detach().cpu(), self.log_stop.detach().cpu()
        )

    @torch.no_grad()
    def sample(self, count: int, generator: torch.Generator, epsilon: float = 0.0) -> Paths:
        """Samples trajectories in lockstep; a share of `epsilon` of the actions is drawn uniformly."""
        S, A = self._out_edges.shape
        flows = torch.cat([rows(self._padded(), self._out_edges), self.log_stop[:, None]], 1)  # [S, A + 1]
        there = flows > -torch.inf
        chance = (1 - epsilon) * flows.softmax(1) + epsilon * there / there.sum(1, keepdim=True)  # [S, A + 1]
        up_to = nn.functional.pad(chance.cumsum(1), (0, 0, 0, 1), value=2.0)  # [S + 1, A + 1], row S: after STOP
        noise = self._noise((self.dag.num_levels, count, 1), generator)  # [L, B, 1]
        state = torch.zeros(count, dtype=torch.long, device=self.device)
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
        noise = self._noise((max(self.dag.num_levels - 1, 1), len(terminal)), generator)
        state, states, edges = terminal, [terminal], []
        for draw in noise:
            at = state.clamp(max=S - 1)
            which = (draw * self._num_parents[at]).long()  # a valid parent: phantoms come after them in the table
            going = (state < S) & (self._num_parents[at] > 0)
            edges.append(torch.where(going, self._in_edges[at, which], E))
            state = parent_of[edges[-1]]
            states.append(state)
        return Paths(torch.stack(states), torch.stack(edges), terminal)

    def _noise(self, shape: tuple[int, ...], generator: torch.Generator) -> Tensor:
        return torch.rand(shape, dtype=torch.float64, device=self.device, generator=generator)


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
