"""Trajectories in lockstep: valid, and drawn with the right probabilities."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import Any, TypeAlias

import networkx as nx
import numpy as np
import pytest
import torch
from torch import Tensor

from gfx_core import load_dataset, load_model
from gfx_core.arrays import NEAR_TIE
from gfx_core.config import Task
from gfx_core.datasets.instance import Instance
from gfx_core.exact.enumeration import StateDag, enumerate_states
from gfx_core.exact.paths import DagPaths
from gfx_core.exact.state_space import StateSpace
from gfx_core.gfn.instances import Episodes, FlowGraphs
from gfx_core.gfn.policy import FlowPolicy
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.sampler import Trajectories, grow, sample
from gfx_core.gfn.settings import PolicyConfig, RewardConfig, Stop
from gfx_core.gfn.states import States, prefixes
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import SubgraphPredictor
from tests.toys.gnns import random_gnn
from tests.toys.instances import graph_of, instance_of, ones
from tests.toys.state_spaces import terminal_distribution

K = 6


@dataclass(frozen=True)
class Setting:
    """A policy of random weights on some instances."""

    instances: list[Instance]
    policy: FlowPolicy
    episodes: Episodes
    reward: Reward

    def sample(
        self, count: int, seed: int = 0, only: int | None = None, greedy: bool = False, **options: Any
    ) -> Trajectories:
        """Trajectories from all episodes in turn, or from one of them; further options are those of ``sample``."""
        episode = torch.arange(count) % len(self.episodes) if only is None else torch.full((count,), only)
        generator = None if greedy else torch.Generator().manual_seed(seed)
        return sample(self.policy, self.episodes, episode, self.reward, generator=generator, **options)

    def graph(self, row: int, trajectories: Trajectories) -> nx.Graph:
        return graph_of(self.instances[int(trajectories.instance[row])])

    def log_policy(self, trajectories: Trajectories) -> Tensor:
        """log π of every action in every state of some trajectories; STOP is the last. [B, K, m + 1]"""
        B, most = trajectories.order.shape
        states = States.along(self.episodes, trajectories.episode, trajectories.order)
        log_out, log_stop = self.flows(states)
        log_pi = torch.cat([log_out, log_stop[:, None]], dim=1).log_softmax(1)
        return log_pi.view(B, most, -1)

    @torch.no_grad()
    def flows(self, states: States) -> tuple[Tensor, Tensor]:
        """Log-flows of states: to each node [N, m] and to STOP [N]."""
        actions = states.frontier(self.policy.max_nodes)
        flows = self.policy(self.policy.encode(self.episodes), states, actions)
        log_reward = self.reward(states.nodes, self.episodes.instance[states.episode])
        return flows.log_out, log_reward if flows.log_stop is None else flows.log_stop


def build(instances: list[Instance], model: GNN, stop: Stop, starts: np.ndarray | None, max_nodes: int) -> Setting:
    config = PolicyConfig(hidden=32)
    predictor = SubgraphPredictor(model, instances)
    source = FlowGraphs(predictor, config)
    with torch.random.fork_rng():
        torch.manual_seed(3)
        policy = FlowPolicy(source.features.shape[1], config, stop, max_nodes)
    with torch.no_grad():
        policy.score.weight *= 8  # far from uniform
    episodes = Episodes.of(source, np.arange(len(instances)), starts)
    return Setting(instances, policy, episodes, Reward(predictor, RewardConfig(beta=3.0)))


@cache
def tree_cycles(stop: Stop, count: int = 8, max_nodes: int = K) -> Setting:
    dataset = load_dataset("tree_cycles")
    instances = [dataset.instance(int(i)) for i in dataset.explainable[::3][:count]]
    return build(instances, load_model("tree_cycles"), stop, None, max_nodes)


@cache
def toys(stop: Stop, max_nodes: int = 5) -> Setting:
    """Graphs on which there is soon nothing left to add, or nothing from the beginning."""
    graphs = [nx.empty_graph(1), nx.path_graph(2), nx.cycle_graph(4), nx.empty_graph(3), nx.complete_graph(6)]
    instances = [instance_of(graph, Task.GRAPH, ones(graph, 2)) for graph in graphs]
    model = random_gnn(Task.GRAPH, sizes=(2, 2), seed=2, hidden=20)
    return build(instances, model, stop, np.array([0, 1, 2, 1, 5]), max_nodes)


Make: TypeAlias = "Callable[[Stop], Setting]"

DRAWS = 8_000


SETTINGS = list(product([tree_cycles, toys], Stop))
everywhere = pytest.mark.parametrize(
    ("setting", "stop"), SETTINGS, ids=[f"{make.__name__}-{stop}" for make, stop in SETTINGS]
)


@everywhere
@pytest.mark.parametrize("options", [{}, {"epsilon": 0.7}, {"greedy": True}], ids=["plain", "explored", "greedy"])
def test_trajectories_are_valid_and_have_the_chance_of_their_steps(
    setting: Make, stop: Stop, options: dict[str, Any]
) -> None:
    """Under the policy, whatever share of the steps was explored; greedy ones take the largest flow each time."""
    toy = setting(stop)
    trajectories = toy.sample(100, **options)
    assert trajectories.order.shape[1] == toy.policy.max_nodes
    assert not trajectories.log_forward.requires_grad
    log_pi = toy.log_policy(trajectories)  # [B, K, m + 1], STOP last
    for row, (order, length) in enumerate(zip(trajectories.order.tolist(), trajectories.length.tolist(), strict=True)):
        graph, nodes = toy.graph(row, trajectories), order[:length]
        assert nodes[0] == toy.episodes.start[trajectories.episode[row]]
        assert order[length:] == [-1] * (len(order) - length)
        assert len(set(nodes)) == length
        assert all(any(graph.has_edge(nodes[t], before) for before in nodes[:t]) for t in range(1, length))
        steps = [log_pi[row, t, action] for t, action in enumerate([*nodes[1:], toy.episodes.width])]
        assert float(trajectories.log_forward[row]) == pytest.approx(float(sum(steps)), abs=1e-4)
        alone = toy.reward(prefixes(trajectories.order)[row, :length], trajectories.instance[row].expand(length))
        assert torch.allclose(trajectories.log_reward[row, :length], alone, atol=1e-5)
        if "greedy" in options:  # nodes that look alike are as good as each other
            assert all(step > log_pi[row, t].max() - 1e-4 for t, step in enumerate(steps))


@everywhere
def test_what_trajectories_become_if_they_never_stop(setting: Make, stop: Stop) -> None:
    """The same nodes first, until nothing can be added; and how likely it is to come so far on the way."""
    toy = setting(stop)
    trajectories = toy.sample(60, epsilon=0.2)
    went = trajectories.visited
    assert torch.equal(trajectories.grown.where(went, -1), trajectories.order)
    grown = replace(trajectories, order=trajectories.grown)
    log_stop = toy.log_policy(grown)[..., -1].double()  # [B, K]
    for row, size in enumerate(grown.length.tolist()):
        graph, nodes = toy.graph(row, grown), grown.order[row, :size].tolist()
        assert size == min(toy.policy.max_nodes, len(nx.node_connected_component(graph, nodes[0])))
        goes_on = (1 - log_stop[row, : size - 1].exp()).log().cumsum(0)
        assert torch.allclose(grown.log_reach[row, 1:size].double(), goes_on, atol=1e-4)
        assert grown.log_reach[row, 0] == 0


@pytest.mark.parametrize("above", [-NEAR_TIE / 10, NEAR_TIE / 10, 10 * NEAR_TIE])
def test_of_equal_flows_a_node_is_taken_before_stop_as_on_listed_states(above: float) -> None:
    """STOP is as good as the best node but for rounding, or clearly better."""
    toy = tree_cycles(Stop.REWARD, 1)

    def tied(nodes: Tensor, instance: Tensor) -> Tensor:
        """For a reward, the largest flow to a node."""
        best = toy.flows(States(toy.episodes, torch.zeros_like(instance), nodes))[0].amax(1)
        return torch.where(best.isfinite(), best + above * best.abs().clamp(min=1.0), 0.0)

    reward: Any = tied
    order = replace(toy, reward=reward).sample(1, greedy=True).order.numpy()
    dag = enumerate_states(toy.instances[0], max_nodes=K)
    nodes, which = torch.from_numpy(dag.subsets), torch.zeros(dag.num_states, dtype=torch.long)
    log_out = toy.flows(States(toy.episodes, which, nodes))[0].numpy().astype(np.float64)
    paths, log_stop = DagPaths(dag), tied(nodes, which).numpy().astype(np.float64)
    walks = paths.greedy(log_out[dag.parent, dag.node], log_stop)
    assert np.array_equal(paths.orders(walks, K), order)
    assert (order >= 0).sum() == (1 if above > NEAR_TIE else K)


def test_trajectories_that_meet_are_grown_once() -> None:
    """As in a live training: many from one node."""
    toy = tree_cycles(Stop.REWARD, 1)
    noise = torch.rand(K, 64, toy.episodes.width + 1, generator=torch.Generator().manual_seed(0))
    encoded, episode = toy.policy.encode(toy.episodes), torch.zeros(64, dtype=torch.long)
    growth = grow(toy.policy, encoded, toy.episodes, episode, -(-noise.log()).log(), None)
    sets = growth.sets.sort(dim=1).values
    assert len(sets) == len(sets.unique(dim=0)) < 64 * K / 2
    assert len(growth.path.unique()) == len(sets)


def final_states(dag: StateDag, trajectories: Trajectories) -> np.ndarray:
    members = np.zeros((len(trajectories), dag.num_nodes), dtype=bool)
    row, t = trajectories.visited.numpy().nonzero()
    members[row, trajectories.order.numpy()[row, t]] = True
    found = dag.indices_of(members)
    assert (found >= 0).all()
    return found


def largest_distance(log_p: np.ndarray, draws: int) -> float:
    """What the total variation of a sample stays below.

    Its mean is at most ½·Σ√(p(1−p)/n); by McDiarmid's inequality it exceeds that by 0.03 with probability below
    exp(−2·n·0.03²), here one in a million.
    """
    p = np.exp(log_p)
    return float(np.sqrt(p * (1 - p) / draws).sum() / 2 + 0.03)


@pytest.mark.parametrize(("stop", "epsilon"), [(Stop.REWARD, 0.0), (Stop.REWARD, 0.3), (Stop.LEARNED, 0.3)])
def test_the_distribution_is_the_exact_one(stop: Stop, epsilon: float) -> None:
    """A share ε of the actions, STOP included, is uniform: the exact distribution of that mixture."""
    toy = tree_cycles(stop, 2)
    dag = enumerate_states(toy.instances[0], max_nodes=K)
    states = States(toy.episodes, torch.zeros(dag.num_states, dtype=torch.long), torch.from_numpy(dag.subsets))
    log_flows, log_stop = toy.flows(states)
    pi = torch.cat([log_flows, log_stop[:, None]], dim=1).softmax(1).double()
    mixed = ((1 - epsilon) * pi + epsilon * (pi > 0) / (pi > 0).sum(1, keepdim=True)).log()
    log_p = terminal_distribution(dag, mixed[:, :-1], mixed[:, -1])
    trajectories = toy.sample(DRAWS, only=0, epsilon=epsilon)
    drawn = np.bincount(final_states(dag, trajectories), minlength=dag.num_states) / DRAWS
    with np.errstate(divide="ignore"):
        distance = StateSpace(dag, log_p).total_variation(np.log(drawn))
    assert distance < largest_distance(log_p, DRAWS)
    if not epsilon:
        uniform = terminal_distribution(dag, np.zeros((dag.num_states, dag.num_nodes)), np.zeros(dag.num_states))
        assert largest_distance(log_p, DRAWS) < 0.1
        assert StateSpace(dag, log_p).total_variation(uniform) > 0.2
