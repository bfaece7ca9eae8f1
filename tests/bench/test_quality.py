"""The quality benchmark, in small."""

import json

from gfx_core.bench import quality


def test_a_small_run_is_whole() -> None:
    lines: list[str] = []
    record = quality.run(datasets=("tree_cycles",), seeds=(1,), epochs=2, limit=6, progress=lines.append)
    assert json.loads(json.dumps(record)) == record
    (cell,) = record["cells"]
    assert cell["instances"] == 6
    assert set(cell["auc"]) == {f"{rule} {truth}" for rule in quality.RULES for truth in ("own", "all")}
    assert lines == ["tree_cycles, seed 1"]
    assert record["exact"][0]["enumerated"] == 6
    assert "tree_cycles" in quality.table(record)
