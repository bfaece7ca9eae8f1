"""Training on some motifs and explaining others: what is trained, on what, and what is measured."""

from typing import Any

import numpy as np
import pytest

from gfx_core import load_dataset, load_model
from gfx_core.baselines.generators import Generator
from gfx_core.bench.cells import Cell
from gfx_core.bench.studies import STUDIES
from gfx_core.bench.unseen import measure, split_motifs, total_variations, training
from gfx_core.config import Task
from gfx_core.metrics.intervals import RESAMPLES, motif_of
from tests.bench.reference import slow_distances

STUDY = STUDIES["inductive"]


def cell(method: str, dataset: str = "tree_cycles", share: str = "50 %", **options: Any) -> Cell:
    return Cell("inductive", dataset, method, 0, share, "", {"device": "cpu", **STUDY.quick, **options})


@pytest.mark.parametrize(
    ("method", "share"), [("gflow_graph", "50 %"), ("gflow_graph", "10 %"), ("rgexplainer", "50 %")]
)
def test_what_a_cell_measures(method: str, share: str, monkeypatch: pytest.MonkeyPatch) -> None:
    learnt, fit = [], Generator.fit
    monkeypatch.setattr(Generator, "fit", lambda self, instances: (learnt.extend(instances), fit(self, instances)))
    values = measure(cell(method, share=share))
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
        method: training(cell(method, dataset, trajectories=300), model).config
        for method in {one.method for one in STUDY.cells()}
    }
    assert {config.epochs * starts * getattr(config, "rollouts", 1) for config in configs.values()} == {300}
    ours = [config for method, config in configs.items() if not method.startswith("rgexplainer")]
    assert len({(config.loss, config.parents) for config in ours}) == len(ours) == 5
    assert {config.reward.beta for config in ours} == {10.0}


@pytest.mark.parametrize("dataset", ["tree_cycles", "ba_2motifs"])
def test_distances_are_those_of_one_instance_after_the_other(dataset: str) -> None:
    data, model = load_dataset(dataset), load_model(dataset)
    instances = [data.instance(int(index)) for index in data.explainable[:: len(data.explainable) // 8][:3]]
    method = training(cell("gflow_graph", dataset), model)
    method.fit(instances[:2])
    distances = total_variations(method, instances)
    for number, distance in list(distances.items())[:2]:
        start = 0 if model.task is Task.NODE else int(np.argmax(instances[number].own_nodes))
        policy = method.generating_policy()
        slow = slow_distances(policy, model, [instances[number]], lambda _sampler, start=start: start, 20_000)
        assert distance == pytest.approx(slow[0], abs=1e-4)
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
