"""One explainer on one GNN: what it scores, by hand and as recorded; the rule that chooses settings; what is timed."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch

from gfx_core import load_dataset, load_model
from gfx_core.arrays import Ints
from gfx_core.baselines import registry
from gfx_core.baselines.registry import METHODS, OWN, chosen_settings, make_method, read_settings
from gfx_core.bench import explainers
from gfx_core.bench.explainers import (
    EDGES,
    TRIES,
    answer_sizes,
    best_settings,
    choose_settings,
    criterion,
    explain,
    measure,
)
from gfx_core.bench.gnns import ExplainedGNN
from gfx_core.bench.studies import AHEAD, CONSTANT, STUDIES, Cell, compare, read_records
from gfx_core.config import Task
from gfx_core.datasets.graph import Half, half_of
from gfx_core.datasets.instance import Instance
from gfx_core.errors import UserError
from gfx_core.gnn.predict import SubgraphPredictor, predict_instance
from gfx_core.metrics.summary import pooled_auc, truth_edges, undirected_scores
from gfx_core.parallel import Workers
from gfx_core.user_models.predictor import predictor_on
from gfx_core.user_models.student import as_student_reads
from tests.toys.gnns import every_gnn, random_gnn
from tests.toys.instances import instance_of, noise

OPTIONS: dict[str, Any] = dict(STUDIES["explainers"].options)


def cell(method: str, variant: str = "as is", **options: Any) -> Cell:
    few = {"limit": 3, "trained_on": 4}
    return Cell("explainers", "tree_cycles", method, 0, variant, "sum-0", {**OPTIONS, **few, **options})


def few_epochs(method: str, dataset: str) -> dict[str, Any]:
    """The settings that were chosen, but for what learns long."""
    return {"epochs": 1} if method == "rgexplainer" else chosen_settings(method, dataset)


@pytest.fixture(scope="module")
def measured() -> dict[str, dict[str, Any]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(explainers, "chosen_settings", few_epochs)
        return {method: measure(cell(method)) for method in (OWN, "saliency", "rgexplainer", AHEAD, CONSTANT)}


def test_each_method_is_scored_by_the_same_rules(measured: dict[str, dict[str, Any]]) -> None:
    assert measured["saliency"]["sizes"] == measured["rgexplainer"]["sizes"] == measured[OWN]["sizes"]
    assert measured[OWN]["f1"] == [1.0] * 3  # whole cycles
    assert "auc_order" in set(measured[OWN]) & set(measured["rgexplainer"]) & set(measured[AHEAD])
    assert "auc_order" not in measured["saliency"]
    assert measured["rgexplainer"]["auc_order"] != measured["rgexplainer"]["auc"]
    assert measured[CONSTANT]["auc"] < measured[OWN]["auc"]  # a GNN that never changes its answer
    assert measured[CONSTANT]["owners"] == measured[OWN]["owners"]


def test_scores_of_masks_written_out(measured: dict[str, dict[str, Any]]) -> None:
    gnn, values = ExplainedGNN(cell("saliency")), measured["saliency"]
    instances, _ = gnn.scored()
    masks = [one.edge_mask for one in list(map(make_method("saliency", gnn.model).explain, instances))]
    assert values["auc"] == pooled_auc(instances, masks)
    assert len(values["auc_resampled"]) == 200
    for number, (instance, mask) in enumerate(zip(instances, masks, strict=True)):
        best = set(np.argsort(-undirected_scores(instance, mask))[: values["sizes"][number]].tolist())
        motif = set(np.flatnonzero(truth_edges(instance)).tolist())
        assert values["f1"][number] == pytest.approx(2 * len(best & motif) / (len(best) + len(motif)), abs=1e-4)
        predictor, kept = predictor_on(gnn.model, [instance]), np.isin(np.arange(len(instance.undirected)), list(best))
        predicted = int(predictor.whole.predicted[0])
        alone, without = predictor.with_edges(instance, np.array([kept, ~kept])).probabilities[:, predicted].tolist()
        whole = float(predictor.whole.probabilities[0, predicted])
        assert values["alone"][number] == pytest.approx(alone, abs=1e-4)
        assert values["needed"][number] == pytest.approx(whole - without, abs=1e-4)


def test_sizes_are_those_of_gflowexplainers_record() -> None:
    recorded = read_records("explainers").at["tree_grid/sum-0/gflowexplainer/0/as is", "sizes"].tolist()
    other = replace(cell("subgraphx"), dataset="tree_grid", seed=2)
    assert answer_sizes(other, 15) == recorded[:15]
    assert len(set(recorded)) > 1
    with pytest.raises(UserError, match="measured first"):
        answer_sizes(replace(other, gnn="sum-9"), 15)


def test_a_shipped_record_is_computed_again() -> None:
    """Of answers that are smaller than the motif."""
    cell = Cell("explainers", "tree_grid", "saliency", 0, "as is", "sum-0", OPTIONS)
    assert compare(STUDIES["explainers"], cell) == []


@pytest.mark.usefixtures("students_learn_little")
def test_a_student_stands_between_the_gnn_and_the_explainer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GFX_DATA", str(tmp_path))
    monkeypatch.setattr("gfx_core.explanation.fragments.STUDENTS", tmp_path)
    gnn = ExplainedGNN(cell("saliency", "student", limit=2))
    assert gnn.student is not None
    instances, _ = gnn.scored()
    expected = list(map(make_method("saliency", gnn.student.student).explain, list(map(as_student_reads, instances))))
    for mask, one in zip(explain(gnn, instances, np.arange(0), {})["auc"], expected, strict=True):
        assert mask == pytest.approx(one.edge_mask)
    assert measure(gnn.cell)["student_chosen"] is gnn.student.is_better


def test_a_gnn_without_a_right_prediction_has_no_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ExplainedGNN, "right", lambda _, instances: np.zeros(len(instances), bool))
    values = measure(cell("saliency"))
    assert values["right"] == [0, 0, 0]
    assert "auc" not in values


# Settings


@every_gnn
def test_the_criterion_written_out(task: Task, kind: str) -> None:
    graphs = [nx.gnp_random_graph(9, 0.4, seed=1), nx.cycle_graph(6), nx.path_graph(4)]
    instances = [instance_of(graph, task, noise(graph, seed=len(graph))) for graph in graphs]
    model, rng = random_gnn(task, kind, seed=3, std=0.8), np.random.default_rng(0)
    masks = [instance.both_directions(rng.random(len(instance.undirected))) for instance in instances]
    expected = []
    for instance, mask in zip(instances, masks, strict=True):
        order, values = np.argsort(-mask[instance.undirected]), []
        for k in [k for k in EDGES if k <= len(order)]:
            kept = np.isin(np.arange(len(order)), order[:k])[None]
            probabilities = SubgraphPredictor(model, [instance]).with_edges(instance, kept).probabilities[0]
            values.append(float(probabilities[predict_instance(model, instance).argmax()]))
        expected.append(np.mean(values))
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

    monkeypatch.setattr(explainers, "explain", check)
    with pytest.raises(KeyboardInterrupt):
        best_settings(None, Cell("settings", "tree_grid", "saliency", gnn="sum-0"))


def test_the_best_try_wins_and_is_what_explainers_are_made_with(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    shipped = read_settings(registry.SETTINGS)["tree_cycles"][OWN]["tries"][3]
    tries = {"gnnexplainer": [{"epochs": 2}, {"epochs": 20, "lr": 0.1}, {"epochs": 2}], OWN: TRIES[OWN][3:]}
    monkeypatch.setattr(explainers, "TRIES", tries)
    monkeypatch.setattr(registry, "SETTINGS", tmp_path / "settings.json")
    other = {"settings": {}, "tries": [{"settings": {}, "value": 0.5}]}
    registry.SETTINGS.write_text(json.dumps({"tree_cycles": {"degree": other}}))
    assert len(list(choose_settings(["tree_cycles"], ["gnnexplainer", OWN], Workers(1)))) == 2
    kept = dict(read_settings(registry.SETTINGS)["tree_cycles"])
    assert kept.pop("degree") == other
    assert set(kept) == {"gnnexplainer", OWN}
    chosen = kept["gnnexplainer"]
    assert [one["settings"] for one in chosen["tries"]] == tries["gnnexplainer"]
    values = [one["value"] for one in chosen["tries"]]
    assert chosen["settings"] == tries["gnnexplainer"][int(np.argmax(values))]
    assert chosen["settings"] == chosen_settings("gnnexplainer", "tree_cycles")
    assert "versions" in chosen["made"]
    (again,) = kept[OWN]["tries"]  # a shipped try
    assert again["settings"] == shipped["settings"]
    assert again["value"] == pytest.approx(shipped["value"], abs=1e-3)


def test_each_method_has_its_times(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explainers, "SUBGRAPHS", {"one_ms": 1, "many_ms": 4})
    monkeypatch.setattr(explainers, "chosen_settings", few_epochs)
    study, values = STUDIES["timing"], {}
    threads = torch.get_num_threads()
    for method in ("tarjan", "tracker", "rgexplainer", "degree"):
        values[method] = study.compute(
            Cell("timing", "tree_cycles", method, 0, "cpu", "", {"device": "cpu", "alone": 1, "instances": 4})
        )
    assert torch.get_num_threads() == threads
    assert all(number > 0 for numbers in values.values() for number in numbers.values())
    assert {"fit_s", "alone_ms"} <= set(values["rgexplainer"])
    assert set(values["degree"]) == {"alone_ms"}
    assert set(values["tracker"]) == set(values["tarjan"]) == {"one_ms", "many_ms"}
