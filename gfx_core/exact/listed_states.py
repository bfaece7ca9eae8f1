"""Every state of many instances in one table: what a policy says of all of them, exactly and at once.

`gfx_core.exact.exact_flows` answers for one instance, in numpy. Here the DAGs of many instances lie one after the
other on the device of the GNN. One pass of the policy and K_M steps over their edges give the distribution of where it
stops on each of them, fast enough to look at while the policy learns; and what it learns can be drawn from the same
tables (`gfx_core.gfn.exact_targets`).
"""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor, nn

from gfx_core.arrays import first_best
from gfx_core.datasets.graph import Ints
from gfx_core.datasets.instance import Instance
from gfx_core.errors import UserError
from gfx_core.exact.exact_flows import edge_marginals
from gfx_core.exact.state_dag import Graph, StateDag, TooManyStates, enumerate_states
from gfx_core.exact.tabular import DagFlows
from gfx_core.gfn.first_layer import Encoded
from gfx_core.gfn.instances import Episodes, FlowGraphs
from gfx_core.gfn.losses import masked_logsumexp
from gfx_core.gfn.policy import FlowPolicy, Flows
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.settings import Parents, Stop
from gfx_core.gfn.states import Pairs, States, Subsets

_CELLS = {"cpu": 1 << 17, "cuda": 1 << 22}  # pairs of a state and a node in one pass: what caches and memory like
TOGETHER = 200_000
"""Instances are put together until they have this many states."""


