"""What a table of flows converges to, for every loss and every kind of parents."""

import itertools
from dataclasses import replace
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch
from gfx_core.exact.tabular import TABULAR, DagFlows, ListedTraining, Paths, TableFlows, train_table

from gfx_core.exact import tabular
from gfx_core.exact.enumeration import StateDag, TooManyStates
from gfx_core.exact.state_space import StateSpace
from gfx_core.gfn.objectives import OBJECTIVES, FlowObjective
from gfx_core.gfn.settings import Loss, Parents, PolicyConfig, Stop
from tests.toys.state_spaces import GRAPHS, dag_of


def limit_distribution(dag: StateDag, log_reward: np.ndarray, loss: Loss, parents: Parents) -> np.ndarray | None:
    """log P(stop at s) once the loss is zero; None where the loss does not decide it. [S] → [S]

    With one parent each *order* of adding nodes is a state of its own. With all |s| − 1 removals as parents,
    trajectory balance hands out shares to parents that do not exist; flow matching lets them give any flow.
    """
    if parents is Parents.VALID:
        return StateSpace(dag, log_reward).log_target
    if parents is Parents.SEQUENCE:
        return StateSpace(dag, log_reward).log_sequence
    if not loss.is_trajectory_balance:
        return None
    log_factorial = np.cumsum(np.log(np.maximum(np.arange(dag.num_levels), 1)))  # [L], of 0 … L - 1
    orders = StateSpace(dag, log_reward).log_orders
    return StateSpace(dag, log_reward + orders - log_factorial[dag.size - 1]).log_target


@pytest.fixture(scope="module")
def grid() -> StateDag:
    return dag_of(GRAPHS["grid"], 1, 5)


@pytest.fixture(scope="module")
def log_reward(grid: StateDag) -> np.ndarray:
    return np.random.default_rng(0).normal(size=grid.num_states)


def randomised(policy: TableFlows, seed: int = 0) -> TableFlows:
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in policy.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator, dtype=parameter.dtype))
    return policy


def made(policy: DagFlows, log_z: float = 0.0) -> FlowObjective:
    """The objective of the flows' configuration, with some log Z."""
    found = OBJECTIVES[policy.config.loss](policy.config, 1)
    found.begin_at(log_z)
    return found


def distance(policy: TableFlows, log_p: np.ndarray | None) -> float:
    assert log_p is not None
    return float(np.abs(np.exp(policy.terminal_distribution()) - np.exp(log_p)).sum() / 2)


def trained(dag: StateDag, log_reward: Any, full: bool = True, **options: Any) -> TableFlows:
    return train_table(StateSpace(dag, log_reward), replace(TABULAR, **options), full)


def steps_of(policy: DagFlows, paths: Paths) -> list[list[dict[str, float]]]:
    """Of every trajectory its states, one after the other: log F, log F of the action, log P_B of the way here."""
    dag, found = policy.dag, []
    flow, stop, reward = policy.log_edge.tolist(), policy.log_stop.tolist(), policy.log_reward.tolist()
    for states, edges in zip(paths.states.T.tolist(), paths.edges.T.tolist(), strict=True):
        edges = [e for e in edges if e < dag.num_edges]
        rows: list[dict[str, float]] = []
        for number, state in enumerate(s for s in states if s < dag.num_states):
            leaving = [flow[e] for e in np.flatnonzero(dag.parent == state)]
            back = 0.0
            if number:
                others = np.flatnonzero(dag.child == state)
                scores = np.zeros(len(others)) if policy.back is None else policy.back.detach().numpy()[others]
                mine = float(scores[others == edges[number - 1]][0])
                back = mine - float(np.logaddexp.reduce(scores))
            rows.append(
                {
                    "flow": float(np.logaddexp.reduce([*leaving, stop[state]])),
                    "taken": flow[edges[number]] if number < len(edges) else stop[state],
                    "back": back,
                    "stop": stop[state],
                    "reward": reward[state],
                }
            )
        found.append(rows)
    return found


