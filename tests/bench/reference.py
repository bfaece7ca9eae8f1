"""The slow reference of what is measured of listed states."""

from collections.abc import Callable, Iterable

from gfx_core.datasets.instance import Instance
from gfx_core.exact.enumeration import TooManyStates, enumerate_states
from gfx_core.exact.state_space import StateSpace
from gfx_core.explanation.samplers import SubgraphSampler
from gfx_core.gfn.checkpoint import TrainedPolicy
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import SubgraphPredictor


def slow_distances(
    policy: TrainedPolicy, model: GNN, instances: Iterable[Instance], start: Callable[[SubgraphSampler], int], cap: int
) -> list[float]:
    """Total variation from R/Z, one instance after the other, of those that have at most ``cap`` states."""
    distances = []
    for instance in instances:
        sampler = SubgraphSampler(policy, SubgraphPredictor(model, [instance]), instance)
        try:
            dag = enumerate_states(instance, start(sampler), policy.config.max_nodes, cap=cap)
        except TooManyStates:
            continue
        space = StateSpace(dag, sampler.log_rewards(dag.subsets))
        distances.append(space.total_variation(sampler.terminal_distribution(space)))
    return distances
