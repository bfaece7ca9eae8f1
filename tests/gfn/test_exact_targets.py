"""Exact flows as targets: tables against slow references, a loss that is zero at the truth, learning from it."""

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from gfx_core import UserError, load_dataset
from gfx_core.exact.enumeration import StateDag, list_all
from gfx_core.exact.state_space import StateSpace
from gfx_core.gfn import exact_targets
from gfx_core.gfn.exact_targets import ExactTargets, ListedStates, listed_space
from gfx_core.gfn.instances import Episodes
from gfx_core.gfn.policy import PolicyFlows
from gfx_core.gfn.settings import GFNConfig, LearningConfig, Loss, RewardConfig, Stop
from gfx_core.gfn.states import States
from gfx_core.gfn.trainer import WATCHED, Trainer
from gfx_core.gnn.predict import SubgraphPredictor
from tests.toys.gnns import random_gnn
from tests.toys.state_spaces import terminal_distribution
from tests.toys.trainings import K, assert_finite, predictor, same, trainer, weights

CAP = 400


def targets_of(trained: Trainer, starts: list[int], max_nodes: int, cap: int) -> tuple[ExactTargets, list[StateDag]]:
    """The exact flows of those instances of a training that have at most ``cap`` states, and their states."""
    listed = list_all(trained.graphs.instances, starts, max_nodes, cap)
    dags, numbers = list(listed.values()), np.array(list(listed))
    return ExactTargets(trained.graphs, listed_space(trained.reward, dags, numbers), trained.config, numbers), dags


def targets(**options: Any) -> tuple[ExactTargets, list[StateDag]]:
    trained = trainer("tree_cycles", 6, **{"reward": RewardConfig(5.0), **options})
    return targets_of(trained, trained.predictor.graphs.target.tolist(), K, CAP)


