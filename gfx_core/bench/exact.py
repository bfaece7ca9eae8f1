"""How far what is sampled is from R/Z, exactly, where all states of an instance can be listed.

The distance is the total variation between R/Z and the distribution of the set at which a policy stops, by dynamic
programming over all states. Four things can go wrong, and each has a row of its own: the objective (a table with a
free flow for each edge shows what it converges to), the network (fitted to one instance on all its states), the
training (the same on sampled trajectories only) and the sharing of one network by many instances.

The networks of the single instances are trained side by side, in one call with stacked weights: the loss, the policy
and the sampling are the trainer's, only the states come from a list. Some are fitted by the trainer too, as a check.
"""

import math
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.func import functional_call, stack_module_state, vmap

from gfx_core.bench.record import made_with
from gfx_core.config import Task
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.registry import load_dataset
from gfx_core.explainers.generate import Generator
from gfx_core.gfn import exact
from gfx_core.gfn.checkpoint import TrainedPolicy, load_policy, policy_path
from gfx_core.gfn.config import REWARD_PRESETS, GFNConfig, Loss, Parents, PolicyConfig, Stop
from gfx_core.gfn.exact import Doubles, StateDag
from gfx_core.gfn.instances import LINKS, Episodes, FlowGraphs
from gfx_core.gfn.losses import flow_matching_loss, log_out_flow, masked_logsumexp
from gfx_core.gfn.policy import FlowPolicy, Padded
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.states import States
from gfx_core.gfn.tabular import TabularConfig, train_tabular
from gfx_core.gfn.trainer import Trainer
from gfx_core.gnn.checkpoint import load_model
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import SubgraphPredictor

MAX_NODES = {"tree_cycles": 8, "tree_grid": 8, "ba_2motifs": 5}
"""The data sets, and K_M on each."""

METHODS: dict[str, tuple[str, float | None]] = {
    "tabular": ("table, flow matching", 0.01),
    "tabular-tb": ("table, trajectory balance", None),
    "tabular-sequence": ("table, GFlow-Sequence", None),
    "theory-sequence": ("theory, GFlow-Sequence", None),
    "tabular-graph": ("table, GFlow-Graph", None),
    "network": ("network per instance, trajectories", 0.05),
    "network-all": ("network per instance, all states", None),
    "network-plain": ("network per instance, without δ", None),
    "network-trainer": ("network per instance, by Trainer", None),
    "network-sequence": ("network, GFlow-Sequence", None),
    "network-graph": ("network, GFlow-Graph", None),
    "amortised": ("one network for all instances", None),
    "shipped": ("the shipped policy", None),
}
"""What is measured: how it is called in the table, and the mean that it should not exceed."""

_TABULAR = {
    "tabular": (Loss.FLOW_MATCHING, Parents.VALID),
    "tabular-tb": (Loss.TRAJECTORY_BALANCE, Parents.VALID),
    "tabular-sequence": (Loss.FLOW_MATCHING, Parents.SEQUENCE),
    "tabular-graph": (Loss.FLOW_MATCHING, Parents.GRAPH),
}
_NETWORK = {
    "network": (Parents.VALID, False, True),
    "network-all": (Parents.VALID, True, True),
    "network-plain": (Parents.VALID, False, False),
    "network-sequence": (Parents.SEQUENCE, False, True),
    "network-graph": (Parents.GRAPH, False, True),
}  # which parents count, whether every step looks at all states, and whether there is a δ


@dataclass(frozen=True)
class Plan:
    """How much is measured.

    Attributes:
        instances: Of each data set.
        network_instances: Those of them that get a network of their own.
        tabular_epochs: Steps of a table.
        steps: Steps of the networks of single instances.
        trajectories: Of each instance in a step.
        epsilon: Share of their actions drawn uniformly.
        lr: Their learning rate, annealed by a cosine.
        beta2: Adam's β₂ for them.
        delta: log δ below the best log R; see `Fleet`.
        checks: Instances of each node data set that are also fitted by the trainer.
        check_epochs: Its epochs.
        amortised_epochs: Epochs of the network for all instances.
        copies: Trajectories of each instance in an epoch there.
        seed: Of everything.
    """

    instances: int = 20
    network_instances: int = 20
    tabular_epochs: int = 400
    steps: int = 1500
    trajectories: int = 128
    epsilon: float = 0.1
    lr: float = 1e-2
    beta2: float = 0.95
    delta: float = 10.0
    checks: int = 2
    check_epochs: int = 300
    amortised_epochs: int = 700
    copies: int = 16
    seed: int = 0


