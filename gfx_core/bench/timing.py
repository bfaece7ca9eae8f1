"""How long explainers learn and explain, and how long it takes to know the cut vertices, on one device.

What is timed is what users call: ``fit`` on some instances, ``explain`` on one, and the whole explanation that a page
shows. Cells are to be computed one at a time; each has a thread for each core.
"""

import time
from collections.abc import Callable
from functools import partial

import numpy as np
import torch

from gfx_core.arrays import spread
from gfx_core.baselines.method import Learner
from gfx_core.baselines.registry import chosen_settings, make_method
from gfx_core.bench.gnns import ExplainedGNN
from gfx_core.bench.studies import Cell
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.registry import load_dataset
from gfx_core.explanation.question import Question
from gfx_core.explanation.run import explain
from gfx_core.gfn.cut_vertex_race import race
from gfx_core.gnn.kinds import DEFAULT_KIND
from gfx_core.job_context import JobContext
from gfx_core.limits import cores
from gfx_core.teaching.lab_graphs import GraphKind, growths

SUBGRAPHS = {"one_ms": 1, "many_ms": 256}
"""How many subgraphs grow at a time."""
NODES = 20
"""How many nodes each has in the end: the paper's K_M."""


def measure(cell: Cell) -> dict[str, float]:
    """Milliseconds and seconds of one method.

    Options: ``instances``, how many are trained on; ``alone``, how many of them are explained; ``epochs``, another
    length of training.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(cores())
    try:
        return (cut_vertex_times if cell.method in ("tracker", "tarjan", "networkx") else explanation_times)(cell)
    finally:
        torch.set_num_threads(threads)


def explanation_times(cell: Cell) -> dict[str, float]:
    """One explainer, or the page: training where it learns, and the median of some instances, each alone."""
    gnn, values = ExplainedGNN(cell), dict[str, float]()
    instances = list(gnn.instances(spread(gnn.dataset.explainable, cell.options["instances"])))

    def page(instance: Instance) -> object:
        return explain(Question(cell.dataset, str(instance.index)), JobContext(cell.device))

    def seconds(work: Callable[[], object]) -> float:
        started = time.perf_counter()
        work()
        if cell.device == "cuda":
            torch.cuda.synchronize()
        return time.perf_counter() - started

    work: Callable[[Instance], object] = page
    if cell.method != "page":
        settings, epochs = chosen_settings(cell.method, cell.dataset, DEFAULT_KIND), cell.options.get("epochs")
        method = make_method(cell.method, gnn.model, settings, seed=cell.seed, device=cell.device, epochs=epochs)
        work = method.explain
        if isinstance(method, Learner):
            values["fit_s"] = seconds(partial(method.fit, instances))
    work(instances[0])  # warms up
    alone = [
        seconds(partial(work, instances[number])) for number in spread(np.arange(len(instances)), cell.options["alone"])
    ]
    return values | {"alone_ms": 1e3 * float(np.median(alone))}


def cut_vertex_times(cell: Cell) -> dict[str, float]:
    """Milliseconds to know the cut vertices after each node that is added to some subgraphs of an instance."""
    index = int(np.random.RandomState(cell.seed).choice(load_dataset(cell.dataset).explainable))
    values = {}
    for name, count in SUBGRAPHS.items():
        additions = growths(GraphKind.INSTANCE, cell.dataset, index, NODES, cell.seed, count)
        values[name] = 1e3 * race(additions, 5, 1.0, [cell.method])[cell.method]
    return values
