"""Training on one instance: nearer to the target there, and the policy it began with is left alone."""

import copy

import numpy as np
import pytest
import torch

from gfx_core.datasets.instance import Instance
from gfx_core.datasets.registry import load_dataset
from gfx_core.datasets.smiles import molecule
from gfx_core.explainers.generate import SubgraphSampler
from gfx_core.explainers.gflow import GFlowExplainer
from gfx_core.explainers.tuning import RATE, TRAJECTORIES, tuned_policy
from gfx_core.gfn.exact import target_distribution, total_variation
from gfx_core.gfn.paths import policy_path
from gfx_core.gfn.policy_file import TrainedPolicy, load_policy
from gfx_core.gfn.reports import EpochReport
from gfx_core.gfn.state_dag import enumerate_states
from gfx_core.gfn.trainer import Trainer
from gfx_core.gnn.model_file import load_model
from gfx_core.gnn.predict import SubgraphPredictor
from gfx_core.trace.schema import TUNED


def generator_of(dataset: str, instance: Instance, trained: TrainedPolicy | None = None) -> SubgraphSampler:
    predictor = SubgraphPredictor(load_model(dataset), [instance], "cpu")
    return SubgraphSampler(trained or load_policy(policy_path(dataset)), predictor, instance)


def distance(generator: SubgraphSampler) -> float:
    """Total variation from R/Z, over all states."""
    dag = enumerate_states(generator.instance, generator.locate(), generator.trained.config.max_nodes)
    log_reward = generator.log_rewards(dag.subsets)
    return total_variation(generator.terminal_distribution(dag, log_reward), target_distribution(log_reward))


def test_a_node_comes_nearer_to_its_target() -> None:
    instance = load_dataset("ba_community").instance(1266)
    before = generator_of("ba_community", instance)
    weights = copy.deepcopy(before.trained.policy.state_dict())
    reports: list[EpochReport] = []
    tuned = tuned_policy(before, epochs=60, on_epoch=reports.append)
    assert distance(generator_of("ba_community", instance, tuned)) < 0.6 * distance(before)
    for name, value in before.trained.policy.state_dict().items():
        assert torch.equal(value, weights[name])
    told = tuned.made[TUNED]
    assert (told["epochs"], told["trajectories"], told["lr"]) == (60, TRAJECTORIES, RATE)
    assert told["residuals"] == pytest.approx([report.residual for report in reports], abs=1e-6)
    assert tuned.config == before.trained.config


def test_a_molecule_is_tuned_where_the_locator_starts() -> None:
    instance = molecule("CC[N+](=O)[O-]")
    before = generator_of("mutagenicity", instance)
    tuned = generator_of("mutagenicity", instance, tuned_policy(before, epochs=60))
    assert tuned.locate() == before.locate()
    assert distance(tuned) < distance(before)


def test_the_same_outcome_every_time() -> None:
    before = generator_of("tree_cycles", load_dataset("tree_cycles").instance(600))
    one, other = (tuned_policy(before, epochs=2).policy.state_dict() for _ in range(2))
    assert all(torch.equal(one[name], other[name]) for name in one)


def test_it_can_be_cancelled() -> None:
    before = generator_of("tree_cycles", load_dataset("tree_cycles").instance(600))
    asked = iter([False, False, True])
    assert tuned_policy(before, epochs=9, cancelled=lambda: next(asked)).made[TUNED]["epochs"] == 2


def test_all_trajectories_start_where_they_are_told() -> None:
    instance = molecule("CCO")
    generator = generator_of("mutagenicity", instance)
    trainer = Trainer(generator.predictor, generator.trained.config, start=2, repeats=5)
    assert trainer.locator is None
    trajectories, _ = trainer.sample(trainer.batches[0], torch.Generator().manual_seed(0))
    assert trajectories.order[:, 0].tolist() == [2] * 5
    assert trajectories.instance.tolist() == [0] * 5


def test_an_explainer_is_tuned() -> None:
    dataset, model = load_dataset("tree_cycles"), load_model("tree_cycles")
    explainer = GFlowExplainer.load(policy_path("tree_cycles"), samples=4)
    tuned = explainer.tune(model, dataset, 600, epochs=2)
    assert tuned is not explainer
    assert TUNED not in explainer.trace(model, dataset, 600).made["policy"]
    trace = tuned.trace(model, dataset, 600)
    assert trace.made["policy"][TUNED]["epochs"] == 2
    assert np.isfinite(trace.final.log_reward)
