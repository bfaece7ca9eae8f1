"""Exact flows as targets: tables against slow references, a loss that is zero at the truth, learning from it."""

from typing import Any

import numpy as np
import pytest
import torch

from gfx_core.errors import UserError
from gfx_core.exact import exact_flows
from gfx_core.exact.state_dag import StateDag
from gfx_core.gfn.exact_targets import FLOWS, ExactTargets
from gfx_core.gfn.settings import GFNConfig, LearningConfig, Parents, RewardConfig, Stop
from gfx_core.gfn.states import States
from gfx_core.gfn.trainer import WATCHED, Trainer
from tests.toys.exact_policy import ExactPolicy, targets_of
from tests.toys.state_spaces import state_flows
from tests.toys.trainings import TASKS, K, assert_finite, numbers, predictor, same, trainer, weights

CAP = 400


def listed(name: str = "tree_cycles", count: int = 6, **options: Any) -> tuple[ExactTargets, list[StateDag]]:
    trained = trainer(name, count, reward=RewardConfig(5.0), **options)
    graphs = trained.predictor.graphs
    starts = graphs.target.tolist() if name == "tree_cycles" else (graphs.sizes - 1).tolist()  # the motif's last node
    return targets_of(trained, starts, K, CAP)


@pytest.mark.parametrize("name", TASKS)
def test_the_tables_are_those_of_each_instance(name: str) -> None:
    targets, dags = listed(name)
    first = 0
    assert len(dags) >= 2
    for number, dag in enumerate(dags):
        own = slice(first, first + dag.num_states)
        assert (targets.episode[own] == number).all()
        assert np.array_equal(targets.subsets[own, : dag.num_levels].numpy(), dag.subsets)
        log_state, log_edge = exact_flows.uniform_backward_flows(dag, targets.log_reward[own].numpy())
        assert np.allclose(targets.log_state[own], log_state, atol=1e-4)
        for state in range(dag.num_states):
            edge, there = targets.edges_of(torch.tensor([first + state]), fixed=state % 2 == 0)
            leaving = slice(*dag.out_ptr[state : state + 2])
            assert np.array_equal(targets.node[edge[there]].numpy(), dag.node[leaving])
            assert np.allclose(targets.log_edge[edge[there]].numpy(), log_edge[leaving], atol=1e-4)
        first += dag.num_states
    assert targets.num_states == first


@pytest.mark.parametrize("stop", Stop)
@pytest.mark.parametrize("name", TASKS)
def test_divergence_is_that_of_whole_trajectories(name: str, stop: Stop) -> None:
    """Against the states of each DAG, as often as exact flows visit them; final subgraphs are no further apart."""
    targets, dags = listed(name, stop=stop)
    policy = trainer(name, reward=RewardConfig(5.0), stop=stop).policy
    first, expected = 0, []
    for number, dag in enumerate(dags):
        own = torch.arange(first, first + dag.num_states)
        first += dag.num_states
        log_reward = targets.log_reward[own].double().numpy()
        log_state, log_edge = exact_flows.uniform_backward_flows(dag, log_reward)
        with torch.no_grad():
            flows = targets.flows(policy, policy.encode(targets.episodes), own)
        log_got = flows.log_out.double().numpy()[dag.parent, dag.node]
        log_stop = log_reward if flows.log_stop is None else flows.log_stop.double().numpy()
        goes_on = np.bincount(dag.parent, minlength=dag.num_states) > 0
        log_stop = np.where(goes_on, log_stop, 0.0)  # else it is forced
        log_out = state_flows(dag, log_got, log_stop)[1]
        visits = np.exp(exact_flows.walk(dag, log_edge, log_reward)[0])
        found = 0.0
        for state in range(dag.num_states):
            leaving = dag.parent == state
            pairs = [
                *zip(log_edge[leaving] - log_state[state], log_got[leaving] - log_out[state], strict=True),
                (log_reward[state] - log_state[state], log_stop[state] - log_out[state]),
            ]
            found += visits[state] * sum(np.exp(p) * (p - q) for p, q in pairs)
        expected.append(found)
        log_p, log_q = log_reward - log_state[0], exact_flows.walk(dag, log_got, log_stop)[1]
        assert (np.exp(log_p) * (log_p - log_q)).sum() <= found + 1e-6, number
    assert targets.divergence(policy) == pytest.approx(np.mean(expected), rel=1e-3)
    assert np.mean(expected) > 0.01


