"""What a table of flows converges to, for every loss and every kind of parents."""

import itertools
from dataclasses import replace
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch

from gfx_core import load_dataset
from gfx_core.exact import exact_flows, tabular
from gfx_core.exact.state_dag import StateDag, TooManyStates, enumerate_states
from gfx_core.exact.tabular import TABULAR, TabularPolicy, descend, objective, train_tabular
from gfx_core.gfn.settings import Loss, Parents, Stop
from tests.toys.state_spaces import GRAPHS, dag_of, state_flows


def limit_distribution(dag: StateDag, log_reward: np.ndarray, loss: Loss, parents: Parents) -> np.ndarray | None:
    """log P(stop at s) once the loss is zero; None where the loss does not decide it. [S] → [S]

    With one parent each *order* of adding nodes is a state of its own. With all |s| − 1 removals as parents,
    trajectory balance hands out shares to parents that do not exist; flow matching lets them give any flow.
    """
    if parents is Parents.VALID:
        return exact_flows.target_distribution(log_reward)
    if parents is Parents.SEQUENCE:
        return exact_flows.sequence_distribution(dag, log_reward)
    if not loss.is_trajectory_balance:
        return None
    log_factorial = np.cumsum(np.log(np.maximum(np.arange(dag.num_levels), 1)))  # [L], of 0 … L - 1
    return exact_flows.target_distribution(log_reward + exact_flows.orderings(dag) - log_factorial[dag.size - 1])


@pytest.fixture(scope="module")
def grid() -> StateDag:
    return dag_of(GRAPHS["grid"], 1, 5)


@pytest.fixture(scope="module")
def log_reward(grid: StateDag) -> np.ndarray:
    return np.random.default_rng(0).normal(size=grid.num_states)


def randomised(policy: TabularPolicy, seed: int = 0) -> TabularPolicy:
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in policy.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator, dtype=parameter.dtype))
    return policy


def distance(policy: TabularPolicy, log_p: np.ndarray | None) -> float:
    assert log_p is not None
    return exact_flows.total_variation(policy.terminal_distribution(), log_p)


def trained(dag: StateDag, log_reward: Any, full: bool = True, **options: Any) -> TabularPolicy:
    return train_tabular(dag, log_reward, replace(TABULAR, **options), full)


# The flows and the loss, one state at a time


@pytest.mark.parametrize("parents", Parents)
@pytest.mark.parametrize("linear", [False, True])
def test_full_flow_matching_state_by_state(
    grid: StateDag, log_reward: np.ndarray, parents: Parents, linear: bool
) -> None:
    loss_kind = Loss.FLOW_MATCHING_LINEAR if linear else Loss.FLOW_MATCHING
    config = replace(TABULAR, loss=loss_kind, parents=parents, stop=Stop.LEARNED)
    policy = randomised(TabularPolicy(grid, log_reward, parents, Stop.LEARNED))
    flow, stop = policy.log_edge.detach().exp().numpy(), policy.log_stop.detach().exp().numpy()
    phantom = iter(policy.log_phantom.detach().exp().tolist())

    def squared(a: float, b: float) -> float:
        return (a - b) ** 2 if linear else (np.log(a) - np.log(b)) ** 2

    matching = []
    for s in range(1, grid.num_states):
        out = stop[s] + flow[grid.parent == s].sum()
        incoming = flow[grid.child == s]
        if parents is Parents.SEQUENCE:
            matching += [squared(one, out) for one in incoming]
            continue
        missing = grid.size[s] - 1 - len(incoming) if parents is Parents.GRAPH else 0
        matching.append(squared(incoming.sum() + sum(itertools.islice(phantom, int(missing))), out))
    assert next(phantom, None) is None
    rewards = [squared(stop[s], np.exp(log_reward[s])) for s in range(grid.num_states)]
    loss = objective(policy, config, torch.Generator())
    assert loss.item() == pytest.approx(np.mean(matching) + np.mean(rewards))


@pytest.mark.parametrize("parents", Parents)
def test_trajectory_balance_path_by_path(grid: StateDag, log_reward: np.ndarray, parents: Parents) -> None:
    policy = randomised(TabularPolicy(grid, log_reward, parents, Stop.LEARNED))
    config = replace(TABULAR, loss=Loss.TRAJECTORY_BALANCE, parents=parents, batch_size=50)
    paths = policy.sample(50, torch.Generator().manual_seed(3), config.epsilon)
    log_edge, log_stop = policy.log_edge.tolist(), policy.log_stop.tolist()
    expected = []
    for edges, terminal in zip(paths.edges.T.tolist(), paths.terminal.tolist(), strict=True):
        edges = [e for e in edges if e < grid.num_edges]
        balance = policy.log_z.item() - log_reward[terminal]
        for state, chosen in [*((grid.parent[e], log_edge[e]) for e in edges), (terminal, log_stop[terminal])]:
            actions = [log_edge[e] for e in np.flatnonzero(grid.parent == state)]
            balance += chosen - np.log(np.exp([*actions, log_stop[state]]).sum())
        for e in edges:
            child = grid.child[e]
            ways = {Parents.VALID: (grid.child == child).sum(), Parents.GRAPH: grid.size[child] - 1}.get(parents, 1)
            balance += np.log(ways)
        expected.append(balance**2)
    loss = objective(policy, config, torch.Generator().manual_seed(3), full=False)
    assert loss.item() == pytest.approx(np.mean(expected))


