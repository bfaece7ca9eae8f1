"""The study of exact distances, in its quick form."""

from functools import cache
from typing import Any

import pytest

from gfx_core.bench.exactness import Exactness
from gfx_core.bench.runner import compute
from gfx_core.bench.study import Sweep
from gfx_core.gfn.settings import DEFAULT_PRESET

EXACT = Exactness()
FEW = ["tabular", "tabular-sequence", "theory-sequence", "network", "amortised"]
SWEEPS = [Sweep(["tree_grid"], list(EXACT.methods), quick=True), Sweep(["ba_2motifs"], FEW, quick=True)]
CELLS = [cell for sweep in SWEEPS for cell in EXACT.cells(sweep) if cell.variant == DEFAULT_PRESET]
CASES = {cell.dataset for cell in CELLS}


@cache
def records() -> list[dict[str, Any]]:
    return [compute(EXACT, cell) for cell in CELLS]


def values(method: str) -> dict[str, dict[str, Any]]:
    return {r["dataset"]: r["values"] for r in records() if r["method"] == method}


def test_every_method_has_a_distance_on_every_instance() -> None:
    assert all(record["status"] == "done" for record in records())
    for method in EXACT.methods:
        found = values(method)
        assert set(found) == (CASES if method in FEW else {"tree_grid"})
        for each in found.values():
            assert len(each["distances"]) == len(each["indices"]) == len(each["states"]) == 1
            assert all(0 <= one <= 1 for one in each["distances"])
            assert each["mean"] == each["median"] == each["max"] == each["distances"][0]
    assert not EXACT.cells(Sweep(["ba_2motifs"], ["network-trainer"]))  # graph tasks have no check by the trainer


def test_tables_reach_the_target_sequences_end_where_theory_says_and_networks_are_followed() -> None:
    assert all(each["mean"] <= 0.01 for each in values("tabular").values())
    learned, theory = values("tabular-sequence"), values("theory-sequence")
    for case in CASES:
        assert learned[case]["distances"] == pytest.approx(theory[case]["distances"], abs=0.02)
        curve = values("network")[case]["curve"]
        assert [step for step, _ in curve] == [1, 2, 4, 8]
        assert curve[-1][1] == values("network")[case]["mean"]


def test_tables_name_everything() -> None:
    text = "\n".join(table.markdown() for table in EXACT.tables(records()))
    assert all(title in text for title in EXACT.methods.values())
    assert "Tree-Grid" in text
    assert f"within 0.01 of R/Z in {len(CASES)} of {len(CASES)} cases" in EXACT.finding(records())
    assert EXACT.finding(records()[:1]) == ""
    assert "instances alone" not in text
    fewer = [each | {"options": each["options"] | {"first": 3}} for each in records() if each["method"] == "network"]
    assert "On the first 3 instances alone: network per instance, trajectories." in EXACT.tables(fewer)[0].markdown()
