"""How far a policy is from R/Z, exactly, on instances of which all states can be listed."""

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import nn

from gfx_core.bench.cells import Cell
from gfx_core.bench.measures.cell_subject import middle
from gfx_core.bench.protocol import EXACT_NODES
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.registry import load_dataset
from gfx_core.device import seeded
from gfx_core.explainers.generate import SubgraphSampler
from gfx_core.gfn import exact
from gfx_core.gfn.dag_flows import DagFlows
from gfx_core.gfn.descent import descend
from gfx_core.gfn.exact import Doubles
from gfx_core.gfn.instances import Episodes, FlowGraphs
from gfx_core.gfn.policy import FlowPolicy
from gfx_core.gfn.policy_file import TrainedPolicy
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.settings import REWARD_PRESETS, GFNConfig, Loss, Parents, PolicyConfig, Stop
from gfx_core.gfn.state_dag import StateDag, enumerate_states
from gfx_core.gfn.states import States
from gfx_core.gfn.tabular import TabularConfig, objective, train_tabular
from gfx_core.gfn.trainer import Trainer
from gfx_core.gnn.checkpoint import load_model
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import SubgraphPredictor

_TABLES = {
    "tabular": TabularConfig(),
    "tabular-tb": TabularConfig(loss=Loss.TRAJECTORY_BALANCE),
    "tabular-sequence": TabularConfig(parents=Parents.SEQUENCE),
    "tabular-graph": TabularConfig(parents=Parents.GRAPH),
}
_TRAINED = TabularConfig(full=False, delta=10.0, lr=0.01)  # a network on the states of sampled trajectories
_NETWORKS = {
    "network": _TRAINED,
    "network-all": replace(_TRAINED, full=True),
    "network-plain": replace(_TRAINED, delta=None),
    "network-sequence": replace(_TRAINED, parents=Parents.SEQUENCE),
    "network-graph": replace(_TRAINED, parents=Parents.GRAPH),
}
_FITS = _TABLES | _NETWORKS

Distances = list[tuple[int, float]]
"""Steps and the distance after them."""


@dataclass(frozen=True)
class Problem:
    """Some instances of a data set, all states of each, and the reward of each state."""

    cell: Cell
    model: GNN
    instances: list[Instance]
    dags: list[StateDag]
    predictor: SubgraphPredictor
    log_rewards: list[Doubles]  # [S] each

    @classmethod
    def choose(cls, cell: Cell) -> "Problem":
        """Random explainable instances; a graph task's start node is a random node of the motif."""
        data, model, rng = load_dataset(cell.dataset), load_model(cell.dataset), np.random.RandomState(cell.seed)
        count = min(cell.options["instances"], len(data.explainable))
        chosen = np.sort(rng.choice(data.explainable, count, replace=False))
        instances = [data.instance(int(index), hops=model.hops) for index in chosen]
        starts = [int(rng.choice(np.flatnonzero(i.motif >= 0))) if i.target is None else i.target for i in instances]
        dags = [enumerate_states(i, s, EXACT_NODES[cell.dataset]) for i, s in zip(instances, starts, strict=True)]
        predictor = SubgraphPredictor(model, instances, cell.device)
        reward = Reward(predictor, REWARD_PRESETS[cell.variant])
        subsets = [torch.from_numpy(dag.subsets).to(cell.device) for dag in dags]
        rewards = [reward(sets, torch.full_like(sets[:, 0], number)) for number, sets in enumerate(subsets)]
        log_rewards = [values.double().cpu().numpy() for values in rewards]
        return cls(cell, model, instances, dags, predictor, log_rewards)


class NetworkFlows(DagFlows):
    """The flows that a policy network of its own gives to the DAG of one instance of a problem."""

    def __init__(self, problem: Problem, i: int, parents: Parents, seed: int) -> None:
        dag, config = problem.dags[i], PolicyConfig()
        super().__init__(dag, problem.log_rewards[i], parents)
        graphs = FlowGraphs(problem.predictor, config)
        with seeded(seed):
            self.policy = FlowPolicy(graphs.features.shape[1], config, Stop.REWARD, dag.max_nodes)
        nn.init.constant_(self.policy.score.bias, float(problem.log_rewards[i].max()))  # begin high, as the tables do
        self.episodes = Episodes.of(graphs, np.array([i]), np.array([dag.start]))
        members = torch.from_numpy(dag.members)
        removed = members.clone()  # members whose removal leaves no state
        removed[:, dag.start] = False
        removed[dag.child, dag.node] = False
        self._phantoms = removed.to(graphs.device) if parents is Parents.GRAPH else None
        zeros = torch.zeros(len(members), dtype=torch.long, device=graphs.device)
        self.states = States.of_sets(self.episodes, zeros, members.to(graphs.device), dag.max_nodes)
        self._node = torch.from_numpy(dag.node).to(graphs.device)
        self.to(graphs.device)

    def loss(self, config: TabularConfig, generator: torch.Generator) -> torch.Tensor:
        """Ask the network for its flows as they are now, and compare them."""
        flows = self.policy(self.policy.encode(self.episodes), self.states, self._phantoms)
        self.log_edge = flows.log_out[self._parent, self._node].double()
        self.log_phantom = self.log_edge[:0] if self._phantoms is None else flows.log_in[self._phantoms].double()
        return objective(self, config, generator)[0]