def test_sampled_flow_matching_counts_visits(grid: StateDag, log_reward: np.ndarray) -> None:
    policy = randomised(TabularPolicy(grid, log_reward))
    config = replace(TABULAR, batch_size=40)
    paths = policy.sample(40, torch.Generator().manual_seed(1), config.epsilon)
    log_in, log_out = state_flows(grid, policy.log_edge.detach(), log_reward)
    visited = [s for s in paths.states.flatten().tolist() if 0 < s < grid.num_states]
    loss = objective(policy, config, torch.Generator().manual_seed(1), full=False)
    assert loss.item() == pytest.approx(np.mean((log_in - log_out)[visited] ** 2))


def test_flows_below_the_floor_need_not_match(grid: StateDag, log_reward: np.ndarray) -> None:
    policy = randomised(TabularPolicy(grid, log_reward))
    log_in, log_out = state_flows(grid, policy.log_edge.detach(), log_reward)
    for delta in (0.1, 1.0, 3.0):
        floor = log_reward.max() - delta
        expected = (np.maximum(log_in, floor) - np.maximum(log_out, floor))[1:] ** 2
        loss = objective(policy, replace(TABULAR, delta=delta), torch.Generator())
        assert loss.item() == pytest.approx(np.mean(expected))


def test_steps_of_a_descent_are_bounded_and_end_as_asked() -> None:
    def path(**options: float) -> list[float]:
        value = torch.nn.Parameter(torch.tensor(100.0))
        groups = [{"params": [value], "lr": 1.0}]
        return [value.item() for _ in descend(groups, lambda: 1000 * value.square(), 20, **options)]

    still, moving = path(), path(last=0.5)
    assert still[:2] == moving[:2]
    assert abs(still[-1] - still[-2]) < 0.1 < 0.4 < abs(moving[-1] - moving[-2])
    gradients: list[float] = []
    value = torch.nn.Parameter(torch.tensor(100.0))
    for _ in descend([{"params": [value], "lr": 1.0}], lambda: 1000 * value.square(), 3, clip=10.0):
        gradients += [] if value.grad is None else [value.grad.item()]
    assert gradients == pytest.approx([10.0] * 3)


def test_samples_are_paths(grid: StateDag, log_reward: np.ndarray) -> None:
    policy = randomised(TabularPolicy(grid, log_reward))
    generator = torch.Generator().manual_seed(0)
    everywhere = torch.arange(grid.num_states)
    for paths in (policy.sample(500, generator, 0.5), policy.sample_back(everywhere, generator)):
        for states, edges, terminal in zip(
            paths.states.T.tolist(), paths.edges.T.tolist(), paths.terminal.tolist(), strict=True
        ):
            steps = sorted(e for e in edges if e < grid.num_edges)
            at = 0
            for e in steps:
                assert grid.parent[e] == at
                at = int(grid.child[e])
            assert at == terminal
            assert sorted(s for s in states if s < grid.num_states) == sorted([0, *grid.child[steps].tolist()])


@pytest.mark.parametrize(("stop", "epsilon"), [(Stop.REWARD, 0.0), (Stop.LEARNED, 0.0), (Stop.REWARD, 1.0)])
def test_sampler_against_the_exact_distribution(
    grid: StateDag, log_reward: np.ndarray, stop: Stop, epsilon: float
) -> None:
    """With ε = 1 every action has the same chance."""
    policy, draws = randomised(TabularPolicy(grid, log_reward, stop=stop)), 100_000
    terminal = policy.sample(draws, torch.Generator().manual_seed(0), epsilon).terminal
    found = terminal.bincount(minlength=grid.num_states).numpy() / draws
    uniform = exact_flows.walk(grid, np.zeros(grid.num_edges), np.zeros(grid.num_states))[1]
    p = np.exp(uniform if epsilon else policy.terminal_distribution())
    assert (np.abs(found - p) < 5 * np.sqrt(p * (1 - p) / draws) + 1e-4).all()


def test_the_way_back_is_uniform_over_parents(grid: StateDag, log_reward: np.ndarray) -> None:
    policy = TabularPolicy(grid, log_reward, Parents.GRAPH)
    state = int(grid.num_parents.argmax())
    paths = policy.sample_back(torch.full((20_000,), state), torch.Generator().manual_seed(0))
    parents, counts = paths.states[1].unique(return_counts=True)
    assert parents.tolist() == sorted(grid.parent[grid.child == state].tolist())
    assert np.allclose(counts / 20_000, 1 / len(parents), atol=0.02)


# What training converges to


