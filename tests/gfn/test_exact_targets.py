"""Exact flows as targets: tables against slow references, a loss that is zero at the truth, learning from it."""

from typing import Any

import numpy as np
import pytest
import torch

from gfx_core import UserError, load_dataset
from gfx_core.exact.enumeration import StateDag, list_all
from gfx_core.exact.state_space import StateSpace
from gfx_core.explanation.samplers import SubgraphSampler, log_rewards
from gfx_core.gfn import exact_targets
from gfx_core.gfn.checkpoint import TrainedPolicy
from gfx_core.gfn.exact_targets import ExactTargets, rewarded, shapes
from gfx_core.gfn.instances import FlowGraphs
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.settings import GFNConfig, LearningConfig, Loss, RewardConfig, Stop
from gfx_core.gfn.trainer import WATCHED, Trainer
from gfx_core.gnn.predict import SubgraphPredictor
from tests.toys.gnns import random_gnn
from tests.toys.trainings import K, assert_finite, predictor, same, trainer, weights


def targets_of(trained: Trainer, starts: list[int], max_nodes: int, cap: int) -> tuple[ExactTargets, list[StateDag]]:
    """The exact flows of those instances of a training that have at most ``cap`` states, and their states."""
    dags = list_all(shapes(trained.graphs, range(len(starts))), starts, max_nodes, cap)
    found = list(dags.values())
    which = np.array(list(dags))
    return ExactTargets(trained.graphs, rewarded(trained.reward, found, which), trained.config, which), found


CAP = 400


def listed(name: str = "tree_cycles", count: int = 6, **options: Any) -> tuple[ExactTargets, list[StateDag]]:
    trained = trainer(name, count, reward=RewardConfig(5.0), **options)
    graphs = trained.predictor.graphs
    starts = graphs.target.tolist() if name == "tree_cycles" else (graphs.sizes - 1).tolist()  # the motif's last node
    return targets_of(trained, starts, K, CAP)


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
    in_groups = torch.cat([targets.draw(200, generator, some=2).which for _ in range(600)])
    for drawn in (targets.draw(200_000, generator).which, in_groups):
        found = np.bincount(drawn.numpy(), minlength=targets.space.num_states) / len(drawn)
        assert np.abs(found - expected).sum() / 2 < 0.03
        assert not found[expected == 0].any()


@pytest.mark.parametrize("stop", Stop)
@pytest.mark.parametrize("name", ["tree_grid", "ba_2motifs"])
def test_where_a_policy_stops_on_many_instances_is_as_on_each_alone(
    name: str, stop: Stop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(exact_targets._CELLS, "cpu", 3000)  # several passes
    dataset = load_dataset(name)
    model = random_gnn(dataset.task, "sum", (dataset.x.shape[1], dataset.num_classes), std=0.7)
    candidates = [dataset.instance(int(i)) for i in dataset.explainable[::150]]
    dags = list_all(candidates, [instance.target or 0 for instance in candidates], 5, cap=400)
    instances = [candidates[number] for number in dags]
    predictor = SubgraphPredictor(model, instances)
    trained = TrainedPolicy.of(Trainer(predictor, GFNConfig(max_nodes=5, stop=stop, epochs=1)))
    space = rewarded(Reward(predictor, trained.config.reward), list(dags.values()))
    targets = ExactTargets(FlowGraphs(predictor, trained.config.policy), space, trained.config)
    log_stop, apart = targets.stops(trained.policy), targets.total_variations(trained.policy)
    for number, (dag, instance) in enumerate(zip(dags.values(), instances, strict=True)):
        sampler = SubgraphSampler(trained, SubgraphPredictor(model, [instance]), instance)
        alone = StateSpace(dag, log_rewards(sampler.reward, dag.subsets))
        log_p = sampler.terminal_distribution(alone)
        assert np.allclose(np.exp(space.parts(log_stop)[number]), np.exp(log_p), atol=1e-5)
        assert apart[number] == pytest.approx(alone.total_variation(log_p), abs=1e-4)
    wider = random_gnn(dataset.task, "sum", (dataset.x.shape[1], dataset.num_classes), hidden=12)
    other = Trainer(SubgraphPredictor(wider, instances[:1]), GFNConfig(max_nodes=5, epochs=1))
    with pytest.raises(UserError, match="another data set"):
        targets.stops(other.policy)


def test_only_what_cannot_be_listed_is_sampled() -> None:
    """Where all can, a few are watched; graph tasks sample everywhere, for the locator."""
    with pytest.raises(UserError, match="all listed"):
        trainer(loss=Loss.FIRST_CHILD)
    targets, dags = targets_of(trainer(), predictor("tree_cycles", 6).graphs.target.tolist(), K, CAP)
    sizes = {number: dag.num_states for number, dag in zip(targets.instances.tolist(), dags, strict=True)}
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