def list_all(
    graphs: Iterable[Graph], starts: Iterable[int], max_nodes: int, cap: int, most: int | None = None
) -> dict[int, StateDag]:
    """The states of those of some instances that have at most ``cap`` from their start node, by position.

    Args:
        graphs: The instances.
        starts: The start node of each, by its local id.
        max_nodes: K_M.
        cap: The most states of one.
        most: Once there are more in all, no further instance is listed.
    """
    found: dict[int, StateDag] = {}
    count = 0
    for number, (graph, start) in enumerate(zip(graphs, starts, strict=True)):
        if most is not None and count > most:
            break
        try:
            found[number] = enumerate_states(graph, int(start), max_nodes, cap)
        except TooManyStates:
            continue
        count += found[number].num_states
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
    """The states of E episodes, S in all and each of at most K nodes, with their rewards and the edges between them.

    Args:
        graphs: The instances as a policy sees them.
        reward: On the same instances.
        dags: All states of each episode.
        instance: The instance of each DAG; by default they are those of the graphs, in their order. [E]

    Attributes:
        counts: States of each episode. [E]
        episodes: The listed instances with their start nodes.
        episode: The episode of each state. [S]
        subsets: The nodes of each, the start node first, padded with -1. [S, K]
        size: |s|. [S]
        log_reward: log R of each state. double [S]
        log_target: log R/Z of each state, Z that of its episode. double [S]
        parent: The state that each edge of the DAGs leaves, ascending. [edges]
        child: The state it leads to. [edges]
        node: The node that it adds. [edges]
        out: How many edges leave each state. [S]
        first: The number of the first of them. [S]
        most: The largest of these counts, at least 1.
    """

    def __init__(
        self,
        graphs: FlowGraphs,
        reward: Reward,
        dags: Sequence[StateDag],
        instance: Ints | None = None,
    ) -> None:
        if len(dags) != (len(graphs.graphs) if instance is None else len(instance)):
            raise ValueError(f"there must be one DAG for each of the {len(graphs.graphs)} instances (got {len(dags)})")
        self.dags, self.device = dags, graphs.device
        self.counts = [dag.num_states for dag in dags]
        starts = np.cumsum(self.counts) - self.counts  # the number of each episode's first state
        which = np.arange(len(dags)) if instance is None else instance
        self.episodes = Episodes.of(graphs, which, np.array([dag.start for dag in dags]))
        self.episode = self._put(np.repeat(np.arange(len(dags)), self.counts))
        self.origin = self._put(starts)  # [E], the state of the start node alone
        width = max(dag.num_levels for dag in dags)
        subsets = np.full((sum(self.counts), width), -1, dtype=np.int16)
        for begin, dag in zip(starts, dags, strict=True):
            subsets[begin : begin + dag.num_states, : dag.num_levels] = dag.subsets
        self.subsets = self._put(subsets)
        parent, child = (
            np.concatenate([getattr(dag, name) + begin for begin, dag in zip(starts, dags, strict=True)])
            for name in ("parent", "child")
        )
        out = np.bincount(parent, minlength=len(subsets))
        self.parent, self.child = self._put(parent), self._put(child)
        self.node = self._put(np.concatenate([dag.node for dag in dags]))
        self._ends = np.concatenate([[0], np.cumsum(out)])  # where the edges of each state begin, on the CPU
        self.out, self.first, self.most = self._put(out), self._put(self._ends[:-1]), max(1, int(out.max()))
        size = np.concatenate([dag.size for dag in dags])
        level = size[parent]
        by_level = np.split(np.argsort(level, kind="stable"), np.searchsorted(np.sort(level), range(2, width)))
        self._levels = [self._put(some) for some in by_level if len(some)]
        self.size = self._put(size)
        owner, rows = self.episodes.instance[self.episode], self._rows(width**2)
        parts = zip(self.subsets.split(rows), owner.split(rows), strict=True)
        self.log_reward = torch.cat([reward(sets.long(), instances).double() for sets, instances in parts])
        self.log_target = torch.cat([part - part.logsumexp(0) for part in self.log_reward.split(self.counts)])

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def num_states(self) -> int:
        return len(self.episode)

    def _put(self, array: np.ndarray) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(array)).to(self.device)

    def _rows(self, width: int) -> int:
        """How many states fit in memory if each has a row of some width."""
        return max(1, _CELLS["cuda" if self.device.type == "cuda" else "cpu"] // width)

    def edges_of(self, which: Tensor, fixed: bool) -> tuple[Tensor, Tensor]:
        """The edges that leave some states, and which of them are there.

        Args:
            which: The states. [n]
            fixed: Whether there is room for as many as any state has, so that the device need not be asked.

        Returns:
            [n, A] and bool [n, A].
        """
        out = self.out[which][:, None]
        column = torch.arange(self.most if fixed else max(1, int(out.max())), device=self.device)
        there = column < out
        return (self.first[which][:, None] + column).where(there, 0), there

    def flows(
        self, policy: FlowPolicy, encoded: Encoded, which: Tensor, at: Subsets | None = None, fixed: bool = False
    ) -> Flows:
        """What a policy says of some states.

        Args:
            policy: The policy.
            encoded: What it makes of the nodes of the episodes.
            which: The states, by number. [n]
            at: The same states where only some of the episodes are encoded.
            fixed: As in :meth:`edges_of`.
        """
        at = at or Subsets(self.episodes, self.episode[which], self.subsets[which].long())
        edge, there = self.edges_of(which, fixed)
        out = Pairs.listed(self.node[edge], there, at.episodes.width, fixed)
        return policy.at_pairs(encoded, at, out, None, Pairs.listed(at.nodes, at.nodes >= 0, at.episodes.width, fixed))

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
        step = torch.empty(len(self.parent), dtype=torch.float64, device=self.device)  # chance of each edge
        stop = torch.empty_like(self.log_reward)  # chance of STOP in each state
        rows = self._rows(self.episodes.width)
        for begin in range(0, self.num_states, rows):
            at = slice(begin, min(begin + rows, self.num_states))
            flows = self.flows(policy, encoded, torch.arange(at.start, at.stop, device=self.device))
            log_out = flows.log_out.double()  # [n, m]
            log_on = masked_logsumexp(log_out)
            log_stop = self.log_reward[at] if flows.log_stop is None else flows.log_stop.double()
            log_stop = log_stop.where(log_on > -torch.inf, 0.0)  # nothing else to do: STOP is forced
            log_all = torch.logaddexp(log_on, log_stop)
            stop[at] = (log_stop - log_all).exp()
            edges = slice(self._ends[at.start], self._ends[at.stop])
            row = self.parent[edges] - at.start
            step[edges] = (log_out[row, self.node[edges]] - log_all[row]).exp()
        visit = torch.zeros_like(stop)
        visit[self.origin] = 1.0
        for level in self._levels:
            visit.index_add_(0, self.child[level], visit[self.parent[level]] * step[level])
        return visit * stop

    def distances(self, chances: Tensor) -> Tensor:
        """Total variation of some distributions over the states of each episode from R/Z. [S] → [E]"""
        apart = (chances - self.log_target.exp()).abs() / 2
        return torch.zeros(len(self), dtype=apart.dtype, device=self.device).index_add_(0, self.episode, apart)

    def marginals(self, chances: Tensor, instances: Sequence[Instance]) -> list[np.ndarray]:
        """How likely each directed edge of each instance is in the subgraph. [S] → E times [e]"""
        parts = zip(self.dags, instances, chances.cpu().split(self.counts), strict=True)
        return [edge_marginals(dag, instance, part) for dag, instance, part in parts]

    def best(self) -> list[int]:
        """The state with the highest reward of each episode, as a number in its DAG; of equals the first. [E]"""
        return [first_best(part.cpu().numpy()) for part in self.log_reward.split(self.counts)]


# NetworkFlows: a policy network's flows on a listed state DAG, where a training on one instance is quick.
#
# A trajectory that is sampled with a network asks it for flows, and the GNN for a reward, in every step. Where the
# states are listed all rewards are known, and one pass of the network gives the flows of all states: trajectories, the
# loss on what they visit, and what is exactly true of the policy all follow from that table.


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
        self.refresh()

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
            self.log_stop = flows.log_stop.double()
        self.log_z = self.log_out()[0] if self.log_z_of is None else self.log_z_of(self._start)[0].double()
