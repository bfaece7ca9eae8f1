"""How far policies are from P ∝ R, against a slow reference; training on some motifs, explaining others."""

from typing import Any

import numpy as np
import pytest

from gfx_core import load_dataset, load_model
from gfx_core.baselines.generators import Generator
from gfx_core.bench.gnns import ExplainedGNN
from gfx_core.bench.policies import inductive, measure, on_motifs, split_motifs, training
from gfx_core.bench.studies import AHEAD, STUDIES, UNTRAINED, Cell
from gfx_core.config import Task
from gfx_core.datasets.graph import Half, half_of
from gfx_core.exact.enumeration import TooManyStates, enumerate_states
from gfx_core.explanation.look_ahead import LookAheadSampler
from gfx_core.explanation.samplers import SubgraphSampler, reward_states
from gfx_core.gfn.settings import policy_config
from gfx_core.gfn.trainer import Trainer
from gfx_core.gnn.predict import SubgraphPredictor
from gfx_core.metrics.intervals import RESAMPLES, motif_of


def cell(dataset: str, method: str, held_out: int = 3) -> Cell:
    options = {"device": "cpu", "cap": 3000, "held_out": held_out, "epochs": 1, "train": 4}
    return Cell("policies", dataset, method, options=options)


def slow_distance(sampler: SubgraphSampler, start: int, cap: int) -> float | None:
    """Total variation from R/Z on one instance, if it has at most ``cap`` states."""
    try:
        dag = enumerate_states(sampler.instance, start, sampler.config.max_nodes, cap=cap)
    except TooManyStates:
        return None
    space = reward_states(sampler.reward, dag)
    return space.total_variation(space.walk(*sampler.on(space)).stop)


def test_each_policy_is_compared_on_the_same_instances() -> None:
    values = {method: measure(cell("tree_cycles", method)) for method in ("exact", "samples", AHEAD, UNTRAINED)}
    assert len({value["listed"] for value in values.values()}) == 1
    assert 0 <= values[AHEAD]["distance"] < values[UNTRAINED]["distance"] <= 1
    assert len({value["distance"] for value in values.values()}) == 4


@pytest.mark.parametrize("dataset", ["tree_cycles", "ba_2motifs"])
def test_the_distance_is_that_of_one_instance_after_the_other(dataset: str) -> None:
    values = measure(cell(dataset, AHEAD, held_out=4))
    data, model = load_dataset(dataset), load_model(dataset)
    known = half_of(data.explainable, Half.REPORTING)
    chosen = known[np.linspace(0, len(known) - 1, 4).round().astype(int)]
    instances = [data.instance(int(index), hops=model.hops) for index in chosen]
    config, slow = policy_config(dataset), []
    for instance in instances:
        sampler = LookAheadSampler.shipped(config, SubgraphPredictor(model, [instance]), instance)
        slow.append(slow_distance(sampler, sampler.locate(), 3000))
    assert values["distance"] == pytest.approx(np.mean([value for value in slow if value is not None]), abs=1e-4)


def test_policies_learn_from_the_tuning_half_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    learnt: list[int] = []

    def stop(trainer: Trainer) -> None:
        learnt.extend(instance.index for instance in trainer.predictor.instances)
        raise KeyboardInterrupt

    monkeypatch.setattr(Trainer, "fit", stop)
    with pytest.raises(KeyboardInterrupt):
        measure(cell("tree_cycles", "samples"))
    assert len(learnt) == 4
    assert set(learnt) < set(half_of(load_dataset("tree_cycles").explainable, Half.TUNING).tolist())


# Training on some motifs, explaining others


def motif_cell(method: str, dataset: str = "tree_cycles", share: str = "50 %", **options: Any) -> Cell:
    return Cell(
        "inductive", dataset, method, 0, share, "", {"device": "cpu", "instances": 6, "trajectories": 8, **options}
    )


@pytest.mark.parametrize(
    ("method", "share"), [("gflow_graph", "50 %"), ("gflow_graph", "10 %"), ("rgexplainer", "50 %")]
)
def test_what_a_cell_measures(method: str, share: str, monkeypatch: pytest.MonkeyPatch) -> None:
    learnt, fit = [], Generator.fit
    monkeypatch.setattr(Generator, "fit", lambda self, instances: (learnt.extend(instances), fit(self, instances)))
    values = inductive(motif_cell(method, share=share))
    assert len(learnt) == (3 if share == "50 %" else 1)
    assert 0 <= values["auc_order"] <= 1
    assert ("distance" in values) == (method == "gflow_graph" and share == "50 %")
    for name in {"auc", "distance"} & set(values):
        resampled = values[f"{name}_resampled"]
        assert len(resampled) == RESAMPLES
        assert min(resampled) - 1e-4 <= values[name] <= max(resampled) + 1e-4


@pytest.mark.parametrize("dataset", ["tree_cycles", "ba_2motifs"])
def test_all_methods_sample_as_many_trajectories(dataset: str) -> None:
    model, starts = load_model(dataset), 1 if dataset == "tree_cycles" else 4
    configs = {
        method: training(motif_cell(method, dataset, trajectories=300), model).config
        for method in {one.method for one in STUDIES["inductive"].cells()}
    }
    assert {config.epochs * starts * getattr(config, "rollouts", 1) for config in configs.values()} == {300}
    ours = [config for method, config in configs.items() if not method.startswith("rgexplainer")]
    assert len({(config.loss, config.parents) for config in ours}) == len(ours) == 5
    assert {config.reward.beta for config in ours} == {10.0}


@pytest.mark.parametrize("dataset", ["tree_cycles", "ba_2motifs"])
def test_distances_on_other_motifs_are_those_of_one_instance_after_the_other(dataset: str) -> None:
    data, model = load_dataset(dataset), load_model(dataset)
    instances = [data.instance(int(index)) for index in data.explainable[:: len(data.explainable) // 8][:3]]
    cell = motif_cell("gflow_graph", dataset)
    method = training(cell, model)
    method.fit(instances[:2])
    numbers, distances = on_motifs(ExplainedGNN(cell), method, instances)
    for number, distance in list(zip(numbers, distances, strict=True))[:2]:
        start = 0 if model.task is Task.NODE else int(np.argmax(instances[number].own_nodes))
        assert method.trained is not None
        sampler = SubgraphSampler(method.trained, SubgraphPredictor(model, [instances[number]]), instances[number])
        assert distance == pytest.approx(slow_distance(sampler, start, 20_000), abs=1e-4)
    assert distances


@pytest.mark.parametrize("name", ["ba_shapes", "ba_2motifs"])
def test_no_motif_is_on_both_sides(name: str) -> None:
    dataset = load_dataset(name)
    owner = dataset.motif[dataset.explainable] if dataset.task is Task.NODE else dataset.explainable
    assert [motif_of(dataset.instance(int(index))) for index in dataset.explainable[:5]] == owner[:5].tolist()
    smaller: set[int] = set()
    for share in (0.1, 0.3, 0.5, 0.7, 0.9):
        sides = split_motifs(owner, share, seed=1)
        assert sorted(np.concatenate(sides)) == list(range(len(owner)))
        train, test = (set(owner[side].tolist()) for side in sides)
        assert not train & test
        assert len(train) == pytest.approx(share * len(train | test), abs=1)
        assert smaller <= train
        smaller = train
        assert set(sides[0]) != set(split_motifs(owner, share, seed=2)[0])
    assert [len(side) for share in (0.01, 0.99) for side in split_motifs(np.array([3, 7]), share, 0)] == [1, 1, 1, 1]
