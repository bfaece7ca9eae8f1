"""How long some work takes, and how long an explanation, an epoch and a batch of samples do."""

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from typing import Any, TypeVar

import numpy as np
import torch

from gfx_core.bench.study import Cell
from gfx_core.datasets.registry import load_dataset
from gfx_core.explanation.explainer import GFlowExplainer
from gfx_core.gfn.instances import Episodes
from gfx_core.gfn.own_policies import policy_path
from gfx_core.gfn.sampler import parent_nodes, sample
from gfx_core.gfn.settings import Parents, Stop, policy_config
from gfx_core.gfn.trainer import Trainer
from gfx_core.gnn.checkpoint import load_model
from gfx_core.gnn.predict import SubgraphPredictor
from gfx_core.limits import cores

EXPLAINED = {"ba_shapes": (0.0, 0.5, 1.0), "tree_cycles": (0.5, 1.0), "ba_2motifs": (0.5,)}
"""Which instances of a data set are explained, all being ordered by size: 0 is the smallest, 1 the largest."""

T = TypeVar("T")


def clock(device: str | torch.device) -> float:
    """Seconds, once the device has done all it was told to."""
    if torch.device(device).type == "cuda":
        torch.cuda.synchronize(device)
    return time.perf_counter()


def timed(work: Callable[[], T], device: str | torch.device = "cpu") -> tuple[float, T]:
    """Seconds that some work takes, the device's share included, and what comes of it."""
    started = clock(device)
    result = work()
    return clock(device) - started, result


@contextlib.contextmanager
def threads(count: int | None = None) -> Iterator[None]:
    """A process that computes cells has one thread; what is measured here may have one for each core, as on a page."""
    before = torch.get_num_threads()
    torch.set_num_threads(count or cores())
    try:
        yield
    finally:
        torch.set_num_threads(before)


def median(work: Callable[[], object], repeats: int, device: str, warm_up: int = 1) -> float:
    """Seconds that some work takes in the middle of several times."""
    return float(np.median([timed(work, device)[0] for _ in range(warm_up + repeats)][warm_up:]))


def speed(cell: Cell) -> dict[str, Any]:
    """Seconds of what the cell's method names, with a thread for each core.

    Options: ``device``; ``repeats``; ``max_nodes``, K_M of trainings; ``batch``, how many trajectories; ``instances``,
    how many an epoch has.
    """
    options, device = cell.options, cell.device
    with threads(options.get("threads")):
        if cell.method == "explanations":
            rows = explanation_times(cell.dataset, options["repeats"], device)
        elif cell.method == "epochs":
            rows = epoch_times(options["instances"], options["max_nodes"], options["repeats"], device)
        else:
            rows = sampling_times(options["batch"], options["max_nodes"], options["repeats"], device)
        return {"threads": torch.get_num_threads(), "rows": rows}


def explanation_times(name: str, repeats: int, device: str) -> list[dict[str, Any]]:
    """One explanation by the shipped policy, from cutting the instance out to the finished trace."""
    dataset, model = load_dataset(name), load_model(name).to(device)
    explainer = GFlowExplainer.load(policy_path(name), device=device)
    size = np.array([dataset.instance(int(index), hops=model.hops).num_nodes for index in dataset.explainable])
    by_size = dataset.explainable[np.argsort(size, kind="stable")]
    rows = []
    for place in EXPLAINED[name]:
        index = int(by_size[round(place * (len(by_size) - 1))])

        def explain(index: int = index) -> object:
            return explainer.trace(model, dataset.instance(index, hops=model.hops))

        nodes = dataset.instance(index, hops=model.hops).num_nodes
        seconds = median(explain, repeats, device)
        rows.append({"dataset": name, "index": index, "instance_nodes": nodes, "seconds": seconds})
    return rows


def sampling_times(count: int, max_nodes: int, repeats: int, device: str) -> list[dict[str, Any]]:
    """Trajectories, and their valid parents, in lockstep, each on its own instance."""
    trainer = _trainer(count, device, max_nodes, long=True)
    generator = torch.Generator(device).manual_seed(0)
    episodes = Episodes.of(trainer.graphs, np.arange(count))
    each = torch.arange(len(episodes), device=device)

    def draw() -> None:
        parent_nodes(sample(trainer.policy, episodes, each, trainer.reward, generator=generator), Parents.VALID)

    return [{"trajectories": count, "seconds": median(draw, repeats, device)}]


def epoch_times(instances: int, max_nodes: int, repeats: int, device: str) -> list[dict[str, Any]]:
    """One epoch on BA-Shapes under the paper's preset, for both kinds of STOP: at the start, and at its longest."""
    rows = []
    for stop, long in product(Stop, (False, True)):
        trainer = _trainer(instances, device, max_nodes, stop, long)
        seconds = median(trainer.run_epoch, repeats, device, warm_up=2)
        nodes = trainer.curve[-1].size
        rows.append({"stop": str(stop), "instances": instances, "mean_nodes": nodes, "seconds": seconds})
    return rows


def _trainer(instances: int, device: str, max_nodes: int, stop: Stop = Stop.REWARD, long: bool = False) -> Trainer:
    """An untrained policy on the first instances of BA-Shapes, under the paper's preset.

    Its trajectories are short at first. If they are to be ``long``, all scores are raised so far that hardly one stops
    before it has K_M nodes or all there are: the most that any policy can cost.
    """
    dataset, model = load_dataset("ba_shapes"), load_model("ba_shapes")
    cut = [dataset.instance(int(index), hops=model.hops) for index in dataset.explainable[:instances]]
    config = replace(policy_config("ba_shapes", "paper"), max_nodes=max_nodes, stop=stop)
    if long:
        config = replace(config, lr=1e-9)  # a few steps of training would bring the scores down again
    trainer = Trainer(SubgraphPredictor(model, cut, device), config)
    if long:
        torch.nn.init.constant_(trainer.policy.score.bias, 5.0)
    return trainer
