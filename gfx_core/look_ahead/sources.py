"""What the shipped look-ahead policy learns from: instances that the explorer does not open.

Graphs of generated data sets are made anew, from other seeds. Of molecules it learns from a part, of both classes, see
`learnable`.
"""

import tomllib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from gfx_core.arrays import Ints
from gfx_core.config import ASSETS
from gfx_core.datasets import synthetic
from gfx_core.datasets.graph import Half, half_of
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
MOLECULES = "mutagenicity", "benzene"
"""Data sets of the same molecules in the same order."""
_AT_ONCE = 64  # instances whose states are evaluated together


def learnable() -> Ints:
    """The molecules that a policy may learn from, by index: half of those that no data set reports results on."""
    sets = [load_dataset(name) for name in MOLECULES]
    reported = np.concatenate([half_of(data.explainable, Half.REPORTING) for data in sets])
    free = np.setdiff1d(np.arange(sets[0].num_instances), reported)
    return np.sort(np.random.RandomState(0).permutation(free)[: len(free) // 2])


def fresh_instances(dataset: str, hops: int, rng: np.random.RandomState) -> Iterator[Instance]:
    """Instances to learn from: with a motif for the most part, and others."""
    make, count = getattr(synthetic, dataset, None), SOURCES["instances"]
    if make is None:
        data, chosen = load_dataset(dataset), learnable()
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


def start_nodes(instance: Instance, rng: np.random.RandomState) -> list[int]:
    """The explained node, or in a graph a random node of its motif, if it has one, and one of all nodes."""
    if instance.target is not None:
        return [instance.target]
    motif = instance.edge_index[0, instance.own_edges]
    anywhere = np.arange(instance.num_nodes)
    return list({int(rng.choice(nodes)) for nodes in (motif if len(motif) else anywhere, anywhere)})


def listed_flows(dataset: str, gnn: str, max_nodes: int, reward: RewardConfig, seed: int, device: str) -> ListedFlows:
    """The exact flows of fresh instances of a data set under a GNN, from the explained node or some nodes of a graph.

    Where states are too many the smaller ones are listed.
    """
    model, cap, rng = load_model(dataset, gnn), SOURCES["cap"], np.random.RandomState(seed)
    pairs: list[tuple[Instance, StateDag]] = []
    for instance in fresh_instances(dataset, model.hops, rng):
        for start in start_nodes(instance, rng):
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
    device: str, on_source: Callable[[str], None], on_epoch: Callable[[EpochReport], None], seed: int = 0
) -> TrainedPolicy:
    """Train the shipped look-ahead policy; another seed draws other instances, too."""
    config = GFNConfig.from_dict({**SOURCES["config"], "seed": seed})
    sources, seen = [], {}
    torch.set_float32_matmul_precision("high")
    for dataset, gnns in SOURCES["gnns"].items():
        for gnn in gnns:
            source = listed_flows(dataset, gnn, config.max_nodes, config.reward, seed, device)
            sources.append(source)
            seen[f"{dataset}-{gnn}"] = len(source.spaces)
            on_source(f"{dataset} ({gnn}): {len(source.spaces)} start nodes, {len(source.states):,} states")
    trainer = LookAheadTrainer(sources, config, torch.device(device))
    trainer.fit(on_epoch)
    seconds = sum(report.seconds for report in trainer.curve)
    molecules = learnable().tolist() if SOURCES["gnns"].keys() & set(MOLECULES) else []
    made = {"learned_from": seen, "seeds": SOURCES["seeds"], "molecules": molecules}
    made = provenance(trainer.device.type, seconds) | made
    return TrainedPolicy(config, trainer.policy.eval().cpu(), None, curve=tuple(trainer.curve), made=made)
