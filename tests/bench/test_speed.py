"""The benchmark of speed: a whole record from a quick run, both ways of computing agree, large graphs stay bounded."""

import json
from typing import Any

import pytest
import torch

from gfx_core.bench import speed
from gfx_core.bench.speed_explaining import random_graph_cost
from gfx_core.bench.stopwatch import in_fresh_process


@pytest.fixture(scope="module")
def record() -> dict[str, Any]:
    heard: list[tuple[float, str]] = []
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # the sizes are tiny: threads would only wait for each other
    try:
        record = speed.run(device="cpu", quick=True, progress=lambda share, what: heard.append((share, what)))
    finally:
        torch.set_num_threads(threads)
    shares = [share for share, _ in heard]
    assert shares == sorted(shares)
    assert heard[-1] == (1.0, "done")
    return record


def test_the_record_is_whole_and_can_be_kept(record: dict[str, Any]) -> None:
    assert json.loads(json.dumps(record)) == record
    assert record["quick"] is True
    assert record["torch_threads"] >= 1
    assert {row["stop"] for row in record["epochs"]} == {"learned", "reward"}
    measured = [*record["explanations"], *record["scale"], record["hub"]]
    assert all(row["seconds"] > 0 and row["parts"] for row in measured)
    assert all(row["samples"] == 64 and row["steps"] >= 1 for row in measured)


def test_the_table_has_every_goal(record: dict[str, Any]) -> None:
    table = speed.table(record)
    for what in ("incremental parents", "lockstep", "networkx", "STOP reward", "ba_shapes", "random graph", "hub"):
        assert what in table
    goals = [line for line in table.splitlines() if "≥" in line or "≤" in line]
    assert len(goals) >= 10
    assert all(line.endswith((" yes", " no")) for line in goals)


def test_both_ways_give_the_same_in_flows(record: dict[str, Any]) -> None:
    parents = record["parents"]
    assert parents["parents"] > parents["states"] > parents["instances"]
    assert parents["max_difference"] < 1e-4


def test_cut_vertices_were_compared_on_every_state(record: dict[str, Any]) -> None:
    cuts = record["cut_vertices"]
    assert cuts["states"] == cuts["subgraphs"] * record["max_nodes"]


def test_a_hub_is_bounded(record: dict[str, Any]) -> None:
    hub = record["hub"]
    assert hub["instance_nodes"] == hub["bound"] < hub["neighbours"]
    assert hub["left_out"] == hub["neighbours"] + 1 - hub["bound"]


def test_a_fresh_process_tells_its_cost() -> None:
    cost = in_fresh_process(random_graph_cost, 60, 1, "cpu")
    assert cost["nodes"] == 60
    assert cost["peak_bytes"] is None or cost["peak_bytes"] >= 0
