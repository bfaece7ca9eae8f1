"""Many networks, one for each instance, trained side by side on states from a list.

In one call with stacked weights: loss, policy and flows are the trainer's, only the states come from a list.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.func import functional_call, stack_module_state, vmap

from gfx_core.bench.enumerated import Problem, distance
from gfx_core.gfn import exact
from gfx_core.gfn.config import Parents, PolicyConfig, Stop
from gfx_core.gfn.exact import Doubles
from gfx_core.gfn.instances import LINKS, Episodes, FlowGraphs
from gfx_core.gfn.losses import flow_matching_loss, log_out_flow, masked_logsumexp, raised
from gfx_core.gfn.policy import FlowPolicy, Padded
from gfx_core.gfn.state_dag import StateDag
from gfx_core.gfn.states import States
from gfx_core.seeding import seeded


@dataclass(frozen=True)
class FleetConfig:
    """How the networks are trained.

    Attributes:
        steps: Of Adam.
        trajectories: Of each instance in a step.
        epsilon: Share of their actions drawn uniformly.
        lr: Learning rate, annealed by a cosine.
        beta2: Adam's β₂.
        delta: log δ below the best log R; see `Fleet`.
        seed: Of weights and actions.
    """

    steps: int = 1500
    trajectories: int = 128
    epsilon: float = 0.1
    lr: float = 1e-2
    beta2: float = 0.95
    delta: float = 10.0
    seed: int = 0


class _Scores(nn.Module):
    """A policy's log-flows out of all listed states of one instance, from plain tensors, as `vmap` wants it."""

    def __init__(self, policy: FlowPolicy, graphs: FlowGraphs) -> None:
        super().__init__()
        self.policy, self.graphs = policy, graphs

    def forward(
        self, instance: Tensor, start: Tensor, node: Tensor, members: Tensor, sums: Tensor, size: Tensor, edges: Tensor
    ) -> Tensor:
        """Shapes: [], [], [m], [S, m], [S, m, 2], [S], [S] → [S, m]"""
        zero = torch.zeros_like(instance)[None]
        episodes = Episodes(self.graphs, instance[None], start[None], zero, node * 0, node, members.shape[1])
        states = States(episodes, torch.zeros_like(size).long(), members, sums, size, edges, self.policy.max_nodes)
        encoded = self.policy.encode(episodes)
        assert encoded.context is not None
        degree = self.graphs.inverse_degree[self.graphs.graphs.rows(instance, node)]
        return self.policy.out_flows(Padded(encoded.node[None], encoded.context[None], degree[None]), states).log_out


