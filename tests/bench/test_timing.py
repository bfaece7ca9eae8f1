"""What is timed."""

import pytest
import torch

from gfx_core.bench import timing
from gfx_core.bench.cells import Cell
from gfx_core.bench.studies import STUDIES
from gfx_core.bench.timing import measure

STUDY = STUDIES["timing"]


def test_each_method_has_its_times(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timing, "SUBGRAPHS", {"one_ms": 1, "many_ms": 4})
    options, values = {**STUDY.options, **STUDY.quick}, {}
    for method, cores in (("tarjan", 3), ("tracker", 1), ("rgexplainer", 1), ("degree", 1), ("page", 1)):
        monkeypatch.setattr(timing, "cores", lambda cores=cores: cores)
        values[method] = measure(Cell("timing", "tree_cycles", method, 0, "cpu", "", options))
        assert torch.get_num_threads() == 1
    assert all(number > 0 for numbers in values.values() for number in numbers.values())
    assert {"fit_s", "alone_ms"} <= set(values["rgexplainer"])
    assert set(values["degree"]) == set(values["page"]) == {"alone_ms"}
    assert set(values["tracker"]) == set(values["tarjan"]) == {"one_ms", "many_ms"}