@pytest.mark.parametrize("learned", [False, True])
@pytest.mark.parametrize("stop", Stop)
@pytest.mark.parametrize("forward_looking", [False, True])
def test_balances_step_by_step(
    grid: StateDag, log_reward: np.ndarray, stop: Stop, learned: bool, forward_looking: bool
) -> None:
    """Detailed, modified detailed and sub-trajectory balance, against each step and each part of a trajectory."""
    network = PolicyConfig(learned_backward=learned, forward_looking=forward_looking)
    for loss in (Loss.DETAILED_BALANCE, Loss.MODIFIED_DETAILED_BALANCE, Loss.SUB_TRAJECTORY_BALANCE):
        config = replace(TABULAR, loss=loss, stop=stop, policy=network, sub_lambda=0.7, max_nodes=5)
        policy = randomised(TableFlows(StateSpace(grid, log_reward), config))
        paths = policy.sample(30, torch.Generator().manual_seed(5), 0.3)
        found: list[float] = []
        stops: list[float] = []
        for rows in steps_of(policy, paths):
            stops += [(row["stop"] - row["reward"]) ** 2 for row in rows]
            if loss is Loss.SUB_TRAJECTORY_BALANCE:
                end = {"flow": rows[-1]["reward"], "taken": 0.0, "back": 0.0}
                every, weights = [*rows, end], []
                for i, j in itertools.combinations(range(len(every)), 2):
                    way = sum(every[k]["taken"] - every[k]["flow"] - every[k + 1]["back"] for k in range(i, j))
                    weights.append((0.7 ** (j - i), (every[i]["flow"] + way - every[j]["flow"]) ** 2))
                found.append(sum(w * v for w, v in weights) / sum(w for w, _ in weights))
                continue
            for here, after in itertools.pairwise(rows):
                if loss is Loss.DETAILED_BALANCE:
                    found.append((here["taken"] - after["flow"] - after["back"]) ** 2)
                    continue
                forward = here["reward"] + here["taken"] - here["flow"] + after["stop"] - after["flow"]
                backward = after["reward"] + after["back"] + here["stop"] - here["flow"]
                found.append((forward - backward) ** 2)
        expected = np.mean(found)
        if stop is Stop.LEARNED and loss is not Loss.MODIFIED_DETAILED_BALANCE:
            expected += np.mean(stops)
        assert made(policy).loss(policy.visited(paths)).item() == pytest.approx(expected)


def test_first_child_counts_probabilities_and_the_first_child_alone(grid: StateDag, log_reward: np.ndarray) -> None:
    policy = randomised(TableFlows(StateSpace(grid, log_reward), replace(TABULAR, loss=Loss.FIRST_CHILD)))
    scores, paths = policy.score.tolist(), policy.sample(20, torch.Generator().manual_seed(5), 0.3)

    def chance(edge: int) -> float:
        beside = [scores[e] for e in np.flatnonzero(grid.parent == grid.parent[edge])]
        return float(np.exp(scores[edge] - np.logaddexp.reduce(beside)))

    expected = []
    for state in (s for s in paths.states.flatten().tolist() if 0 < s < grid.num_states):
        leaving = np.flatnonzero(grid.parent == state)
        out = chance(int(leaving[0])) if len(leaving) else 0.0
        came = sum(chance(int(e)) for e in np.flatnonzero(grid.child == state))
        expected.append((came - out - 100 * np.exp(log_reward[state])) ** 2)
    assert made(policy).loss(policy.visited(paths)).item() == pytest.approx(np.mean(expected))
    after = trained(grid, log_reward, full=False, loss=Loss.FIRST_CHILD, epochs=100)
    assert after.total_variation() > 0.1  # a control: its flows cannot match


@pytest.mark.parametrize(("stop", "epsilon"), [(Stop.REWARD, 0.0), (Stop.LEARNED, 0.0), (Stop.REWARD, 1.0)])
def test_sampler_against_the_exact_distribution(
    grid: StateDag, log_reward: np.ndarray, stop: Stop, epsilon: float
) -> None:
    """With ε = 1 every action has the same chance."""
    policy, draws = randomised(TableFlows(StateSpace(grid, log_reward), replace(TABULAR, stop=stop))), 100_000
    terminal = policy.sample(draws, torch.Generator().manual_seed(0), epsilon).terminal
    found = terminal.bincount(minlength=grid.num_states).numpy() / draws
    uniform = StateSpace(grid, np.zeros(grid.num_states)).walk(np.zeros(grid.num_edges)).stop
    p = np.exp(uniform if epsilon else policy.terminal_distribution())
    assert (np.abs(found - p) < 5 * np.sqrt(p * (1 - p) / draws) + 1e-4).all()


