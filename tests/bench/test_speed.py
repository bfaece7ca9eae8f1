"""The study of speed in its quick form."""

from gfx_core.bench.run import compute
from gfx_core.bench.speed import Speed
from gfx_core.bench.study import Sweep


def test_a_quick_run_times_everything() -> None:
    study = Speed()
    records = [compute(study, cell) for cell in study.cells(Sweep(["ba_shapes"], list(study.methods), quick=True))]
    assert [record["status"] for record in records] == ["done"] * 3
    rows = {record["method"]: record["values"]["rows"] for record in records}
    assert all(row["seconds"] > 0 for some in rows.values() for row in some)
    assert [row["stop"] for row in rows["epochs"]].count("learned") == 2
    (table,) = study.tables(records)
    assert len(table.rows) == 1 + 4 + 3
    assert "| 16 trajectories in lockstep | " in table.markdown()
    assert "ms on cpu" in study.finding(records)
