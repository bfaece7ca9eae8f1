"""Trainings that a study follows: looking changes nothing, and what is seen is what was learnt."""

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
import torch

from gfx_core import load_dataset, load_model
from gfx_core.baselines.generators import GFlowMethod
from gfx_core.baselines.method import Learner
from gfx_core.baselines.rgexplainer import RGConfig, RGExplainer
from gfx_core.bench.inductive import start_of
from gfx_core.bench.learners import lasting, settled, settling
from gfx_core.bench.measures import trainings
from gfx_core.bench.measures.trainings import Validation
from gfx_core.bench.tables import CLOSE
from gfx_core.datasets.instance import Instance
from gfx_core.gfn.checkpoint import TrainedPolicy
from gfx_core.gfn.settings import GFNConfig
from gfx_core.gfn.trainer import Trainer
from gfx_core.gnn.predict import SubgraphPredictor
from gfx_core.metrics.edges import pooled_auc
from tests.bench.records import slow_distances


@cache
def some(name: str, count: int = 8) -> list[Instance]:
    dataset = load_dataset(name)
    return [dataset.instance(int(i)) for i in dataset.explainable[:: len(dataset.explainable) // count][:count]]


def learners() -> list[Callable[[str], Learner]]:
    gfn, rg = GFNConfig(max_nodes=5, epochs=4), RGConfig(max_nodes=5, epochs=2, list_epochs=1, set_epochs=1)
    return [lambda name: GFlowMethod(load_model(name), config=gfn), lambda name: RGExplainer(load_model(name), rg)]


@pytest.mark.parametrize("name", ["tree_cycles", "ba_2motifs"])
@pytest.mark.parametrize("make", learners(), ids=["gflow", "rg"])
def test_looking_does_not_disturb_a_training(make: Callable[[str], Learner], name: str) -> None:
    blind, watched, masks, weights = make(name), make(name), [], []
    assert isinstance(watched, GFlowMethod | RGExplainer)

    def look(share: float, words: str) -> None:
        now = watched.so_far()
        masks.append([found.edge_mask for found in now.explain_many(some(name))])
        weights.append(torch.cat([each.flatten() for each in now.network.parameters()]))

    blind.fit(some(name))
    watched.fit(some(name), progress=look)
    for one, other in zip(blind.network.parameters(), watched.network.parameters(), strict=True):
        assert torch.equal(one, other)
    assert len(masks) == 4
    assert watched.so_far() is watched
    final = [found.edge_mask for found in watched.explain_many(some(name))]
    assert all(np.array_equal(one, other) for one, other in zip(masks[-1], final, strict=True))
    assert all(not torch.equal(weights[i], weights[i + 1]) for i in range(3))


def test_the_curve_ends_with_what_was_learnt() -> None:
    explainer = learners()[1]("tree_cycles")
    judged = [some("tree_cycles")[i] for i in (0, 3, 5)]
    values = trainings.learning(explainer, some("tree_cycles"), judged, Validation([], 0))
    scores = [found.edge_mask for found in explainer.explain_many(judged)]
    assert values["curve"][-1]["auc"] == pooled_auc(judged, scores)
    assert values["judged"] == " ".join(str(i.index) for i in judged)


def test_settled_against_a_slow_search() -> None:
    rng = np.random.RandomState(0)
    for _ in range(200):
        auc = (0.9 + 0.04 * rng.random_sample(rng.randint(1, 8))).tolist()
        fine = [abs(value - auc[-1]) <= CLOSE for value in auc]
        assert settled(auc, CLOSE) == min(i for i in range(len(auc)) if all(fine[i:]))
    assert lasting([True, False]) == 2


def test_a_decline_is_no_arrival() -> None:
    """An AUC that was better early and fell in the end has arrived in the end."""
    auc, tv = [0.958, 0.95, 0.9, 0.848, 0.845], [0.9, 0.2, 0.1, 0.115, 0.13]
    curve = [{"seconds": 10.0 * n, "epoch": n, "auc": a, "tv": t} for n, (a, t) in enumerate(zip(auc, tv, strict=True))]
    found = settling(curve)
    assert (found["auc_settled_s"], found["auc_own"]) == (30, 0.845)
    assert (found["tv_settled_s"], found["tv_best_s"], found["tv_best"], found["tv"]) == (30, 20, 0.1, 0.13)
    assert found["settled_s"] == 30
    slower = [point | {"tv": value} for point, value in zip(curve, (0.9, 0.8, 0.7, 0.6, 0.1), strict=True)]
    assert settling(slower)["settled_s"] == 40
    alone = settling([{name: point[name] for name in ("seconds", "epoch", "auc")} for point in curve])
    assert "tv" not in alone
    assert alone["settled_s"] == 30
    assert settling([]) == {}


@pytest.mark.parametrize("name", ["tree_cycles", "ba_2motifs"])
def test_the_distance_along_a_training_is_that_of_listed_instances(name: str) -> None:
    model, config = load_model(name), GFNConfig(max_nodes=4, epochs=1)
    trained = TrainedPolicy.of(Trainer(SubgraphPredictor(model, some(name)), config))
    validation = Validation(some(name), 3)
    found = validation.distance(model, trained, "cpu")
    chosen = [each for index in validation.indices for each in some(name) if each.index == index]
    assert len(chosen) == 3
    slow = slow_distances(trained, model, chosen, lambda sampler: start_of(sampler.instance), 20_000)
    assert found == pytest.approx(np.mean(slow), abs=1e-4)
    assert validation.distance(model, trained, "cpu") == found
    assert Validation([], 3).distance(model, trained, "cpu") is None
