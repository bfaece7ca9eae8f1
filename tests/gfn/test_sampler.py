"""Trajectories in lockstep: valid, drawn with the right probabilities, and with the right parents."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any, TypeAlias

import networkx as nx
import numpy as np
import pytest
import torch
from torch import Tensor

from gfx_core import load_dataset, load_model
from gfx_core.config import Task
from gfx_core.datasets.instance import Instance
from gfx_core.exact.enumeration import StateDag, enumerate_states
from gfx_core.exact.state_space import StateSpace
from gfx_core.gfn import sampler as sampler_module
from gfx_core.gfn.instances import Episodes, FlowGraphs
from gfx_core.gfn.policy import FlowPolicy
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.sampler import Noise, Trajectories, grow_then_stop, parent_nodes, sample
from gfx_core.gfn.settings import Parents, PolicyConfig, RewardConfig, Stop
from gfx_core.gfn.states import States
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
        each = torch.arange(count) % len(self.episodes) if only is None else torch.full((count,), only)
        generator = None if greedy else torch.Generator().manual_seed(seed)
        return sample(self.policy, self.episodes, each, self.reward, generator=generator, **options)

    def graph(self, row: int, trajectories: Trajectories) -> nx.Graph:
        return graph_of(self.instances[int(trajectories.instance[row])])

    def log_policy(self, trajectories: Trajectories) -> Tensor:
        """log π of every action in every state of some trajectories; STOP is the last. [B, K, m + 1]"""
        B, most = trajectories.order.shape
        states = States.along(self.episodes, trajectories.episode, trajectories.order, most)
        with torch.no_grad():
            flows = self.policy(self.policy.encode(self.episodes), states)
        log_stop = flows.log_stop
        if log_stop is None:
            subsets = trajectories.prefixes().flatten(0, 1)
            log_stop = self.reward(subsets, trajectories.instance.repeat_interleave(most))
        return torch.cat([flows.log_out, log_stop[:, None]], dim=1).log_softmax(1).view(B, most, -1)


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

DRAWS = 20_000


SETTINGS = list(product([tree_cycles, toys], Stop))
everywhere = pytest.mark.parametrize(
    ("setting", "stop"), SETTINGS, ids=[f"{make.__name__}-{stop}" for make, stop in SETTINGS]
)


@pytest.fixture(params=["dense", "sparse"])
def both_ways(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small graphs are evaluated densely, large ones by their frontier: here the limit is moved."""
    monkeypatch.setattr(sampler_module, "DENSE_WIDTH", 1000 if request.param == "dense" else 0)


