"""Settings of the other explainers, chosen for each data set on the tuning half, without its ground truth.

Run once a generation of GNNs: ``python -m gfx_core.bench.choose_settings DATASET …``. GFlowExplainer's reward was
tuned, so the others get the same freedom: for each, the settings in `TRIED` are tried on the tuning half of the data
set's instances, and those of the lowest cost by what the explainer itself is after are kept, with the cost of all that
were tried. Settings under which masks collapse are taken only if all of them do that. The first ones tried are those of
its configuration; they win ties. What is not here has nothing to choose: saliency has no settings, integrated gradients
only become more exact, DEGREE has none but for ties (ours and its authors', see `gfx_core.baselines.degree`),
heuristics do not ask the GNN.

Losses with different prices cannot be compared as such: a mask for which nothing is charged always costs less. So each
kind of explainer has a cost in which no price occurs; lower is better:

* **soft masks** (`mask_cost`): what the prediction loses, as a share of what it loses without any edge, plus the share
  of the edges that the mask keeps. The empty mask and the full one both cost 1 (nothing left, nothing left out), so a
  mask that has collapsed, or that keeps all, is dear, and one that keeps the prediction by few edges is cheap. Only
  instances whose prediction needs edges count: for the others the empty mask is right;
* **orders of nodes** (`order_cost`): the mean cross-entropy of the subgraphs that an order passes through, up to K_M
  nodes. An order that comes early to what the prediction rests on is cheap, and nothing is gained by stopping;
* **subgraphs** (in `cost_of`): minus the Shapley value of the answer, the reward of the search.
"""

import argparse
import json
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch_geometric.explain.algorithm.utils import clear_masks

from gfx_core.baselines.disjoint_union import Union, in_unions
from gfx_core.baselines.edge_scores import Scores
from gfx_core.baselines.generators import Generator
from gfx_core.baselines.gnnexplainer import collapse_note
from gfx_core.baselines.gradients import log_probability
from gfx_core.baselines.method import Learner, Method
from gfx_core.baselines.registry import make_method, read_settings, settings_path
from gfx_core.baselines.subgraphx import SubgraphX
from gfx_core.datasets.graph import Half, Ints, shuffled_half
from gfx_core.datasets.instance import Instance
from gfx_core.datasets.registry import DATASETS, load_dataset
from gfx_core.device import choose_device, provenance
from gfx_core.files import replacing
from gfx_core.gfn.rewards import Reward
from gfx_core.gfn.settings import RewardConfig
from gfx_core.gnn.checkpoint import load_model
from gfx_core.gnn.kinds import DEFAULT_KIND
from gfx_core.gnn.models import GNN
from gfx_core.gnn.predict import SubgraphPredictor
from gfx_core.user_models.adapter import private_copy

_PUBLISHED = {"size": 0.01, "radius": 0.1, "similarity": 1.0}

TRIED: Mapping[str, Sequence[Mapping[str, Any]]] = {
    "pgexplainer": (
        {"size": 0.01},
        {"size": 0.05},
        {"size": 0.02},
        {"size": 0.005},
        {"size": 0.002},
        {"size": 0.05, "entropy": 1.0},  # as published
        {"size": 0.01, "entropy": 1.0},
        {"size": 0.02, "entropy": 0.01},
        {"size": 0.01, "entropy": 0.01, "epochs": 60},
        {"size": 0.01, "lr": 0.003, "epochs": 60},
    ),
    "gnnexplainer": (
        {},
        {"lr": 0.1},
        {"epochs": 300, "lr": 0.05},
        {"epochs": 300, "lr": 0.05, "size": 0.02},
        {"epochs": 300, "lr": 0.05, "size": 0.05},
        {"epochs": 300, "lr": 0.05, "size": 0.1},
    ),
    "subgraphx": ({"expand": "low2high"}, {"expand": "high2low"}),
    "rgexplainer": (
        {"prices": _PUBLISHED},
        {"prices": {**_PUBLISHED, "radius": 0.0}},
        {"prices": {**_PUBLISHED, "size": 0.05}},
        {"prices": {"nodes": 0.1, "similarity": 0.3}},
        {"prices": {}},
    ),
}
"""What is tried for each explainer, those of its configuration first."""

LIMITS = {"pgexplainer": 200, "gnnexplainer": 100, "subgraphx": 20, "rgexplainer": 100}
"""On at most how many instances of the tuning half."""

MOST_COLLAPSED = 0.05
"""The share of collapsed masks above which settings are not chosen while there are others."""


def choose(method: str, model: GNN, instances: Sequence[Instance], device: str = "cpu") -> dict[str, Any]:
    """Try all settings of one explainer.

    Args:
        method: One of `TRIED`.
        model: The GNN.
        instances: Of the tuning half.
        device: Where to compute.

    Returns:
        Plain JSON: ``chosen``, the settings of lowest cost, and ``tried``, each with its ``cost``, the share of
        ``collapsed`` masks and ``seconds``.
    """
    tried: list[dict[str, Any]] = []
    for settings in TRIED[method]:
        began = time.perf_counter()
        cost, collapsed = cost_of(make_method(method, model, settings, device=device), instances)
        seconds = round(time.perf_counter() - began, 2)
        tried.append({"settings": dict(settings), "cost": cost, "collapsed": collapsed, "seconds": seconds})
        print(f"{method} {dict(settings)}: cost {cost:.4f}, {collapsed:.0%} collapsed, {seconds:.1f} s", flush=True)
    best = min(tried, key=lambda each: (each["collapsed"] > MOST_COLLAPSED, round(each["cost"], 3)))
    return {"chosen": best["settings"], "tried": tried, "instances": len(instances)}