@pytest.mark.parametrize("uniform", [0.0, 0.3, 1.0])
def test_how_often_states_are_drawn(uniform: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every episode as often as another; half-way between the flow through a state and all states alike."""
    monkeypatch.setattr(exact_targets, "UNIFORM", uniform)
    exact, dags = targets()
    chances, first = [], 0
    for dag in dags:
        log_state = exact.log_state[first : first + dag.num_states].double().numpy()
        goes_on = dag.num_children > 0
        visits = np.exp(log_state - log_state[0]) * goes_on
        chances.append((1 - uniform) * visits / visits.sum() + uniform * goes_on / goes_on.sum())
        first += dag.num_states
    expected = np.concatenate(chances) / len(dags)
    generator, rng = torch.Generator().manual_seed(0), np.random.RandomState(0)

    def draw(count: int, episodes: np.ndarray | None = None) -> Tensor:
        which, states = exact.draw(torch.rand(count, dtype=torch.float64, generator=generator), episodes)
        assert torch.equal(states.nodes, exact.nodes[which].long())
        assert torch.equal(states.episodes.instance[states.episode], exact.episodes.instance[exact.episode[which]])
        return which

    in_groups = torch.cat([draw(200, np.sort(rng.permutation(len(dags))[:2])) for _ in range(600)])
    for drawn in (draw(200_000), in_groups):
        shares = np.bincount(drawn.numpy(), minlength=exact.space.num_states) / len(drawn)
        assert np.abs(shares - expected).sum() / 2 < 0.03
        assert not shares[expected == 0].any()


@pytest.mark.parametrize("stop", Stop)
@pytest.mark.parametrize("name", ["tree_grid", "ba_2motifs"])
def test_the_flows_of_listed_states_are_those_of_each_instance_alone(
    name: str, stop: Stop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(exact_targets._CELLS, "cpu", 3000)  # several passes
    dataset = load_dataset(name)
    model = random_gnn(dataset.task, "sum", (dataset.x.shape[1], dataset.num_classes), std=0.7)
    candidates = [dataset.instance(int(i)) for i in dataset.explainable[::150]]
    dags = list_all(candidates, [instance.target or 0 for instance in candidates], 5, cap=400)
    instances = [candidates[number] for number in dags]
    config = GFNConfig(max_nodes=5, stop=stop, epochs=1, reward=RewardConfig(1.0))
    trained = Trainer(SubgraphPredictor(model, instances), config)
    listed = ListedStates(trained.graphs, listed_space(trained.reward, list(dags.values())))
    space, encoded = listed.space, trained.policy.encode(listed.episodes)
    total_variations, log_stop = listed.total_variations(trained.policy), space.walk(*listed.flows(trained.policy)).stop
    for number, dag in enumerate(dags.values()):
        episode = torch.full((dag.num_states,), number)
        states = States(listed.episodes, episode, torch.from_numpy(dag.subsets))
        with torch.no_grad():
            flows = trained.policy(encoded, states, states.frontier(5))
        log_reward = trained.reward(states.nodes, episode)
        log_p = terminal_distribution(dag, flows.log_out, log_reward if flows.log_stop is None else flows.log_stop)
        assert np.allclose(np.exp(space.parts(log_stop)[number]), np.exp(log_p), atol=1e-5)
        assert total_variations[number] == pytest.approx(StateSpace(dag, log_reward).total_variation(log_p), abs=1e-4)
    wider = random_gnn(dataset.task, "sum", (dataset.x.shape[1], dataset.num_classes), hidden=12)
    other = Trainer(SubgraphPredictor(wider, instances[:1]), config)
    with pytest.raises(UserError, match="another data set"):
        listed.flows(other.policy)


class EdgeFlows:
    """In place of a policy: a log-flow for every edge that leaves some listed states."""

    def __init__(self, exact: ExactTargets, which: Tensor, log_edge: np.ndarray) -> None:
        self.exact, self.which, self.log_edge = exact, which, torch.from_numpy(log_edge).float()

    def encode(self, episodes: Episodes) -> None:
        """Nothing to prepare."""

    def __call__(self, encoded: None, states: States, actions: Tensor) -> PolicyFlows:
        edge, exists = self.exact.edges(self.which)
        return PolicyFlows(self.log_edge[edge].where(exists, -torch.inf), None, None)


@pytest.mark.parametrize("delta", [None, 2.0])
def test_the_loss_is_that_of_each_state_and_zero_at_the_exact_flows(delta: float | None) -> None:
    exact, _ = targets(delta=delta)
    space, numbers = exact.space, torch.arange(exact.space.num_states)
    generator = np.random.default_rng(0)
    states = States(exact.episodes, exact.episode, exact.nodes.long())
    best = np.array([part.max() for part in space.parts(space.log_reward)])

    def loss(log_edge: np.ndarray) -> float:
        policy: Any = EdgeFlows(exact, numbers, log_edge)
        return float(exact.loss(policy, numbers, states))

    assert loss(space.log_edge) == pytest.approx(0, abs=1e-5)
    log_edge, losses = space.log_edge + generator.normal(size=space.num_edges), []
    for state in range(space.num_states):
        edges = np.flatnonzero(space.parent == state)
        target = np.exp(np.append(space.log_edge[edges], space.log_reward[state]) - space.log_state[state])
        log_pi = np.append(log_edge[edges], space.log_reward[state])
        log_pi -= np.logaddexp.reduce(log_pi)
        losses.append(float((target * (np.log(target) - log_pi)).sum()))
        if len(edges):
            floor = -np.inf if delta is None else best[space.owner[state]] - delta
            error = (log_edge[edges].clip(floor) - space.log_edge[edges].clip(floor)) ** 2
            losses[-1] += exact_targets.FLOWS * (np.average(error, weights=target[:-1]) + error.mean()) / 2
    assert loss(log_edge) == pytest.approx(np.mean(losses), rel=1e-4)


def test_only_what_cannot_be_listed_is_sampled() -> None:
    """Where all can, a few are watched; graph tasks sample everywhere, for the locator."""
    with pytest.raises(UserError, match="control for tables"):
        trainer(loss=Loss.FIRST_CHILD)
    exact, dags = targets_of(trainer(), predictor("tree_cycles", 6).graphs.target.tolist(), K, CAP)
    sizes = {number: dag.num_states for number, dag in zip(exact.instances.tolist(), dags, strict=True)}
    small = sorted(sizes.values())[1]
    expected = {number for number in range(6) if sizes.get(number, small + 1) > small}
    for name, count, cap, sampled in (
        ("tree_cycles", 6, small, expected),
        ("tree_cycles", 6, 100_000, set(range(min(6, WATCHED)))),
        ("ba_2motifs", 4, 300, set(range(4))),
        ("tree_cycles", 6, 1, set(range(6))),
    ):
        trained = trainer(name, count, learning=LearningConfig(exact_cap=cap, exact_states=16))
        assert {int(i) for batch in trained.batches for i in batch.instance} == sampled
        assert (trained.exact is None) == (cap == 1)
        before = weights(trained)
        trained.fit()
        assert_finite(trained)
        assert not same(before, weights(trained))
        assert all(report.residual > 0 for report in trained.curve)