def test_exact_flows_do_not_diverge() -> None:
    targets, dags = listed()
    assert targets.divergence(ExactPolicy(targets, dags)) == pytest.approx(0, abs=1e-5)  # type: ignore[arg-type]


@pytest.mark.parametrize("uniform", [0.0, 0.3, 1.0])
def test_how_often_states_are_drawn(uniform: float) -> None:
    """Every episode as often as another; half-way between the flow through a state and all states alike."""
    targets, dags = listed(learning=LearningConfig(exact_uniform=uniform))
    chances, first = [], 0
    for dag in dags:
        log_state = targets.log_state[first : first + dag.num_states].double().numpy()
        goes_on = dag.num_children > 0
        visits = np.exp(log_state - log_state[0]) * goes_on
        chances.append((1 - uniform) * visits / visits.sum() + uniform * goes_on / goes_on.sum())
        first += dag.num_states
    expected = np.concatenate(chances) / len(dags)
    generator = torch.Generator().manual_seed(0)
    for drawn in (targets.draw(200_000, generator).which, *in_groups(targets, generator)):
        found = np.bincount(drawn.numpy(), minlength=targets.num_states) / len(drawn)
        assert np.abs(found - expected).sum() / 2 < 0.03
        assert not found[expected == 0].any()


def in_groups(targets: ExactTargets, generator: torch.Generator) -> list[torch.Tensor]:
    """Many draws from two episodes each."""
    return [torch.cat([targets.draw(200, generator, some=2).which for _ in range(600)])]


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("some", [0, 2])
def test_states_are_what_they_are_elsewhere(name: str, some: int) -> None:
    """All that the policy says of them, by sets that are built from their members."""
    targets, _ = listed(name)
    policy = trainer(name, reward=RewardConfig(5.0)).policy
    drawn = targets.draw(50, torch.Generator().manual_seed(1), some)
    episodes = drawn.states.episodes
    assert len(episodes) == (some or len(targets))
    assert torch.equal(episodes.instance[drawn.states.episode], targets.episodes.instance[targets.episode[drawn.which]])
    members = torch.zeros(len(drawn.which), episodes.width, dtype=torch.bool)
    for row, nodes in zip(members, targets.subsets[drawn.which].tolist(), strict=True):
        row[[node for node in nodes if node >= 0]] = True
    again = States.of_sets(episodes, drawn.states.episode, members, K)
    assert torch.equal(drawn.states.size, again.size)
    assert torch.allclose(drawn.states.edges, again.edges)
    with torch.no_grad():
        encoded = policy.encode(episodes)
        wanted = policy(encoded, again).log_out
        for fixed in (False, True):
            got = targets.flows(policy, encoded, drawn.which, drawn.states, fixed).log_out
            assert torch.equal(got.isfinite(), wanted.isfinite())
            assert torch.allclose(got, wanted, atol=1e-4)


@pytest.mark.parametrize("delta", [None, 30.0])
def test_the_loss_is_zero_at_the_truth_only(delta: float | None) -> None:
    targets, dags = listed()
    if delta is None:
        targets._floor = None
    drawn = targets.draw(40, torch.Generator().manual_seed(2))
    assert float(targets.loss(ExactPolicy(targets, dags), drawn)) == pytest.approx(0, abs=1e-6)  # type: ignore[arg-type]
    off = float(targets.loss(ExactPolicy(targets, dags, shift=0.5), drawn))  # type: ignore[arg-type]
    assert FLOWS * 0.25 < off < FLOWS * 0.25 + 0.25  # the squared error, and a divergence that is small


