"""Settings of the other explainers, chosen for each data set on the tuning half, without its ground truth.

GFlowExplainer's reward was tuned, so the others get the same freedom: for each, the settings in `TRIED` are tried on
the tuning half of the data set's instances, and those of the lowest cost by what the explainer itself is after
(`gfx_core.explainers.own_losses`) are kept, with the cost of all that were tried. Settings under which masks collapse
are taken only if all of them do that. The first ones tried are those of its configuration; they win ties.

What is not here has nothing to choose: saliency has no settings, integrated gradients only become more exact, DEGREE
has none but for ties (ours and its authors', told in `gfx_core.explainers.degree`), heuristics do not ask the GNN.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from gfx_core.datasets.graph import GraphDataset
from gfx_core.datasets.halves import Half, shuffled_half
from gfx_core.datasets.instance import Instance
from gfx_core.errors import UserError
from gfx_core.explainers.generator import Generator
from gfx_core.explainers.method import Learner, Method
from gfx_core.explainers.own_losses import mask_cost, order_cost, subgraph_cost
from gfx_core.explainers.registry import make_method
from gfx_core.explainers.subgraphx import SubgraphX
from gfx_core.gnn.models import GNN

Settings = Mapping[str, Any]

_PUBLISHED = {"size": 0.01, "radius": 0.1, "similarity": 1.0}

TRIED: Mapping[str, Sequence[Settings]] = {
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


def choose(
    method: str,
    model: GNN,
    instances: Sequence[Instance],
    *,
    device: str | torch.device = "cpu",
    tell: Callable[[str], None] = lambda _words: None,
) -> dict[str, Any]:
    """Try all settings of one explainer.

    Args:
        method: One of `TRIED`.
        model: The GNN.
        instances: Of the tuning half.
        device: Where to compute.
        tell: Told in a few words what each setting came to.

    Returns:
        Plain JSON: ``chosen``, the settings of lowest cost, and ``tried``, each with its ``cost``, the share of
        ``collapsed`` masks and ``seconds``.
    """
    if method not in TRIED:
        raise UserError(f"There is nothing to choose for {method}: only for {', '.join(TRIED)}.")
    tried: list[dict[str, Any]] = []
    for settings in TRIED[method]:
        began = time.perf_counter()
        explainer = make_method(method, model, settings, device=device)
        cost, collapsed = cost_of(explainer, instances)
        seconds = time.perf_counter() - began
        tried.append({"settings": dict(settings), "cost": cost, "collapsed": collapsed, "seconds": round(seconds, 2)})
        tell(f"{method} {dict(settings)}: cost {cost:.4f}, {collapsed:.0%} collapsed, {seconds:.1f} s")
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
        return subgraph_cost(explainer, instances), 0.0
    masks = [found.edge_mask for found in explainer.explain_many(instances)]
    return mask_cost(explainer.model, instances, masks, explainer.device)


def choose_all(
    dataset: GraphDataset,
    model: GNN,
    methods: Sequence[str] = tuple(TRIED),
    *,
    device: str | torch.device = "cpu",
    tell: Callable[[str], None] = lambda _words: None,
) -> dict[str, dict[str, Any]]:
    """`choose` for some explainers of one data set, each on the first of its tuning half; by explainer."""
    half = shuffled_half(dataset.explainable, Half.TUNING)
    chosen: dict[str, dict[str, Any]] = {}
    for method in methods:
        few = half[: LIMITS.get(method, 0)]
        instances = [dataset.instance(int(index), hops=model.hops) for index in few]
        chosen[method] = choose(method, model, instances, device=device, tell=tell)
    return chosen