@everywhere
@pytest.mark.usefixtures("both_ways")
@pytest.mark.parametrize("options", [{}, {"epsilon": 0.7}, {"greedy": True}], ids=["drawn", "explored", "greedy"])
def test_trajectories_are_valid_and_have_the_chance_of_their_steps(
    setting: Make, stop: Stop, options: dict[str, float]
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
        if "greedy" in options:  # nodes that look alike are as good as each other
            assert all(step > log_pi[row, t].max() - 1e-4 for t, step in enumerate(steps))


def final_states(dag: StateDag, trajectories: Trajectories) -> np.ndarray:
    members = np.zeros((len(trajectories), dag.num_nodes), dtype=bool)
    row, t = trajectories.visited.numpy().nonzero()
    members[row, trajectories.order.numpy()[row, t]] = True
    found = dag.indices_of(members)
    assert (found >= 0).all()
    return found


def largest_distance(log_p: np.ndarray, draws: int) -> float:
    """What the total variation of a sample stays below.

    Its mean is at most ½·Σ√(p(1−p)/n); by McDiarmid's inequality it exceeds that by 0.02 with probability below
    exp(−2·n·0.02²), here one in nine million.
    """
    p = np.exp(log_p)
    return float(np.sqrt(p * (1 - p) / draws).sum() / 2 + 0.02)


def flows_everywhere(toy: Setting, dag: StateDag, instance: int) -> tuple[Tensor, Tensor]:
    """The policy's flows in every state of one instance: to nodes [S, m] and to STOP [S]."""
    which = torch.full((dag.num_states,), instance)
    members = torch.zeros(dag.num_states, toy.episodes.width, dtype=torch.bool)
    members[:, : dag.num_nodes] = torch.from_numpy(dag.members)
    states = States.of_sets(toy.episodes, which, members, toy.policy.max_nodes)
    with torch.no_grad():
        flows = toy.policy(toy.policy.encode(toy.episodes), states)
    log_reward = toy.reward(torch.from_numpy(dag.subsets), which)
    return flows.log_out[:, : dag.num_nodes], log_reward if flows.log_stop is None else flows.log_stop


@pytest.mark.parametrize(("stop", "epsilon"), [(Stop.REWARD, 0.0), (Stop.LEARNED, 0.0), (Stop.LEARNED, 0.3)])
def test_the_distribution_is_the_exact_one(stop: Stop, epsilon: float) -> None:
    """A share ε of the actions, STOP included, is uniform: the exact distribution of that mixture."""
    toy = tree_cycles(stop, 2)
    dag = enumerate_states(toy.instances[0], max_nodes=K)
    log_flows, log_stop = flows_everywhere(toy, dag, 0)
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
        assert largest_distance(log_p, DRAWS) < 0.05
        assert StateSpace(dag, log_p).total_variation(uniform) > 0.2


def noise(toy: Setting, count: int, seed: int) -> Noise:
    """What ``toy.sample`` draws with the same seed."""
    empty = Noise.empty(toy.policy.max_nodes, count, toy.episodes.width + 1, torch.device("cpu"))
    return empty.fill(torch.Generator().manual_seed(seed))


share = pytest.mark.parametrize("share", [True, False])


@share
@pytest.mark.parametrize(("setting", "only"), [(tree_cycles, None), (tree_cycles, 3), (toys, None)])
@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0, None], ids=["drawn", "now and then", "explored", "greedy"])
def test_growing_first_and_stopping_later_draws_the_same(
    setting: Make, only: int | None, epsilon: float | None, share: bool
) -> None:
    """Rewards last, perhaps only distinct sets grown, against one set for each trajectory, rewards on the way."""
    toy = setting(Stop.REWARD)
    options = {"seed": 6, "only": only, "epsilon": epsilon or 0.0, "greedy": epsilon is None}
    slow, never = toy.sample(400, **options), toy.sample(400, stops=False, **options)
    draws = None if epsilon is None else noise(toy, 400, 6)
    fast = grow_then_stop(toy.policy, toy.episodes, slow.episode, toy.reward, epsilon or 0.0, draws, share)
    equal = (fast.order == slow.order).all(1)
    alike = equal if epsilon is not None else torch.isclose(fast.log_forward, slow.log_forward, atol=1e-4)
    assert alike.float().mean() > 0.99  # a choice may hang on the last digit, and of equals any may be the largest
    assert torch.allclose(fast.log_forward[equal], slow.log_forward[equal], atol=1e-4)
    assert torch.allclose(fast.final_log_reward(toy.reward), toy.reward(fast.order, slow.instance), atol=1e-5)
    assert fast.log_reward is not None
    assert slow.log_reward is not None
    met = slow.visited & equal[:, None]
    assert torch.allclose(fast.log_reward[met], slow.log_reward[met], atol=1e-5)
    by_themselves = toy.reward(slow.prefixes()[met], slow.instance[:, None].expand_as(met)[met])
    assert torch.allclose(slow.log_reward[met], by_themselves, atol=1e-5)
    assert fast.grown is not None
    assert torch.equal(fast.order[fast.visited], fast.grown[fast.visited])  # the beginning of what was grown
    equal = (fast.grown == never.order).all(1)
    assert equal.float().mean() > 0.99 or epsilon is None
    assert torch.allclose(fast.log_reach[equal], never.log_reach[equal], atol=1e-4)  # type: ignore[index]


@pytest.mark.parametrize("setting", [tree_cycles, toys])
@pytest.mark.parametrize("parents", Parents)
def test_parents(setting: Make, parents: Parents) -> None:
    toy = setting(Stop.LEARNED)
    trajectories = toy.sample(300, epsilon=0.8)
    found = parent_nodes(trajectories, parents)
    assert found.shape == (*trajectories.order.shape, toy.episodes.width)
    for row, order in enumerate(trajectories.order.tolist()):
        graph = toy.graph(row, trajectories)
        for t in range(len(order)):
            nodes, expected = order[: t + 1], set()
            if nodes[-1] >= 0 and parents is Parents.VALID:
                expected = set(nodes[1:]) - set(nx.articulation_points(graph.subgraph(nodes)))
            elif nodes[-1] >= 0 and parents is Parents.SEQUENCE:
                expected = set(nodes[1:][-1:])
            elif nodes[-1] >= 0:
                expected = set(nodes[1:])
            assert set(found[row, t].nonzero()[:, 0].tolist()) == expected
