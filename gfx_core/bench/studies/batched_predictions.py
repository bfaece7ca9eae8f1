"""Predictions of many subgraphs at once against one by one: what everything else is built on."""

from typing import Any, ClassVar

from gfx_core.bench.cells import Cell
from gfx_core.bench.study import Study
from gfx_core.bench.tables import Quantity
from gfx_core.gnn.kinds import KINDS


class BatchedPredictions(Study):
    name = "predict"
    purpose = "predictions of 4,096 subgraphs at once against one by one"
    title = "Predictions of many subgraphs"
    question = "What does it buy to predict 4,096 subgraphs of up to 20 nodes at once?"
    value = "ratio"
    workers = 1
    datasets: ClassVar = {name: Study.datasets[name] for name in ("ba_shapes", "ba_2motifs")}
    methods: ClassVar = {kind: f"GNN “{kind}”" for kind in KINDS}
    seeds = None
    options: ClassVar = {"subsets": 4096, "largest": 20}
    quick_options: ClassVar = {"subsets": 16, "largest": 6, "threads": 1}

    shown = (
        Quantity("ratio", "How many times faster all at once are than one by one", "high", digits=0, close=0),
        Quantity("loop_s", "Seconds, one by one", "low", digits=2, close=0),
        Quantity("batched_s", "Seconds, all at once", "low", digits=4, close=0),
        Quantity("max_error", "Largest difference of a logit", "low", digits=8, close=0),
    )

    def compute(self, cell: Cell) -> dict[str, Any]:
        from gfx_core.bench.measures.one_by_one import compare

        return compare(cell)