BALANCE = Loss.DETAILED_BALANCE
CONVERGENCE: list[tuple[Loss, bool, dict[str, Any]]] = [
    (Loss.FLOW_MATCHING_LINEAR, True, {"stop": Stop.LEARNED, "lr": 0.3, "epochs": 500}),
    (Loss.TRAJECTORY_BALANCE, True, {"stop": Stop.LEARNED}),
    (Loss.TRAJECTORY_BALANCE_CONDITIONAL, False, {"stop": Stop.LEARNED, "lr": 0.1}),
    (Loss.FLOW_MATCHING, False, {"stop": Stop.LEARNED}),
    (Loss.MODIFIED_DETAILED_BALANCE, True, {}),
    (Loss.SUB_TRAJECTORY_BALANCE, False, {}),
    (BALANCE, True, {"policy": PolicyConfig(learned_backward=True)}),
    (BALANCE, False, {"policy": PolicyConfig(forward_looking=True), "replay": 0.5}),
    (Loss.FLOW_MATCHING, True, {"parents": Parents.SEQUENCE, "epochs": 250}),
    (Loss.TRAJECTORY_BALANCE, True, {"parents": Parents.GRAPH}),
]


@pytest.mark.parametrize(("loss", "full", "options"), CONVERGENCE, ids=str)
def test_a_loss_finds_its_limit(
    grid: StateDag, log_reward: np.ndarray, loss: Loss, full: bool, options: dict[str, Any]
) -> None:
    """The target with valid parents; with one parent, the reward times the number of orders."""
    config = replace(TABULAR, **{"loss": loss, "lr": 0.3, "epochs": 200, **options})
    policy = TableFlows(StateSpace(grid, log_reward), config)
    training = ListedTraining(policy, config, full)
    training.run()
    limit = limit_distribution(grid, log_reward, loss, config.parents)
    assert distance(policy, limit) <= (0.02 if config.replay else 0.01)
    assert (policy.space.total_variation(limit) > 0.1) == (config.parents is not Parents.VALID)
    if loss.is_trajectory_balance and config.parents is Parents.VALID:
        assert training.log_z() == pytest.approx(policy.space.log_z[0], abs=0.02)
    if policy.back is not None:
        assert policy.log_back.exp().sum().item() == pytest.approx(grid.num_states - 1)
        assert not torch.allclose(policy.log_back, policy.log_backward, atol=0.05)  # it has learnt another one


def test_flows_from_parents_that_are_none_match_without_a_limit(grid: StateDag, log_reward: np.ndarray) -> None:
    assert limit_distribution(grid, log_reward, Loss.FLOW_MATCHING, Parents.GRAPH) is None
    policy = trained(grid, log_reward, parents=Parents.GRAPH, epochs=300)
    assert len(policy.log_phantom) == (grid.size - 1).sum() - grid.num_edges
    assert made(policy).loss(policy.everywhere()).sqrt() < 0.01
    assert np.isfinite(policy.terminal_distribution()).all()


def test_a_single_state() -> None:
    dag = dag_of(nx.empty_graph(1), 0, 5)
    for loss, parents, full in itertools.product(Loss, Parents, (True, False)):
        config = replace(TABULAR, loss=loss, parents=parents, stop=Stop.LEARNED)
        policy = train_table(StateSpace(dag, [-1.0]), config, full)
        assert policy.terminal_distribution().tolist() == [0]
        assert ListedTraining(policy, config, full).objective.loss(policy.everywhere()).isfinite()


def test_a_table_may_be_too_large(grid: StateDag, log_reward: np.ndarray, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tabular, "MAX_TABLE", 10)
    with pytest.raises(TooManyStates, match="too large"):
        TableFlows(StateSpace(grid, log_reward))


def test_the_way_back_is_uniform_over_parents(grid: StateDag, log_reward: np.ndarray) -> None:
    policy = TableFlows(StateSpace(grid, log_reward), replace(TABULAR, parents=Parents.GRAPH))
    state = int(grid.num_parents.argmax())
    paths = policy.sample_back(torch.full((20_000,), state), torch.Generator().manual_seed(0))
    parents, counts = paths.states[-2].unique(return_counts=True)
    assert parents.tolist() == sorted(grid.parent[grid.child == state].tolist())
    assert np.allclose(counts / 20_000, 1 / len(parents), atol=0.02)
