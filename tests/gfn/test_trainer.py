"""Training: reports, seeds, odd graphs, what is cancelled or breaks, and P ∝ R at the end."""

from collections import Counter
from itertools import product
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch
from torch import Tensor

from gfx_core import load_dataset, load_model
from gfx_core.config import Task
from gfx_core.errors import UserError
from gfx_core.exact.enumeration import StateDag, enumerate_states
from gfx_core.exact.state_space import StateSpace
from gfx_core.gfn.instances import STARTS_PER_GRAPH, Episodes
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.sampler import Trajectories, sample
from gfx_core.gfn.settings import GFNConfig, LearningConfig, Loss, RewardConfig, Stop
from gfx_core.gfn.states import States
from gfx_core.gfn.trainer import EpochReport, Sampled, Trainer
from gfx_core.gnn.predict import SubgraphPredictor
from tests.toys.gnns import random_gnn
from tests.toys.instances import instance_of, ones
from tests.toys.state_spaces import terminal_distribution
from tests.toys.trainings import TASKS, K, assert_finite, numbers, predictor, same, trainer, weights


@pytest.mark.parametrize(("name", "batch_size"), [*product(TASKS, (1, 8)), (TASKS[0], 100)])
def test_any_batch_size(name: str, batch_size: int) -> None:
    """Every instance has its turn in every epoch; graphs from several distinct start nodes that change."""
    trained = trainer(name, 5, batch_size=batch_size)
    turns: list[tuple[int, int]] = []

    def watch(sampled: Sampled) -> None:
        episodes = sampled[0].episodes
        assert len(episodes) <= max(batch_size, STARTS_PER_GRAPH if name == "ba_2motifs" else 1)
        turns.extend(zip(episodes.instance.tolist(), episodes.start.tolist(), strict=True))

    trained.watch = watch
    trained.fit()
    first, second = turns[: len(turns) // 2], turns[len(turns) // 2 :]
    starts = STARTS_PER_GRAPH if name == "ba_2motifs" else 1
    for epoch in (first, second):
        assert len(epoch) == len(set(epoch)) == 5 * starts
        assert Counter(instance for instance, _ in epoch) == dict.fromkeys(range(5), starts)
    assert (sorted(first) == sorted(second)) == (name == "tree_cycles")
    assert_finite(trained)


def test_reports_of_batches_and_epochs() -> None:
    """In order; and whatever watches changes nothing."""
    batches: list[Trajectories] = []
    reports: list[EpochReport] = []
    trained, alone = trainer(count=5, batch_size=3, epochs=2), trainer(count=5, batch_size=3, epochs=2)
    trained.watch = lambda sampled: batches.append(sampled[0])
    trained.fit(reports.append)
    alone.fit()
    assert numbers(trained.curve) == numbers(alone.curve)
    assert len(batches) == 2 * len(trained.batches) == 4
    assert trained.curve == reports
    for report, sampled in zip(reports, (batches[:2], batches[2:]), strict=True):
        rewards = [trained.reward(batch.order, batch.instance).mean().item() for batch in sampled]
        assert report.log_reward == pytest.approx(np.mean(rewards), abs=1e-4)
        assert report.size == pytest.approx(np.mean([batch.length.float().mean().item() for batch in sampled]))
    assert [(report.epoch, report.epochs) for report in reports] == [(1, 2), (2, 2)]
    assert reports[0].eta > 0 == reports[1].eta
    trained.fit(reports.append)
    assert len(reports) == 2


# The same again, also in parts


@pytest.mark.parametrize(
    ("name", "loss"), zip(TASKS, [Loss.FLOW_MATCHING, Loss.TRAJECTORY_BALANCE_CONDITIONAL], strict=True)
)
def test_the_seed_decides_everything(name: str, loss: Loss) -> None:
    """And the global random state has no part in it."""
    options = {"loss": loss, "stop": Stop.LEARNED, "batch_size": 8, "epochs": 3}
    trained = []
    for number, seed in enumerate((1, 1, 2)):
        torch.manual_seed(11 + number)
        np.random.seed(11 + number)  # noqa: NPY002
        before, numpy_before = torch.get_rng_state(), np.random.get_state()[1].copy()  # noqa: NPY002
        trained.append(trainer(name, 5, seed=seed, **options))
        trained[-1].fit()
        assert torch.equal(torch.get_rng_state(), before)
        assert np.array_equal(np.random.get_state()[1], numpy_before)  # noqa: NPY002
    assert numbers(trained[0].curve) == numbers(trained[1].curve)
    assert same(weights(trained[0]), weights(trained[1]))
    assert numbers(trained[0].curve) != numbers(trained[2].curve)


WAYS: dict[str, dict[str, Any]] = {
    "sampled": {},
    "balance": {"loss": Loss.TRAJECTORY_BALANCE_CONDITIONAL, "stop": Stop.LEARNED},
    "several steps": {"learning": LearningConfig(steps_per_batch=3)},
    "exact flows": {"learning": LearningConfig(exact_cap=60, exact_states=16, exact_steps=2)},
    "exact flows of few": {"learning": LearningConfig(exact_cap=60, exact_states=16, exact_instances=2)},
    "parts of trajectories": {"loss": Loss.SUB_TRAJECTORY_BALANCE},
}


@pytest.mark.parametrize(("way", "name"), zip(WAYS, 3 * TASKS, strict=True))
def test_a_training_that_is_stopped_goes_on_as_if_it_had_not_been(name: str, way: str) -> None:
    options = {"epochs": 3, "batch_size": 2 if name == "tree_cycles" else 8, **WAYS[way]}
    whole, broken = (trainer(name, 4, **options) for _ in range(2))
    states = [weights(whole)]
    whole.fit(lambda _: states.append(weights(whole)))
    assert_finite(whole)
    assert not same(states[0], states[-1])
    broken.fit(cancelled=lambda: broken.epoch == 1)
    assert same(weights(broken), states[1])
    broken.fit()
    assert numbers(broken.curve) == numbers(whole.curve)
    assert same(weights(broken), states[-1])


# Odd graphs


@pytest.mark.parametrize(("task", "stop"), product(Task, Stop))
def test_a_start_node_without_neighbours(task: Task, stop: Stop) -> None:
    """STOP is all there is: alone, as a graph of one node, and next to other graphs."""
    for loss, *graphs in (
        (Loss.FLOW_MATCHING, nx.empty_graph(1)),
        (Loss.TRAJECTORY_BALANCE_CONDITIONAL, nx.empty_graph(3)),
        (Loss.FLOW_MATCHING, nx.empty_graph(1), nx.path_graph(5)),
    ):
        instances = [instance_of(graph, task, ones(graph, 2)) for graph in graphs]
        predictor = SubgraphPredictor(random_gnn(task, sizes=(2, 2), seed=0, hidden=20), instances)
        trained = Trainer(predictor, GFNConfig(max_nodes=K, reward=RewardConfig(1.0), epochs=2, loss=loss, stop=stop))
        trained.fit()
        assert_finite(trained)
        episodes = Episodes.of(trained.graphs, np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64))
        episode = torch.zeros(20, dtype=torch.long)
        drawn = sample(trained.policy, episodes, episode, trained.reward, generator=torch.Generator())
        assert (drawn.length == 1).all()
        assert (drawn.log_forward == 0).all()


