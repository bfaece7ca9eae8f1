"""What lies ahead of states, the policy that reads it, and what that learns from."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import torch

from gfx_core import load_dataset, load_model
from gfx_core.arrays import Doubles, Ints
from gfx_core.config import Task
from gfx_core.datasets.graph import Half, half_of
from gfx_core.datasets.instance import Instance
from gfx_core.exact.enumeration import enumerate_states
from gfx_core.exact.state_space import StateSpace
from gfx_core.explanation.look_ahead import LookAheadSampler
from gfx_core.explanation.samplers import members_of, reward_states
from gfx_core.gfn.checkpoint import TrainedPolicy, save_policy
from gfx_core.gfn.own_policies import LOOK_AHEAD
from gfx_core.gfn.settings import GFNConfig, PolicyConfig
from gfx_core.gnn.predict import SubgraphPredictor
from gfx_core.look_ahead import sources, training
from gfx_core.look_ahead.horizon import Ahead, Horizon, widths_of
from gfx_core.look_ahead.policy import AheadTensors, LookAheadPolicy, load_look_ahead, most_nodes
from gfx_core.look_ahead.training import ListedFlows, LookAheadTrainer
from tests.toys.instances import graph_of, instance_of

K = 6
ALL = (1 << 30,) * K


@cache
def space_of(seed: int) -> tuple[Instance, StateSpace]:
    """All states of a random graph around a node, with random rewards."""
    graph = nx.connected_watts_strogatz_graph(12, 4, 0.4, seed=seed)
    instance = instance_of(graph)
    dag = enumerate_states(instance, 0, K)
    return instance, StateSpace(dag, np.random.RandomState(seed).normal(scale=5, size=dag.num_states))


def lookup(instance: Instance, space: StateSpace, asked: list[int]) -> Callable[[Ints], Doubles]:
    """The rewards of a list; notes how many were looked up."""

    def log_reward(subsets: Ints) -> Doubles:
        asked.append(len(subsets))
        states = space.dag.indices_of(members_of(subsets, instance.num_nodes))
        assert (states >= 0).all()
        return space.log_reward[states]

    return log_reward


def random_policy(hidden: int = 16) -> LookAheadPolicy:
    """One whose last layers are not zero."""
    torch.manual_seed(0)
    policy = LookAheadPolicy(hidden, K)
    for parameter in policy.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    return policy.eval()


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_what_lies_ahead_is_as_in_the_whole_list(seed: int) -> None:
    instance, space = space_of(seed)
    asked: list[int] = []
    horizon, whole = Horizon(instance, 0, K, lookup(instance, space, asked)), Ahead.of(space)
    roots = np.random.RandomState(seed).permutation(space.num_states)[:25]
    ahead = horizon.look(space.subsets[roots], ALL)
    assert sum(asked) == len(np.unique(ahead.log_reward))  # each once
    for row, root in enumerate(roots):
        here, there = ahead.parent == row, space.parent == root
        assert ahead.node[here].tolist() == space.node[there].tolist()
        assert ahead.rank[here].tolist() == whole.rank[there].tolist()
        for name in ("log_reward", "size", "num_parents", "num_children"):
            assert getattr(ahead, name)[row] == getattr(whole, name)[root]
            np.testing.assert_array_equal(
                getattr(ahead, name)[ahead.child[here]], getattr(whole, name)[space.child[there]]
            )
    horizon.look(space.subsets[roots], ALL)
    assert sum(asked) == len(np.unique(ahead.log_reward))  # it remembers


def test_parents_are_counted_as_networkx_finds_cut_vertices() -> None:
    instance, space = space_of(3)
    graph = graph_of(instance)
    ahead = Horizon(instance, 0, K, lambda subsets: np.zeros(len(subsets))).look(space.subsets, ())
    for nodes, count in zip(space.subsets[::7], ahead.num_parents[::7], strict=False):
        nodes = nodes[nodes >= 0].tolist()
        cut = set(nx.articulation_points(graph.subgraph(nodes)))
        assert count == len(set(nodes) - cut - {0})


def test_only_the_best_children_are_looked_at_further() -> None:
    instance, space = space_of(0)
    ahead = Horizon(instance, 0, K, lookup(instance, space, [])).look(space.subsets[:1], (2, 1))
    assert (np.bincount(ahead.parent) > 0).sum() <= 1 + 2 + 2
    best = ahead.child[(ahead.parent == 0) & (ahead.rank < 2)]
    worth = ahead.log_reward - np.log(np.maximum(ahead.num_parents, 1))
    others = ahead.child[(ahead.parent == 0) & (ahead.rank >= 2)]
    assert worth[best].min() >= worth[others].max()
    assert np.isin(best, ahead.parent).all()
    assert not np.isin(others, ahead.parent).any()


def test_without_learning_flows_are_cut_off_after_three_steps() -> None:
    _, space = space_of(1)
    policy = LookAheadPolicy(8, K)
    whole = Ahead.of(space)
    tensors = AheadTensors.of(whole, most_nodes(space), GFNConfig().reward, torch.device("cpu"))
    log_edge = policy.flows(tensors).log_edge.tolist()

    def flow(state: int, steps: int, widths: tuple[int, ...]) -> float:
        """R(s) and what comes back from the best of its children, so many steps ahead."""
        total = np.exp(space.log_reward[state])
        for edge in np.flatnonzero(space.parent == state) if steps else ():
            child = space.child[edge]
            further = steps - 1 if whole.rank[edge] < widths[0] else 0
            total += flow(child, further, widths[1:]) / space.num_parents[child]
        return float(total)

    for edge in range(0, space.num_edges, 97):
        child, parent = space.child[edge], space.parent[edge]
        wide, deep = (int(widths_of(whole.num_children[state])[step]) for step, state in enumerate((parent, child)))
        steps = 2 if whole.rank[edge] < wide else 0
        expected = np.log(flow(child, steps, (deep, 0)) / space.num_parents[child])
        assert log_edge[edge] == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(("dataset", "index"), [("tree_grid", 516), ("ba_2motifs", 995)])
def test_flows_are_the_same_step_by_step_as_on_listed_states(dataset: str, index: int) -> None:
    model = load_model(dataset)
    instance = load_dataset(dataset).instance(index, hops=model.hops)
    config = GFNConfig(policy=PolicyConfig(hidden=16), max_nodes=K)
    trained, predictor = TrainedPolicy(config, random_policy(), None), SubgraphPredictor(model, [instance])
    sampler = LookAheadSampler(trained, predictor, instance)
    start = sampler.locate()
    space = reward_states(sampler.reward, enumerate_states(instance, start, K))
    tensors = AheadTensors.of(Ahead.of(space), K, config.reward, torch.device("cpu"))
    with torch.no_grad():
        log_edge = sampler.policy.flows(tensors).log_edge.double().numpy()
    sampler.cap = 1  # as where there are too many
    for size in range(1, K):
        rows = np.flatnonzero(space.size == size)[:10]
        log_out, _ = sampler.evaluate(space.subsets[rows], space.log_reward[rows])
        for row, state in enumerate(rows):
            leaving = slice(*space.dag.out_ptr[state : state + 2])
            np.testing.assert_allclose(log_out[row, space.node[leaving]], log_edge[leaving], atol=2e-3)
    sampler = LookAheadSampler(trained, predictor, instance, start=start)
    sampler.cap = 1
    samples = sampler.draw(4000, 0)
    states = space.dag.indices_of(samples.members(instance.num_nodes))
    drawn = np.bincount(states, minlength=space.num_states) / len(states)
    expected = np.exp(space.walk(log_edge).stop)
    assert np.abs(drawn - expected).sum() / 2 < 0.5 * np.sqrt(expected).sum() / np.sqrt(len(states)) + 0.01


def test_a_batch_is_whole_spaces_with_edges_among_their_own_states() -> None:
    parts = [ListedFlows.of(space_of(seed)[1], GFNConfig().reward, torch.device("cpu")) for seed in (0, 1, 2)]
    joined = ListedFlows.join([ListedFlows.join(parts[:2]), parts[2]])
    batch = joined.pick(torch.tensor([2, 0]))
    expected = ListedFlows.join([parts[2], parts[0]])
    for name in ("states", "edges", "log_edge", "spaces"):
        assert torch.equal(getattr(batch, name), getattr(expected, name))


def test_it_learns_the_flows_of_spaces_and_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "BATCHES", 20)
    monkeypatch.setattr(training, "EDGES", 3000)
    reward = GFNConfig().reward
    parts = [ListedFlows.of(space_of(seed)[1], reward, torch.device("cpu")) for seed in range(5, 17)]
    config = GFNConfig(policy=PolicyConfig(hidden=24), max_nodes=K, epochs=12, lr=3e-3)
    trainer = LookAheadTrainer(parts, config, torch.device("cpu"))
    space = space_of(4)[1]  # which it does not learn from
    before = space.total_variation(space.walk(trainer.policy.on(space, reward, trainer.device)).stop)
    trainer.fit()
    assert trainer.curve[-1].residual < trainer.curve[0].residual
    after = space.total_variation(space.walk(trainer.policy.on(space, reward, trainer.device)).stop)
    assert after < before
    path = tmp_path / "x.safetensors"
    save_policy(TrainedPolicy(config, trainer.policy, None), path)
    loaded = load_look_ahead(path)
    assert isinstance(loaded.policy, LookAheadPolicy)
    np.testing.assert_array_equal(
        loaded.policy.on(space, reward, trainer.device), trainer.policy.on(space, reward, trainer.device)
    )


def test_it_does_not_learn_from_what_it_is_measured_on(mutagenicity_root: object) -> None:
    data = load_dataset("mutagenicity")
    assert not np.isin(half_of(data.explainable, Half.REPORTING), sources.learnable()).any()
    assert 0 not in sources.SOURCES["seeds"]  # of the graphs that the explorer opens


def test_the_shipped_policy_was_trained_as_its_table_says() -> None:
    trained = load_look_ahead(LOOK_AHEAD)
    assert trained.config == GFNConfig.from_dict(sources.SOURCES["config"])
    assert trained.made["seeds"] == sources.SOURCES["seeds"]
    names = {f"{dataset}-{gnn}" for dataset, gnns in sources.SOURCES["gnns"].items() for gnn in gnns}
    assert trained.made["learned_from"].keys() == names


@pytest.mark.parametrize(("dataset", "most"), [("tree_cycles", 0.1), ("tree_grid", 0.05), ("ba_2motifs", 0.15)])
def test_the_shipped_policy_is_near_its_target_on_graphs_that_it_never_saw(dataset: str, most: float) -> None:
    model, trained = load_model(dataset), load_look_ahead(LOOK_AHEAD)
    data, distances = load_dataset(dataset), []
    for index in half_of(data.explainable, Half.REPORTING)[:6]:
        instance = data.instance(int(index), hops=model.hops)
        sampler = LookAheadSampler(trained, SubgraphPredictor(model, [instance]), instance)
        sampler.cap = 20_000
        if (listed := sampler.distribution(sampler.locate())) is not None:
            space, log_probability = listed
            distances.append(space.total_variation(log_probability))
    assert len(distances) >= 3
    assert np.mean(distances) < most


def test_a_constant_gnn_gives_the_prices_alone() -> None:
    """A control: where the GNN says nothing, no policy may prefer one node to another."""
    instance = instance_of(nx.star_graph(5), Task.NODE)
    space = StateSpace(enumerate_states(instance, 0, K), np.zeros(32))
    log_edge = load_look_ahead(LOOK_AHEAD).policy.smaller(K).on(space, GFNConfig().reward, torch.device("cpu"))
    first = log_edge[space.parent == 0]
    assert np.ptp(first) < 1e-4
