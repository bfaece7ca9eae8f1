"""Flows for one prediction without a policy that was trained before: exact ones, or learned on the spot.

Where all connected subgraphs around the start node can be listed, flows are exact and nothing is learnt. Where they are
too many, those of somewhat fewer nodes are listed: exact flows on these tell more than a policy can learn in the same
time. Where even they are too many, a policy is trained on this one prediction, which takes some seconds to a minute.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import torch

from gfx_core.arrays import first_best
from gfx_core.datasets.instance import Instance
from gfx_core.errors import UserError
from gfx_core.explainers.exact_sampler import ExactSampler
from gfx_core.explainers.generate import SubgraphSampler
from gfx_core.explainers.subgraph_source import SubgraphSource
from gfx_core.gfn.exact import log_partition
from gfx_core.gfn.policy_file import TrainedPolicy
from gfx_core.gfn.reports import EpochReport
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.settings import GFNConfig, LearningConfig, Parents
from gfx_core.gfn.state_dag import EXACT_CAP, TooManyStates, enumerate_states
from gfx_core.gfn.trainer import Trainer
from gfx_core.gnn.predict import Predictor
from gfx_core.trace.flow_words import only_fewer

Told = Callable[[float, str], None]
"""Called with the share that is done (0 to 1) and a few words."""

LOCATING = 60_000
"""States from all nodes together that are listed to find where to start in a graph."""
_FEWER = (8, 7, 6, 5, 4, 3, 2)  # the most nodes of a subgraph, where there would be too many otherwise

LEAST = 6
"""Down to so many nodes of a subgraph exact flows are preferred to learned ones."""

EPOCHS, TRAJECTORIES, RATE, EXPLORING = 100, 32, 5e-3, 0.3
LEARNING = LearningConfig(steps_per_batch=4)
"""How a policy learns on the spot: many small steps, each on what was just sampled, nearly a third of it by chance. (On
instances of BA-Shapes that can be listed as well, three of four came within .03 of R/Z; with a tenth by chance or in 40
epochs, one or two.)"""
_LARGE = 400  # nodes: beyond, a step takes so long that fewer are taken
_FEWEST = 40  # epochs of a huge instance


@dataclass(frozen=True)
class Ready:
    """Flows that are ready to be drawn from.

    Attributes:
        source: The flows on the instance.
        start: Where to start; ``None`` leaves that to the flows.
        trained: The policy, where one was trained.
        fewer: The most nodes of a subgraph, where that had to be fewer than wanted.
    """

    source: SubgraphSource
    start: int | None
    trained: TrainedPolicy | None = None
    fewer: int | None = None

    @property
    def note(self) -> str:
        """What is to be said of it."""
        if self.fewer is None:
            return ""
        return only_fewer(self.fewer)


def flows_on_the_spot(
    config: GFNConfig,
    predictor: Predictor,
    instance: Instance,
    *,
    explained: int | None = None,
    start: int | None = None,
    tell: Told | None = None,
    known: TrainedPolicy | None = None,
) -> Ready:
    """Exact flows where all states can be listed; else those of a policy that is trained now.

    Args:
        config: K_M, the reward, and how a policy would be trained.
        predictor: The GNN, on this instance alone.
        instance: The instance.
        explained: The class that is explained; the GNN's own answer by default.
        start: Where to start; by default the explained node, or the one from which most reward can be reached.
        tell: Told how far it is.
        known: A policy that was trained here before.
    """
    tell = tell or (lambda _share, _words: None)
    tell(0.0, "listing subgraphs")
    reward = Reward(predictor, config.reward, explained)
    at = locate(config, predictor, instance, reward) if start is None else start
    most = most_listable(instance, at, config.max_nodes, ExactSampler.cap)
    if most is not None:
        exact = ExactSampler(replace(config, max_nodes=most), predictor, instance, reward=reward)
        return Ready(exact, at, fewer=most if most < config.max_nodes else None)
    trained = known or train_on(config, predictor, reward, at, tell)
    return Ready(SubgraphSampler(trained, predictor, instance, explained), at, trained)


def listable(instance: Instance) -> bool:
    """Whether at least all subgraphs of `LEAST` nodes around the explained node can be listed."""
    return instance.target is not None and most_listable(instance, instance.target, LEAST) is not None


def most_listable(
    instance: Instance, start: int, most: int, cap: int = EXACT_CAP, least: int | None = None
) -> int | None:
    """With how many nodes, from ``least`` or `LEAST` to ``most``, all subgraphs around a node can be listed, if any."""
    found = None
    for count in range(min(LEAST if least is None else least, most), most + 1):
        try:
            enumerate_states(instance, start, count, cap=cap)
        except TooManyStates:
            break
        found = count
    return found


def locate(config: GFNConfig, predictor: Predictor, instance: Instance, reward: Reward | None = None) -> int:
    """The node to start from where no locator has learnt it: the explained one, or the one with most reward in reach.

    In a graph all connected subgraphs from every node are listed; where they are too many, those of fewer nodes.

    Args:
        config: K_M, and the reward.
        predictor: The GNN, on this instance alone.
        instance: The instance.
        reward: What a subgraph is worth; that of the config by default.
    """
    if instance.target is not None:
        return instance.target
    reward = reward or Reward(predictor, config.reward)
    for most in (config.max_nodes, *(fewer for fewer in _FEWER if fewer < config.max_nodes)):
        subsets: list[np.ndarray] = []
        try:
            for node in range(instance.num_nodes):
                cap = LOCATING - sum(map(len, subsets))
                if cap < instance.num_nodes - node:
                    raise TooManyStates("too many to find a start node by")
                subsets.append(enumerate_states(instance, node, most, cap=cap).subsets)
        except TooManyStates:
            continue
        wide = max(part.shape[1] for part in subsets)
        padded = [np.pad(part, ((0, 0), (0, wide - part.shape[1])), constant_values=-1) for part in subsets]
        nodes = torch.from_numpy(np.concatenate(padded)).to(predictor.device)
        found = [reward(part, torch.zeros_like(part[:, 0])) for part in nodes.split(8192)]
        parts = torch.cat(found).double().cpu().split([len(part) for part in subsets])
        return first_best([log_partition(part.numpy()) for part in parts])
    degree = np.bincount(instance.edge_index[0], minlength=instance.num_nodes)
    return int(degree.argmax())  # a huge graph: where most is near


def quickly(config: GFNConfig, nodes: int) -> GFNConfig:
    """How a policy for one instance of so many nodes is trained while somebody waits: fewer epochs if it is large."""
    epochs = config.epochs
    return replace(
        config,
        policy=replace(config.policy, hidden=min(64, config.policy.hidden)),
        learning=LEARNING,
        epochs=max(min(epochs, _FEWEST), min(epochs, round(epochs * _LARGE / nodes))),
        lr=RATE,
        epsilon=EXPLORING,
    )


def train_on(config: GFNConfig, predictor: Predictor, reward: Reward, start: int, tell: Told) -> TrainedPolicy:
    """A policy for one instance and start node alone."""
    if config.parents is Parents.GRAPH:
        raise UserError("A policy that is trained on the spot needs connected parents: choose parents=valid.")

    def after(report: EpochReport) -> None:
        tell(report.epoch / report.epochs, f"training a policy, log R {report.log_reward:.1f}")

    quick = quickly(config, int(predictor.graphs.sizes[0]))
    with torch.enable_grad():
        trainer = Trainer(predictor, quick, reward=reward, start=start, repeats=TRAJECTORIES)
        trainer.fit(after)
    return TrainedPolicy.of(trainer)
