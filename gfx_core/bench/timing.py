"""How long explainers learn and explain, and how long it takes to know the cut vertices, on one device.

What is timed is what users call: ``fit`` on some instances, ``explain`` on one, and the whole explanation that a page
shows. Cells are to be computed one at a time; each has a thread for each core.
"""

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import torch

from gfx_core.arrays import spread
from gfx_core.baselines.method import Learner
from gfx_core.baselines.registry import chosen_settings, make_method
from gfx_core.bench.cells import Cell
from gfx_core.datasets.registry import load_dataset
from gfx_core.explanation.question import Question
from gfx_core.explanation.run import explain
from gfx_core.gfn.cut_vertex_race import race
from gfx_core.gnn.checkpoint import load_model
from gfx_core.job_context import JobContext
from gfx_core.limits import cores
from gfx_core.teaching.lab_graphs import GraphKind, growths

SUBGRAPHS = {"one_ms": 1, "many_ms": 256}
"""How many subgraphs grow at a time."""
NODES = 20
"""How many nodes each has in the end: the paper's K_M."""


def measure(cell: Cell) -> dict[str, Any]:
    """Milliseconds and seconds of one method.

    Options: ``instances``, how many are trained on; ``alone``, how many are explained; ``epochs``, another length of
    training.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(cores())
    try:
        if cell.method in ("tracker", "tarjan", "networkx"):
            return cut_vertex_times(cell)
        if cell.method == "page":
            indices = spread(load_dataset(cell.dataset).explainable, cell.options["alone"]).tolist()
            questions = [Question(cell.dataset, str(index)) for index in indices]
            return {"alone_ms": alone_ms(partial(explain, job=JobContext(cell.device)), questions, cell.device)}
        return method_times(cell)
    finally:
        torch.set_num_threads(threads)


def seconds(work: Callable[[], object], device: str) -> float:
    """Seconds that some work takes, the device's share included."""
    started = time.perf_counter()
    work()
    if device == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter() - started


def alone_ms(work: Callable[[Any], object], items: Sequence[Any], device: str) -> float:
    """The median of the milliseconds of each item, after a warm-up."""
    work(items[0])
    return 1e3 * float(np.median([seconds(partial(work, item), device) for item in items]))


def method_times(cell: Cell) -> dict[str, float]:
    """One explainer: training where it learns, and some instances one by one."""
    dataset, model = load_dataset(cell.dataset), load_model(cell.dataset)
    indices = spread(dataset.explainable, cell.options["instances"])
    instances = [dataset.instance(int(index), hops=model.hops) for index in indices]
    settings, epochs = chosen_settings(cell.method, cell.dataset, model.name), cell.options.get("epochs")
    method = make_method(cell.method, model, settings, seed=cell.seed, device=cell.device, epochs=epochs)
    values = {"fit_s": seconds(partial(method.fit, instances), cell.device)} if isinstance(method, Learner) else {}
    alone = [instances[number] for number in spread(np.arange(len(instances)), cell.options["alone"])]
    return values | {"alone_ms": alone_ms(method.explain, alone, cell.device)}


def cut_vertex_times(cell: Cell) -> dict[str, float]:
    """Milliseconds to know the cut vertices after each node that is added to some subgraphs of an instance."""
    index = int(np.random.RandomState(cell.seed).choice(load_dataset(cell.dataset).explainable))
    values = {}
    for name, count in SUBGRAPHS.items():
        additions = growths(GraphKind.INSTANCE, cell.dataset, index, NODES, cell.seed, count)
        values[name] = 1e3 * race(additions, 5, 1.0, [cell.method])[cell.method]
    return values