class Fleet:
    """N networks, each for one instance, with stacked weights.

    An action is a cell (state, node) of an [S, m] table of log-flows. GFlow-Graph also asks for flows from node sets
    that are not connected: those are more rows, S … R - 1, of the same table.

    Args:
        problem: Where the instances are from.
        which: The instance of each network. [N]
        log_rewards: Of its states. N · [S]
        parents: Which parents count.
        delta: See :class:`gfx_core.gfn.config.GFNConfig`. None: flows are compared as they are.
        seed: Of the weights, the same for each.
    """

    def __init__(
        self,
        problem: Problem,
        which: Sequence[int],
        log_rewards: list[Doubles],
        parents: Parents,
        delta: float | None,
        seed: int,
    ) -> None:
        device = problem.predictor.device
        self.dags, self.log_rewards, self.parents = [problem.dags[i] for i in which], log_rewards, parents
        N, S = len(which), max(dag.num_states for dag in self.dags)
        m = max(dag.num_nodes for dag in self.dags)
        phantoms = [_phantoms(dag) if parents is Parents.GRAPH else _NO_PHANTOMS for dag in self.dags]
        R = S + max(len(state) for state, _ in phantoms)
        members = np.zeros((N, R, m), dtype=bool)
        into = np.full((N, S, max(int(dag.size.max()) for dag in self.dags)), R * m)  # cells of the parents' actions
        leads_to = np.full((N, S + 1, m + 1), S)  # the state that an action leads to; S: it has stopped
        reward = np.zeros((N, S))
        for n, (dag, (state, node)) in enumerate(zip(self.dags, phantoms, strict=True)):
            members[n, : dag.num_states, : dag.num_nodes] = dag.members
            members[n, S + np.arange(len(state))] = members[n, state]
            members[n, S + np.arange(len(state)), node] = False
            owner = np.concatenate([dag.child, state])
            cell = np.concatenate([dag.parent * m + dag.node, (S + np.arange(len(state))) * m + node])
            order = np.argsort(owner, kind="stable")
            first = np.searchsorted(owner[order], owner[order])
            into[n, owner[order], np.arange(len(owner)) - first] = cell[order]
            leads_to[n, dag.parent, dag.node] = dag.child
            reward[n, : dag.num_states] = log_rewards[n]
        self.into, self.leads_to = torch.from_numpy(into).to(device), torch.from_numpy(leads_to).to(device)
        self.log_reward = torch.from_numpy(reward).float().to(device)  # [N, S]
        floor = [-np.inf if delta is None else values.max() - delta for values in log_rewards]
        self.log_delta = torch.tensor(floor, dtype=torch.float32, device=device)[:, None]  # [N, 1]
        self.child = self.leads_to[:, :S, :m].flatten(1)  # [N, S · m]
        graphs = FlowGraphs(problem.predictor, PolicyConfig())
        self._inputs = _network_inputs(graphs, which, [dag.start for dag in self.dags], torch.from_numpy(members))
        networks = []
        for values in log_rewards:
            with seeded(seed):
                policy = FlowPolicy(graphs.features.shape[1], PolicyConfig(), Stop.REWARD, self.dags[0].max_nodes)
                nn.init.constant_(policy.score.bias, float(values.max()))  # begin high, as the tables do
                networks.append(_Scores(policy, graphs).to(device))
        self.weights, _ = stack_module_state(networks)
        self._call = vmap(lambda weights, *inputs: functional_call(networks[0], weights, inputs))

    def log_flows(self) -> Tensor:
        """[N, R, m]"""
        return self._call(self.weights, *self._inputs)

    @torch.no_grad()
    def visits(self, log_flows: Tensor, count: int, epsilon: float, generator: torch.Generator) -> Tensor:
        """How often some trajectories of each network take each action. [N, S, m] → [N, S · m]"""
        N, S, m = log_flows.shape
        logits = torch.cat([log_flows, self.log_reward[..., None]], 2)  # [N, S, m + 1], STOP last
        there = logits > -torch.inf
        chance = (1 - epsilon) * logits.softmax(2) + epsilon * there / there.sum(2, keepdim=True)
        up_to = nn.functional.pad(chance.cumsum(2), (0, 0, 0, 1), value=2.0)  # row S: has stopped
        each = torch.arange(N, device=logits.device)[:, None]
        state = torch.zeros(N, count, dtype=torch.long, device=logits.device)
        taken = torch.zeros(N, S * m + 1, device=logits.device)
        for luck in torch.rand(self.dags[0].max_nodes - 1, N, count, 1, generator=generator, device=logits.device):
            action = (up_to[each, state] <= luck).sum(2).clamp(max=m)  # [N, B]
            reached = self.leads_to[each, state, action]
            taken.scatter_add_(1, (state * m + action).where(reached < S, S * m), torch.ones_like(luck[..., 0]))
            state = reached
        return taken[:, :-1]

    def loss(self, log_flows: Tensor, taken: Tensor | None) -> Tensor:
        """Flow matching on the states reached by the actions taken, or on all of them, for each network. [N]"""
        S = self.log_reward.shape[1]
        log_out = log_out_flow(log_flows[:, :S], self.log_reward)  # [N, S]
        is_action = self.child < S
        weight = is_action.float() if taken is None else taken
        if self.parents is Parents.SEQUENCE:
            log_in, log_out = log_flows.flatten(1), log_out.gather(1, self.child.clamp(max=S - 1))  # [N, S · m]
        else:
            cells = nn.functional.pad(log_flows.flatten(1), (0, 1), value=-torch.inf)
            log_in = masked_logsumexp(cells.gather(1, self.into.flatten(1)).view(*self.into.shape))  # [N, S]
            weight = weight.new_zeros(len(weight), S + 1).scatter_add_(1, self.child, weight)[:, :S]
            weight = weight.clamp(max=1) if taken is None else weight
        counts = weight > 0
        log_in, log_out = (raised(side.where(counts, 0.0), self.log_delta) for side in (log_in, log_out))
        apart = flow_matching_loss(log_in, log_out)
        return (apart * weight).sum(1) / weight.sum(1).clamp(min=1)

    def fit(self, config: FleetConfig, all_states: bool) -> list[tuple[int, list[float]]]:
        """Trains all of them; the total variation of each after 1/8, 1/4, 1/2 and all of the steps."""
        S, generator = self.log_reward.shape[1], torch.Generator(self.log_reward.device).manual_seed(config.seed)
        optimizer = torch.optim.Adam(self.weights.values(), lr=config.lr, betas=(0.9, config.beta2))
        curve = []
        for step in range(config.steps):
            if step in (config.steps // 8, config.steps // 4, config.steps // 2):
                curve.append((step, self.distances()))
            optimizer.param_groups[0]["lr"] = config.lr * (0.525 + 0.475 * math.cos(math.pi * step / config.steps))
            flows = self.log_flows()
            some = None if all_states else self.visits(flows[:, :S], config.trajectories, config.epsilon, generator)
            optimizer.zero_grad(set_to_none=True)
            self.loss(flows, some).sum().backward()
            gradients = [weight.grad for weight in self.weights.values() if weight.grad is not None]
            norm = torch.stack([gradient.flatten(1).norm(dim=1) for gradient in gradients]).norm(dim=0)  # [N]
            for gradient in gradients:  # clipped for each network, as the trainer does
                gradient.mul_((10 / norm.clamp(min=10)).view(-1, *[1] * (gradient.ndim - 1)))
            optimizer.step()
        return [*curve, (config.steps, self.distances())]

    @torch.no_grad()
    def distances(self) -> list[float]:
        """Total variation from R/Z of each network."""
        flows = self.log_flows().double().cpu().numpy()
        return [
            distance(exact.terminal_distribution_from_edges(dag, table[dag.parent, dag.node], reward), reward)
            for dag, reward, table in zip(self.dags, self.log_rewards, flows, strict=True)
        ]


_NO_PHANTOMS = (np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))


