"""What GNNs know: of the motif alone, of what is left without it, and of fragments."""

from typing import Any

import numpy as np
import pytest

from gfx_core import load_dataset, load_model
from gfx_core.bench.reasons import (
    ALONE,
    CALIBRATION,
    Reasons,
    answers_right,
    fragment_predictions,
    gnn_reasons,
    other_reasons,
    probability_alone,
    probability_without,
)
from gfx_core.bench.study import KINDS, Cell, Sweep
from gfx_core.datasets.instance import Instance
from gfx_core.gnn.models import constant_gnn
from gfx_core.gnn.predict import predict_instance
from gfx_core.user_models.predictor import predictor_on

STUDY = Reasons()


def some(name: str, count: int = 6) -> list[Instance]:
    dataset = load_dataset(name)
    return [dataset.instance(int(i)) for i in dataset.explainable[:: len(dataset.explainable) // count][:count]]


def test_every_gnn_is_one_cell() -> None:
    cells = STUDY.cells(Sweep(["tree_grid", "ba_2motifs"], list(STUDY.methods)))
    assert len(cells) == 2 * len(KINDS) * 3
    assert {cell.gnn for cell in cells} == {f"{kind}-{seed}" for kind in KINDS for seed in range(3)}
    assert len(STUDY.cells(Sweep(["tree_grid"], list(STUDY.methods), gnns=["gin-2"]))) == 1


@pytest.mark.parametrize("name", ["tree_grid", "ba_2motifs"])
def test_probabilities_of_the_motif_alone_and_of_the_rest(name: str) -> None:
    model, instances = load_model(name), some(name)
    alone, without = probability_alone(model, instances), probability_without(model, instances)
    for number, instance in enumerate(instances):
        answer = predict_instance(model, instance).argmax()
        motif = predictor_on(model, [instance.part(instance.own_nodes)]).whole.probabilities[0, answer]
        assert alone[number] == pytest.approx(float(motif), abs=1e-5)
        kept = ~instance.own_edges[instance.undirected][None]
        rest = predictor_on(model, [instance]).with_edges(instance, kept).probabilities[0, answer]
        assert without[number] == pytest.approx(float(rest), abs=1e-6)


@pytest.mark.parametrize("name", ["tree_cycles", "ba_2motifs"])
def test_fragments_are_connected_parts_and_the_same_for_every_gnn(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model, instances = load_model(name), some(name)
    sure, right = fragment_predictions(model, instances, 5, "cpu")
    assert len(sure) == len(right) == 30
    asked: list[np.ndarray] = []

    def kept(predictor: Any, sets: Any, owner: Any) -> np.ndarray:
        asked.extend(sets)
        answers = []
        for nodes, number in zip(sets, owner, strict=True):
            inside = np.isin(np.arange(instances[number].num_nodes), nodes)
            part = instances[number].part(inside)  # refuses what is not connected to the explained node
            answers.append(predictor_on(model, [part]).whole.probabilities[0].numpy())
        return np.array(answers)

    monkeypatch.setattr("gfx_core.bench.reasons._probabilities", kept)
    again = fragment_predictions(model, instances, 5, "cpu")
    assert sure == pytest.approx(again[0], abs=1e-5)
    assert (right == again[1]).all()
    assert len({len(nodes) for nodes in asked}) > 3


def test_what_is_recorded() -> None:
    cell = Cell(
        "reasons", "tree_cycles", "sum", 0, "", {"device": "cpu", **STUDY.options, **STUDY.quick_options}, "sum-0"
    )
    values = gnn_reasons(cell)
    assert len(values["right"]) == len(values["owners"]) == 6
    assert len(values["motif_alone"]) == len(values["without_motif"]) == len(values["prior"]) == sum(values["right"])
    assert all(0 <= values[name] <= 1 for name in ("accuracy", "calibration_error", "fragment_accuracy"))


def test_a_gnn_without_a_right_answer_has_no_reasons() -> None:
    right = answers_right(constant_gnn(load_model("tree_cycles")), some("tree_cycles"))
    assert right.all() or not right.any()


def record(dataset: str, kind: str, alone: float, without: float = 0.1, error: float = 0.1) -> dict[str, Any]:
    values = {
        "owners": [1, 2, 3],
        "right": [1, 0, 1],
        "motif_alone": [alone, alone],
        "without_motif": [without, without],
        "prior": [0.6, 0.6],
        "calibration_error": error,
        "accuracy": 0.9,
    }
    base = {"key": f"{dataset}/{kind}", "dataset": dataset, "method": kind, "gnn": f"{kind}-0", "seed": 0}
    return base | {"variant": "", "options": {"half": "reporting"}, "values": values}


def test_a_reason_is_enough_and_is_needed() -> None:
    found = [
        record("tree_grid", "sum", 0.9),
        record("tree_cycles", "sum", 0.55),  # no more than the class's share
        record("ba_2motifs", "sum", 0.7, without=0.8),
        record("tree_grid", "sum-plain", 0.9, error=0.4),
    ]
    assert other_reasons(found, "sum") == ["tree_cycles", "ba_2motifs"]
    tables = STUDY.tables(found)
    assert list(tables[0].columns.values()) == ["Tree-Cycles ‡", "Tree-Grid", "BA-2motifs ‡"]
    assert tables[0].rows[0].entries["tree_grid"].text() == "0.900 [0.900, 0.900]"
    first, second, third = STUDY.claims(found)
    assert (first.verdict, first.number) == (
        "does not hold here",
        "1 of 3 data sets; not on Tree-Cycles and BA-2motifs",
    )
    assert (second.verdict, second.number) == ("holds", "1 of 1 data sets")
    assert (third.verdict, third.number) == ("holds", "error lower by 0.300 [0.300, 0.300]")
    assert [claim.table for claim in (first, second, third)] == [ALONE, ALONE, CALIBRATION]