def measure(cell: Cell) -> dict[str, Any]:
    """Fit what the cell's method says to some instances of a data set.

    The variant is the reward's preset. Options: ``device``, of the networks (tables are on the CPU); ``instances``;
    ``first``, only so many of them; ``epochs``; ``copies``, trajectories of an instance in an epoch of the trainer.
    """
    problem, started = Problem.choose(cell), time.perf_counter()
    which = range(len(problem.dags))[: cell.options.get("first")]
    config = replace(_FITS.get(cell.method, _TRAINED), epochs=cell.options.get("epochs", 1), seed=cell.seed)
    shared = by_trainer(problem, which) if cell.method == "amortised" else None
    curves = [fit(problem, i, config, shared) for i in which]
    distances = [curve[-1][1] for curve in curves]
    return {
        "distances": distances,
        **middle(distances),
        "fit_s": time.perf_counter() - started,
        "curve": [(points[0][0], float(np.mean([tv for _, tv in points]))) for points in zip(*curves, strict=True)],
        "config": asdict(config),
        "max_nodes": EXACT_NODES[cell.dataset],
        "indices": [problem.instances[i].index for i in which],
        "starts": [problem.dags[i].start for i in which],
        "states": [problem.dags[i].num_states for i in which],
        "edges": [problem.dags[i].num_edges for i in which],
    }


def fit(problem: Problem, i: int, config: TabularConfig, shared: TrainedPolicy | None) -> Distances:
    """How far what is fitted to an instance, or shared by all, is from R/Z there; networks are followed on the way."""
    method, dag, log_reward = problem.cell.method, problem.dags[i], problem.log_rewards[i]
    if method in _NETWORKS:
        return fit_network(problem, i, config)
    if method == "theory-sequence":
        log_p = exact.sequence_distribution(dag, log_reward)
    elif method in _TABLES:
        log_p = train_tabular(dag, log_reward, config, every=config.epochs).terminal_distribution()
    else:
        trained = shared or by_trainer(problem, [i])
        predictor = SubgraphPredictor(problem.model, [problem.instances[i]], problem.predictor.device)
        log_p = SubgraphSampler(trained, predictor, problem.instances[i]).terminal_distribution(dag, log_reward)
    return [(config.epochs, distance(log_p, log_reward))]


def distance(log_p: Doubles, log_reward: Doubles) -> float:
    """Total variation between a distribution over the states and R/Z."""
    return exact.total_variation(log_p, exact.target_distribution(log_reward))


def fit_network(problem: Problem, i: int, config: TabularConfig) -> Distances:
    """A network for one instance: its distance after 1/8, 1/4, 1/2 and all of the steps."""
    flows = NetworkFlows(problem, i, config.parents, config.seed)
    generator = torch.Generator(flows.device).manual_seed(config.seed)
    groups = [{"params": list(flows.policy.parameters()), "lr": config.lr}]
    looks = {config.epochs // part for part in (8, 4, 2, 1)}
    return [
        (step, distance(flows.terminal_distribution(), problem.log_rewards[i]))
        for step, _ in descend(groups, lambda: flows.loss(config, generator), config.epochs, last=0.05, clip=10.0)
        if step in looks
    ]


def by_trainer(problem: Problem, which: Sequence[int]) -> TrainedPolicy:
    """One policy for some instances, several trajectories of each in an epoch (in graph tasks, from random starts)."""
    cell = problem.cell
    copies = [problem.instances[i] for i in which] * cell.options["copies"]
    config = GFNConfig(
        max_nodes=EXACT_NODES[cell.dataset],
        reward=REWARD_PRESETS[cell.variant],
        epochs=cell.options["epochs"],
        lr=_TRAINED.lr,
        batch_size=1 << 14,
        epsilon=_TRAINED.epsilon,
        seed=cell.seed,
    )
    trainer = Trainer(SubgraphPredictor(problem.model, copies, problem.predictor.device), config)
    nn.init.constant_(trainer.policy.score.bias, float(np.mean([problem.log_rewards[i].max() for i in which])))
    trainer.fit()
    return TrainedPolicy.of(trainer)