def _phantoms(dag: StateDag) -> tuple[np.ndarray, np.ndarray]:
    """State and node of every removal, but of the start node, that leaves no state."""
    state, node = np.nonzero(dag.members)
    state, node = state[node != dag.start], node[node != dag.start]
    left = dag.members[state]
    left[np.arange(len(node)), node] = False
    gone = dag.indices_of(left) < 0
    return state[gone], node[gone]


def _network_inputs(
    graphs: FlowGraphs, which: Sequence[int], starts: Sequence[int], members: Tensor
) -> tuple[Tensor, ...]:
    """What `_Scores` takes, for N instances; rows without members stand for no state. bool [N, R, m]"""
    m = members.shape[2]
    members = members.to(graphs.device)
    instance = torch.tensor(which, device=graphs.device)
    size = graphs.graphs.size[instance]  # [N]
    node = torch.arange(m, device=graphs.device)
    node = node.where(node < size[:, None], 0)  # [N, m]
    cells = graphs.graphs.block[instance][:, None, None] + node[:, :, None] * size[:, None, None] + node[:, None]
    inside = (torch.arange(m, device=graphs.device) < size[:, None]).float()[:, None, :, None]  # [N, 1, m, 1]
    sums = torch.einsum("nru,nuvc->nrvc", members.float(), graphs.table[cells]) * inside  # [N, R, m, 2]
    edges = (sums[..., LINKS] * members).sum(2) / 2
    counted = members.sum(2).clamp(min=1).float()
    return instance, torch.tensor(starts, device=graphs.device), node, members, sums, counted, edges