@pytest.mark.parametrize(
    ("name", "full", "stop"), [("tree_cycles", True, Stop.REWARD), ("tree_grid", False, Stop.LEARNED)]
)
def test_flow_matching_finds_the_target_on_the_data_sets(name: str, full: bool, stop: Stop) -> None:
    dataset = load_dataset(name)
    dag = enumerate_states(dataset.instance(int(dataset.explainable[7])), max_nodes=8)
    log_reward = -np.random.default_rng(0).exponential(scale=2, size=dag.num_states)
    policy = trained(dag, log_reward, full, stop=stop, epochs=300)
    assert distance(policy, exact_flows.target_distribution(log_reward)) <= 0.01


@pytest.mark.parametrize(
    ("loss", "full", "stop", "lr"),
    [
        (Loss.FLOW_MATCHING_LINEAR, True, Stop.LEARNED, 0.3),
        (Loss.FLOW_MATCHING_LINEAR, False, Stop.REWARD, 0.05),
        (Loss.TRAJECTORY_BALANCE, True, Stop.LEARNED, 0.3),
        (Loss.TRAJECTORY_BALANCE, False, Stop.REWARD, 0.3),
        (Loss.TRAJECTORY_BALANCE_CONDITIONAL, False, Stop.LEARNED, 0.3),
    ],
)
def test_other_losses_find_the_target(
    grid: StateDag, log_reward: np.ndarray, loss: Loss, full: bool, stop: Stop, lr: float
) -> None:
    policy = trained(grid, log_reward, full, loss=loss, stop=stop, lr=lr, epochs=500)
    assert distance(policy, exact_flows.target_distribution(log_reward)) <= 0.01
    if loss.is_trajectory_balance:
        assert policy.log_z.item() == pytest.approx(exact_flows.log_partition(log_reward), abs=0.02)


@pytest.mark.parametrize("full", [True, False])
@pytest.mark.parametrize("loss", [Loss.FLOW_MATCHING, Loss.TRAJECTORY_BALANCE])
def test_one_parent_finds_reward_times_orders(grid: StateDag, log_reward: np.ndarray, loss: Loss, full: bool) -> None:
    policy = trained(grid, log_reward, full, loss=loss, parents=Parents.SEQUENCE, epochs=500)
    limit = limit_distribution(grid, log_reward, loss, Parents.SEQUENCE)
    assert limit is not None
    assert distance(policy, limit) <= 0.01
    assert exact_flows.total_variation(limit, exact_flows.target_distribution(log_reward)) > 0.2


def test_all_removals_as_parents(grid: StateDag, log_reward: np.ndarray) -> None:
    balance, matching = Loss.TRAJECTORY_BALANCE, Loss.FLOW_MATCHING
    limit = limit_distribution(grid, log_reward, balance, Parents.GRAPH)
    assert distance(trained(grid, log_reward, loss=balance, parents=Parents.GRAPH, epochs=500), limit) <= 0.01

    assert limit_distribution(grid, log_reward, matching, Parents.GRAPH) is None
    policy = trained(grid, log_reward, parents=Parents.GRAPH, epochs=300)
    assert len(policy.log_phantom) == (grid.size - 1).sum() - grid.num_edges
    assert objective(policy, replace(TABULAR, parents=Parents.GRAPH), torch.Generator()).sqrt() < 0.01
    assert np.isfinite(policy.terminal_distribution()).all()


def test_the_scale_of_rewards_does_not_matter(grid: StateDag, log_reward: np.ndarray) -> None:
    low, high = (trained(grid, log_reward + shift, epochs=50).log_edge.detach() - shift for shift in (-200, 100))
    assert torch.allclose(low, high, atol=1e-6)


@pytest.mark.parametrize("stop", Stop)
def test_rewards_of_very_different_size(grid: StateDag, stop: Stop) -> None:
    log_reward = -np.random.default_rng(1).exponential(scale=80, size=grid.num_states)
    policy = trained(grid, log_reward, stop=stop)
    assert distance(policy, exact_flows.target_distribution(log_reward)) <= 0.01


def test_a_single_state() -> None:
    dag = dag_of(nx.empty_graph(1), 0, 5)
    for loss, parents, full in itertools.product(Loss, Parents, (True, False)):
        config = replace(TABULAR, loss=loss, parents=parents, stop=Stop.LEARNED)
        policy = train_tabular(dag, [-1.0], config, full)
        assert policy.terminal_distribution().tolist() == [0]
        assert objective(policy, config, torch.Generator(), full).isfinite()


def test_what_cannot_work(grid: StateDag, log_reward: np.ndarray, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="finite numbers"):
        TabularPolicy(grid, log_reward[:-1])
    with pytest.raises(ValueError, match="finite numbers"):
        TabularPolicy(grid, np.where(np.arange(grid.num_states) == 3, -np.inf, log_reward))
    monkeypatch.setattr(tabular, "MAX_TABLE", 10)
    with pytest.raises(TooManyStates, match="too large"):
        TabularPolicy(grid, log_reward)
