"""The study of distances: every way in both tasks, against slow references."""

import re
from typing import Any

import numpy as np
import pytest

from gfx_core import load_dataset, load_model
from gfx_core.bench.distance import EXACT, SAMPLES, SHIPPED, Distance
from gfx_core.bench.study import Cell, Sweep, success
from gfx_core.bench.tables import UNTRAINED
from gfx_core.datasets.graph import Half, half_of
from gfx_core.explanation.samplers import SubgraphSampler
from gfx_core.gfn.checkpoint import load_policy
from gfx_core.gfn.own_policies import policy_path
from tests.bench.records import record, slow_distances

STUDY = Distance()


def cell(dataset: str, method: str, **options: object) -> Cell:
    return Cell("distance", dataset, method, 0, options={**STUDY.options, **STUDY.quick_options, **options})


def test_the_control_and_the_shipped_policy_have_one_seed() -> None:
    cells = STUDY.cells(Sweep(["tree_cycles"], list(STUDY.methods)))
    seeds = {way: [each.seed for each in cells if each.method == way] for way in STUDY.methods}
    assert seeds == {EXACT: [0, 1, 2], SAMPLES: [0, 1, 2], SHIPPED: [0], UNTRAINED: [0]}


@pytest.mark.parametrize("name", ["tree_cycles", "ba_2motifs"])
def test_every_way_is_held_against_the_same_instances(name: str) -> None:
    records = [success(each, STUDY.compute(each), 1.0) for each in (cell(name, way) for way in STUDY.methods)]
    found = {record["method"]: record["values"] for record in records}
    assert len({(values["instances"], values["listed"], values["auc_exact"]) for values in found.values()}) == 1
    assert all(0 <= values["distance"] <= 1 for values in found.values())
    assert found[SHIPPED]["distance"] < found[UNTRAINED]["distance"]
    assert found[SHIPPED]["gap"] == pytest.approx(found[SHIPPED]["gap_listed"], abs=0.2)
    assert ("gap_unlisted" in found[SHIPPED]) == (found[SHIPPED]["listed"] < 1)
    assert found[SAMPLES]["config"]["learning"]["exact_cap"] == 0 < found[EXACT]["config"]["learning"]["exact_cap"]
    tables = STUDY.tables(records)
    assert [row.label for row in tables[0].rows] == [*STUDY.methods.values(), "Share that can be listed"]
    assert any(note.startswith("Only instances with a motif are counted") for note in tables[0].notes)
    assert next(table for table in tables if table.title.startswith("AUC")).rows[-1].label == "Exact P ∝ R"
    claims = STUDY.claims(records)
    assert {claim.table for claim in claims} <= {table.title for table in tables}
    assert all(len(claim.sentence.split()) <= 25 for claim in claims)


def test_a_column_where_the_untrained_policy_is_as_good_is_marked_and_not_counted() -> None:
    def way(dataset: str, method: str, auc: float) -> dict[str, Any]:
        return record(dataset, method, auc=auc, auc_exact=0.99) | {"variant": ""}

    found = [way("tree_grid", EXACT, 0.99), way("tree_grid", SHIPPED, 0.99), way("tree_grid", UNTRAINED, 0.6)]
    found += [way("ba_shapes", EXACT, 0.98), way("ba_shapes", SHIPPED, 1.0), way("ba_shapes", UNTRAINED, 0.99)]
    (table,) = STUDY.tables(found)
    assert [name for name, title in table.columns.items() if "§" in title] == ["ba_shapes"]
    assert any(note.startswith("§") and "BA-Shapes" in note for note in table.notes)
    assert table.best_of("tree_grid") == {STUDY.methods[EXACT]}  # the shipped policy has seen these instances
    (claim,) = STUDY.claims(found)
    assert claim.verdict == "holds"
    assert re.findall(r"\d+", claim.number) == ["1", "1", "1"]


def test_where_nothing_can_be_listed_there_is_the_estimate() -> None:
    found = STUDY.compute(cell("tree_cycles", SHIPPED, cap=1))
    assert found["listed"] == 0
    assert "distance" not in found
    assert "gap" not in found
    assert found["gap_unlisted"] < 0.1
    assert found["effective_unlisted"] > 0.9


def test_the_distance_is_that_of_one_instance_after_the_other() -> None:
    found = STUDY.compute(cell("tree_cycles", SHIPPED, held_out=4))
    data, model = load_dataset("tree_cycles"), load_model("tree_cycles")
    known = half_of(data.explainable, Half.REPORTING)
    chosen = known[np.linspace(0, len(known) - 1, 4).round().astype(int)]
    instances = [data.instance(int(index), hops=model.hops) for index in chosen]
    slow = slow_distances(
        load_policy(policy_path("tree_cycles")), model, instances, SubgraphSampler.locate, STUDY.quick_options["cap"]
    )
    assert found["distances"] == pytest.approx(slow, abs=1e-4)