@pytest.mark.parametrize("stop", Stop)
def test_a_training_on_exact_flows_comes_near_to_the_target(stop: Stop) -> None:
    learning = LearningConfig(exact_cap=CAP, steps_per_batch=5, exact_states=128)
    options = {"epochs": 20, "stop": stop, "reward": RewardConfig(5.0)}
    plain, taught = trainer(count=4, **options), trainer(count=4, learning=learning, **options)
    for each in (plain, taught):
        each.fit()
    assert taught.exact is not None
    distances = [distance(each, taught.exact) for each in (plain, taught)]
    assert distances[1] < 0.5 * distances[0]


def distance(trained: Trainer, targets: ExactTargets) -> float:
    """Mean total variation from R/Z, each state of each instance evaluated by itself."""
    apart = []
    for episode, dag in enumerate(targets.dags):
        log_reward = targets.log_reward[targets.episode == episode].double().numpy()
        members = torch.zeros(dag.num_states, targets.episodes.width, dtype=torch.bool)
        members[:, : dag.num_nodes] = torch.from_numpy(dag.members)
        states = States.of_sets(targets.episodes, torch.full((dag.num_states,), episode), members, K)
        with torch.no_grad():
            flows = trained.policy(trained.policy.encode(targets.episodes), states)
        log_stop = log_reward if flows.log_stop is None else flows.log_stop.double().numpy()
        log_p = exact_flows.walk(dag, flows.log_out.double().numpy()[dag.parent, dag.node], log_stop)[1]
        apart.append(exact_flows.total_variation(log_p, exact_flows.target_distribution(log_reward)))
    return float(np.mean(apart))


def test_only_what_cannot_be_listed_is_sampled() -> None:
    targets, dags = targets_of(trainer(), predictor("tree_cycles", 6).graphs.target.tolist(), K, CAP)
    sizes = {number: dag.num_states for number, dag in zip(targets.instances.tolist(), dags, strict=True)}
    cap = sorted(sizes.values())[1]
    trained = trainer(learning=LearningConfig(exact_cap=cap))
    assert trained.exact is not None
    sampled = {int(i) for batch in trained.batches for i in batch.instance}
    assert sampled == {number for number in range(6) if sizes.get(number, cap + 1) > cap}
    assert sampled.isdisjoint(trained.exact.instances.tolist())
    before = weights(trained)
    trained.fit()
    assert_finite(trained)
    assert not same(before, weights(trained))


def test_where_all_are_listed_a_few_are_watched() -> None:
    trained = trainer(count=6, learning=LearningConfig(exact_cap=100_000, exact_states=16))
    assert sum(len(batch) for batch in trained.batches) == min(6, WATCHED)
    trained.fit()
    assert_finite(trained)
    assert all(report.residual > 0 for report in trained.curve)


def test_graph_tasks_sample_everywhere_for_the_locator() -> None:
    trained = trainer("ba_2motifs", 4, learning=LearningConfig(exact_cap=300, exact_states=16))
    assert trained.exact is not None
    assert {int(i) for batch in trained.batches for i in batch.instance} == set(range(4))
    trained.fit()
    assert_finite(trained)


def test_nothing_to_list() -> None:
    """The training goes on as if it had not been asked."""
    plain, asked = trainer(), trainer(learning=LearningConfig(exact_cap=1))
    assert asked.exact is None
    for each in (plain, asked):
        each.fit()
    assert numbers(plain.curve) == numbers(asked.curve)
    assert same(weights(plain), weights(asked))


@pytest.mark.parametrize("parents", [Parents.SEQUENCE, Parents.GRAPH])
def test_other_parents_have_other_flows(parents: Parents) -> None:
    with pytest.raises(UserError, match="valid parents"):
        GFNConfig(parents=parents, learning=LearningConfig(exact_cap=10))
