"""The study of speed: whole records from a quick run, both ways of computing agree, large graphs stay bounded."""

from functools import cache
from typing import Any

from gfx_core.bench.computing import compute
from gfx_core.bench.measures.explaining_speed import random_graph_cost
from gfx_core.bench.registry import STUDIES
from gfx_core.bench.study import Asked

SPEED = STUDIES["speed"]
PLACES = ["ba_shapes", "ba_2motifs", "growths", "random_10000", "random_100000", "hub"]


@cache
def records() -> list[dict[str, Any]]:
    cells = SPEED.cells(Asked(PLACES, list(SPEED.methods), quick=True))
    return [compute(cell) for cell in cells if (cell.dataset, cell.method) != ("ba_shapes", "explanations")]


def values(method: str, dataset: str) -> dict[str, Any]:
    (found,) = [r["values"] for r in records() if (r["method"], r["dataset"]) == (method, dataset)]
    return found


def test_the_records_are_whole() -> None:
    assert all(record["status"] == "done" and record["variant"] == "cpu" for record in records())
    assert all(record["values"]["threads"] >= 1 for record in records())
    assert {row["stop"] for row in values("epochs", "ba_shapes")["rows"]} == {"learned", "reward"}
    measured = [row for record in records() if record["method"] == "explanations" for row in record["values"]["rows"]]
    assert len(measured) == 1 + 2 + 1
    assert all(row["seconds"] > 0 and row["parts"] for row in measured)
    assert all(row["samples"] == 64 and row["steps"] >= 1 for row in measured)


def test_the_tables_have_every_goal_and_every_part() -> None:
    goals, parts = SPEED.tables(records())
    text = goals.markdown() + parts.markdown()
    for what in ("incremental parents", "lockstep", "networkx", "STOP reward", "ba_2motifs", "random graph", "hub of"):
        assert what in text
    assert len(goals.rows) >= 10
    assert {row.entries["reached"].instead for row in goals.rows} <= {"yes", "no"}
    assert {row.entries["goal"].instead[0] for row in goals.rows} == {"≥", "≤"}
    assert f"of {len(goals.rows)} goals are reached on cpu" in str(SPEED.verdicts(records())[0])


def test_both_ways_give_the_same_in_flows() -> None:
    parents = values("parents", "ba_shapes")
    assert parents["parents"] > parents["states"] > parents["instances"]
    assert parents["max_difference"] < 1e-4


def test_cut_vertices_were_compared_on_every_state() -> None:
    cuts = values("cut_vertices", "growths")
    assert cuts["states"] == cuts["subgraphs"] * 5


def test_a_hub_is_bounded() -> None:
    (hub,) = values("explanations", "hub")["rows"]
    assert hub["instance_nodes"] == hub["bound"] < hub["neighbours"]
    assert hub["left_out"] == hub["neighbours"] + 1 - hub["bound"]


def test_a_large_graph_tells_its_cost() -> None:
    cost = random_graph_cost(60, 1, "cpu")
    assert cost["nodes"] == 60
    assert cost["peak_bytes"] is None or cost["peak_bytes"] >= 0
