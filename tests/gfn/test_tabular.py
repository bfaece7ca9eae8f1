"""What a table of flows converges to, for every loss and every kind of parents."""

import itertools
from dataclasses import replace
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch

from gfx_core.errors import UserError
from gfx_core.exact.enumeration import StateDag
from gfx_core.exact.paths import Paths
from gfx_core.exact.state_space import StateSpace
from gfx_core.gfn.objectives import OBJECTIVES, FlowObjective
from gfx_core.gfn.settings import LearnsFrom, Loss, Parents, Stop
from gfx_core.gfn.tabular import TABULAR, TableFlows, TableTrainer
from tests.toys.state_spaces import GRAPHS, dag_of


@pytest.fixture(scope="module")
def grid() -> StateDag:
    return dag_of(GRAPHS["grid"], 1, 5)


@pytest.fixture(scope="module")
def log_reward(grid: StateDag) -> np.ndarray:
    return np.random.default_rng(0).normal(size=grid.num_states)


def randomised(table: TableFlows, seed: int = 0) -> TableFlows:
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in table.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator, dtype=parameter.dtype))
    return table


def objective_of(table: TableFlows, log_z: float = 0.0) -> FlowObjective:
    """The objective of the flows' configuration, with some log Z."""
    objective = OBJECTIVES[table.config.loss](table.config, 1)
    objective.begin_at(log_z)
    return objective


def terminal_distribution(table: TableFlows) -> np.ndarray:
    return table.space.walk(*table.flows()).stop


def distance(table: TableFlows, log_p: np.ndarray | None) -> float:
    assert log_p is not None
    return float(np.abs(np.exp(terminal_distribution(table)) - np.exp(log_p)).sum() / 2)


def some_paths(table: TableFlows, count: int) -> Paths:
    noise = np.random.default_rng(5).random((table.space.dag.num_levels, count))
    return table.paths.sample(*table.flows(), noise, epsilon=0.3)


def steps_of(table: TableFlows, paths: Paths) -> list[list[dict[str, float]]]:
    """Of every trajectory its states, one after the other: log F, log F of the action, log P_B of the way here."""
    dag, trajectories = table.space.dag, []
    flow, stop, reward = table.log_edge.tolist(), table.log_stop.tolist(), table.log_reward.tolist()
    for states, edges in zip(paths.states.T.tolist(), paths.edges.T.tolist(), strict=True):
        edges = [e for e in edges if e < dag.num_edges]
        rows: list[dict[str, float]] = []
        for number, state in enumerate(s for s in states if s < dag.num_states):
            leaving = [flow[e] for e in np.flatnonzero(dag.parent == state)]
            back = 0.0
            if number:
                others = np.flatnonzero(dag.child == state)
                learned = table.config.learned_backward
                scores = table.back.detach().numpy()[others] if learned else np.zeros(len(others))
                back = float(scores[others == edges[number - 1]][0]) - float(np.logaddexp.reduce(scores))
            rows.append(
                {
                    "flow": float(np.logaddexp.reduce([*leaving, stop[state]])),
                    "taken": flow[edges[number]] if number < len(edges) else stop[state],
                    "back": back,
                    "stop": stop[state],
                    "reward": reward[state],
                }
            )
        trajectories.append(rows)
    return trajectories


@pytest.mark.parametrize("learned", [False, True])
@pytest.mark.parametrize("stop", Stop)
def test_balances_step_by_step(grid: StateDag, log_reward: np.ndarray, stop: Stop, learned: bool) -> None:
    """Detailed, modified detailed and sub-trajectory balance, against each step and each part of a trajectory."""
    for loss in (Loss.DETAILED_BALANCE, Loss.MODIFIED_DETAILED_BALANCE, Loss.SUB_TRAJECTORY_BALANCE):
        config = replace(TABULAR, loss=loss, stop=stop, learned_backward=learned, sub_lambda=0.7, max_nodes=5)
        table = randomised(TableFlows(StateSpace(grid, log_reward), config))
        paths = some_paths(table, 30)
        errors: list[float] = []
        stops: list[float] = []
        for rows in steps_of(table, paths):
            stops += [(row["stop"] - row["reward"]) ** 2 for row in rows]
            if loss is Loss.SUB_TRAJECTORY_BALANCE:
                end = {"flow": rows[-1]["reward"], "taken": 0.0, "back": 0.0}
                every, weights = [*rows, end], []
                for i, j in itertools.combinations(range(len(every)), 2):
                    way = sum(every[k]["taken"] - every[k]["flow"] - every[k + 1]["back"] for k in range(i, j))
                    weights.append((0.7 ** (j - i), (every[i]["flow"] + way - every[j]["flow"]) ** 2))
                errors.append(sum(w * v for w, v in weights) / sum(w for w, _ in weights))
                continue
            for here, after in itertools.pairwise(rows):
                if loss is Loss.DETAILED_BALANCE:
                    errors.append((here["taken"] - after["flow"] - after["back"]) ** 2)
                    continue
                forward = here["reward"] + here["taken"] - here["flow"] + after["stop"] - after["flow"]
                backward = after["reward"] + after["back"] + here["stop"] - here["flow"]
                errors.append((forward - backward) ** 2)
        expected = np.mean(errors)
        if stop is Stop.LEARNED and loss is not Loss.MODIFIED_DETAILED_BALANCE:
            expected += np.mean(stops)
        assert objective_of(table).loss(table.visited(paths)).item() == pytest.approx(expected)


