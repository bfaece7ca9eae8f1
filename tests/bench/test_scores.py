"""One explainer on one GNN: masks, answers and what they score, by hand and as recorded."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gfx_core.baselines.registry import make_method
from gfx_core.bench import scores
from gfx_core.bench.cells import AS_IS, CONSTANT, OWN, SHIPPED, STUDENT, Cell, stored
from gfx_core.bench.gnns import ExplainedGNN
from gfx_core.bench.scores import answer_sizes, explain, measure
from gfx_core.bench.studies import STUDIES
from gfx_core.metrics.edges import pooled_auc, truth_edges, undirected_scores
from gfx_core.user_models.predictor import predictor_on
from gfx_core.user_models.student import as_student_reads

OPTIONS: dict[str, Any] = dict(STUDIES["explainers"].options)


def cell(method: str, variant: str = AS_IS, gnn: str = "sum-0", **options: Any) -> Cell:
    few = {"limit": 3, "trained_on": 4, "epochs": 1}
    return Cell("explainers", "tree_cycles", method, 0, variant, gnn, {**OPTIONS, **few, **options})


@pytest.fixture(scope="module")
def measured() -> dict[str, dict[str, Any]]:
    return {method: measure(cell(method)) for method in (OWN, "saliency", "rgexplainer", SHIPPED)}


def test_each_answer_has_as_many_edges_as_gflowexplainers(measured: dict[str, dict[str, Any]]) -> None:
    assert measured["saliency"]["sizes"] == measured["rgexplainer"]["sizes"] == measured[OWN]["sizes"]
    assert measured[OWN]["f1"] == [1.0] * 3  # whole cycles


def test_scores_of_masks_written_out(measured: dict[str, dict[str, Any]]) -> None:
    gnn, values = ExplainedGNN(cell("saliency")), measured["saliency"]
    masks = [one.edge_mask for one in make_method("saliency", gnn.model).explain_many(gnn.scored)]
    assert values["auc"] == pooled_auc(gnn.scored, masks)
    assert len(values["auc_resampled"]) == 200
    for number, (instance, mask) in enumerate(zip(gnn.scored, masks, strict=True)):
        best = set(np.argsort(-undirected_scores(instance, mask))[: values["sizes"][number]].tolist())
        motif = set(np.flatnonzero(truth_edges(instance)).tolist())
        assert values["f1"][number] == pytest.approx(2 * len(best & motif) / (len(best) + len(motif)), abs=1e-4)
        predictor, kept = predictor_on(gnn.model, [instance]), np.isin(np.arange(len(instance.undirected)), list(best))
        predicted = int(predictor.whole.predicted[0])
        alone, without = predictor.with_edges(instance, np.array([kept, ~kept])).probabilities[:, predicted].tolist()
        whole = float(predictor.whole.probabilities[0, predicted])
        assert values["alone"][number] == pytest.approx(alone, abs=1e-4)
        assert values["needed"][number] == pytest.approx(whole - without, abs=1e-4)


def test_methods_that_sample_are_scored_by_each_rule(measured: dict[str, dict[str, Any]]) -> None:
    rules = {"auc_own", "auc_order"}
    assert rules < set(measured[OWN]) & set(measured["rgexplainer"]) & set(measured[SHIPPED])
    assert not rules & set(measured["saliency"])
    assert len({measured["rgexplainer"][rule] for rule in ("auc", *rules)}) > 1


def test_sizes_are_those_of_the_record_where_the_instances_are_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    gnn = ExplainedGNN(replace(cell("subgraphx"), dataset="tree_grid", options={**OPTIONS, "limit": 15}))
    record = stored(replace(gnn.cell, method=OWN, options=OPTIONS))
    assert record is not None
    with monkeypatch.context() as patch:
        patch.setattr(scores, "by_flows", lambda *_: pytest.fail("must be read"))
        sizes = answer_sizes(gnn)
    assert sizes == record["sizes"][: len(gnn.scored)].tolist()
    assert len(set(sizes)) > 1
    few = ExplainedGNN(replace(gnn.cell, options={**OPTIONS, "limit": 3, "trained_on": 4}))
    assert answer_sizes(few) == sizes[:3]  # other options than the record's: computed


def test_a_shipped_record_is_computed_again() -> None:
    again = Cell("explainers", "tree_cycles", "saliency", 0, AS_IS, "sum-0", OPTIONS)
    values, record = measure(again), stored(again)
    assert record is not None
    for name in ("auc", "auc_resampled", "f1", "alone", "needed", "owners", "right", "accuracy"):
        assert values[name] == pytest.approx(record[name], abs=1e-3), name


def test_a_control_has_a_gnn_that_never_changes_its_answer(measured: dict[str, dict[str, Any]]) -> None:
    values = measure(cell(CONSTANT))
    assert values["auc"] < measured[OWN]["auc"]
    assert values["owners"] == measured[OWN]["owners"]


@pytest.mark.usefixtures("students_learn_little")
def test_a_student_stands_between_the_gnn_and_the_explainer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GFX_DATA", str(tmp_path))
    monkeypatch.setattr("gfx_core.explanation.fragments.STUDENTS", tmp_path)
    gnn = ExplainedGNN(replace(cell("saliency", STUDENT), options={**OPTIONS, "limit": 2}))
    assert gnn.student is not None
    instances = [as_student_reads(instance) for instance in gnn.scored]
    expected = make_method("saliency", gnn.student.student).explain_many(instances)
    for mask, one in zip(explain(gnn, gnn.scored, np.arange(0))["auc"], expected, strict=True):
        assert mask == pytest.approx(one.edge_mask)
    assert measure(gnn.cell)["student_chosen"] is gnn.student.is_better


def test_a_gnn_without_a_right_prediction_has_no_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gfx_core.bench.gnns.predicts_right", lambda _, instances, __: np.zeros(len(instances), bool))
    values = measure(cell("saliency"))
    assert values["right"] == [0, 0, 0]
    assert "auc" not in values
