"""How far a policy is from P ∝ R while it learns, on a fixed set of instances whose states can all be listed."""

from collections.abc import Sequence

import numpy as np
import torch

from gfx_core.bench.measures.training_runs import start_of
from gfx_core.datasets.instance import Instance
from gfx_core.gfn.instances import FlowGraphs
from gfx_core.gfn.listed_states import ListedStates, list_all
from gfx_core.gfn.policy_file import TrainedPolicy
from gfx_core.gfn.rewards import Reward
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import SubgraphPredictor

CAP, MOST_STATES = 20_000, 100_000
"""The most states of one instance, and of all together: what can be looked at every few seconds on two cores."""


class Validation:
    """Total variation from R/Z on some instances, the same at every look.

    In graph tasks the start node is the first one of the motif: the locator is still learning.

    Args:
        candidates: The instances to choose from.
        count: How many at most.
    """

    def __init__(self, candidates: Sequence[Instance], count: int) -> None:
        self._candidates, self._count = candidates, count
        self._states: ListedStates | None = None
        self.indices: list[int] = []
        """Of the instances that were chosen, once that is done."""

    def distance(self, model: GNN, trained: TrainedPolicy, device: str | torch.device) -> float | None:
        """The mean over the instances; None if none of them can be listed."""
        if self._states is None and not self._candidates:
            return None
        if self._states is None:
            self._list(model, trained, device)
        if self._states is None:
            return None
        return float(self._states.distances(self._states.stops(trained.policy)).mean())

    def _list(self, model: GNN, trained: TrainedPolicy, device: str | torch.device) -> None:
        """Choose instances, in one fixed random order, and list their states."""
        chosen, dags, room = [], [], MOST_STATES
        for number in np.random.RandomState(0).permutation(len(self._candidates)):
            instance = self._candidates[number]
            listed = list_all([instance], [start_of(instance)], trained.config.max_nodes, min(CAP, room))
            for dag in listed.values():
                chosen.append(instance)
                dags.append(dag)
                room -= dag.num_states
            if len(chosen) == self._count or room <= 0:
                break
        self._candidates = []
        if chosen:
            predictor = SubgraphPredictor(model, chosen, device)
            graphs = FlowGraphs(predictor, trained.config.policy)
            self._states = ListedStates(graphs, Reward(predictor, trained.config.reward), dags)
            self.indices = [instance.index for instance in chosen]