# Memory that is full, and numbers that break


def test_full_memory_is_named_and_the_epoch_taken_back() -> None:
    trained = trainer()
    before = weights(trained)

    def no_room(number: int, generator: torch.Generator) -> Any:
        raise torch.OutOfMemoryError("out of memory")

    trained.sample = no_room  # type: ignore[method-assign]
    with pytest.raises(UserError, match="smaller batch"):
        trained.fit()
    assert same(before, weights(trained))
    assert not trained.curve


class BreakableReward(Reward):
    broken = False

    def __call__(self, subsets: Tensor, instance: Tensor) -> Tensor:
        return super().__call__(subsets, instance) * (torch.nan if self.broken else 1)


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize(("loss", "stop"), [(Loss.FLOW_MATCHING, Stop.REWARD), (Loss.TRAJECTORY_BALANCE, Stop.LEARNED)])
def test_a_reward_that_is_not_a_number(name: str, stop: Stop, loss: Loss) -> None:
    reward = BreakableReward(predictor(name, 4), RewardConfig(1.0))
    trained = Trainer(reward.predictor, GFNConfig(max_nodes=K, epochs=5, stop=stop, loss=loss), reward=reward)
    states = [weights(trained)]

    def after(report: EpochReport) -> None:
        states.append(weights(trained))
        if report.epoch == 3:
            reward.broken = True

    with pytest.raises(FloatingPointError, match="diverged in step 4"):
        trained.fit(after)
    for _ in range(2):  # trying again does not make it worse
        assert_finite(trained)
        assert same(weights(trained), states[trained.epoch])
        with pytest.raises(FloatingPointError):
            trained.fit()
    reward.broken = False
    trained.fit()
    assert trained.epoch == 5
    assert_finite(trained)


# P ∝ R


@torch.no_grad()
def distance_to_target(trained: Trainer, dag: StateDag) -> float:
    """Total variation between where the policy stops and R/Z, exactly."""
    instance = torch.zeros(dag.num_states, dtype=torch.long)
    states = States(trained.batches[0], instance, torch.from_numpy(dag.subsets))
    encoded = trained.policy.encode(states.episodes)
    log_flows = trained.policy(encoded, states, states.frontier(K)).log_out
    log_reward = trained.reward(states.nodes, instance)
    log_p = terminal_distribution(dag, log_flows, log_reward)
    return StateSpace(dag, log_reward).total_variation(log_p)


def test_a_fitted_network_stops_in_proportion_to_the_reward() -> None:
    """One instance, 64 trajectories a step: the distribution comes close to R/Z, and closer the longer it trains."""
    instance = load_dataset("tree_cycles").instance(513)
    dag = enumerate_states(instance, max_nodes=K)
    predictor = SubgraphPredictor(load_model("tree_cycles"), [instance])
    trained = Trainer(predictor, GFNConfig(max_nodes=K, epochs=80, reward=RewardConfig(1.0)), repeats=64)
    distances = [distance_to_target(trained, dag)]
    trained.fit(lambda report: report.epoch in (15, 80) and distances.append(distance_to_target(trained, dag)))
    assert dag.num_states > 20
    assert distances[0] > 0.3
    assert distances[-1] < 0.1
    assert distances[-1] < distances[1] < distances[0]
    assert trained.curve[-1].residual < 0.1
