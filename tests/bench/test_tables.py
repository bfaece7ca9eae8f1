"""What records come to: means, and the best of a column."""

from typing import Any

from gfx_core.bench.study import Cell, Study, failure
from gfx_core.bench.tables import Quantity, ResultEntry, ResultRow, ResultTable


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
