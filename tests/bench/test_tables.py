"""What records come to: means, the best of a column, marks, notes, and the sentence of a study."""

from typing import Any

import pytest

from gfx_core.bench.quality import Auc, Fidelity, failing
from gfx_core.bench.study import Cell, Study, failure
from gfx_core.bench.tables import Quantity, ResultEntry, ResultRow, ResultTable
from tests.bench.records import auc, record


class Toy(Study):
    name = "auc"

    def compute(self, cell: Cell) -> dict[str, Any]:
        raise NotImplementedError


def cell(seed: int = 0, dataset: str = "d1", method: str = "m1", variant: str = "", **options: Any) -> Cell:
    return Cell("auc", dataset, method, seed, variant, options)


def done(of: Cell, value: float | None) -> dict[str, Any]:
    return failure(of, "") | {"status": "done", "values": {"auc": value}, "seconds": 2.0}


def table(records: list[dict[str, Any]], quantity: Quantity, titles: dict[str, str]) -> ResultTable:
    study = Toy()
    study.titles = titles
    return study.by_method(records, quantity)


def test_mean_and_deviation() -> None:
    assert ResultEntry().text() == "–"
    assert ResultEntry(instead="not reached").text() == "not reached"
    assert ResultEntry((0.5,)).text() == "0.500 (1)"
    assert ResultEntry((1.0, 2.0, 3.0)).text(1, count=False) == "2.0 ± 1.0"


def test_a_row_for_each_method_and_variant() -> None:
    records = [done(cell(seed, method="m2"), 0.5 + seed) for seed in range(3)]
    records += [done(cell(0, "d2"), 0.25), done(cell(1, "d2"), None)]
    records += [done(cell(0, variant="0.1"), 1.0)]
    quantity = Quantity("auc", digits=2, paper={"m1": {"d1": 0.999}, "m9": {"d1": 0.5}})
    assert table(records, quantity, {"d1": "d1", "m2": "m2", "m1": "One"}).markdown().splitlines() == [
        "|  | d1 | d2 |",
        "|---|---:|---:|",
        "| m2 | 1.50 ± 1.00 (3) | – |",
        "| One | – | 0.25 (1) |",
        "| One (0.1) | 1.00 (1) | – |",
        "| One (paper) | 1.00 | – |",
    ]
    other = table(records, Quantity(lambda record: record["seconds"], digits=0), {"d2": "Two"})
    assert list(other.columns.values()) == ["Two", "d1"]  # known ones first, in their order
    some = [done(cell(0), 0.5), done(cell(0, method="m2"), None)]
    assert [row.label for row in table(some, Quantity("auc"), {}).rows] == ["m1"]
    assert Auc().tables([]) == []


def test_a_control_is_never_best_and_near_is_level() -> None:
    means = {"a": 0.5, "b": 0.95, "c": 0.941, "d": 0.939}
    rows = [ResultRow(label, {"x": ResultEntry((mean,))}) for label, mean in means.items()]
    rows.append(ResultRow("control", {"x": ResultEntry((0.93,))}, control=True))

    def best(some: list[ResultRow], **options: Any) -> set[str]:
        return ResultTable("", {"x": "X"}, some, **options).best_of("x")

    assert best(rows, best="high") == {"b", "c"}
    assert best(rows, best="high", close=0) == {"b"}
    as_good = ResultRow("another", {"x": ResultEntry((0.945,))}, control=True)
    assert best([*rows, as_good], best="high") == set()  # the column tells nothing
    assert ResultTable("", {"x": "X"}, [*rows, as_good], best="high").silenced_by("x") == "another"
    assert best(rows, best="low") == {"a"}
    assert best(rows) == best(rows[1:3], best="high") == set()  # nothing is good, or all are level
    equal = {"e": 0.9004, "f": 0.9001, "g": 0.1}
    shown = [ResultRow(label, {"x": ResultEntry((mean,))}) for label, mean in equal.items()]
    assert best(shown, best="high", close=0) == {"e", "f"}  # as they are shown
    paper = ResultRow("paper", {"x": ResultEntry((1.0,))}, ours=False)
    gnn = ResultRow("gnn", {"x": ResultEntry((1.0,))}, compared=False)
    assert best([*rows, paper, gnn], best="high") == {"b", "c"}


