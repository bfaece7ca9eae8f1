"""The study of time: what is timed, on which device, and who is faster."""

from typing import Any

import torch

from gfx_core.bench.run import compute
from gfx_core.bench.study import Cell, Sweep
from gfx_core.bench.tables import paired
from gfx_core.bench.time import RACERS, Time, alone
from tests.bench.records import MADE

STUDY = Time()


def record(method: str, seed: int = 0, variant: str = "cpu", **values: float) -> dict[str, Any]:
    cell = Cell("time", "tree_grid", method, seed, variant)
    base = {"key": cell.key, "dataset": "tree_grid", "method": method, "seed": seed, "variant": variant}
    made = MADE | {"device": "cpu" if variant == "cpu" else "a GPU"}
    return base | {"options": dict(STUDY.options), "status": "done", "made": made, "values": values}


def test_a_quick_run_times_everything() -> None:
    threads = torch.get_num_threads()
    methods = ["rgexplainer", "degree", "page", *RACERS]
    found = [compute(STUDY, cell) for cell in STUDY.cells(Sweep(["tree_cycles"], methods, quick=True))]
    assert torch.get_num_threads() == threads
    assert [each["status"] for each in found] == ["done"] * 6
    values = {each["method"]: each["values"] for each in found}
    assert all(number > 0 for each in values.values() for number in each.values())
    assert set(values["rgexplainer"]) == {"pretraining_s", "fit_s", "alone_ms", "batch_ms"}
    assert values["rgexplainer"]["pretraining_s"] < values["rgexplainer"]["fit_s"]
    assert set(values["degree"]) == set(values["page"]) == {"alone_ms"}
    assert set(values["tarjan"]) == {"one_ms", "many_ms"}
    titles = [table.title for table in STUDY.tables(found)]
    assert all("(CPU, " in title for title in titles)
    assert {claim.table for claim in STUDY.claims(found)} <= set(titles)


def test_each_device_has_its_own_tables_and_claims() -> None:
    found = [
        record(method, seed, device, alone_ms=alone_ms * factor)
        for method, alone_ms in (("gflowexplainer", 4.0), ("rgexplainer", 8.0), ("degree", 2.0))
        for device, factor in (("cpu", 1.0), ("cuda", 0.1))
        for seed in range(3)
    ]
    cpu, gpu = STUDY.tables(found)
    assert (cpu.title, gpu.title) == (
        "Milliseconds to explain one instance alone (CPU, 4 cores; paper: Quadro RTX 6000)",
        "Milliseconds to explain one instance alone (a GPU; paper: Quadro RTX 6000)",
    )
    assert [row.label for row in cpu.rows][:3] == ["GFlowExplainer", "RGExplainer", "DEGREE"]
    assert cpu.rows[0].entries["tree_grid"].mean == 4.0
    assert [row.ours for row in cpu.rows] == [True] * 3 + [False] * 2
    claims = STUDY.claims(found)
    assert [(claim.verdict, claim.number) for claim in claims] == [
        ("holds", "2.00 times as fast (2.00 to 2.00 in 3 runs)")
    ] * 2
    assert [claim.table for claim in claims] == [cpu.title, gpu.title]


def test_few_runs_are_told_by_their_data_sets_and_the_first_claim_sums_up() -> None:
    found = [
        record(method, alone_ms=ms) | {"dataset": dataset, "key": f"{dataset}/{method}"}
        for method, ms in (("gflowexplainer", 4.0), ("rgexplainer", 2.0))
        for dataset in ("tree_grid", "ba_2motifs")
    ]
    (slow,) = STUDY.claims(found)
    assert slow.number == "0.50 times as fast (0.50 to 0.50 on 2 data sets, one run each)"
    assert slow.summary == ("slower to explain than RGExplainer",)
    fast = (("gflowexplainer", 4.0), ("rgexplainer", 8.0))
    faster = [record(method, seed, alone_ms=ms) for method, ms in fast for seed in range(3)]
    assert STUDY.claims(faster)[0].summary == ("faster to explain than RGExplainer",)


def test_who_is_faster_needs_both_and_a_clear_difference() -> None:
    slow = [record("tarjan", seed, one_ms=ms, many_ms=9.0) for seed, ms in enumerate((1.0, 4.0, 2.0))]
    fast = [record("tracker", seed, one_ms=2.0, many_ms=90.0) for seed in range(2)]
    assert paired(slow + fast, "tarjan", "tracker", "one_ms").tolist() == [[1.0, 2.0], [4.0, 2.0]]
    assert [claim.verdict for claim in STUDY.claims(slow + fast)] == ["cannot tell", "does not hold here"]
    assert STUDY.claims(slow) == []


def test_no_cut_vertices_are_timed_on_a_gpu() -> None:
    cells = STUDY.cells(Sweep(list(STUDY.datasets), list(STUDY.methods), device="cuda"))
    assert not {cell.method for cell in cells} & set(RACERS)
    assert {cell.variant for cell in cells} == {"cuda"}


def test_slow_ones_are_timed_on_few() -> None:
    called: list[int] = []
    assert alone(called.append, [3, 4, 5], "cpu")["alone_ms"] >= 0
    assert called == [3, 3, 4, 5]  # the first one twice: a warm-up
