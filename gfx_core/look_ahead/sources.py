"""What the shipped look-ahead policy learns from: instances that the explorer does not open.

Graphs of generated data sets are made anew, from other seeds. Of molecules it learns from a part, of both classes: the
tuning half and half of those without a known group, see `learnable`.
"""

import tomllib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from gfx_core.arrays import Ints
from gfx_core.config import ASSETS
from gfx_core.datasets import synthetic
from gfx_core.datasets.graph import GraphDataset, Half, half_of
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.registry import load_dataset
from gfx_core.device import provenance
from gfx_core.exact.enumeration import StateDag
from gfx_core.exact.paths import largest_dag
from gfx_core.gfn.checkpoint import TrainedPolicy
from gfx_core.gfn.exact_targets import listed_space
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.settings import GFNConfig, RewardConfig
from gfx_core.gfn.trainer import EpochReport
from gfx_core.gnn.checkpoint import load_model
from gfx_core.gnn.predict import SubgraphPredictor
from gfx_core.look_ahead.training import ListedFlows, LookAheadTrainer

SOURCES: dict[str, Any] = tomllib.loads((ASSETS / "content" / "look_ahead.toml").read_text(encoding="utf-8"))
"""The data sets, their GNNs, and how many instances of each."""
_AT_ONCE = 64  # instances whose states are evaluated together


def learnable(data: GraphDataset) -> Ints:
    """The instances of a data set that cannot be made anew from which a policy may learn; the others stay unseen."""
    seen = np.isin(np.arange(data.num_instances), half_of(data.explainable, Half.TUNING))
    others = np.setdiff1d(np.arange(data.num_instances), data.explainable)
    seen[np.random.RandomState(0).permutation(others)[: len(others) // 2]] = True
    return np.flatnonzero(seen)


def fresh_instances(dataset: str, hops: int, rng: np.random.RandomState) -> Iterator[Instance]:
    """Instances to learn from: with a motif for the most part, and others."""
    make, count = getattr(synthetic, dataset, None), SOURCES["instances"]
    if make is None:
        data = load_dataset(dataset)
        chosen = learnable(data)
        motifs = np.intersect1d(chosen, data.explainable)
        picked = np.concatenate([rng.permutation(part)[: SOURCES["molecules"] // 2] for part in (motifs, chosen)])
        yield from (data.instance(int(index), hops=hops) for index in picked)
        return
    for seed in SOURCES["seeds"]:
        data = make(seed=seed)
        picked = rng.permutation(data.explainable)[:count]
        others = np.setdiff1d(np.arange(data.num_instances), data.explainable)
        picked = np.append(picked, rng.permutation(others)[: count // 4])
        yield from (data.instance(int(index), hops=hops) for index in picked)


def listed_flows(
    dataset: str, gnn: str, max_nodes: int, reward: RewardConfig, rng: np.random.RandomState, device: str
) -> ListedFlows:
    """The exact flows of fresh instances of a data set under a GNN, from the explained node or some nodes of a graph.

    Where states are too many the smaller ones are listed.
    """
    model, cap = load_model(dataset, gnn), SOURCES["cap"]
    pairs: list[tuple[Instance, StateDag]] = []
    for instance in fresh_instances(dataset, model.hops, rng):
        starts = (
            rng.permutation(instance.num_nodes)[: SOURCES["starts"]] if instance.target is None else [instance.target]
        )
        for start in starts:
            dag = largest_dag(instance, start, max_nodes, cap)
            if dag is not None and dag.num_edges:
                pairs.append((instance, dag))
    parts = []
    for first in range(0, len(pairs), _AT_ONCE):
        instances, dags = zip(*pairs[first : first + _AT_ONCE], strict=True)
        predictor = SubgraphPredictor(model, instances, device)
        parts.append(ListedFlows.of(listed_space(Reward(predictor, reward), dags), reward, torch.device(device)))
    return ListedFlows.join(parts)


def train_look_ahead(
    device: str, on_source: Callable[[str], None], on_epoch: Callable[[EpochReport], None]
) -> TrainedPolicy:
    """Train the shipped look-ahead policy."""
    config = GFNConfig.from_dict(SOURCES["config"])
    rng, sources, seen = np.random.RandomState(config.seed), [], {}
    for dataset, gnns in SOURCES["gnns"].items():
        for gnn in gnns:
            source = listed_flows(dataset, gnn, config.max_nodes, config.reward, rng, device)
            sources.append(source)
            seen[f"{dataset}-{gnn}"] = len(source.spaces)
            on_source(f"{dataset} ({gnn}): {len(source.spaces)} start nodes, {len(source.states):,} states")
    trainer = LookAheadTrainer(sources, config, torch.device(device))
    trainer.fit(on_epoch)
    seconds = sum(report.seconds for report in trainer.curve)
    made = provenance(trainer.device.type, seconds) | {"learned_from": seen, "seeds": SOURCES["seeds"]}
    return TrainedPolicy(config, trainer.policy.eval().cpu(), None, curve=tuple(trainer.curve), made=made)
