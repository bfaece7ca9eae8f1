"""Many DAGs at once against one after the other, in numpy."""

import numpy as np
import pytest
import torch

from gfx_core import UserError, load_dataset
from gfx_core.arrays import first_best
from gfx_core.exact import listed_states
from gfx_core.exact.exact_flows import edge_marginals, target_distribution, total_variation
from gfx_core.exact.listed_states import ListedStates, list_all, together
from gfx_core.explanation.samplers import SubgraphSampler
from gfx_core.gfn.checkpoint import TrainedPolicy
from gfx_core.gfn.instances import FlowGraphs
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.settings import GFNConfig, Stop
from gfx_core.gfn.trainer import Trainer
from gfx_core.gnn.predict import SubgraphPredictor
from tests.toys.gnns import random_gnn


@pytest.mark.parametrize("stop", list(Stop))
@pytest.mark.parametrize("name", ["tree_grid", "ba_2motifs"])
def test_all_at_once_is_one_after_the_other(name: str, stop: Stop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(listed_states._CELLS, "cpu", 3000)  # several passes
    dataset = load_dataset(name)
    model = random_gnn(dataset.task, "sum", (dataset.x.shape[1], dataset.num_classes), std=0.7)
    candidates = [dataset.instance(int(i)) for i in dataset.explainable[::150]]
    starts = [instance.target or 0 for instance in candidates]
    dags = list_all(candidates, starts, 5, cap=400)
    assert dags
    instances = [candidates[number] for number in dags]
    predictor = SubgraphPredictor(model, instances)
    trained = TrainedPolicy.of(Trainer(predictor, GFNConfig(max_nodes=5, stop=stop, epochs=1)))
    graphs, reward = FlowGraphs(predictor, trained.config.policy), Reward(predictor, trained.config.reward)
    states = ListedStates(graphs, reward, list(dags.values()))
    chances = states.stops(trained.policy)
    distances, marginals, best = states.distances(chances), states.marginals(chances, instances), states.best()
    parts = zip(chances.split(states.counts), states.log_target.split(states.counts), strict=True)
    for number, (dag, instance, (found, target)) in enumerate(zip(dags.values(), instances, parts, strict=True)):
        sampler = SubgraphSampler(trained, SubgraphPredictor(model, [instance]), instance)
        log_reward = sampler.log_rewards(dag.subsets)
        log_policy = sampler.terminal_distribution(dag, log_reward)
        assert np.allclose(target, target_distribution(log_reward), atol=1e-4)
        assert np.allclose(found, np.exp(log_policy), atol=1e-5)
        assert float(found.sum()) == pytest.approx(1)
        assert float(distances[number]) == pytest.approx(
            total_variation(log_policy, target_distribution(log_reward)), abs=1e-4
        )
        assert np.allclose(marginals[number], edge_marginals(dag, instance, np.exp(log_policy)), atol=1e-4)
        assert log_reward[best[number]] == pytest.approx(log_reward[first_best(log_reward)], abs=1e-4)


def test_a_state_space_of_one_state() -> None:
    dataset = load_dataset("tree_grid")
    model = random_gnn(dataset.task, "sum", (dataset.x.shape[1], dataset.num_classes))
    instance = dataset.instance(int(dataset.explainable[0]))
    dags = list_all([instance], [instance.target or 0], 1, cap=1)
    predictor = SubgraphPredictor(model, [instance])
    trainer = Trainer(predictor, GFNConfig(max_nodes=2, epochs=1))
    states = ListedStates(trainer.graphs, trainer.reward, list(dags.values()))
    assert states.counts == [1]
    assert states.distances(torch.ones(1, dtype=torch.float64)).tolist() == [0]
    wider = random_gnn(dataset.task, "sum", (dataset.x.shape[1], dataset.num_classes), hidden=12)
    other = Trainer(SubgraphPredictor(wider, [instance]), GFNConfig(max_nodes=2, epochs=1))
    with pytest.raises(UserError, match="another data set or GNN"):
        states.stops(other.policy)


def test_what_is_listed_and_in_which_parts() -> None:
    """Instances with too many states are left out, and what comes after enough; large ones stand alone."""
    dataset = load_dataset("tree_grid")
    instances = [dataset.instance(int(i)) for i in dataset.explainable[::80]]
    starts = [instance.target or 0 for instance in instances]
    dags = list_all(instances, starts, 5, cap=10_000)
    sizes = {number: dag.num_states for number, dag in dags.items()}
    assert list(sizes) == list(range(len(instances)))
    middle = sorted(sizes.values())[len(sizes) // 2]
    few = list_all(instances, starts, 5, cap=middle)
    assert set(few) == {number for number, count in sizes.items() if count <= middle}
    assert list(list_all(instances, starts, 5, cap=10_000, most=sizes[0])) == [0, 1]
    assert not list_all(instances, starts, 5, cap=1)
    parts = list(together(dags, most=100))
    assert sorted(number for part in parts for number in part) == sorted(dags)
    assert all(len(part) == 1 or sum(dag.num_states for dag in part.values()) <= 100 for part in parts)
    assert len(list(together(dags))) == 1