def test_first_child_counts_probabilities_and_the_first_child_alone(grid: StateDag, log_reward: np.ndarray) -> None:
    config = replace(TABULAR, loss=Loss.FIRST_CHILD, epochs=100)
    table = randomised(TableFlows(StateSpace(grid, log_reward), config))
    scores, paths = table.score.tolist(), some_paths(table, 20)

    def chance(edge: int) -> float:
        beside = [scores[e] for e in np.flatnonzero(grid.parent == grid.parent[edge])]
        return float(np.exp(scores[edge] - np.logaddexp.reduce(beside)))

    expected = []
    for state in (s for s in paths.states.flatten().tolist() if 0 < s < grid.num_states):
        leaving = np.flatnonzero(grid.parent == state)
        out = chance(int(leaving[0])) if len(leaving) else 0.0
        into = sum(chance(int(e)) for e in np.flatnonzero(grid.child == state))
        expected.append((into - out - 100 * np.exp(log_reward[state])) ** 2)
    assert objective_of(table).loss(table.visited(paths)).item() == pytest.approx(np.mean(expected))
    trainer = TableTrainer(StateSpace(grid, log_reward), config)
    trainer.fit()
    assert trainer.table.total_variation() > 0.1  # a control: its flows cannot match


BALANCE = Loss.DETAILED_BALANCE
CONVERGENCE: list[tuple[Loss, bool, dict[str, Any]]] = [
    (Loss.FLOW_MATCHING_LINEAR, True, {"stop": Stop.LEARNED, "lr": 0.3, "epochs": 500}),
    (Loss.TRAJECTORY_BALANCE, True, {"stop": Stop.LEARNED}),
    (Loss.TRAJECTORY_BALANCE_CONDITIONAL, False, {"stop": Stop.LEARNED, "lr": 0.1}),
    (Loss.FLOW_MATCHING, False, {"stop": Stop.LEARNED}),
    (Loss.MODIFIED_DETAILED_BALANCE, True, {}),
    (Loss.SUB_TRAJECTORY_BALANCE, False, {}),
    (BALANCE, True, {"learned_backward": True}),
    (BALANCE, False, {}),
    (Loss.FLOW_MATCHING, True, {"parents": Parents.SEQUENCE, "epochs": 250}),
]


@pytest.mark.parametrize(("loss", "everywhere", "options"), CONVERGENCE, ids=str)
def test_a_loss_finds_its_limit(
    grid: StateDag, log_reward: np.ndarray, loss: Loss, everywhere: bool, options: dict[str, Any]
) -> None:
    """The target with valid parents; with one parent, the reward times the number of orders."""
    learns_from = LearnsFrom.ALL if everywhere else LearnsFrom.TRAJECTORIES
    config = replace(TABULAR, **{"loss": loss, "lr": 0.3, "epochs": 200, "learns_from": learns_from, **options})
    trainer = TableTrainer(StateSpace(grid, log_reward), config)
    trainer.fit()
    table, space = trainer.table, trainer.table.space
    limit = space.log_target if config.parents is Parents.VALID else space.log_sequence
    assert distance(table, limit) <= 0.01
    assert (space.total_variation(limit) > 0.1) == (config.parents is not Parents.VALID)
    if loss in (Loss.TRAJECTORY_BALANCE, Loss.TRAJECTORY_BALANCE_CONDITIONAL):
        assert trainer.log_z() == pytest.approx(space.log_z[0], abs=0.02)
    if config.learned_backward:
        assert table.log_back.exp().sum().item() == pytest.approx(grid.num_states - 1)
        uniform = -np.log(grid.num_parents[grid.child])
        assert not np.allclose(table.log_back.detach().numpy(), uniform, atol=0.05)  # it has learnt another one


def test_another_reward_is_learnt_from_where_a_table_stands(grid: StateDag, log_reward: np.ndarray) -> None:
    trainer = TableTrainer(StateSpace(grid, log_reward), replace(TABULAR, learns_from=LearnsFrom.ALL, epochs=300))
    while trainer.epoch < 150:
        trainer.run_epoch()
    trainer.set_reward(StateSpace(grid, -log_reward))
    trainer.fit()
    assert distance(trainer.table, StateSpace(grid, -log_reward).log_target) < 0.01


def test_what_a_table_cannot_learn(grid: StateDag, log_reward: np.ndarray) -> None:
    with pytest.raises(UserError, match="GFlow-Graph"):
        replace(TABULAR, parents=Parents.GRAPH)
    with pytest.raises(ValueError, match="finite"):
        TableFlows(StateSpace(grid, log_reward - np.inf))


def test_a_single_state() -> None:
    dag = dag_of(nx.empty_graph(1), 0, 5)
    space = StateSpace(dag, [-1.0])
    for loss, parents, learns_from in itertools.product(Loss, (Parents.VALID, Parents.SEQUENCE), LearnsFrom):
        config = replace(TABULAR, loss=loss, parents=parents, learns_from=learns_from, stop=Stop.LEARNED, epochs=3)
        trainer = TableTrainer(space, config)
        trainer.fit()
        assert terminal_distribution(trainer.table).tolist() == [0]
        assert trainer.objective.loss(trainer.table.visited(None)).isfinite()