GPU = Plan()
CPU = Plan(network_instances=3, steps=300, checks=1, check_epochs=150, amortised_epochs=200, copies=8)
QUICK = Plan(
    instances=1,
    network_instances=1,
    tabular_epochs=120,
    steps=8,
    checks=1,
    check_epochs=2,
    amortised_epochs=3,
    copies=2,
)


@dataclass(frozen=True)
class Problem:
    """Some instances of a data set, all states of each, and the reward of each state under some preset."""

    dataset: str
    model: GNN
    instances: list[Instance]
    dags: list[StateDag]
    predictor: SubgraphPredictor
    log_rewards: dict[str, list[Doubles]]  # by preset; [S] each

    @classmethod
    def choose(cls, dataset: str, count: int, seed: int, device: str) -> "Problem":
        """Random explainable instances; a graph task's start node is a random node of the motif."""
        data, model, rng = load_dataset(dataset), load_model(dataset), np.random.RandomState(seed)
        chosen = np.sort(rng.choice(data.explainable, min(count, len(data.explainable)), replace=False))
        instances = [data.instance(int(index)) for index in chosen]
        starts = [int(rng.choice(np.flatnonzero(i.motif >= 0))) if i.target is None else i.target for i in instances]
        dags = [exact.enumerate_states(i, s, MAX_NODES[dataset]) for i, s in zip(instances, starts, strict=True)]
        predictor = SubgraphPredictor(model, instances, device)
        log_rewards = {}
        for preset, config in REWARD_PRESETS.items():
            reward = Reward(predictor, config)
            subsets = [torch.from_numpy(dag.subsets).to(device) for dag in dags]
            values = [reward(sets, torch.full_like(sets[:, 0], number)) for number, sets in enumerate(subsets)]
            log_rewards[preset] = [value.double().cpu().numpy() for value in values]
        return cls(dataset, model, instances, dags, predictor, log_rewards)

    def about(self) -> dict[str, Any]:
        return {
            "dataset": self.dataset,
            "max_nodes": MAX_NODES[self.dataset],
            "indices": [instance.index for instance in self.instances],
            "starts": [dag.start for dag in self.dags],
            "states": [dag.num_states for dag in self.dags],
            "edges": [dag.num_edges for dag in self.dags],
        }


def _processes() -> Executor:
    """A process for each core but one: tables are small and want no accelerator."""
    count = max(1, (os.cpu_count() or 1) - 1)
    return ProcessPoolExecutor(count, mp_context=get_context("spawn"), initializer=torch.set_num_threads, initargs=(1,))


def _distance(log_p: Doubles, log_reward: Doubles) -> float:
    return exact.total_variation(log_p, exact.target_distribution(log_reward))


# Tables


def _fit_table(dag: StateDag, log_reward: Doubles, config: TabularConfig) -> tuple[float, float]:
    """Total variation and seconds of one table."""
    started = time.perf_counter()
    policy = train_tabular(dag, log_reward, config, every=config.epochs)
    return _distance(policy.terminal_distribution(), log_reward), time.perf_counter() - started


