"""Records of benchmarks as tests want them, and the slow reference of what is measured of listed states."""

from collections.abc import Callable, Iterable
from typing import Any

from gfx_core.bench.study import Cell
from gfx_core.datasets.instance import Instance
from gfx_core.exact.enumeration import TooManyStates, enumerate_states
from gfx_core.exact.state_space import StateSpace
from gfx_core.explanation.samplers import SubgraphSampler
from gfx_core.gfn.checkpoint import TrainedPolicy
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import SubgraphPredictor

MADE = {
    "device": "a GPU",
    "cpu_cores": 4,
    "date": "2026-01-01",
    "versions": {"torch": "2", "python": "3", "torch-geometric": "2", "numpy": "2"},
}


def record(dataset: str, method: str, seed: int = 0, **values: Any) -> dict[str, Any]:
    cell = Cell("explainers", dataset, method, seed, gnn="sum-0")
    base = {"key": cell.key, "dataset": dataset, "method": method, "seed": seed, "variant": "as is", "gnn": "sum-0"}
    return base | {"options": {"half": "reporting"}, "status": "done", "made": MADE, "values": values}


def slow_distances(
    trained: TrainedPolicy,
    model: GNN,
    instances: Iterable[Instance],
    start: Callable[[SubgraphSampler], int],
    cap: int,
) -> list[float]:
    """Total variation from R/Z, one instance after the other, of those that have at most ``cap`` states."""
    found = []
    for instance in instances:
        sampler = SubgraphSampler(trained, SubgraphPredictor(model, [instance]), instance)
        try:
            dag = enumerate_states(instance, start(sampler), trained.config.max_nodes, cap=cap)
        except TooManyStates:
            continue
        log_reward = sampler.log_rewards(dag.subsets)
        space = StateSpace(dag, log_reward)
        found.append(space.total_variation(sampler.terminal_distribution(space)))
    return found
