"""One rule for the settings of all: the criterion written out, which try wins, and what is kept."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

from gfx_core import load_dataset, load_model
from gfx_core.arrays import Ints
from gfx_core.baselines import registry
from gfx_core.baselines.registry import METHODS, chosen_settings, make_method, read_settings
from gfx_core.bench import settings
from gfx_core.bench.cells import OWN, Cell
from gfx_core.bench.gnns import ExplainedGNN
from gfx_core.bench.settings import EDGES, TRIES, choose, criterion, measure
from gfx_core.config import Task
from gfx_core.datasets.graph import Half, half_of
from gfx_core.datasets.instance import Instance
from gfx_core.gnn.predict import SubgraphPredictor, predict_instance
from gfx_core.parallel import Workers
from tests.toys.gnns import every_gnn, random_gnn
from tests.toys.instances import instance_of, noise


def cell(method: str, dataset: str = "tree_cycles") -> Cell:
    return Cell("settings", dataset, method, gnn="sum-0", options={"device": "cpu"})


@every_gnn
def test_the_criterion_written_out(task: Task, kind: str) -> None:
    graphs = [nx.gnp_random_graph(9, 0.4, seed=1), nx.empty_graph(1), nx.cycle_graph(6), nx.path_graph(3)]
    instances = [instance_of(graph, task, noise(graph, seed=len(graph))) for graph in graphs]
    model, rng = random_gnn(task, kind, seed=3, std=0.8), np.random.default_rng(0)
    masks = [instance.both_directions(rng.random(len(instance.undirected))) for instance in instances]
    expected = []
    for instance, mask in zip(instances, masks, strict=True):
        order, values = np.argsort(-mask[instance.undirected]), []
        for k in [k for k in EDGES if k <= len(order)] or [len(order)] * bool(len(order)):
            kept = np.isin(np.arange(len(order)), order[:k])[None]
            probabilities = SubgraphPredictor(model, [instance]).with_edges(instance, kept).probabilities[0]
            values.append(float(probabilities[predict_instance(model, instance).argmax()]))
        expected += [np.mean(values)] if values else []
    assert len(expected) == 3  # one has no edges
    assert criterion(model, instances, masks) == pytest.approx(np.mean(expected), abs=1e-6)


def test_each_method_has_as_many_tries_that_can_be_made() -> None:
    assert set(TRIES) < set(METHODS)
    for name, tries in TRIES.items():
        assert len({json.dumps(one, sort_keys=True) for one in tries}) == len(tries) == 4
        for one in tries:
            make_method(name, load_model("tree_cycles"), one)


def test_predictions_that_are_explained_are_right_and_of_the_tuning_half(monkeypatch: pytest.MonkeyPatch) -> None:
    half = half_of(load_dataset("tree_grid").explainable, Half.TUNING)

    def check(gnn: ExplainedGNN, instances: Sequence[Instance], trained_on: Ints, _settings: object) -> None:
        assert (len(instances), len(trained_on)) == (20, 100)
        assert {instance.index for instance in instances} < set(trained_on.tolist()) < set(half.tolist())
        assert all(predict_instance(gnn.model, one).argmax() == one.y for one in instances)  # type: ignore[arg-type]
        raise KeyboardInterrupt

    monkeypatch.setattr(settings, "explain", check)
    with pytest.raises(KeyboardInterrupt):
        measure(None, cell("saliency", "tree_grid"))


def test_the_best_try_wins_and_is_what_explainers_are_made_with(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path, other = (
        tmp_path / "settings.json",
        {"settings": {}, "tries": [{"settings": {}, "value": 0.5}]},
    )
    tries: dict[str, Any] = {"gnnexplainer": ({"epochs": 2}, {"epochs": 20, "lr": 0.1}, {"epochs": 2})}
    monkeypatch.setattr(settings, "TRIES", tries)
    monkeypatch.setattr(registry, "SETTINGS", path)
    path.write_text(json.dumps({"tree_cycles": {"sum": {"degree": other}}}))
    assert len(list(choose([cell("gnnexplainer"), cell("random")], Workers(1), path))) == 2
    kept = dict(read_settings(path)["tree_cycles"]["sum"])
    assert kept.pop("degree") == other
    assert set(kept) == {"gnnexplainer", "random"}
    chosen = kept["gnnexplainer"]
    assert [one["settings"] for one in chosen["tries"]] == list(tries["gnnexplainer"])
    values = [one["value"] for one in chosen["tries"]]
    assert chosen["settings"] == tries["gnnexplainer"][int(np.argmax(values))]
    assert chosen["settings"] == chosen_settings("gnnexplainer", "tree_cycles", "gin")  # of the usual GNN
    assert "versions" in chosen["made"]


def test_a_shipped_try_is_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    shipped = read_settings(registry.SETTINGS)["tree_cycles"]["sum"][OWN]["tries"][3]
    monkeypatch.setattr(settings, "TRIES", {OWN: TRIES[OWN][3:]})
    (one,) = measure(None, cell(OWN))["tries"]
    assert one["settings"] == shipped["settings"]
    assert one["value"] == pytest.approx(shipped["value"], abs=1e-3)
