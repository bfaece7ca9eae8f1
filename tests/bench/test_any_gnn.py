"""GNNs of PyG, trained in the ordinary way: they learn, and everybody explains them."""

import numpy as np
import pytest

from gfx_core.bench.any_gnn import AnyGnn
from gfx_core.bench.measures import ordinary_gnns
from gfx_core.bench.measures.ordinary_gnns import measured, score_ordinary
from gfx_core.bench.study import Cell, success
from gfx_core.bench.subjects import accuracies, ordinary_config, ordinary_gnn
from gfx_core.datasets.registry import load_dataset
from gfx_core.metrics.edges import truth_edges
from gfx_core.user_models.student import StudentConfig

OTHERS = ("saliency", "most_links", "random")


@pytest.fixture(scope="module")
def cell() -> Cell:
    return Cell("any_gnn", "tree_cycles", "gin", 0, options={"half": "tuning", "limit": 2, "epochs": 40})


@pytest.fixture(scope="module")
def values(cell: Cell) -> dict[str, object]:
    with pytest.MonkeyPatch.context() as patch:
        short = StudentConfig(steps=60, each=10, fragments=128)
        patch.setattr(StudentConfig, "of", classmethod(lambda _cls, _task: short))
        return score_ordinary(cell, OTHERS, (0.05, 0.12))


def test_a_gnn_learns_as_pyg_has_it() -> None:
    dataset = load_dataset("tree_cycles")
    model = ordinary_gnn(dataset, ordinary_config(dataset.task, "gcn", 0, epochs=100), "cpu")
    assert type(model).__name__ == "GCN"
    assert accuracies(model, dataset, "cpu")["test"] > 0.9


def test_everybody_explains_it(values: dict[str, dict[str, dict[str, float]]]) -> None:
    found = values["explainers"]
    assert set(found) == {"student", "as_is", "auto", *OTHERS}
    for each in found.values():
        assert 0 <= each["auc_low"] <= each["auc_high"] <= 1
        assert 0 <= each["f1"] <= 1
        assert each["seconds"] >= 0
    assert found["auto"] in (found["student"], found["as_is"])
    assert found["student"]["prices"].keys() == {"0.05", "0.12"}
    assert 0 <= values["motif_alone"] <= 1


def test_another_price_is_as_if_it_had_been_asked_for(cell: Cell, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rewards of the same list under another price, against an explanation that has it from the beginning."""
    dataset = load_dataset("tree_cycles")
    model = ordinary_gnn(dataset, ordinary_config(dataset.task, "gin", 0, epochs=20), "cpu")
    subject = ordinary_gnns.ModelInstances(model, dataset)
    instances = [subject.instance(int(dataset.explainable[0]))]
    tried = ordinary_gnns._ours(model, subject, instances, None, (0.3,))["prices"]["0.3"]
    monkeypatch.setattr("gfx_core.gfn.settings.NODE_PRICE", 0.3)
    whole = ordinary_gnns._ours(model, subject, instances, None, ())
    assert {name: tried[name] for name in ("auc", "f1")} == {name: whole[name] for name in ("auc", "f1")}


def test_the_truth_is_found_whole_and_its_opposite_not_at_all() -> None:
    dataset = load_dataset("tree_cycles")
    instances = [dataset.instance(int(index)) for index in dataset.explainable[:3]]
    truth = [instance.own_edges.astype(np.float64) for instance in instances]
    right, wrong = measured(instances, truth), measured(instances, [1 - each for each in truth])
    assert (right["auc"], right["f1"], right["auc_low"]) == (1, 1, 1)
    assert wrong["auc"] == 0
    assert all(truth_edges(instance, "own").any() for instance in instances)


def test_tables_and_the_finding(cell: Cell, values: dict[str, object]) -> None:
    study = AnyGnn()
    records = [success(cell, values, 1.0)]
    auc, f1, seconds = study.tables(records)
    assert auc.title == "GIN: AUC, own motif"
    assert {row.label for row in auc.rows} >= {"GFlowExplainer", "Saliency", "The GNN: P(class │ motif alone)"}
    assert f1.best == "high"
    assert seconds.columns == {"tree_cycles": "Tree-Cycles"}
    assert study.finding(records) == "" or "first or level by AUC in" in study.finding(records)


def test_a_gnn_that_has_learnt_nothing_is_reported_and_not_explained() -> None:
    constant = Cell("any_gnn", "tree_cycles", "sage", 0, options={"half": "tuning", "limit": 2, "epochs": 1})
    values = score_ordinary(constant, OTHERS)
    assert "explainers" not in values
    assert values["accuracy"]["test"] < 0.7