def cost_of(explainer: Method, instances: Sequence[Instance]) -> tuple[float, float]:
    """What an explainer's answers cost by its own measure, and the share of its masks that have collapsed.

    One that learns learns from these instances first.
    """
    if isinstance(explainer, Learner):
        explainer.fit(instances)
    if isinstance(explainer, Generator):
        return order_cost(explainer.model, instances, explainer.greedy(instances), explainer.device), 0.0
    if isinstance(explainer, SubgraphX):
        return -float(np.mean([explainer.search(instance).best().value for instance in instances])), 0.0
    masks = [found.edge_mask for found in explainer.explain_many(instances)]
    return mask_cost(explainer.model, instances, masks, explainer.device)


_NEEDED = 0.1  # nats that a prediction must lose without any edge, if it is to count


def mask_cost(
    model: GNN, instances: Sequence[Instance], masks: Sequence[Scores], device: torch.device | str = "cpu"
) -> tuple[float, float]:
    """What soft masks cost, and the share of them that have collapsed.

    Args:
        model: The GNN.
        instances: What was explained; only those count whose prediction needs edges.
        masks: A value between 0 and 1 for each edge of each. [e_i] each
        device: Where to compute.
    """
    device, gnn = torch.device(device), private_copy(model).to(device).double()
    of_instance = {id(instance): mask for instance, mask in zip(instances, masks, strict=True)}
    log_p, scored = [], []

    @torch.no_grad()
    def measure(part: list[Instance]) -> list[Scores]:
        union, here = Union(gnn, part, device), [of_instance[id(instance)] for instance in part]
        weight = torch.from_numpy(np.concatenate(here)).to(device)
        ways = (weight, torch.ones_like(weight), torch.zeros_like(weight))
        log_p.append(torch.stack([log_probability(union, way) for way in ways], dim=1).cpu().numpy())  # [I, 3]
        scored.extend(here)
        clear_masks(gnn)
        return here

    in_unions(instances, measure)
    values = np.concatenate([np.zeros((0, 3)), *log_p])
    needed = values[:, 1] - values[:, 2] > _NEEDED
    if not needed.any():
        return 0.0, 0.0
    masked, full, empty = values[needed].mean(0)
    kept = [mask for mask, counts in zip(scored, needed, strict=True) if counts]
    lost, share = float((full - masked) / (full - empty)), float(np.mean([mask.mean() for mask in kept]))
    return lost + share, float(np.mean([bool(collapse_note(mask)) for mask in kept]))


def order_cost(model: GNN, instances: Sequence[Instance], orders: Ints, device: torch.device | str = "cpu") -> float:
    """What orders of nodes cost.

    Args:
        model: The GNN.
        instances: What was explained.
        orders: Nodes in order of addition, padded with -1. [I, K]
        device: Where to compute.
    """
    reward = Reward(SubgraphPredictor(model, instances, device), RewardConfig())  # −CE and nothing else
    count, K = orders.shape
    upto = np.tril(np.ones((K, K), dtype=bool))
    prefixes = torch.from_numpy(np.where(upto, orders[:, None, :], -1).reshape(count * K, K)).to(device)
    instance = torch.arange(count, device=prefixes.device).repeat_interleave(K)
    parts = zip(prefixes.split(4096), instance.split(4096), strict=True)
    return float(torch.cat([-reward(*part) for part in parts]).double().mean())


def main(arguments: Sequence[str] | None = None) -> None:
    """Choose for each data set; what its file holds of other explainers stays."""
    parser = argparse.ArgumentParser(prog="python -m gfx_core.bench.choose_settings", description=__doc__)
    parser.add_argument("datasets", nargs="+", choices=list(DATASETS), metavar="DATASET")
    parser.add_argument("--methods", nargs="+", choices=list(TRIED), default=list(TRIED), metavar="NAME")
    parser.add_argument("--device", default="auto")
    options = parser.parse_args(arguments)
    device = choose_device(options.device)
    for name in options.datasets:
        data, model = load_dataset(name), load_model(name)
        half = shuffled_half(data.explainable, Half.TUNING)
        path = settings_path(name, DEFAULT_KIND)
        kept = dict(read_settings(path))
        for method in options.methods:
            instances = [data.instance(int(index), hops=model.hops) for index in half[: LIMITS[method]]]
            kept[method] = choose(method, model, instances, device) | {"made": provenance(device)}
            print(f"{name}: {method} gets {kept[method]['chosen'] or 'its usual settings'}  → {path}")
        with replacing(path) as part:
            part.write_text(json.dumps(kept, indent=1, sort_keys=True, allow_nan=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