@pytest.mark.parametrize("control", ["most_links", "untrained", "constant_gnn"])
def test_a_column_in_which_a_control_is_as_good_is_marked_and_does_not_count(control: str) -> None:
    records = [
        *auc("ba_shapes", gflowexplainer=0.99, degree=0.9, **{control: 0.98}),
        *auc("tree_grid", gflowexplainer=0.99, degree=0.9, **{control: 0.979}),
        *auc("tree_cycles", gflowexplainer=0.80, degree=0.81, saliency=0.7),
        *auc("ba_2motifs", gflowexplainer=0.80, degree=0.811),
    ]
    study = Auc()
    first = study.tables(records)[0]
    assert list(first.columns.values()) == ["BA-Shapes §", "Tree-Cycles", "Tree-Grid", "BA-2motifs"]
    assert f"{study.titles[control]} on BA-Shapes" in first.notes[0]
    assert first.notes[0] in first.markdown()
    assert study.finding(records) == (
        "GFlowExplainer is best on 1, shares the first place on 1 and is behind on 1 of 3 data sets; on BA-Shapes a "
        "control is as good as any explainer."
    )
    assert study.finding(auc("tree_grid", degree=0.9, saliency=0.5)) == study.finding([]) == ""


def test_a_column_whose_gnn_has_other_reasons_is_marked() -> None:
    reasons = {"instances": 9, "wrong": 2, "motif_alone": 0.6, "prior": 0.5}
    parts = {
        "motif_alone_by_class": {"house": 0.1, "five-cycle": 0.9},
        "prior_by_class": {"house": 0.5, "five-cycle": 0.5},
        "auc_own_by_class": {"house": 0.8, "five-cycle": 1.0},
    }
    records = [
        record("ba_2motifs", "degree", auc_own=0.9, **reasons, **parts),
        record("tree_grid", "degree", auc_own=0.9, **reasons),
    ]
    first, *others = Auc().tables(records)
    assert list(first.columns.values()) == ["Tree-Grid", "BA-2motifs ‡"]
    assert "BA-2motifs, house 0.10 (share 0.50). " in first.notes[0]
    rows = {row.label: first.text(row, "ba_2motifs") for row in first.rows}
    assert rows["The GNN: P(class │ motif alone)"] == "0.600"
    assert rows["The GNN: instances that it gets right"] == "7"
    assert rows["The GNN: instances that it gets wrong"] == "2"
    (by_class,) = [each for each in others if "by class of graph" in each.title]
    assert list(by_class.columns.values()) == ["BA-2motifs: house", "BA-2motifs: five-cycle"]
    assert by_class.text(by_class.rows[0], "ba_2motifs/house") == "0.800 (1)"


def test_a_motif_that_says_no_more_than_the_class_share_is_no_reason() -> None:
    assert failing({"motif_alone": 0.55, "prior": 0.6}) == {"": (0.55, 0.6)}
    assert failing({"motif_alone": 0.45, "prior": 0.1}) == {"": (0.45, 0.1)}
    assert failing({"motif_alone": 0.55, "prior": 0.5}) == failing({"auc_own": 1.0}) == {}


def test_the_true_motif_stands_below_the_methods() -> None:
    curve = {"sparsity": [0.5, 0.7, 0.9], "minus": [0.0] * 3, "plus": [0.0] * 3, "instances": 100}
    numbers = {"gflowexplainer": 0.1, "degree": 0.3, "random": 0.8}
    records = [record("tree_grid", name, fidelity_minus=value, curve=curve) for name, value in numbers.items()]
    assert "best on 1, shares the first place on 0" in Fidelity().finding(records)
    records[2]["values"]["truth"] = {"fidelity_minus": 0.1}
    first = Fidelity().tables(records)[0]
    assert first.text(first.rows[-1], "tree_grid") == "0.100"
    assert first.best_of("tree_grid") == set()  # the motif itself is as good
    assert Fidelity().finding(records) == ""