# One network for each instance, all at once


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
        delta: The loss counts flows below δ = max R · exp(−delta) as δ, so that flows far below the best reward,
            which hardly a sample will ever follow, need not match. (The original flow matching loss, Bengio et al.,
            2021, adds δ to both sides; then flows far below δ have no gradient and may never come up.) None: as it is.
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
        with torch.random.fork_rng(devices=[]):
            networks = []
            for values in log_rewards:
                torch.manual_seed(seed)
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
        log_in, log_out = (_raised(side.where(counts, 0.0), self.log_delta) for side in (log_in, log_out))
        apart = flow_matching_loss(log_in, log_out)
        return (apart * weight).sum(1) / weight.sum(1).clamp(min=1)

    def fit(self, plan: Plan, all_states: bool) -> list[tuple[int, list[float]]]:
        """Trains all of them; the total variation of each after 1/8, 1/4, 1/2 and all of the steps."""
        S, generator = self.log_reward.shape[1], torch.Generator(self.log_reward.device).manual_seed(plan.seed)
        optimizer = torch.optim.Adam(self.weights.values(), lr=plan.lr, betas=(0.9, plan.beta2))
        curve = []
        for step in range(plan.steps):
            if step in (plan.steps // 8, plan.steps // 4, plan.steps // 2):
                curve.append((step, self.distances()))
            optimizer.param_groups[0]["lr"] = plan.lr * (0.525 + 0.475 * math.cos(math.pi * step / plan.steps))
            flows = self.log_flows()
            some = None if all_states else self.visits(flows[:, :S], plan.trajectories, plan.epsilon, generator)
            optimizer.zero_grad(set_to_none=True)
            self.loss(flows, some).sum().backward()
            gradients = [weight.grad for weight in self.weights.values() if weight.grad is not None]
            norm = torch.stack([gradient.flatten(1).norm(dim=1) for gradient in gradients]).norm(dim=0)  # [N]
            for gradient in gradients:  # clipped for each network, as the trainer does
                gradient.mul_((10 / norm.clamp(min=10)).view(-1, *[1] * (gradient.ndim - 1)))
            optimizer.step()
        return [*curve, (plan.steps, self.distances())]

    @torch.no_grad()
    def distances(self) -> list[float]:
        """Total variation from R/Z of each network."""
        flows = self.log_flows().double().cpu().numpy()
        return [
            _distance(exact.terminal_distribution(dag, table[: dag.num_states], reward), reward)
            for dag, reward, table in zip(self.dags, self.log_rewards, flows, strict=True)
        ]


def _raised(log_flow: Tensor, floor: Tensor) -> Tensor:
    """At least the floor, with the gradient of the flow itself: where one side is above, the other must still rise."""
    return log_flow + (torch.maximum(log_flow, floor) - log_flow).detach()


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


def _fit_networks(problem: Problem, method: str, plan: Plan) -> dict[str, list[Any]]:
    """A network for every instance and preset: by preset, the curve of total variations in the instances' order."""
    parents, all_states, with_delta = _NETWORK[method]
    delta = plan.delta if with_delta else None
    chosen = range(min(plan.network_instances, len(problem.dags)))
    pairs = [(preset, i) for preset in REWARD_PRESETS for i in chosen]
    pairs.sort(key=lambda pair: problem.dags[pair[1]].num_states)  # alike together: less padding
    together = len(pairs) if problem.predictor.device.type == "cuda" else 4
    found: dict[tuple[str, int], list[tuple[int, float]]] = {}
    for first in range(0, len(pairs), together):
        part = pairs[first : first + together]
        rewards = [problem.log_rewards[preset][i] for preset, i in part]
        curve = Fleet(problem, [i for _, i in part], rewards, parents, delta, plan.seed).fit(plan, all_states)
        found |= {pair: [(step, values[n]) for step, values in curve] for n, pair in enumerate(part)}
    return {preset: [found[preset, i] for i in chosen] for preset in REWARD_PRESETS}


# By the trainer


def _trained(problem: Problem, which: list[int], copies: int, preset: str, epochs: int, plan: Plan) -> TrainedPolicy:
    """One policy for some instances, `copies` trajectories of each in an epoch (in graph tasks, from random starts)."""
    predictor = SubgraphPredictor(
        problem.model, [problem.instances[i] for i in which] * copies, problem.predictor.device
    )
    config = GFNConfig(
        max_nodes=MAX_NODES[problem.dataset],
        reward=REWARD_PRESETS[preset],
        epochs=epochs,
        lr=plan.lr if len(which) == 1 else 3e-3,  # that of the shipped policies
        batch_size=1 << 14,
        epsilon=plan.epsilon,
        seed=plan.seed,
    )
    trainer = Trainer(predictor, config)
    rewards = [problem.log_rewards[preset][i].max() for i in which]
    nn.init.constant_(trainer.policy.score.bias, float(np.mean(rewards)))
    trainer.fit()
    return TrainedPolicy.of(trainer)


def _distances_of(trained: TrainedPolicy, problem: Problem, which: list[int], preset: str) -> list[float]:
    distances = []
    for i in which:
        predictor = SubgraphPredictor(problem.model, [problem.instances[i]], problem.predictor.device)
        reward = problem.log_rewards[preset][i]
        generator = Generator(trained, predictor, problem.instances[i])
        distances.append(_distance(generator.terminal_distribution(problem.dags[i], reward), reward))
    return distances


def _shipped(problem: Problem, preset: str) -> TrainedPolicy | None:
    """The shipped policy, where there is one with this reward and K_M."""
    path = policy_path(problem.dataset, problem.model.kind, "" if preset == "sharp" else preset)
    trained = load_policy(path) if path.is_file() else None
    if trained is None or trained.config.max_nodes != MAX_NODES[problem.dataset]:
        return None
    return trained if trained.config.reward == REWARD_PRESETS[preset] else None


# The benchmark


def run(
    device: str = "cpu",
    quick: bool = False,
    progress: Callable[[float, str], None] | None = None,
    plan: Plan | None = None,
) -> dict[str, Any]:
    """Measure everything on three data sets and both reward presets.

    Args:
        device: Where the networks are trained; tables are trained on the CPU, beside them.
        quick: One instance of two data sets and hardly any training of networks: to see that it works.
        progress: Called with the share that is done (0 to 1) and what comes next.
        plan: How much to measure; by default all of it on a GPU, and networks on fewer instances on the CPU.

    Returns:
        A record that can be written as JSON, with the total variation on every instance.
    """
    started = time.perf_counter()
    plan = plan or (QUICK if quick else GPU if device == "cuda" else CPU)
    names = list(MAX_NODES)[1:] if quick else list(MAX_NODES)
    problems = [Problem.choose(name, plan.instances, plan.seed, device) for name in names]
    rows: list[dict[str, Any]] = []
    total, done = len(problems) * (len(_NETWORK) + 2 * len(REWARD_PRESETS)) + 1, 0

    def tell(text: str) -> None:
        nonlocal done
        if progress is not None:
            progress(done / total, text)
        done += 1

    def add(problem: Problem, preset: str, method: str, values: list[float], seconds: float, **more: Any) -> None:
        rows.append(_row(problem, preset, method, values, seconds) | more)

    with ThreadPoolExecutor(1) if quick else _processes() as pool:
        tables: list[tuple[Problem, str, str, list[Future[tuple[float, float]]]]] = []
        for problem in problems:
            for preset, rewards in problem.log_rewards.items():
                for method, (loss, parents) in _TABULAR.items():
                    config = TabularConfig(loss=loss, parents=parents, epochs=plan.tabular_epochs, seed=plan.seed)
                    jobs = zip(problem.dags, rewards, strict=True)
                    futures = [pool.submit(_fit_table, dag, reward, config) for dag, reward in jobs]
                    tables.append((problem, preset, method, futures))
                theory = [exact.sequence_distribution(d, r) for d, r in zip(problem.dags, rewards, strict=True)]
                distances = [_distance(log_p, r) for log_p, r in zip(theory, rewards, strict=True)]
                add(problem, preset, "theory-sequence", distances, 0.0)
        for problem in problems:
            for method in _NETWORK:
                tell(f"{problem.dataset}: {METHODS[method][0]}")
                begun = time.perf_counter()
                by_preset = _fit_networks(problem, method, plan)
                seconds = (time.perf_counter() - begun) / len(by_preset)
                for preset, curves in by_preset.items():
                    means = [
                        (point[0][0], float(np.mean([tv for _, tv in point]))) for point in zip(*curves, strict=True)
                    ]
                    add(problem, preset, method, [curve[-1][1] for curve in curves], seconds, curve=means)
            everything = list(range(len(problem.dags)))
            for preset in REWARD_PRESETS:
                tell(f"{problem.dataset}, {preset}: {METHODS['network-trainer'][0]}")
                if problem.predictor.task is Task.NODE:  # in a graph task the trainer would learn all start nodes
                    few = everything[: plan.checks]
                    begun = time.perf_counter()
                    policies = [_trained(problem, [i], plan.trajectories, preset, plan.check_epochs, plan) for i in few]
                    seconds = time.perf_counter() - begun
                    pairs = zip(policies, few, strict=True)
                    distances = [_distances_of(policy, problem, [i], preset)[0] for policy, i in pairs]
                    add(problem, preset, "network-trainer", distances, seconds)
                tell(f"{problem.dataset}, {preset}: {METHODS['amortised'][0]}")
                begun = time.perf_counter()
                trained = _trained(problem, everything, plan.copies, preset, plan.amortised_epochs, plan)
                seconds = time.perf_counter() - begun
                add(problem, preset, "amortised", _distances_of(trained, problem, everything, preset), seconds)
                shipped = _shipped(problem, preset)
                if shipped is not None:
                    add(problem, preset, "shipped", _distances_of(shipped, problem, everything, preset), 0.0)
        tell("tables")
        for problem, preset, method, futures in tables:
            results = [future.result() for future in futures]
            add(problem, preset, method, [tv for tv, _ in results], sum(seconds for _, seconds in results))
    order = list(METHODS)
    rows.sort(key=lambda r: (r["preset"], names.index(r["dataset"]), order.index(r["method"])))
    record = {"plan": asdict(plan), "quick": quick, "seconds": time.perf_counter() - started}
    return record | {"datasets": [p.about() for p in problems], "rows": rows} | made_with(device)


def _row(problem: Problem, preset: str, method: str, values: list[float], seconds: float) -> dict[str, Any]:
    return {
        "dataset": problem.dataset,
        "preset": preset,
        "method": method,
        "goal": METHODS[method][1],
        "instances": len(values),
        "mean": float(np.mean(values)),
        "median": float(np.median(values)),
        "max": float(np.max(values)),
        "seconds": seconds,
        "values": values,
    }


def table(record: dict[str, Any]) -> str:
    """The record for people."""
    lines = [f"Total variation from R/Z, in {record['seconds']:.0f} s on {record['made']['device']}"]
    for about in record["datasets"]:
        states = about["states"]
        lines.append(
            f"{about['dataset']}: {len(states)} instances, {sum(states):,} states ({min(states)} to {max(states)}), "
            f"K_M = {about['max_nodes']}"
        )
    head = f"{'':<36} {'instances':>9} {'mean':>7} {'median':>7} {'max':>7} {'goal':>5} {'seconds':>8}"
    last = None
    for row in record["rows"]:
        if (row["preset"], row["dataset"]) != last:
            last = (row["preset"], row["dataset"])
            lines += ["", f"{row['dataset']}, reward “{row['preset']}”", head]
        goal = "" if row["goal"] is None else f"{row['goal']:.2f}"
        lines.append(
            f"{METHODS[row['method']][0]:<36} {row['instances']:>9} {row['mean']:>7.4f} {row['median']:>7.4f} "
            f"{row['max']:>7.4f} {goal:>5} {row['seconds']:>8.1f}"
        )
    return "\n".join([*lines, "", verdict(record)])


def verdict(record: dict[str, Any]) -> str:
    """What the numbers say, in a few sentences."""
    rows = {(r["dataset"], r["preset"], r["method"]): r for r in record["rows"]}
    cases = sorted({key[:2] for key in rows})

    def means(method: str) -> list[float]:
        return [rows[*case, method]["mean"] for case in cases if (*case, method) in rows]

    def span(method: str) -> str:
        values = means(method)
        return f"{min(values):.3f} to {max(values):.3f}"

    said = []
    for method in ("tabular", "network"):
        goal = METHODS[method][1]
        assert goal is not None
        met = sum(mean <= goal for mean in means(method))
        said.append(
            f"{METHODS[method][0].capitalize()}: mean {span(method)}; goal {goal} met in {met} of {len(cases)} cases."
        )
    for dataset, preset in cases:
        some, every = rows[dataset, preset, "network"], rows[dataset, preset, "network-all"]
        if some["mean"] <= some["goal"]:
            continue
        falling = some["mean"] < 0.8 * some["curve"][-2][1]
        if every["mean"] <= some["goal"]:
            why = f"on all states it reaches {every['mean']:.3f}, so what is missing is visits, not expressiveness"
        else:
            why = f"on all states it is {every['mean']:.3f}, so visits alone are not what is missing"
        trend = "it was still falling when training ended" if falling else "the second half of training hardly helped"
        said.append(f"{dataset}, {preset}: the network ends at {some['mean']:.3f}; {why}; {trend}.")
    better = sum(a < b for a, b in zip(means("network"), means("network-plain"), strict=True))
    said.append(f"Without δ the networks end at {span('network-plain')}; δ helps in {better} of {len(cases)} cases.")
    said.append(f"One network for all instances of a data set: mean {span('amortised')}.")
    gap = max(
        abs(a - b)
        for case in cases
        for a, b in zip(
            rows[*case, "tabular-sequence"]["values"], rows[*case, "theory-sequence"]["values"], strict=True
        )
    )
    said.append(
        f"Does a DAG matter? In tables GFlow-Sequence ends at {span('tabular-sequence')} (theory differs by at most "
        f"{gap:.3f}) and GFlow-Graph at {span('tabular-graph')}, against {span('tabular')} with valid parents."
    )
    worse = [
        sum(rows[*case, f"network-{other}"]["mean"] > rows[*case, "network"]["mean"] for case in cases)
        for other in ("sequence", "graph")
    ]
    said.append(
        f"With networks valid parents are closer than GFlow-Sequence in {worse[0]} and than GFlow-Graph in {worse[1]} "
        f"of {len(cases)} cases. Trajectory balance in tables: {span('tabular-tb')}."
    )
    return "\n".join(said)
