"""Cutting out an instance: its time must not depend on the size of the graph it is cut from."""

from functools import partial
from typing import Any, ClassVar

import numpy as np

from gfx_core.bench.cells import Cell
from gfx_core.bench.study import Study
from gfx_core.bench.tables import Quantity

HOPS = (2, 3)


class CuttingOut(Study):
    name = "instances"
    purpose = "time to cut an instance out of graphs of 10k, 100k and 1M nodes"
    title = "Cutting out an instance"
    question = "Does the time to cut out what a prediction depends on grow with the graph?"
    value = "ms_3hop"
    workers = 1
    datasets: ClassVar = {f"random_{n}": f"{n:,} nodes" for n in (10_000, 100_000, 1_000_000)}
    any_dataset = False
    methods: ClassVar = {"cut_out": "Cutting out"}
    seeds = None
    options: ClassVar = {"cuts": 200}
    quick_options: ClassVar = {"cuts": 5, "shrink": 100}

    shown = (
        Quantity("edges", "Edges", digits=0),
        Quantity("build_s", "Seconds to build the graph", digits=2),
        *(Quantity(f"ms_{hops}hop", f"Milliseconds to cut out {hops} hops") for hops in HOPS),
        *(Quantity(f"nodes_{hops}hop", f"Nodes in {hops} hops, mean", digits=0) for hops in HOPS),
    )
    rows = True

    def compute(self, cell: Cell) -> dict[str, Any]:
        """Time instances of 2 and 3 hops in a random graph with 10 links a node."""
        from gfx_core.bench.measures.explaining_speed import built_graph
        from gfx_core.bench.measures.stopwatch import timed

        num_nodes = int(cell.dataset.split("_")[1]) // cell.options.get("shrink", 1)
        build, dataset = timed(lambda: built_graph(num_nodes))
        values = {"nodes": num_nodes, "edges": dataset.num_edges, "build_s": build}
        chosen = np.random.RandomState(1).randint(0, num_nodes, size=cell.options["cuts"]).tolist()
        for hops in HOPS:
            cuts = [timed(partial(dataset.instance, node, hops=hops)) for node in chosen]
            values[f"ms_{hops}hop"] = 1e3 * float(np.median([seconds for seconds, _ in cuts]))
            values[f"nodes_{hops}hop"] = float(np.mean([instance.num_nodes for _, instance in cuts]))
        return values
