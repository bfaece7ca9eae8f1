"""Instances that are looked at while a policy learns a whole data set. This module is imported in workers."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch

from gfx_core.arrays import Doubles, Ints
from gfx_core.config import Task
from gfx_core.errors import UserError
from gfx_core.gfn.instances import Episodes, FlowGraphs
from gfx_core.gfn.network_flows import NetworkFlows
from gfx_core.gfn.parts import STARTS_PER_GRAPH, random_starts
from gfx_core.gfn.policy import FlowPolicy
from gfx_core.gfn.reports import EpochReport
from gfx_core.gfn.sampler import parent_nodes, sample
from gfx_core.gfn.settings import GFNConfig
from gfx_core.gfn.trainer import Trainer
from gfx_core.gfn.visited import Visited
from gfx_core.question import Question
from gfx_core.training.dag_lane import DagLane
from gfx_core.training.pace import BYTES_A_SECOND
from gfx_core.training.place import Place
from gfx_core.training.setting import MAX_BATCH, LaneSetting, LearnsFrom

WATCHED = 3
"""Instances that are watched where nobody names any."""
_TRIED = 12  # instances that are looked at to find them
_FEWEST = 20  # states of an instance that is worth watching


class WatchedLane(DagLane):
    """A listed instance under a policy that is trained elsewhere.

    Args:
        setting: What to call it.
        place: The instance.
        config: Of the policy.
    """

    def __init__(self, setting: LaneSetting, place: Place, config: GFNConfig) -> None:
        self._config = config
        super().__init__(setting, place)

    def _make(self) -> NetworkFlows:
        config = self._config
        graphs = FlowGraphs(self.place.predictor, config.policy)
        policy = FlowPolicy(graphs.features.shape[1], config.policy, config.stop, config.max_nodes)
        return NetworkFlows(policy, graphs, self.dag, self.log_reward, config.parents)

    def _target(self) -> None:
        """It learns nothing itself."""

    def take(self, policy: FlowPolicy, curve: Sequence[EpochReport]) -> None:
        """Look at the policy as it is after some epochs."""
        assert isinstance(self.flows, NetworkFlows)
        self.flows.policy.load_state_dict({name: value.cpu() for name, value in policy.state_dict().items()})
        if curve:
            self.step, self.loss = curve[-1].epoch, curve[-1].loss
            self.seconds = sum(report.seconds for report in curve)


def lane_setting(question: Question, config: GFNConfig) -> LaneSetting:
    """What a lane of a watched instance is called: the recipe, as far as a lane has words for it."""
    reward = config.reward
    return LaneSetting(
        question,
        learns_from=LearnsFrom.ALL,
        loss=config.loss,
        parents=config.parents,
        stop=config.stop,
        seed=config.seed,
        epsilon=config.epsilon,
        lr=config.lr,
        batch=min(config.batch_size, MAX_BATCH),
        beta=reward.beta,
        node_price=reward.price("nodes"),
        similarity=reward.price("similarity"),
        max_nodes=config.max_nodes,
        steps=config.epochs,
    )


def watched_lanes(dataset: str, gnn: str, indices: Sequence[int], config: GFNConfig, named: bool) -> list[WatchedLane]:
    """Lanes of some instances that can be listed.

    Args:
        dataset: Where they are.
        gnn: The kind of GNN.
        indices: Which may be watched.
        config: Of the policy.
        named: Whether somebody named them: then all are watched that can be, else a few.
    """
    lanes: list[WatchedLane] = []
    tried = indices if named else _spread(indices, _TRIED)
    room = BYTES_A_SECOND / max(1, min(WATCHED, len(tried)))
    for index in tried:
        setting = lane_setting(Question(dataset, str(int(index)), gnn=gnn), config)
        try:
            place = Place(setting, room)
        except UserError:
            continue
        if place.dag is not None and (named or place.dag.num_states >= _FEWEST):
            lanes.append(WatchedLane(setting, place, replace(config, max_nodes=setting.max_nodes)))
        if len(lanes) == WATCHED:
            break
    return lanes


def _spread(indices: Sequence[int], count: int) -> list[int]:
    return [int(index) for index in indices[:: max(1, len(indices) // count)]]


@torch.no_grad()
def residuals_by_instance(trainer: Trainer, most: int, seed: int = 0) -> tuple[Ints, Doubles]:
    """The mean |log in-flow − log out-flow| of one trajectory of each of some instances.

    Args:
        trainer: The training.
        most: How many instances at most, always the same ones.
        seed: Of the trajectories.

    Returns:
        Positions of the instances among the trainer's, and the residuals. [n], [n]
    """
    graphs, rng = trainer.graphs, np.random.RandomState(0)
    chosen = np.sort(rng.permutation(len(trainer.predictor.graphs))[:most])
    starts = None
    if trainer.predictor.task is Task.GRAPH:
        starts = random_starts(graphs, chosen, rng)[::STARTS_PER_GRAPH]
    episodes = Episodes.of(graphs, chosen, starts)
    each = torch.arange(len(episodes), device=trainer.device)
    generator = torch.Generator(trainer.device).manual_seed(seed)
    trajectories = sample(trainer.policy, episodes, each, trainer.reward, generator=generator)
    parents = parent_nodes(trajectories, trainer.config.parents)
    visited = Visited.by(trainer.policy, trajectories, parents, trainer.reward)
    log_in, log_out, _ = visited.balanced()
    apart, zeros = (log_in - log_out).abs().double(), torch.zeros(len(each), dtype=torch.float64, device=each.device)
    summed = zeros.index_add(0, visited.trajectory, apart)
    count = zeros.index_add(0, visited.trajectory, visited.has_parent.double())
    return chosen, (summed / count.clamp(min=1)).cpu().numpy()
