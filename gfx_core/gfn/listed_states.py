"""Every state of many instances in one table: what a policy does on all of them, exactly and at once.

`gfx_core.gfn.exact` answers for one instance, in numpy. Here the DAGs of many instances lie one after the other on the
device of the GNN, and one pass of the policy and K_M steps over their edges give the distribution of where it stops on
each of them: fast enough to look at while the policy learns.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from torch import Tensor

from gfx_core.datasets.graph import Ints
from gfx_core.datasets.instance import Instance
from gfx_core.errors import UserError
from gfx_core.gfn.instances import LINKS, Episodes, FlowGraphs
from gfx_core.gfn.losses import masked_logsumexp
from gfx_core.gfn.policy import FlowPolicy
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.settings import Stop
from gfx_core.gfn.state_dag import StateDag, TooManyStates, enumerate_states
from gfx_core.gfn.states import States

_CELLS = {"cpu": 1 << 17, "cuda": 1 << 22}  # pairs of a state and a node in one pass: what caches and memory like
TOGETHER = 200_000
"""Instances are put together until they have this many states."""


def list_all(
    instances: Sequence[Instance], starts: Sequence[int] | Ints, max_nodes: int, cap: int
) -> dict[int, StateDag]:
    """The states of those of the instances that have at most ``cap`` from their start node, by position."""
    found = {}
    for number, (instance, start) in enumerate(zip(instances, starts, strict=True)):
        try:
            found[number] = enumerate_states(instance, int(start), max_nodes, cap)
        except TooManyStates:
            continue
    return found


def together(dags: dict[int, StateDag], most: int = TOGETHER) -> Iterator[dict[int, StateDag]]:
    """The same in parts that fit in memory, instances of like size together because they share their padding."""
    part: dict[int, StateDag] = {}
    states = 0
    for number in sorted(dags, key=lambda number: dags[number].num_nodes):
        if part and states + dags[number].num_states > most:
            yield part
            part, states = {}, 0
        part[number] = dags[number]
        states += dags[number].num_states
    if part:
        yield part


class ListedStates:
    """The states of I instances, S in all, with their rewards.

    Args:
        graphs: The instances as a policy sees them.
        reward: On the same instances.
        dags: All states of each of the instances, in their order.

    Attributes:
        counts: States of each instance. [I]
        episode: The instance of each state. [S]
        log_reward: log R of each state. [S]
        log_target: log R/Z of each state, Z that of its instance. [S]
    """

    def __init__(self, graphs: FlowGraphs, reward: Reward, dags: Sequence[StateDag]) -> None:
        if len(dags) != len(graphs.graphs):
            raise ValueError(f"there must be one DAG for each of the {len(graphs.graphs)} instances (got {len(dags)})")
        self.dags, self.device = dags, graphs.device
        self.counts = [dag.num_states for dag in dags]
        first = np.cumsum(self.counts) - self.counts  # the number of each instance's first state
        width = max(dag.num_levels for dag in dags)
        subsets = [np.pad(d.subsets, ((0, 0), (0, width - d.num_levels)), constant_values=-1) for d in dags]
        self.episodes = Episodes.of(graphs, np.arange(len(dags)), np.array([dag.start for dag in dags]))
        self.episode = self._put(np.repeat(np.arange(len(dags)), self.counts))
        self._subsets = self._put(np.concatenate(subsets).astype(np.int32))  # [S, K], start node first
        self._first, self._starts = self._put(first), first
        self._blocks = (np.cumsum(graphs.graphs.sizes**2) - graphs.graphs.sizes**2).tolist()  # of the tables of pairs
        edges = {
            name: np.concatenate([getattr(dag, name) + shift for dag, shift in zip(dags, first, strict=True)])
            for name in ("parent", "child")
        }
        size = np.concatenate([dag.size for dag in dags])
        level = size[edges["parent"]] if len(edges["parent"]) else np.zeros(0, np.int64)
        self._parent, self._child = self._put(edges["parent"]), self._put(edges["child"])
        self._node = self._put(np.concatenate([dag.node for dag in dags]))
        self._out_ptr = np.searchsorted(edges["parent"], np.arange(len(size) + 1))  # edges are sorted by parent
        by_level = np.split(np.argsort(level, kind="stable"), np.searchsorted(np.sort(level), range(2, width)))
        self._levels = [self._put(some) for some in by_level if len(some)]
        self.log_reward = torch.cat(
            [
                reward(self._subsets[at].long(), self.episodes.instance[self.episode[at]]).double()
                for at in self._parts(width * width)
            ]
        )
        self.log_target = torch.cat([part - part.logsumexp(0) for part in self.log_reward.split(self.counts)])

    def __len__(self) -> int:
        return len(self.counts)

    def _put(self, array: np.ndarray) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(array)).to(self.device)

    def _parts(self, width: int) -> list[slice]:
        """The states in runs that fit in memory if each has a row of some width."""
        cells = _CELLS["cuda" if self.device.type == "cuda" else "cpu"]
        rows, total = max(1, cells // width), sum(self.counts)
        return [slice(begin, min(begin + rows, total)) for begin in range(0, total, rows)]

    def _members(self, at: slice) -> Tensor:
        """Which nodes some states hold. bool [n, m]"""
        subsets = self._subsets[at].long()
        width = self.episodes.width
        members = torch.zeros(len(subsets), width + 1, dtype=torch.bool, device=self.device)  # the last is padding's
        return members.scatter_(1, subsets.where(subsets >= 0, width), True)[:, :width]

    def _states(self, at: slice, max_nodes: int) -> States:
        """Some states as the policy reads them; what their nodes receive is a product with each instance's tables."""
        members, graphs = self._members(at), self.episodes.graphs
        sums = torch.zeros(*members.shape, 2, device=self.device)  # [n, m, 2]
        for number in range(*self._overlap(at)):
            first, m, begin = int(self._starts[number]), int(graphs.sizes[number]), self._blocks[number]
            rows = slice(max(first - at.start, 0), min(first + self.counts[number], at.stop) - at.start)
            table = self.episodes.source.table[begin : begin + m * m].view(m, -1)  # [m, m · 2], symmetric
            sums[rows, :m] = (members[rows, :m].to(table.dtype) @ table).view(-1, m, 2)
        edges = (sums[..., LINKS] * members).sum(1) / 2
        size = members.sum(1).float()
        return States(self.episodes, self.episode[at], members, sums, size, edges, max_nodes)

    def _overlap(self, at: slice) -> tuple[int, int]:
        """The first of the instances that some states belong to, and the one after the last."""
        first, last = np.searchsorted(self._starts, [at.start, at.stop - 1], side="right")
        return int(first) - 1, int(last)

    @torch.no_grad()
    def stops(self, policy: FlowPolicy) -> Tensor:
        """How likely a policy stops at each state of its instance, exactly. double [S]"""
        reads = self.episodes.source.features.shape[1]
        if reads != policy.num_features:
            raise UserError(
                f"This policy reads {policy.num_features} numbers per node, the instances have {reads}: it was trained "
                "for another data set or GNN."
            )
        encoded = policy.encode(self.episodes)
        step = torch.empty(len(self._parent), dtype=torch.float64, device=self.device)  # chance of each edge
        stop = torch.empty_like(self.log_reward)  # chance of STOP in each state
        for at in self._parts(self.episodes.width):
            flows = policy(encoded, self._states(at, policy.max_nodes))
            log_out = flows.log_out.double()  # [n, m]
            log_on = masked_logsumexp(log_out)
            log_stop = self.log_reward[at] if policy.stop is Stop.REWARD else flows.log_stop.double()
            log_stop = log_stop.where(log_on > -torch.inf, 0.0)  # nothing else to do: STOP is forced
            log_all = torch.logaddexp(log_on, log_stop)
            stop[at] = (log_stop - log_all).exp()
            edges = slice(self._out_ptr[at.start], self._out_ptr[at.stop])
            row = self._parent[edges] - at.start
            step[edges] = (log_out[row, self._node[edges]] - log_all[row]).exp()
        visit = torch.zeros_like(stop)
        visit[self._first] = 1.0
        for level in self._levels:
            visit.index_add_(0, self._child[level], visit[self._parent[level]] * step[level])
        return visit * stop

    def distances(self, chances: Tensor) -> Tensor:
        """Total variation of some distributions over the states of each instance from R/Z. [S] → [I]"""
        apart = (chances - self.log_target.exp()).abs() / 2
        return torch.zeros(len(self), dtype=apart.dtype, device=self.device).index_add_(0, self.episode, apart)

    def marginals(self, chances: Tensor, instances: Sequence[Instance]) -> list[np.ndarray]:
        """How likely each directed edge of each instance is in the subgraph. [S] → I times [e]"""
        found, begin = [], 0
        for instance, count in zip(instances, self.counts, strict=True):
            at = slice(begin, begin + count)
            members = self._members(at)[:, : instance.num_nodes].double()  # [n, m]
            both = (members * chances[at, None]).T @ members  # [m, m]
            found.append(both.cpu().numpy()[instance.edge_index[0], instance.edge_index[1]])
            begin += count
        return found

    def best(self) -> list[int]:
        """The state with the highest reward of each instance, as a number in its DAG; of equals the first. [I]"""
        return [int(part.cpu().numpy().argmax()) for part in self.log_reward.split(self.counts)]
